"""The dialogues of the static site, written by several processes."""

from __future__ import annotations

import atexit
import gc
import multiprocessing
import os
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import as_completed
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from commonground.engines.processes import end_with_parent, open_pool
from commonground.explorer.corpora import GC_THRESHOLD, OpenCorpus
from commonground.explorer.dialogue import draw_indexed, join_native, render_dialogue
from commonground.explorer.links import FileLinks
from commonground.explorer.rendering.environment import Shell
from commonground.explorer.static_site.packing import pack_file, pack_page
from commonground.explorer.static_site.search_data import write_search_data
from commonground.explorer.web.addresses import encode_file_name, encode_id
from commonground.store.arrow import forgo_pandas
from commonground.store.opening import open_store
from commonground.store.pictures import PictureFolder

T = TypeVar("T")
Progress = Callable[[int, int], None]
"""Called with dialogues done and dialogues in all."""

BATCH = 64
"""Dialogues that a process writes before it reports."""

TWIN = ".json"
"""What the name of a page's twin ends with, before it is packed."""

NO_PICTURES = PictureFolder(None, "left out of this site")
"""Stands for the image folder of a site without pictures."""


class SitePlan(msgspec.Struct, frozen=True):
    """What a site has; the same for each process that writes pages of it.

    Attributes:
        sections: its corpora by name, with the titles of their sections.
        twins: whether each page has a twin in JSON.
        packed: whether pages, their twins and data are packed.
    """

    out: Path
    sections: dict[str, dict[str, str]]
    pictures: bool
    twins: bool
    has_results: bool
    packed: bool

    def folder(self, corpus: str) -> Path:
        """Returns the folder of a corpus in the site."""
        return self.out / encode_id(corpus)

    def pictures_of(self, opened: OpenCorpus) -> PictureFolder:
        """Returns the pictures that pages of a corpus may show."""
        return opened.pictures if self.pictures else NO_PICTURES

    def shell(self, depth: int, opened: OpenCorpus | None = None) -> Shell:
        """Gathers what every page needs.

        Args:
            depth: folders between the page and the root of the site.
            opened: None for pages of no corpus.
        """
        links = FileLinks(depth)
        shell = Shell(
            links=links,
            corpora=list(self.sections),
            kind="files",
            has_results=self.has_results,
            can_keep=self.packed,
        )
        if opened is not None:
            shell.corpus = opened.name
            shell.data = links.data(opened.name)
            shell.pictures = {opened.name: self.pictures_of(opened)}
            shell.sections = self.sections[opened.name]
        return shell

    def twin_name(self, page: str) -> str | None:
        """Returns the name of a page's twin, by that of the page; None where there are none."""
        ending = TWIN + ".gz" if self.packed else TWIN
        return page.removesuffix(".html") + ending if self.twins else None

    def save_page(self, path: Path, text: str, shell: Shell) -> None:
        """Writes a page, packed where the site is.

        Args:
            shell: of the page, whose links lead to the script that unpacks it.
        """
        if self.packed:
            text = pack_page(text, shell.links.static("unpack.js"))
        save_text(path, text)

    def save_twin(self, page: Path, value: Any) -> None:
        """Writes the content of a page as JSON, beside it, where the site has twins."""
        name = self.twin_name(page.name)
        if name is not None:
            data = msgspec.json.encode(value)
            page.with_name(name).write_bytes(pack_file(data) if self.packed else data)


def save_text(path: Path, text: str) -> None:
    """Writes a text; what is no Unicode in it becomes a question mark."""
    path.write_bytes(text.encode("utf-8", "replace"))


def write_dialogues(
    plan: SitePlan, chosen: Sequence[OpenCorpus], jobs: int, progress: Progress | None
) -> int:
    """Writes the pages of all dialogues and the data of the search; returns their number.

    Args:
        chosen: the corpora, or the parts of them, that are shown.

    Raises:
        OSError: something cannot be written.
    """
    tasks = [
        (each, first, min(first + BATCH, each.searcher.n_dialogues))
        for each in chosen
        for first in range(0, each.searcher.n_dialogues, BATCH)
    ]
    total = sum(last - first for _, first, last in tasks)
    done = 0
    # A process takes longer to start than to write a batch.
    alone = jobs == 1 or total <= BATCH * jobs
    for count in _run_here(plan, chosen, tasks) if alone else _run(plan, chosen, tasks, jobs):
        done += count
        if progress is not None:
            progress(done, total)
    return total


_Task = tuple[OpenCorpus, int, int]
"""A corpus, the first dialogue of a batch and the one after the last."""


def _run_here(
    plan: SitePlan, chosen: Sequence[OpenCorpus], tasks: Sequence[_Task]
) -> Iterator[int]:
    for each in chosen:
        _write_data(plan, each)
    yield from (_write_batch(plan, *task) for task in tasks)


def _run(
    plan: SitePlan, chosen: Sequence[OpenCorpus], tasks: Sequence[_Task], jobs: int
) -> Iterator[int]:
    """Yields the number of dialogues of each task when a process of its own has done it."""
    # A fork would copy what this process holds: open indexes, DuckDB's threads and their locks.
    context = multiprocessing.get_context("spawn")
    ways = {
        each.name: (each.corpus.store.path, each.name, each.pictures.folder, each.index.folder)
        for each in chosen
    }
    with open_pool(jobs, context, _start, ()) as pool:
        data = [pool.submit(_work, _write_data, plan, ways[each.name]) for each in chosen]
        written = [
            pool.submit(_work, _write_batch, plan, ways[each.name], first, last)
            for each, first, last in tasks
        ]
        for future in as_completed(written):
            yield future.result()
        for each in data:
            each.result()


def _write_data(plan: SitePlan, opened: OpenCorpus) -> None:
    folder = plan.folder(opened.name) / "data"
    write_search_data(opened, folder, plan.pictures_of(opened), packed=plan.packed)


def _write_batch(plan: SitePlan, opened: OpenCorpus, first: int, last: int) -> int:
    folder, shell = plan.folder(opened.name) / "d", plan.shell(2, opened)
    for ordinal in range(first, last):
        _write_dialogue(plan, opened, ordinal, folder, shell)
        # The templates of a page are a cycle; what is given back at once is quickly used again.
        gc.collect(0)
    return last - first


def _write_dialogue(
    plan: SitePlan, opened: OpenCorpus, ordinal: int, folder: Path, shell: Shell
) -> None:
    """Writes the page of a dialogue, its released records and its twin."""
    drawn = draw_indexed(opened, ordinal)
    name = encode_file_name(opened.index.blocks.ids[ordinal])
    page, released = folder / f"{name}.html", None
    if not plan.packed:  # else they are in the page, which can save them
        released = f"{name}.native.json"
        save_text(folder / released, join_native(drawn.page.native, ","))
    shell.twin = plan.twin_name(page.name)
    plan.save_page(page, render_dialogue(drawn, shell, native_href=released), shell)
    plan.save_twin(page, {"page": drawn.page, "view": drawn.view})


# What follows runs in the processes.


def _start() -> None:
    end_with_parent()
    forgo_pandas()
    # Cycles are looked for after each page; looking more often costs a tenth of the time.
    gc.set_threshold(GC_THRESHOLD)
    # There is nothing to be tidied up but open files, and DuckDB would complain of what is held.
    atexit.register(os._exit, 0)


def _work(
    write: Callable[..., T], plan: SitePlan, way: tuple[Path, str, Path | None, Path], *batch: int
) -> T:
    return write(plan, _open(*way), *batch)


@cache
def _open(store: Path, name: str, images: Path | None, index: Path) -> OpenCorpus:
    return OpenCorpus(open_store(store).corpus(name), images, index_folder=index)
