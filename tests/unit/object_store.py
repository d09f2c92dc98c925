"""A small S3 server for tests: keeps objects as files, and goes wrong when it is asked to."""

from __future__ import annotations

import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from email.utils import formatdate
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, unquote, urlsplit
from xml.sax.saxutils import escape, unescape

Fault = Callable[[str, str], str | None]
"""Given method and key, names what is to go wrong: ``refuse``, ``half``, ``hang``, or of what is
written ``deaf`` (done, and said to have failed); None for nothing."""


class ObjectStore:
    """Buckets that are folders.

    Attributes:
        folder: its subfolders are the buckets.
        fault: what goes wrong.
        requests: method and path of each request.
        pieces: of objects that come in several, by upload and number.
        released: set in the end, so that no request hangs on.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.fault: Fault = lambda _method, _key: None
        self.requests: list[tuple[str, str]] = []
        self.pieces: dict[str, dict[int, bytes]] = {}
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
    disable_nagle_algorithm = True  # else a body waits for an answer to its head
    store: ObjectStore

    def log_message(self, *_: object) -> None:
        pass

    def do_HEAD(self) -> None:
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._take()

    def do_POST(self) -> None:
        self._take()

    def do_DELETE(self) -> None:
        self._take()

    def _read_body(self) -> bytes:
        if self.headers.get("Transfer-Encoding") == "chunked":
            body = _read_chunks(self.rfile)
        else:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        # Amazon's own chunks are within those of HTTP.
        if "aws-chunked" in self.headers.get("Content-Encoding", ""):
            return _read_chunks(BytesIO(body))
        return body

    def _take(self) -> None:
        """Keeps an object, or a piece of one, or removes some."""
        address = urlsplit(self.path)
        key = unquote(address.path).strip("/")
        body = self._read_body()
        self.store.requests.append((self.command, key))
        fault = self.store.fault(self.command, key)
        asked = {n: v[0] for n, v in parse_qs(address.query, keep_blank_values=True).items()}
        path = self.store.folder / key
        if fault == "refuse":
            self._send(503, _fault("SlowDown"))
        elif "delete" in asked:
            for each in re.findall(r"<Key>(.*?)</Key>", body.decode()):
                if (path / unescape(each)).is_file():
                    (path / unescape(each)).unlink()
            self._send(200, b"<DeleteResult/>")
        elif self.command == "DELETE":
            if path.is_file():  # a folder is there only as long as objects are
                path.unlink()
            self._send(204, b"")
        elif "uploads" in asked:
            self.store.pieces[key] = {}
            told = "<UploadId>one</UploadId>"
            self._send(200, _tell("InitiateMultipartUpload", told))
        elif "partNumber" in asked:
            self.store.pieces[key][int(asked["partNumber"])] = body
            self._send(200, b"", ETag='"e"')
        elif "uploadId" in asked:
            pieces = self.store.pieces.pop(key)
            _write(path, b"".join(pieces[number] for number in sorted(pieces)))
            told = "<ETag>e</ETag>"
            self._send(200, _tell("CompleteMultipartUpload", told))
        elif address.path.endswith("/"):  # how some mark a folder that is empty
            self._send(200, b"", ETag='"e"')
        else:
            _write(path, body)
            # Done, but nobody is told.
            answer = (503, _fault("SlowDown")) if fault == "deaf" else (200, b"")
            self._send(*answer, ETag='"e"')

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


def _read_chunks(stream: Any) -> bytes:
    """Reads what comes in chunks, each after its size, until one of none."""
    data = b""
    while size := int(stream.readline().split(b";")[0], 16):
        data += stream.read(size)
        stream.readline()
    while stream.readline().strip():  # such as checksums
        pass
    return data


def _write(path: Path, data: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(data)


def _tell(done: str, what: str) -> bytes:
    return f"<{done}Result>{what}</{done}Result>".encode()


def _fault(code: str) -> bytes:
    return f"<Error><Code>{code}</Code><Message>{code} it is.</Message></Error>".encode()


def _changed(path: Path) -> str:
    return datetime.fromtimestamp(int(path.stat().st_mtime), UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")


def _list(bucket: Path, name: str, asked: dict[str, str]) -> bytes:
    """Lists two objects a page, so that lists of more are asked for in pages."""
    # After a key and not a number of them: some may be removed between two pages.
    prefix, after = asked.get("prefix", ""), asked.get("continuation-token", "")
    keys = sorted(p.relative_to(bucket).as_posix() for p in bucket.rglob("*") if p.is_file())
    keys = [key for key in keys if key.startswith(prefix) and key > after]
    page, more = keys[:2], len(keys) > 2
    contents = "".join(
        f"<Contents><Key>{escape(key)}</Key><Size>{(bucket / key).stat().st_size}</Size>"
        f"<LastModified>{_changed(bucket / key)}</LastModified></Contents>"
        for key in page
    )
    token = f"<NextContinuationToken>{escape(page[-1])}</NextContinuationToken>" if more else ""
    return (
        f"<ListBucketResult><Name>{name}</Name><Prefix>{escape(prefix)}</Prefix>"
        f"<KeyCount>{len(page)}</KeyCount><IsTruncated>{str(more).lower()}</IsTruncated>"
        f"{token}{contents}</ListBucketResult>"
    ).encode()
