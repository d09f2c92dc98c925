"""What `make audit` says of the locks: a known vulnerability is a fault, a silent index is none."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest

AUDIT = Path(__file__).parents[2] / "scripts" / "audit.py"
FLAW = {
    "id": "OSV-2026-1",
    "summary": "An invented flaw.",
    "affected": [],
    "modified": "2026-01-01",
}


class Index(ThreadingHTTPServer):
    """An index of vulnerabilities, with one of the package ``flawed`` or of none."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.flawed = ""
        self.asked: set[str] = set()


class Handler(BaseHTTPRequestHandler):
    server: Index

    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        name = asked["package"]["name"]
        self.server.asked.add(name)
        answer = json.dumps({"vulns": [FLAW]} if name == self.server.flawed else {}).encode()
        self.send_response(200)
        self.send_header("Content-Length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def index() -> Iterator[Index]:
    with Index() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.shutdown()


def audit(port: int) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, str(AUDIT), f"http://127.0.0.1:{port}/v1/query"]
    return subprocess.run(words, capture_output=True, text=True, check=False)


def test_an_index_without_flaws_passes(index: Index) -> None:
    done = audit(index.server_port)
    assert done.returncode == 0, done.stderr
    assert {"click", "duckdb", "pytest", "transformers"} <= index.asked


def test_a_known_flaw_fails(index: Index) -> None:
    index.flawed = "duckdb"
    done = audit(index.server_port)
    assert done.returncode == 1
    assert "OSV-2026-1" in done.stdout


def test_where_no_index_can_be_asked_it_says_so_and_passes() -> None:
    done = audit(9)
    assert (done.returncode, done.stdout) == (0, "not audited: the index cannot be reached\n")
