"""A small S3 server for tests: lists and reads objects, and goes wrong when it is asked to."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape

Fault = Callable[[str, str], str | None]
"""Given method and key, names what is to go wrong: ``refuse``, ``half``, ``hang``; None for
nothing."""


class ObjectStore:
    """Buckets that are folders.

    Attributes:
        folder: its subfolders are the buckets.
        fault: what goes wrong.
        requests: method and path of each request.
        released: set in the end, so that no request hangs on.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fault: Fault = lambda _method, _key: None
        self.requests: list[tuple[str, str]] = []
        self.released = threading.Event()


@contextmanager
def serve_objects(folder: Path) -> Iterator[tuple[str, ObjectStore]]:
    """Serves a folder of buckets; gives the address and the store."""
    store = ObjectStore(folder)
    handler = type("Handler", (_Handler,), {"store": store})
    server = ThreadingHTTPServer(("127.0.0.1", 0), handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", store
    finally:
        store.released.set()
        server.shutdown()
        thread.join()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    store: ObjectStore

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        address = urlsplit(self.path)
        key = unquote(address.path).strip("/")
        self.store.requests.append((self.command, key))
        fault = self.store.fault(self.command, key)
        asked = {name: values[0] for name, values in parse_qs(address.query).items()}
        path = self.store.folder / key
        if fault == "hang":
            self.store.released.wait()
            self.close_connection = True
        elif fault == "refuse":
            self._send(503, _fault("SlowDown"))
        elif "list-type" in asked:
            self._send(200, _list(self.store.folder / key, key, asked))
        elif path.is_file():
            self._send_file(path, half=fault == "half")
        elif path.is_dir() and "/" not in key:
            self._send(200, b"")
        else:
            self._send(404, _fault("NoSuchKey"))

    def _send_file(self, path: Path, *, half: bool) -> None:
        data, status = path.read_bytes(), 200
        found = re.fullmatch(r"bytes=(\d+)-(\d+)", self.headers.get("Range", ""))
        extra = {}
        if found is not None:
            first, last = int(found[1]), min(int(found[2]), len(data) - 1)
            extra["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
            data, status = data[first : last + 1], 206
        changed = formatdate(path.stat().st_mtime, usegmt=True)
        self._send(status, data, half=half, **{"Last-Modified": changed, "ETag": '"e"'}, **extra)

    def _send(self, status: int, data: bytes, *, half: bool = False, **more: Any) -> None:
        self.send_response(status)
        for name, value in {**more, "Content-Length": len(data)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(data[: len(data) // 2] if half else data)
        if half:
            self.close_connection = True


def _fault(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>{code} it is.</Message></Error>".encode()


def _list(bucket: Path, name: str, asked: dict[str, str]) -> bytes:
    """Lists two objects a page, so that lists of more are asked for in pages."""
    prefix, start = asked.get("prefix", ""), int(asked.get("continuation-token", "0"))
    keys = sorted(p.relative_to(bucket).as_posix() for p in bucket.rglob("*") if p.is_file())
    keys = [key for key in keys if key.startswith(prefix)]
    page, more = keys[start : start + 2], len(keys) > start + 2
    contents = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{(bucket / key).stat().st_size}</Size>"
        "<LastModified>2026-11-23T00:00:00.000Z</LastModified></Contents>"
        for key in page
    )
    token = f"<NextContinuationToken>{start + 2}</NextContinuationToken>" if more else ""
    return (
        f"<ListBucketResult><Name>{name}</Name><Prefix>{escape(prefix)}</Prefix>"
        f"<KeyCount>{len(page)}</KeyCount><IsTruncated>{str(more).lower()}</IsTruncated>"
        f"{token}{contents}</ListBucketResult>"
    ).encode()
