from __future__ import annotations

import asyncio
import signal
import subprocess
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.testclient import TestClient

from commonground.corpora import get_corpus
from commonground.explorer.corpora import OpenCorpora, Reloader
from commonground.explorer.server.app import create_app, open_worker
from commonground.explorer.web.workers import PlainRequest, WorkerPool, run_app
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

T = TypeVar("T")


def test_a_worker_answers_as_the_application_does(corpora: OpenCorpora) -> None:
    made = run_apart(
        run_app(
            create_app(corpora, in_threads=False), PlainRequest("GET", "/frames/", b"/frames/", b"")
        )
    )
    assert made.status == 200
    assert made.body == TestClient(create_app(corpora)).get("/frames/").content


def test_workers_that_are_not_ready_leave_pages_to_others(corpora: OpenCorpora) -> None:
    pool = WorkerPool(partial(open_worker, corpora.plan()), 2)
    assert TestClient(create_app(corpora, workers=pool)).get("/frames/").status_code == 200
    pool.close()


def test_two_processes_answer(corpora: OpenCorpora) -> None:
    alone = TestClient(create_app(corpora))
    pool = WorkerPool(partial(open_worker, corpora.plan()), 2)
    pool.start()
    # What this thread starts from now on can still be stopped by Ctrl-C.
    assert signal.SIGINT not in signal.pthread_sigmask(signal.SIG_BLOCK, ())
    try:
        asked = ("/", "/frames/?q=the", "/photobook/d/3.json", "/frames/?q=nosuch:1")
        answers = run_apart(ask_together(pool, [*asked, *asked]))
    finally:
        pool.close()
    for path, made in zip([*asked, *asked], answers, strict=True):
        assert made is not None
        expected = alone.get(path)
        assert (made.status_code, bytes(made.body)) == (expected.status_code, expected.content)
    assert run_apart(ask_together(pool, ["/"])) == [None]


def test_what_makes_pages_is_ready_without_pandas() -> None:
    # pyarrow imports it with the first array, which takes as long as all else together.
    code = (
        "import commonground.explorer.server.app, commonground.explorer.static_site.dialogues, sys;"
        "print('pandas' in sys.modules)"
    )
    words = [sys.executable, "-c", code]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Runs it in a thread of its own: tests of pages leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def ask_together(pool: WorkerPool, paths: list[str]) -> list[Response | None]:
    """Asks all at once."""
    scopes = []
    for path in paths:
        where, _, query = path.partition("?")
        scope = {"method": "GET", "path": where, "raw_path": where.encode()}
        scopes.append({**scope, "query_string": query.encode()})
    return await asyncio.gather(*map(pool.answer, scopes))


def test_a_new_import_is_noticed(tmp_path: Path) -> None:
    store, entry = tmp_path / "store", get_corpus("frames")
    for number in (3, 5):
        simulate_corpus(entry, tmp_path / f"files-{number}", dialogues=number, seed=1)
    import_corpus(entry, [tmp_path / "files-3"], store=store, jobs=1)
    corpora = OpenCorpora(open_store(store))
    assert corpora.get("frames").searcher.n_dialogues == 3
    import_corpus(entry, [tmp_path / "files-5"], store=store, jobs=1)
    Reloader(corpora).reload()
    assert corpora.get("frames").searcher.n_dialogues == 5


def test_an_import_leaves_the_figures_of_other_corpora_as_they_are(tmp_path: Path) -> None:
    store = tmp_path / "store"
    for name in ("frames", "mpchat"):
        simulate_corpus(get_corpus(name), tmp_path / name, dialogues=3, seed=1)
        import_corpus(get_corpus(name), [tmp_path / name], store=store, jobs=1)
    corpora = OpenCorpora(open_store(store))
    client = TestClient(create_app(corpora))
    simulate_corpus(get_corpus("frames"), tmp_path / "more", dialogues=5, seed=1)
    import_corpus(get_corpus("frames"), [tmp_path / "more"], store=store, jobs=1)
    Reloader(corpora).reload()
    for path in ("/mpchat/figures.json", "/frames/figures.json", "/figures.json"):
        assert client.get(path).json()["figures"], path
