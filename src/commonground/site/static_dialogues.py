"""The dialogues of the static site, written by several processes."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from pathlib import Path
from typing import Any

import msgspec

from commonground.processes import end_with_parent
from commonground.site.dialogues import draw_dialogue, render_dialogue
from commonground.site.library import Shelf
from commonground.site.links import FileLinks, encode_id, file_name
from commonground.site.neighbours import find_neighbours, list_native
from commonground.site.rendering import Shell
from commonground.site.requests import sections_of
from commonground.site.static_data import write_search_data
from commonground.store.arrow import forgo_pandas
from commonground.store.opening import open_store
from commonground.store.pictures import PictureFolder

Progress = Callable[[int, int], None]
"""Told dialogues done and dialogues in all."""

BATCH = 64
"""Dialogues that a process writes before it reports."""

NO_PICTURES = PictureFolder(None, "left out of this site")
"""Stands for the image folder of a site without pictures."""


class _Plan(msgspec.Struct, frozen=True):
    """What a process needs to write dialogues of one corpus."""

    name: str
    store: Path
    images: Path | None
    place: Path
    corpora: list[str]
    sections: tuple[str, ...]
    has_results: bool
    with_pictures: bool
    with_json: bool
    out: Path


def save_text(path: Path, text: str) -> None:
    """Writes a page; what is no Unicode in it becomes a question mark."""
    path.write_bytes(text.encode("utf-8", "replace"))


def save_twin(path: Path, value: Any) -> None:
    """Writes the content of a page as JSON, beside it."""
    path.with_suffix(".json").write_bytes(msgspec.json.encode(value))


def write_dialogues(
    shelves: Sequence[Shelf],
    out: Path,
    jobs: int,
    progress: Progress | None,
    *,
    pictures: bool,
    twins: bool,
    has_results: bool = False,
) -> int:
    """Writes the pages of all dialogues and the data of the search; returns their number.

    Args:
        shelves: the corpora.
        out: folder of the site.
        jobs: number of processes.
        progress: told how far it is.
        pictures: whether pages show pictures.
        twins: whether each page has a twin in JSON.
        has_results: whether the site has pages of results.

    Raises:
        OSError: something cannot be written.
    """
    names = [shelf.name for shelf in shelves]
    plans = {}
    for shelf in shelves:
        plans[shelf.name] = _Plan(
            name=shelf.name,
            store=shelf.corpus.store.path,
            images=shelf.pictures.folder,
            place=shelf.open().folder,
            corpora=names,
            sections=sections_of(shelf),
            has_results=has_results,
            with_pictures=pictures,
            with_json=twins,
            out=out,
        )
    tasks = [
        (shelf.name, first, min(first + BATCH, shelf.searcher.n_dialogues))
        for shelf in shelves
        for first in range(0, shelf.searcher.n_dialogues, BATCH)
    ]
    total = sum(last - first for _, first, last in tasks)
    done = 0
    for count in _run(plans, tasks, jobs):
        done += count
        if progress is not None:
            progress(done, total)
    return total


def _run(plans: dict[str, _Plan], tasks: list[tuple[str, int, int]], jobs: int) -> Iterator[int]:
    if jobs == 1 or len(tasks) < jobs:
        writers = _Writers(plans)
        for name in plans:
            writers.write_data(name)
        yield from (writers.write(*task) for task in tasks)
        return
    context = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(
        jobs, mp_context=context, initializer=_start, initargs=(plans,)
    ) as pool:
        try:
            data = [pool.submit(_write_data, name) for name in plans]
            for future in as_completed([pool.submit(_write_batch, *task) for task in tasks]):
                yield future.result()
            for each in data:
                each.result()
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            raise


class _Writers:
    """Writes pages of dialogues, with each corpus opened once."""

    def __init__(self, plans: dict[str, _Plan]) -> None:
        self._plans = plans
        self._shelves: dict[str, Shelf] = {}

    def _shelf(self, name: str) -> Shelf:
        if name not in self._shelves:
            plan = self._plans[name]
            corpus = open_store(plan.store).corpus(name)
            self._shelves[name] = Shelf(corpus, plan.images, place=plan.place)
        return self._shelves[name]

    def write_data(self, name: str) -> None:
        plan, shelf = self._plans[name], self._shelf(name)
        pictures = shelf.pictures if plan.with_pictures else NO_PICTURES
        write_search_data(shelf, plan.out / encode_id(name) / "data", pictures)

    def write(self, name: str, first: int, last: int) -> int:
        plan, shelf = self._plans[name], self._shelf(name)
        folder = plan.out / encode_id(name) / "d"
        pictures = shelf.pictures if plan.with_pictures else NO_PICTURES
        links = FileLinks(2)
        shell = Shell(
            links=links,
            data=links.data(name),
            corpora=plan.corpora,
            corpus=name,
            pictures={name: pictures},
            kind="files",
            sections=plan.sections,
            has_results=plan.has_results,
        )
        for ordinal in range(first, last):
            _write_dialogue(shelf, ordinal, folder, shell, twin=plan.with_json)
            # The templates of a page are a cycle; what is given back at once is quickly used again.
            gc.collect(0)
        return last - first


def _write_dialogue(shelf: Shelf, ordinal: int, folder: Path, shell: Shell, *, twin: bool) -> None:
    blocks = shelf.open().blocks
    native = list_native(shelf, ordinal)
    drawn = draw_dialogue(
        shelf.name,
        blocks.dialogue(ordinal),
        findings=blocks.findings(ordinal),
        native=native,
        neighbours=find_neighbours(shelf, ordinal),
    )
    name = file_name(blocks.ids[ordinal])
    texts = [each.json for each in native]
    released = f"{name}.native.json"
    save_text(folder / released, texts[0] if len(texts) == 1 else f"[{','.join(texts)}]")
    shell.twin = f"{name}.json" if twin else None
    save_text(folder / f"{name}.html", render_dialogue(drawn, shell, native_href=released))
    if twin:
        save_twin(folder / f"{name}.html", {"page": drawn.page, "view": drawn.view})


_writers: _Writers | None = None


def _start(plans: dict[str, _Plan]) -> None:
    global _writers
    end_with_parent()
    forgo_pandas()
    # Cycles are looked for after each page; looking more often costs a tenth of the time.
    gc.set_threshold(50_000)
    _writers = _Writers(plans)
    # There is nothing to be tidied up but open files, and DuckDB would complain of what is held.
    atexit.register(os._exit, 0)


def _write_batch(name: str, first: int, last: int) -> int:
    assert _writers is not None  # noqa: S101 - the pool starts with it
    return _writers.write(name, first, last)


def _write_data(name: str) -> None:
    assert _writers is not None  # noqa: S101 - the pool starts with it
    _writers.write_data(name)
