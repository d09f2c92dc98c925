"""Processes that answer requests within bounds of time and memory."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route
from starlette.types import Scope

from commonground.errors import StoreError
from commonground.explorer.web.bounded import BoundedWorkers, EndedError
from commonground.explorer.web.workers import Worker

LARGE, SPENT = 2_000_000_000, 300_000_000
KEPT: list[bytes] = []


def answer(request: Request) -> Response:
    """Does as the address says."""
    match request.path_params["what"]:
        case "sleep":
            time.sleep(60)
        case "exit":
            os._exit(3)
        case "keep":
            KEPT.append(b"x" * (SPENT + 1))
        case "eat":
            return PlainTextResponse(str(eat()))
    return PlainTextResponse(str(os.getpid()))


def eat() -> str:
    try:
        return f"ate {len(bytearray(LARGE)):,}"
    except MemoryError:
        return "refused"


def open_app() -> Worker:
    return Worker(Starlette(routes=[Route("/{what}", answer)]), lambda: None)


def open_nothing() -> Worker:
    raise StoreError("There is no store.", "Import one.")


@pytest.fixture
def make() -> Iterator[Callable[..., BoundedWorkers]]:
    made: list[BoundedWorkers] = []

    def run(open_worker: Callable[[], Worker] = open_app) -> BoundedWorkers:
        made.append(BoundedWorkers(open_worker, seconds=3, memory=LARGE, spent=SPENT))
        return made[-1]

    yield run
    for each in made:
        each.close()


def ask(workers: BoundedWorkers, what: str) -> str:
    path = f"/{what}"
    scope: Scope = {"method": "GET", "path": path, "raw_path": path.encode(), "query_string": b""}
    # In a thread of its own: tests of pages leave a loop running in this one.
    with ThreadPoolExecutor(1) as pool:
        made = pool.submit(lambda: asyncio.run(workers.answer(scope))).result()
    return bytes(made.body).decode()


def test_one_process_answers_until_it_is_ended(make: Callable[..., BoundedWorkers]) -> None:
    workers = make()
    workers.prepare()
    first = ask(workers, "who")
    assert ask(workers, "eat") == "refused"
    assert ask(workers, "who") == first
    with pytest.raises(EndedError) as late:
        ask(workers, "sleep")
    with pytest.raises(EndedError) as gone:
        ask(workers, "exit")
    assert (late.value.is_late, gone.value.is_late) == (True, False)
    second = ask(workers, "who")
    assert second != first
    if Path("/proc/self/statm").exists():
        # Whoever holds much memory is replaced.
        assert ask(workers, "keep") == second
        assert ask(workers, "who") != second


def test_what_cannot_be_opened_says_why(make: Callable[..., BoundedWorkers]) -> None:
    with pytest.raises(StoreError, match="no store"):
        ask(make(open_nothing), "who")


def test_nothing_is_started_after_the_end(make: Callable[..., BoundedWorkers]) -> None:
    workers = make()
    workers.close()
    workers.prepare()
    with pytest.raises(EndedError):
        ask(workers, "who")
