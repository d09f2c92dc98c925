from __future__ import annotations

import pytest
from starlette.requests import Request
from starlette.responses import Response

from commonground.site.keeping import KeptAnswers
from commonground.site.library import Library, Shelf


def asked(path: str) -> Request:
    scope = {"type": "http", "method": "GET", "path": path, "query_string": b"", "headers": []}
    return Request({**scope, "server": ("127.0.0.1", 80), "scheme": "http"})


def test_the_last_answers_are_kept_up_to_a_size(photobook: Shelf) -> None:
    kept = KeptAnswers(Library.of([photobook]), most=10)
    kept.put(asked("/a"), Response(b"123456"))
    assert kept.get(asked("/a")) is not None
    kept.put(asked("/wrong"), Response(b"1", 404))
    assert kept.get(asked("/wrong")) is None
    kept.put(asked("/b"), Response(b"123456"))  # 12 bytes are more than 10
    assert kept.get(asked("/a")) is None
    assert kept.get(asked("/b")) is not None


def test_a_new_import_ends_what_was_kept(photobook: Shelf, monkeypatch: pytest.MonkeyPatch) -> None:
    library = Library.of([photobook])
    kept = KeptAnswers(library)
    kept.put(asked("/a"), Response(b"old"))
    library.put(photobook)
    assert kept.get(asked("/a")) is None
    kept.put(asked("/a"), Response(b"old, of a process that did not notice yet"))
    assert kept.get(asked("/a")) is None
    monkeypatch.setattr("time.monotonic", lambda: 1e12)
    kept.put(asked("/a"), Response(b"new"))
    assert kept.get(asked("/a")) is not None
