"""Uploads to a fake of the Hub's documented interface, on this machine."""

from __future__ import annotations

import base64
import json
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from commonground.errors import SourceError, UsageError
from commonground.exports.hub import plan_upload, push

REPO = "lab/talks"


class Hub(ThreadingHTTPServer):
    """What was asked of it: paths with their bodies, and the files of commits."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Answers)
        self.asked: list[tuple[str, Any]] = []
        self.files: dict[str, bytes] = {}
        self.tokens: set[str | None] = set()
        self.refuses = False


class _Answers(BaseHTTPRequestHandler):
    server: Hub

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        self.server.tokens.add(self.headers.get("Authorization"))
        address = f"http://127.0.0.1:{self.server.server_port}/datasets/{REPO}"
        if self.server.refuses:
            self._answer({"error": "You may not write here"}, 403)
        elif self.path == "/api/repos/create":
            self.server.asked.append((self.path, json.loads(body)))
            self._answer({"url": address, "name": REPO})
        elif "/preupload/" in self.path:
            files = json.loads(body)["files"]
            modes = [{"path": f["path"], "uploadMode": "regular"} for f in files]
            self._answer({"files": [{**mode, "shouldIgnore": False} for mode in modes]})
        elif "/commit/" in self.path:
            self._commit(body)
            self._answer({"commitUrl": f"{address}/commit/abc", "commitOid": "abc"})
        else:
            self._answer({})

    def do_GET(self) -> None:
        is_there = "tree" not in self.path and not self.server.refuses
        self._answer({"id": REPO, "sha": "abc", "private": False}, 200 if is_there else 404)

    def _commit(self, body: bytes) -> None:
        for line in body.splitlines():
            found = json.loads(line)
            if found["key"] == "file":
                value = found["value"]
                self.server.files[value["path"]] = base64.b64decode(value["content"])

    def _answer(self, value: Any, status: int = 200) -> None:
        data = json.dumps(value).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_: Any) -> None:
        """Prints nothing."""


@pytest.fixture
def hub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Hub]:
    pytest.importorskip("huggingface_hub")
    # Whoever was asked for it earlier in this process may have kept it from the network.
    monkeypatch.setattr("huggingface_hub.constants.HF_HUB_OFFLINE", False)
    server = Hub()
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    monkeypatch.setenv("HF_ENDPOINT", f"http://127.0.0.1:{server.server_port}")
    monkeypatch.setenv("HF_TOKEN", "hf_invented")
    yield server
    server.shutdown()
    thread.join()
    server.server_close()


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    out = tmp_path / "set"
    (out / "data" / "events").mkdir(parents=True)
    (out / "README.md").write_text("# Talks\n", encoding="utf-8")
    (out / "data" / "events" / "train.parquet").write_bytes(b"rows")
    (out / ".commonground-files.json").write_text("{}", encoding="utf-8")
    return out


def test_what_is_listed_is_what_is_uploaded(hub: Hub, folder: Path) -> None:
    upload = plan_upload(folder, REPO, private=True)
    assert upload.files == {"README.md": 8, "data/events/train.parquet": 4}
    assert upload.address.endswith("/datasets/lab/talks")
    assert push(folder, upload).endswith("/datasets/lab/talks/commit/abc")
    assert hub.files == {"README.md": b"# Talks\n", "data/events/train.parquet": b"rows"}
    ((_, made),) = hub.asked
    assert (made["name"], made["organization"], made["type"]) == ("talks", "lab", "dataset")
    assert made.get("private") is True or made.get("visibility") == "private"
    assert hub.tokens == {"Bearer hf_invented"}


def test_a_refusal_of_the_hub_is_said(hub: Hub, folder: Path) -> None:
    hub.refuses = True
    with pytest.raises(SourceError, match=r"datasets/lab/talks was not written"):
        push(folder, plan_upload(folder, REPO, private=False))
    assert hub.files == {}


def test_without_a_token_one_is_asked_to_log_in(
    hub: Hub, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("huggingface_hub.get_token", lambda: None)
    with pytest.raises(UsageError, match="not logged in"):
        push(folder, plan_upload(folder, REPO, private=False))
    assert hub.asked == []


@pytest.mark.parametrize("repo", ["talks", "a/b/c", "/talks", "a b/c"])
def test_names_of_repositories_are_checked(repo: str, folder: Path) -> None:
    with pytest.raises(UsageError, match="names no repository"):
        plan_upload(folder, repo, private=False)
