from __future__ import annotations

import asyncio
import subprocess
import sys
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any, TypeVar

from starlette.responses import Response
from starlette.testclient import TestClient

from commonground.corpora import get_corpus
from commonground.site.app import create_app
from commonground.site.crew import Asked, Crew, answer
from commonground.site.library import Library
from commonground.site.renewing import Renewer
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

T = TypeVar("T")


def test_a_process_of_the_crew_answers_as_the_application_does(library: Library) -> None:
    made = run_apart(
        answer(create_app(library, in_threads=False), Asked("GET", "/frames/", b"/frames/", b""))
    )
    assert made.status == 200
    assert made.body == TestClient(create_app(library)).get("/frames/").content


def test_a_crew_that_is_not_ready_leaves_pages_to_others(library: Library) -> None:
    crew = Crew(library.plan(), 2)
    assert TestClient(create_app(library, crew=crew)).get("/frames/").status_code == 200
    crew.close()


def test_two_processes_answer(library: Library) -> None:
    for shelf in library.shelves.values():
        shelf.open()
    alone = TestClient(create_app(library))
    crew = Crew(library.plan(), 2)
    crew.start()
    try:
        asked = ("/", "/frames/?q=the", "/photobook/d/3.json", "/frames/?q=nosuch:1")
        answers = run_apart(ask_together(crew, [*asked, *asked]))
    finally:
        crew.close()
    for path, made in zip([*asked, *asked], answers, strict=True):
        assert made is not None
        expected = alone.get(path)
        assert (made.status_code, bytes(made.body)) == (expected.status_code, expected.content)
    assert run_apart(ask_together(crew, ["/"])) == [None]


def test_what_makes_pages_is_ready_without_pandas() -> None:
    # pyarrow imports it with the first array, which takes as long as all else together.
    code = (
        "import commonground.site.crew, commonground.site.static_dialogues, sys;"
        "print('pandas' in sys.modules)"
    )
    words = [sys.executable, "-c", code]
    told = subprocess.run(words, capture_output=True, text=True, check=True)
    assert told.stdout == "False\n"


def run_apart(work: Coroutine[Any, Any, T]) -> T:
    """Runs it in a thread of its own: tests of pages leave a loop running in this one."""
    with ThreadPoolExecutor(1) as pool:
        return pool.submit(asyncio.run, work).result()


async def ask_together(crew: Crew, paths: list[str]) -> list[Response | None]:
    """Asks all at once."""
    scopes = []
    for path in paths:
        where, _, query = path.partition("?")
        scope = {"method": "GET", "path": where, "raw_path": where.encode()}
        scopes.append({**scope, "query_string": query.encode()})
    return await asyncio.gather(*map(crew.make, scopes))


def test_a_new_import_is_noticed(tmp_path: Path) -> None:
    store, entry = tmp_path / "store", get_corpus("frames")
    for number in (3, 5):
        entry.simulate(tmp_path / f"files-{number}", dialogues=number, seed=1)
    import_corpus(entry, [tmp_path / "files-3"], store=store, jobs=1)
    library = Library(open_store(store))
    library.shelf("frames").open()
    import_corpus(entry, [tmp_path / "files-5"], store=store, jobs=1)
    Renewer(library, makes=False).renew()
    assert library.shelf("frames").searcher.n_dialogues == 3  # nobody made its index yet
    Renewer(library, makes=True).renew()
    assert library.shelf("frames").searcher.n_dialogues == 5
