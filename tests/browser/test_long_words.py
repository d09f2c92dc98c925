"""No value, however long, makes a page wider than its window; and none keeps a page waiting."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from tests.thorough import a_few, thorough
from tests.unit.explorer.hostile import UNBROKEN, write_hostile_store

from commonground.bench.evaluation.instances import write_scored
from commonground.corpora import get_corpus
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.static_site.writing import write_site
from commonground.explorer.web.addresses import encode_id
from commonground.store.opening import open_store
from commonground.task import Scored

CORPORA = ("frames", "mpchat", "photobook", "simmc", "taskmaster3")
WITH_LISTS = "frames"
"""The corpus whose lists of events, objects, findings and figures stand for those of all."""

SIDE_BY_SIDE = ("frames", "photobook")
"""Corpora two dialogues of which are compared, and a thing followed; what is in them is drawn as
on the pages of single dialogues."""

WIDTHS = {(WITH_LISTS,): (390,), CORPORA: (1440, 390)}
"""How wide windows are, by the corpora that are looked at: one stands for all in most runs."""


@pytest.fixture(scope="module", params=a_few(["one", "all"], ["one"]))
def corpora(request: pytest.FixtureRequest) -> tuple[str, ...]:
    return (WITH_LISTS,) if request.param == "one" else CORPORA


@pytest.fixture(scope="module")
def store(corpora: tuple[str, ...], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Two dialogues of each corpus, every text of which ends in a word without a blank.

    It has 5,000 letters in one corpus; a thousand, which are wide enough, in the others.
    """
    store = tmp_path_factory.mktemp("long") / "store"
    for name in corpora:
        work = tmp_path_factory.mktemp(name)
        word = UNBROKEN if name == WITH_LISTS else UNBROKEN[:1000]
        write_hostile_store(get_corpus(name), work, 2, payload=word, store=store)
    return store


@pytest.fixture(scope="module")
def results(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("scored") / "scored.parquet"
    first, second = open_store(store).corpus(WITH_LISTS).ids()
    rows = [
        Scored(instance_id=f"{i}{UNBROKEN}", dialogue_id=i, counts={"f1": {"n": 1}}, gold=i)
        for i in (first, second)
    ]
    write_scored(rows, path)
    return path


def list_addresses(store: Path, corpora: tuple[str, ...]) -> Iterator[str]:
    """Yields the addresses of every kind of page that the explorer serves."""
    yield from ("/", f"/search?q={UNBROKEN[:1000]}", "/sql", "/results", "/notes")
    if len(corpora) > 1:
        yield "/figures"
    opened = open_store(store)
    lists = ("?tab=events", "?tab=objects", "findings", "figures")
    yield from (f"/{WITH_LISTS}/{each}" for each in lists)
    for name in corpora:
        first, second = (encode_id(each) for each in opened.corpus(name).ids())
        yield from (f"/{name}/", f"/{name}/d/{first}")
        if name in SIDE_BY_SIDE:
            yield f"/{name}/compare?dialogue={first}&dialogue={second}"
            ((thing,),) = opened.corpus(name).rows("SELECT object_id FROM objects LIMIT 1")
            yield f"/{name}/chain?object={quote(thing)}"


def list_too_wide(page: Any, addresses: Iterable[str], widths: tuple[int, ...]) -> list[str]:
    """Opens pages and returns those that can be scrolled sideways, with by how much."""
    found = []
    for address in addresses:
        answer = page.goto(address, wait_until="load")
        assert answer is None or answer.ok or "file:" in address, address[:200]
        for width in widths:
            page.set_viewport_size({"width": width, "height": 900})
            beyond = page.evaluate("document.documentElement.scrollWidth") - width
            found += [f"{address[:80]} by {beyond} at {width}"] if beyond > 0 else []
    return found


def test_no_served_page_is_wider_than_its_window(
    store: Path,
    corpora: tuple[str, ...],
    results: Path,
    serve_store: Callable[..., str],
    open_page: Callable[..., Any],
) -> None:
    explorer = serve_store(store, results)
    page = open_page(explorer)
    addresses = (f"{explorer}{each}" for each in list_addresses(store, corpora))
    assert list_too_wide(page, addresses, WIDTHS[corpora]) == []


@thorough
def test_no_page_of_a_static_site_is_wider_than_its_window(
    store: Path, corpora: tuple[str, ...], tmp_path: Path, open_page: Callable[..., Any]
) -> None:
    """Its dialogues look as the served ones, so that those of one corpus are enough here."""
    opened = OpenCorpora(open_store(store), names=[WITH_LISTS])
    write_site(opened, tmp_path / "site", jobs=1)
    pages = sorted((tmp_path / "site").rglob("*.html"))
    assert len(pages) > 5
    page = open_page(pages[0].as_uri())
    assert list_too_wide(page, (each.as_uri() for each in pages), WIDTHS[corpora]) == []
