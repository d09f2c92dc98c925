"""A server that does what servers should not; each path is a way of misbehaving."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

BODY = bytes(range(256)) * 1000
OTHER = BODY[::-1]
ENDLESS = 64 << 20
"""Bytes after which even a server without an end gives up, should nobody stop it."""


class Handler(BaseHTTPRequestHandler):
    """Answers ``/NAME`` with the method of that name; parts are asked for with ``Range``."""

    server: Server
    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.close_connection = True
        self.server.asked.append(dict(self.headers))
        name = self.path.strip("/").partition("?")[0]
        with suppress(ConnectionError):
            getattr(self, f"send_{name}")()

    @property
    def start(self) -> int:
        return int(self.headers.get("Range", "bytes=0-")[6:-1])

    def head(self, status: int, **headers: object) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), str(value))
        self.end_headers()

    def send_plain(self, body: bytes = BODY, stop: int | None = None, **marks: object) -> None:
        """Sends a file, or the rest of it, as it should be; ``stop`` breaks off."""
        start = self.start
        changed = "If-Range" in self.headers and self.headers["If-Range"] not in marks.values()
        if start >= len(body) and not changed:
            self.head(416, Content_Range=f"bytes */{len(body)}", Content_Length=0)
        elif start and not changed:
            span = f"bytes {start}-{len(body) - 1}/{len(body)}"
            self.head(206, Content_Length=len(body) - start, Content_Range=span, **marks)
            self.wfile.write(body[start:])
        else:
            self.head(200, Content_Length=len(body), **marks)
            self.wfile.write(body[:stop])

    def send_short(self) -> None:
        self.send_plain(stop=len(BODY) // 2)

    def send_marked(self) -> None:
        """Breaks off the first time; has a mark of its version."""
        first = len(self.server.asked) == 1
        self.send_plain(stop=len(BODY) // 2 if first else None, ETag='"one"')

    def send_dated(self) -> None:
        first = len(self.server.asked) == 1
        date = "Sat, 01 Jan 2022 00:00:00 GMT"
        self.send_plain(stop=len(BODY) // 2 if first else None, Last_Modified=date)

    def send_replaced(self) -> None:
        """Has another file of the same size from the second time on."""
        if len(self.server.asked) == 1:
            self.send_plain(stop=len(BODY) // 2, ETag='"one"')
        else:
            self.send_plain(OTHER, ETag='"two"')

    def send_spliced(self) -> None:
        """Has another file, too, and continues the one with the other, without a mark."""
        if len(self.server.asked) == 1:
            self.send_plain(stop=len(BODY) // 2, ETag='"one"')
        else:
            del self.headers["If-Range"]
            self.send_plain(OTHER)

    def send_shifted(self) -> None:
        """Continues elsewhere than it was asked to."""
        if self.start:
            rest = BODY[self.start - 1 :]
            span = f"bytes {self.start - 1}-{len(BODY) - 1}/{len(BODY)}"
            self.head(206, Content_Length=len(rest), Content_Range=span, ETag='"one"')
            self.wfile.write(rest)
        else:
            self.send_marked()

    def send_cut_chunk(self) -> None:
        self.head(200, Transfer_Encoding="chunked")
        self.wfile.write(b"5\r\nhello\r\nff\r\nbroken")

    def send_chunks(self) -> None:
        self.head(200, Transfer_Encoding="chunked")
        for start in range(0, len(BODY), 50_000):
            piece = BODY[start : start + 50_000]
            self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
        self.wfile.write(b"0\r\n\r\n")

    def send_endless(self) -> None:
        self.head(200, Transfer_Encoding="chunked")
        piece = bytes(1 << 16)
        for _ in range(ENDLESS // len(piece)):
            self.wfile.write(b"10000\r\n" + piece + b"\r\n")
            self.server.sent += len(piece)

    def send_no_number(self) -> None:
        self.head(200, Content_Length="many")

    def send_negative(self) -> None:
        self.head(200, Content_Length="-1")

    def send_large(self) -> None:
        self.head(200, Content_Length=9 << 40)

    def send_no_length(self) -> None:
        self.head(200)
        self.wfile.write(BODY)

    def send_bad_status(self) -> None:
        self.wfile.write(b"\x1b]0;owned\x07 HELLO\r\n\r\n")

    def send_nothing(self) -> None:
        """Closes without a word."""

    def send_huge_header(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\nX: " + b"a" * 100_000 + b"\r\n\r\n")

    def send_many_headers(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\n" + b"X: a\r\n" * 1000 + b"\r\n")

    def send_squeezed(self) -> None:
        self.head(200, Content_Length=3, Content_Encoding="gzip")
        self.wfile.write(b"abc")

    def send_partial_unasked(self) -> None:
        self.head(206, Content_Length=3, Content_Range="bytes 0-2/9")
        self.wfile.write(b"abc")

    def send_to_file(self) -> None:
        self.head(302, Location="file:///etc/hostname", Content_Length=0)

    def send_to_ftp(self) -> None:
        self.head(302, Location="ftp://127.0.0.1/x", Content_Length=0)

    def send_to_nowhere(self) -> None:
        self.head(302, Location="http://[::1", Content_Length=0)

    def send_in_circles(self) -> None:
        self.head(302, Location=self.path, Content_Length=0)

    def send_hanging(self) -> None:
        self.head(200, Content_Length=9)
        self.wfile.flush()
        self.server.ended.wait()

    def log_message(self, *_: object) -> None:
        """Stays silent."""


class Server(ThreadingHTTPServer):
    """The server.

    Attributes:
        asked: headers of each request so far.
        sent: bytes sent by the answer without an end.
        ended: set when nobody asks any more.
    """

    daemon_threads = True

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.asked: list[dict[str, str]] = []
        self.sent = 0
        self.ended = threading.Event()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def handle_error(self, request: object, client_address: object) -> None:
        """Stays silent: whoever asked may have had enough."""


@contextmanager
def serving() -> Iterator[Server]:
    """Runs a server."""
    with Server() as server:
        threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True).start()
        yield server
        server.ended.set()
        server.shutdown()
