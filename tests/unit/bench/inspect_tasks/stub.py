"""A provider on this machine that speaks as OpenAI's does, and fails as providers fail."""

from __future__ import annotations

import json
import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import msgspec


class Said(msgspec.Struct):
    """What the provider answers.

    Attributes:
        text: what the model says.
        calls: tools that it calls, by name with their arguments.
        status: HTTP status.
        ends: why the model stopped.
        after_s: seconds before it answers.
        raw: body in place of a completion; null for one.
        cut_at: bytes after which the connection ends; null for never.
    """

    text: str = ""
    calls: list[tuple[str, dict[str, Any]]] = []
    status: int = 200
    ends: str = "stop"
    after_s: float = 0.0
    raw: bytes | None = None
    cut_at: int | None = None


Answer = Callable[[int, dict[str, Any]], Said]
"""Gives what is answered to a request: its number from 0, and its body."""


class Stub(ThreadingHTTPServer):
    """The provider; ``asked`` has the bodies of all requests."""

    daemon_threads = True

    def __init__(self, answer: Answer, port: int) -> None:
        super().__init__(("127.0.0.1", port), _Handler)
        self.answer = answer
        self.asked: list[dict[str, Any]] = []
        self.lock = threading.Lock()

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


class _Handler(BaseHTTPRequestHandler):
    server: Stub

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        with self.server.lock:
            number = len(self.server.asked)
            self.server.asked.append(body)
        said = self.server.answer(number, body)
        time.sleep(said.after_s)
        data = said.raw if said.raw is not None else _complete(said, body)
        self.send_response(said.status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(data)))
        self.send_header("retry-after", "0")
        self.end_headers()
        self.wfile.write(data[: said.cut_at])

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class's name
        pass


def count_tokens(content: Any) -> int:
    """Counts as a provider might: six letters at a time, two marks, and one tile a picture."""
    if isinstance(content, list):
        return sum(map(count_tokens, content))
    if isinstance(content, dict):
        return 255 if content["type"] == "image_url" else _count(content["text"])
    return _count(content)


def _count(text: str) -> int:
    return len(re.findall(r"\w{1,6}|[^\w\s]{1,2}", text))


def _complete(said: Said, body: dict[str, Any]) -> bytes:
    if said.status != 200:
        return json.dumps({"error": {"message": "no", "type": "stub", "code": None}}).encode()
    asked, given = count_tokens([each["content"] for each in body["messages"]]), _count(said.text)
    completion = {
        "id": "stub",
        "object": "chat.completion",
        "created": 0,
        "model": body["model"],
        "choices": [
            {
                "index": 0,
                "finish_reason": said.ends,
                "message": {"role": "assistant", "content": said.text} | _write_calls(said),
            }
        ],
        "usage": {
            "prompt_tokens": asked,
            "completion_tokens": given,
            "total_tokens": asked + given,
        },
    }
    return json.dumps(completion).encode()


def _write_calls(said: Said) -> dict[str, Any]:
    called = [
        {
            "id": f"call-{number}",
            "type": "function",
            "function": {"name": name, "arguments": json.dumps(arguments)},
        }
        for number, (name, arguments) in enumerate(said.calls)
    ]
    return {"tool_calls": called} if called else {}


@contextmanager
def serve(answer: Answer, port: int = 0) -> Iterator[Stub]:
    """Serves while the block runs."""
    stub = Stub(answer, port)
    thread = threading.Thread(target=stub.serve_forever, daemon=True)
    thread.start()
    try:
        yield stub
    finally:
        stub.shutdown()
        stub.server_close()
        thread.join()
