from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import msgspec
import pytest

from commonground.corpora import Source, get_corpus
from commonground.errors import SourceError
from commonground.fetching import fetch_corpus, fetch_file

BODY = bytes(range(256)) * 1000
SHA256 = hashlib.sha256(BODY).hexdigest()


class Handler(BaseHTTPRequestHandler):
    """Serves BODY, whole or from a byte on; ``/short`` breaks off in the middle."""

    def do_GET(self) -> None:
        start = int(self.headers.get("Range", "bytes=0-")[6:-1])
        self.send_response(206 if start else 200)
        self.send_header("Content-Length", str(len(BODY) - start))
        self.end_headers()
        stop = len(BODY) // 2 if self.path == "/short" and not start else None
        self.wfile.write(BODY[start:stop])

    def log_message(self, *_: object) -> None:
        """Stays silent."""


@pytest.fixture
def site() -> Iterator[str]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}"
    server.shutdown()
    server.server_close()


def source(url: str, **changes: object) -> Source:
    base = Source("sub/data.bin", url, len(BODY), SHA256)
    return msgspec.structs.replace(base, **changes)


def test_a_file_is_fetched_once(site: str, tmp_path: Path) -> None:
    first = fetch_file(source(f"{site}/data"), tmp_path)
    again = fetch_file(source(f"{site}/data"), tmp_path)
    assert (first.state, again.state) == ("downloaded", "present")
    assert (tmp_path / "sub/data.bin").read_bytes() == BODY
    assert first.verified


def test_a_download_that_broke_off_goes_on(site: str, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"broke off.*Run the same command again"):
        fetch_file(source(f"{site}/short"), tmp_path)
    assert (tmp_path / "sub/data.bin.part").stat().st_size == len(BODY) // 2
    assert fetch_file(source(f"{site}/short"), tmp_path).state == "resumed"
    assert (tmp_path / "sub/data.bin").read_bytes() == BODY


@pytest.mark.parametrize("change", [{"size": 7}, {"sha256": "0" * 64}])
def test_another_file_is_refused(site: str, tmp_path: Path, change: dict[str, object]) -> None:
    with pytest.raises(SourceError, match="is not the published file"):
        fetch_file(source(f"{site}/data", **change), tmp_path)
    assert not list((tmp_path / "sub").iterdir())


def test_a_wrong_file_in_the_way_is_not_overwritten(site: str, tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    (tmp_path / "sub/data.bin").write_bytes(b"mine")
    with pytest.raises(SourceError, match="Move it away"):
        fetch_file(source(f"{site}/data"), tmp_path)
    assert (tmp_path / "sub/data.bin").read_bytes() == b"mine"


def test_nothing_is_written_outside(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="outside"):
        fetch_file(source("http://127.0.0.1:9/", path="../up"), tmp_path)


def test_a_site_that_does_not_answer_is_named(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"127\.0\.0\.1:9/ cannot be reached"):
        fetch_file(source("http://127.0.0.1:9/"), tmp_path)


def test_terms_to_accept_are_printed_instead(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be fetched without you") as caught:
        fetch_corpus(get_corpus("frames"), tmp_path)
    assert "http" in caught.value.advice
    assert not list(tmp_path.iterdir())
