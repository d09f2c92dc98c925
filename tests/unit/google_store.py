"""A small server for tests that speaks Google's storage API: its objects are files, too."""

from __future__ import annotations

import json
import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs, quote, unquote, urlsplit

from tests.unit.object_store import ObjectStore

_OBJECT = re.compile(r"/storage/v1/b/(?P<bucket>[^/]+)(?:/o(?:/(?P<key>.+))?)?")


@contextmanager
def serve_google(folder: Path) -> Iterator[tuple[str, ObjectStore]]:
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

    def do_GET(self) -> None:
        self._answer()

    def do_POST(self) -> None:
        self._answer()

    def do_PUT(self) -> None:
        self._answer()

    def do_DELETE(self) -> None:
        self._answer()

    def _answer(self) -> None:
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        address = urlsplit(self.path)
        asked = {n: v[0] for n, v in parse_qs(address.query, keep_blank_values=True).items()}
        is_upload = address.path.startswith("/upload/")
        found = _OBJECT.fullmatch(address.path.removeprefix("/upload"))
        assert found is not None, self.path
        bucket, key = found["bucket"], unquote(found["key"] or asked.get("name", ""))
        self.store.requests.append((self.command, f"{bucket}/{key}".rstrip("/")))
        fault = self.store.fault(self.command, f"{bucket}/{key}".rstrip("/"))
        path = self.store.folder / bucket / key
        if fault == "hang":
            self.store.released.wait()
            self.close_connection = True
        elif fault == "refuse":
            self._send(503, {"error": {"code": 503, "message": "Not now."}})
        elif is_upload:
            self._take(bucket, key, asked, body)
        elif not key:
            lists = address.path.endswith("/o")
            self._send(200, self._list(bucket, asked) if lists else {"name": bucket})
        elif not path.is_file():
            self._send(404, {"error": {"code": 404, "message": "No such object."}})
        elif self.command == "DELETE":
            path.unlink()
            self._send(204, None)
        elif asked.get("alt") == "media":
            self._send_file(path, half=fault == "half")
        else:
            self._send(200, _describe(bucket, key, path))

    def _take(self, bucket: str, key: str, asked: dict[str, str], body: bytes) -> None:
        """Keeps an object that comes in pieces, or at once after what is said of it."""
        path = self.store.folder / bucket / key
        if "upload_id" in asked:
            pieces = self.store.pieces.setdefault(f"{bucket}/{key}", {})
            pieces[len(pieces)] = body
            if self.headers["Content-Range"].endswith("/*"):
                held = sum(map(len, pieces.values()))
                self._send(308, None, Range=f"bytes=0-{held - 1}")
                return
            body = b"".join(self.store.pieces.pop(f"{bucket}/{key}").values())
        elif asked["uploadType"] == "resumable":
            host = self.headers["Host"]
            name = quote(key, safe="")
            again = f"http://{host}/upload/storage/v1/b/{bucket}/o?name={name}&upload_id=one"
            self._send(200, None, Location=again)
            return
        elif asked["uploadType"] == "multipart":
            edge = (
                b"--" + self.headers["Content-Type"].rpartition("boundary=")[2].strip('"').encode()
            )
            told, body = (
                each.partition(b"\r\n\r\n")[2].removesuffix(b"\r\n")
                for each in body.split(edge)[1:3]
            )
            path = self.store.folder / bucket / (key or json.loads(told)["name"])
        # What pyarrow marks folders with is no file on a disk.
        if not key.endswith("/"):
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(body)
        self._send(200, _describe(bucket, key, path))

    def _send_file(self, path: Path, *, half: bool) -> None:
        data, status, more = path.read_bytes(), 200, {}
        if wanted := re.fullmatch(r"bytes=(\d+)-(\d*)", self.headers.get("Range", "")):
            first, last = int(wanted[1]), min(int(wanted[2] or len(data)), len(data) - 1)
            more["Content-Range"] = f"bytes {first}-{last}/{len(data)}"
            data, status = data[first : last + 1], 206
        self._send(status, data, half=half, **{"x-goog-generation": "1"}, **more)

    def _list(self, bucket: str, asked: dict[str, str]) -> dict[str, Any]:
        """Lists two objects a page, so that lists of more are asked for in pages."""
        root = self.store.folder / bucket
        keys = sorted(p.relative_to(root).as_posix() for p in root.rglob("*") if p.is_file())
        prefix, after = asked.get("prefix", ""), asked.get("pageToken", "")
        keys = [key for key in keys if key.startswith(prefix) and key > after]
        items = [_describe(bucket, key, root / key) for key in keys[:2]]
        return {"items": items, **({"nextPageToken": keys[1]} if len(keys) > 2 else {})}

    def _send(self, status: int, told: Any, *, half: bool = False, **more: Any) -> None:
        data = told if isinstance(told, bytes) else json.dumps(told).encode() if told else b""
        self.send_response(status)
        for name, value in {**more, "Content-Length": len(data)}.items():
            self.send_header(name, str(value))
        self.end_headers()
        self.wfile.write(data[: len(data) // 2] if half else data)
        self.close_connection = half


def _describe(bucket: str, key: str, path: Path) -> dict[str, Any]:
    status = path.stat() if path.is_file() else None
    changed = datetime.fromtimestamp(status.st_mtime if status else 0, UTC)
    told = changed.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    return {
        "kind": "storage#object",
        "bucket": bucket,
        "name": key,
        "size": str(status.st_size if status else 0),
        "generation": "1",
        "updated": told,
        "timeCreated": told,
    }
