"""Who answers a request, and which answers are kept."""

from __future__ import annotations

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.testclient import TestClient

from commonground.explorer.web.dispatch import SETTLE_S, Dispatcher, ResponseCache


class Data:
    """Data that can be replaced, as an import replaces a corpus."""

    def __init__(self) -> None:
        self.version = object()

    def replace(self) -> None:
        self.version = object()


def ask(path: str) -> Request:
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}
    return Request({**scope, "server": ("127.0.0.1", 80), "scheme": "http"})


def make_cache(data: Data, most_bytes: int = 100) -> ResponseCache:
    return ResponseCache(lambda: data.version, most_bytes)


def test_the_last_responses_are_kept_up_to_a_size() -> None:
    cache = make_cache(Data(), most_bytes=10)
    cache.put(ask("/a"), Response(b"123456"))
    assert cache.get(ask("/a")) is not None
    cache.put(ask("/b"), Response(b"123456"))  # 12 bytes are more than 10
    assert cache.get(ask("/a")) is None
    assert cache.get(ask("/b")) is not None


def test_what_says_that_something_is_wrong_is_not_kept() -> None:
    cache = make_cache(Data())
    cache.put(ask("/wrong"), Response(b"1", 404))
    assert cache.get(ask("/wrong")) is None


def test_new_data_end_what_was_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 100.0
    monkeypatch.setattr("time.monotonic", lambda: now)
    data = Data()
    cache = make_cache(data)
    cache.put(ask("/a"), Response(b"old"))
    data.replace()
    assert cache.get(ask("/a")) is None
    cache.put(ask("/a"), Response(b"old, of a process that did not notice yet"))
    assert cache.get(ask("/a")) is None
    now += SETTLE_S
    cache.put(ask("/a"), Response(b"new"))
    assert cache.get(ask("/a")) is not None


@pytest.mark.parametrize(
    ("keeps", "in_threads", "made"), [(True, True, 1), (False, True, 2), (True, False, 2)]
)
def test_what_is_kept_is_made_once(keeps: bool, in_threads: bool, made: int) -> None:
    data, calls = Data(), []

    def endpoint(request: Request) -> Response:
        calls.append(request.url.path)
        return PlainTextResponse("made")

    dispatcher = Dispatcher(lambda: data.version, in_threads=in_threads)
    client = TestClient(Starlette(routes=[Route("/", dispatcher.route(endpoint, keeps=keeps))]))
    assert [client.get("/").text for _ in range(2)] == ["made", "made"]
    assert len(calls) == made
