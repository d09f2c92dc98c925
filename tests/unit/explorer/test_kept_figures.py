"""Figures that are drawn once, kept beside the index, and drawn while pages are read."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.thorough import thorough

import commonground
from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.kept_figures import (
    DrawnFigures,
    FigureDrawer,
    keep_drawn,
    place_comparisons,
    place_figures,
    place_some,
    read_drawn,
)
from commonground.explorer.links import FileLinks, Links
from commonground.explorer.pages import figures
from commonground.explorer.pages.figures import build_figures_page, draw_charts, make_drawer
from commonground.explorer.server.app import create_app
from commonground.store.opening import open_store

PATIENCE_S = 120
"""Far more than the figures of thirty dialogues need, on a busy machine, too."""


@pytest.fixture
def opened(site_store: Path) -> Iterator[OpenCorpus]:
    """A corpus of which nothing is kept, neither before nor after."""
    made = OpenCorpora(open_store(site_store), names=["frames"]).get("frames")
    forget(made)
    yield made
    forget(made)


def forget(opened: OpenCorpus) -> None:
    for each in opened.index.folder.glob("figures-*"):
        each.unlink()


def again(opened: OpenCorpus) -> OpenCorpus:
    return OpenCorpus(opened.corpus)


def test_figures_are_counted_once_for_an_import(
    opened: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    charts, page = draw_charts(opened, Links()), build_figures_page(opened)
    assert charts

    def count(*_: object) -> None:
        raise AssertionError("counted again")

    monkeypatch.setattr(figures, "choose_figures", count)
    assert draw_charts(again(opened), Links()) == charts
    assert build_figures_page(again(opened)) == page


@thorough
def test_a_site_of_files_has_links_of_its_own(opened: OpenCorpus) -> None:
    served = draw_charts(opened, Links())
    written = draw_charts(again(opened), FileLinks(1))
    assert any('href="/frames/' in each for each in served.values())
    assert not any('href="/frames/' in each for each in written.values())


def test_what_cannot_be_read_is_drawn_anew(opened: OpenCorpus) -> None:
    keep_drawn(place_figures(opened, "x"), DrawnFigures([], {"one": "<svg/>"}))
    assert read_drawn(place_figures(opened, "x")) == DrawnFigures([], {"one": "<svg/>"})
    assert read_drawn(place_figures(opened, "y")) is None
    for each in opened.index.folder.glob("figures-*"):
        each.write_bytes(b"cut off")
    assert read_drawn(place_figures(opened, "x")) is None


def test_another_version_does_not_show_what_this_one_kept(
    opened: OpenCorpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    keep_drawn(place_figures(opened, "x"), DrawnFigures([], {}))
    monkeypatch.setattr(commonground, "__version__", "another")
    assert read_drawn(place_figures(opened, "x")) is None


class Busy(FigureDrawer):
    """Always at work."""

    def __init__(self) -> None: ...

    def is_at_work(self, _opened: OpenCorpus) -> bool:
        return True


@thorough
def test_all_who_ask_for_figures_share_one_run(
    opened: OpenCorpus, site_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """They wait for the process that counts, and count nothing in this one; pages say so."""
    corpora = OpenCorpora(open_store(site_store))
    for each in corpora.get("frames").index.folder.glob("comparisons-*"):
        each.unlink()
    drawer = make_drawer(corpora)
    client = TestClient(create_app(corpora, drawer=drawer))

    def count(*_: object) -> None:
        raise AssertionError("counted in this process")

    monkeypatch.setattr(figures, "choose_figures", count)
    try:
        assert "being counted" in client.get("/figures").text
        waiting = client.get("/frames/figures")
        assert "being counted" in waiting.text
        # Browsers do not load an address that ends in #name again, unless they are given another.
        assert 'content="2; url=figures"' in waiting.text
        assert waiting.headers["cache-control"] == "no-store"
        assert client.get("/figures.json").json()["figures"]
        assert client.get("/frames/figures.json").json()["waits"] == []
        assert client.get("/frames/figures/overview?format=csv").status_code == 200
        for address in ("/figures", "/frames/figures"):
            assert "<svg" in client.get(address).text
        assert read_drawn(place_figures(opened, "/frames/?q=x")) is not None
        # Each was asked for once, however many pages asked.
        assert len(drawer._started) == 2
    finally:
        drawer.close()


def test_what_is_there_is_shown_while_the_rest_is_counted(opened: OpenCorpus) -> None:
    links = Links()
    client = TestClient(create_app(OpenCorpora.of([opened]), drawer=Busy()))
    assert "The figures are being counted" in client.get("/frames/figures").text
    first, *_, last = figures._draw_step_by_step(opened, links)
    assert len(first.figures) == 1
    assert not last.waits
    assert [each.name for each in last.figures] == [
        each.name for each in build_figures_page(opened).figures
    ]
    keep_drawn(place_some(opened, "/frames/?q=x"), first)
    answer = client.get("/frames/figures")
    assert answer.headers["cache-control"] == "no-store"
    assert f"{len(first.waits)} more figures are being counted" in answer.text
    assert f'id="{first.figures[0].name}"' in answer.text
    assert "figures.js" in answer.text
    draw_charts(opened, links)
    assert not place_some(opened, "/frames/?q=x").exists()  # all are there


def draw_alone(opened: OpenCorpus) -> None:
    """Keeps how many were drawing at once, unless that is kept."""
    if read_drawn(place_figures(opened, "x")) is None:
        other = opened.index.folder / "figures-other"
        is_alone = not other.exists()
        other.touch()
        time.sleep(0.5)  # in which the other process would come
        other.unlink()
        keep_drawn(
            place_figures(opened, "x"), DrawnFigures([], {}, [] if is_alone else ["two at once"])
        )


def test_processes_of_two_servers_do_not_draw_the_same_at_once(opened: OpenCorpus) -> None:
    corpora = OpenCorpora(opened.corpus.store, names=["frames"])
    drawers = [FigureDrawer(corpora.plan(), lambda _: "x", draw_alone, fail) for _ in range(2)]
    try:
        assert all(each.is_at_work(opened) for each in drawers)
        for each in drawers:
            each._started[0].join()
    finally:
        for each in drawers:
            each.close()
    assert [each._started[0].exitcode for each in drawers] == [0, 0]
    assert read_drawn(place_figures(opened, "x")) == DrawnFigures([], {})


def test_figures_that_cannot_be_drawn_apart_are_drawn_by_the_page(opened: OpenCorpus) -> None:
    corpora = OpenCorpora(opened.corpus.store, names=["frames"])
    drawer = FigureDrawer(corpora.plan(), str, fail, fail)
    assert drawer.is_at_work(opened)
    until = time.monotonic() + PATIENCE_S
    while drawer.is_at_work(opened) and time.monotonic() < until:
        time.sleep(0.2)
    assert not drawer.is_at_work(opened)
    drawer.close()


def test_what_a_page_had_drawn_is_not_drawn_again_behind_it(opened: OpenCorpus) -> None:
    corpora = OpenCorpora(opened.corpus.store, names=["frames"])
    drawer = make_drawer(corpora)
    try:
        assert drawer.is_at_work(corpora.get("frames"))
        drawer.start(corpora)
        assert len(drawer._started) == 1
    finally:
        drawer.close()


def fail(_opened: object) -> None:
    raise SystemExit(1)


def test_comparisons_are_counted_once_for_their_imports(
    site_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = OpenCorpora(open_store(site_store))
    page, charts = figures.build_comparisons_page(first), figures.draw_comparisons(first)
    assert charts
    assert place_comparisons(first).is_file()

    def count(*_: object) -> None:
        raise AssertionError("counted again")

    monkeypatch.setattr(figures, "choose_figures", count)
    second = OpenCorpora(open_store(site_store))
    assert figures.build_comparisons_page(second) == page
    assert figures.draw_comparisons(second) == charts
    assert not place_comparisons(OpenCorpora(open_store(site_store), names=["frames"])).is_file()
