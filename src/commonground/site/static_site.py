"""The explorer as files: the same pages, to be opened from disk or from any web host."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import msgspec

from commonground.outputs import new_folder
from commonground.places import temporary_folder
from commonground.site.drawings import figures_style
from commonground.site.library import Library, Shelf
from commonground.site.links import FileLinks, encode_id, picture_name
from commonground.site.pages.corpora import build_corpora_page
from commonground.site.pages.figures import build_comparisons_page, draw_comparisons
from commonground.site.pages.results import ResultFile
from commonground.site.rendering import STATIC, Shell, find_view
from commonground.site.requests import sections_of
from commonground.site.static_dialogues import (
    NO_PICTURES,
    Progress,
    save_text,
    write_dialogues,
)
from commonground.site.static_lists import save_page, write_lists, write_results
from commonground.store.corpus import Part
from commonground.store.pictures import PictureFile

MARKER = ".commonground-site"
"""File that tells a folder of ours from any other."""


class SiteSummary(msgspec.Struct, frozen=True):
    """What was written.

    Attributes:
        dialogues: number of dialogues.
        pictures: number of picture files.
        seconds: how long it took, copying of pictures included.
        dialogues_s: how long the pages of dialogues took.
    """

    dialogues: int
    pictures: int
    seconds: float
    dialogues_s: float


def write_site(
    library: Library,
    out: Path,
    *,
    dialogues: str = "",
    pictures: bool = True,
    twins: bool = True,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> SiteSummary:
    """Writes the static site.

    Args:
        library: the corpora.
        out: folder to write; new, empty, or one that this wrote before, which stays whole until
            the new one takes its place.
        dialogues: a number (so many of each corpus), or a query; empty for all.
        pictures: whether to copy picture files; without them placeholders stand there.
        twins: whether to write the content of each page as JSON beside it.
        jobs: number of processes; null for one per core.
        progress: told how far it is.

    Raises:
        UsageError: the folder holds something else.
        SourceError: it cannot be written.
        QueryError: the query is wrong.
    """
    began = time.perf_counter()
    kept = {f"the store of {name}": library.shelf(name).corpus.store.path for name in library.names}
    with (
        temporary_folder() as work,
        new_folder(out, "site", is_ours=_is_site, kept=kept) as folder,
    ):
        chosen = [_choose(library.shelf(name), dialogues, work) for name in library.names]
        if library.results:
            ResultFile(library.results)  # a wrong file is told before pages are made
        _prepare(folder)
        summary = _write(
            chosen,
            folder,
            jobs or os.cpu_count() or 1,
            progress,
            results=library.results,
            pictures=pictures,
            twins=twins,
        )
    return msgspec.structs.replace(summary, seconds=time.perf_counter() - began)


def _is_site(folder: Path) -> bool:
    return (folder / MARKER).is_file()


def _prepare(out: Path) -> None:
    (out / MARKER).touch()
    shutil.copytree(STATIC, out / "static")
    save_text(out / "static" / "figures.css", figures_style())


def _choose(shelf: Shelf, dialogues: str, work: Path) -> Shelf:
    """Returns a corpus with the dialogues asked for, and an index of just those."""
    if not dialogues:
        return shelf
    if dialogues.isdecimal():
        ids = shelf.open().blocks.ids[: int(dialogues)]
    else:
        blocks = shelf.open().blocks
        ids = [blocks.ids[ordinal] for ordinal in shelf.select(dialogues).ordinals.tolist()]
    part = Part(shelf.corpus, ids)
    return Shelf(part, shelf.pictures.folder, place=work / encode_id(shelf.name))


def _write(
    shelves: Sequence[Shelf],
    out: Path,
    jobs: int,
    progress: Progress | None,
    *,
    results: Path | None,
    pictures: bool,
    twins: bool,
) -> SiteSummary:
    names = [shelf.name for shelf in shelves]
    folders = {s.name: s.pictures if pictures else NO_PICTURES for s in shelves}

    def shell(depth: int, shelf: Shelf | None = None) -> Shell:
        links = FileLinks(depth)
        return Shell(
            links=links,
            data=links.data(shelf.name) if shelf else None,
            corpora=names,
            corpus=shelf.name if shelf else None,
            pictures=folders,
            kind="files",
            has_results=results is not None,
            sections=sections_of(shelf) if shelf else (),
        )

    for shelf in shelves:
        folder = out / encode_id(shelf.name)
        (folder / "d").mkdir(parents=True)
        (folder / "data").mkdir()
        write_lists(shelf, folder, shell(1, shelf), twins=twins)
        style = find_view(shelf.name, "page.css")
        if style is not None:
            shutil.copyfile(style, folder / "view.css")
    began = time.perf_counter()
    total = write_dialogues(
        shelves,
        out,
        jobs,
        progress,
        pictures=pictures,
        twins=twins,
        has_results=results is not None,
    )
    took = time.perf_counter() - began
    library = Library.of(shelves)
    page = build_corpora_page(library)
    save_page(out / "index.html", "corpora.html", shell(0), page, twin=twins)
    if page.compared:
        compared, charts = build_comparisons_page(library), draw_comparisons(library)
        path = out / "figures.html"
        save_page(path, "figures.html", shell(0), compared, twin=twins, charts=charts)
    if results:
        write_results(library, results, out, shell(0), twins=twins)
    copied = sum(_copy_pictures(shelf, out) for shelf in shelves) if pictures else 0
    return SiteSummary(total, copied, 0.0, took)


def _copy_pictures(shelf: Shelf, out: Path) -> int:
    """Copies the pictures that the objects of a corpus name."""
    folder = out / encode_id(shelf.name) / "pictures"
    query = "SELECT DISTINCT uri FROM objects WHERE corpus = ? AND uri IS NOT NULL"
    uris = [row[0] for row in shelf.corpus.rows(query, [shelf.name])]
    found = {
        file.name: file for file in map(shelf.pictures.find, uris) if isinstance(file, PictureFile)
    }
    if found:
        folder.mkdir()
    for file in found.values():
        shutil.copyfile(file.path, folder / picture_name(file.name))
    return len(found)
