"""Writes the static site: lists, findings, figures, results and pictures; dialogues apart."""

from __future__ import annotations

import os
import shutil
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
import numpy as np

from commonground.explorer.corpora import OpenCorpora, OpenCorpus
from commonground.explorer.links import FileLinks, picture_name
from commonground.explorer.pages.browse import build_browse_page
from commonground.explorer.pages.corpora import build_corpora_page
from commonground.explorer.pages.figures import (
    build_comparisons_page,
    draw_comparisons,
    figures_style,
)
from commonground.explorer.pages.parts.paging import Paging, near_pages
from commonground.explorer.pages.results import (
    INSTANCES,
    ResultQuery,
    ResultsPage,
    build_results_page,
)
from commonground.explorer.rendering.environment import STATIC, find_view, render_page
from commonground.explorer.results.runs import ONLY, ResultFiles
from commonground.explorer.results.showing import show_results
from commonground.explorer.sections import Section, find_sections, title_sections
from commonground.explorer.static_site.dialogues import (
    Progress,
    SitePlan,
    save_text,
    write_dialogues,
)
from commonground.explorer.static_site.search_data import Sink, list_numbers, list_steps
from commonground.explorer.web.addresses import encode_id
from commonground.exports.terms import write_terms
from commonground.files.outputs import new_folder
from commonground.files.work_folders import temporary_folder
from commonground.store.corpus import CorpusPart
from commonground.store.pictures import PictureFile

RESULTS_BLOCK = 32
"""Instances of results whose rows are in one file."""


class SiteSummary(msgspec.Struct, frozen=True):
    """What was written.

    Attributes:
        pictures: number of picture files.
        seconds: how long it took, copying of pictures included.
        dialogues_s: how long the pages of dialogues took.
    """

    dialogues: int
    pictures: int
    seconds: float
    dialogues_s: float


def write_site(
    corpora: OpenCorpora,
    out: Path,
    *,
    dialogues: str = "",
    pictures: bool = True,
    twins: bool = True,
    packed: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
    force: bool = False,
) -> SiteSummary:
    """Writes the static site.

    Args:
        out: folder to write; new, empty, or one that this wrote before, which stays whole until
            the new one takes its place.
        dialogues: a number (so many of each corpus), or a query; empty for all.
        pictures: whether to copy picture files; without them placeholders stand there.
        twins: whether to write the content of each page as JSON beside it.
        packed: whether to pack pages, twins and data, to a fifth of their size; pages then need
            scripts to be shown.
        jobs: None for one process per core.
        force: write into a folder of somebody else's, and replace files of the same names.

    Raises:
        UsageError: the folder holds something else, or something that was changed since.
        SourceError: it cannot be written.
        QueryError: the query is wrong.
    """
    began = time.perf_counter()
    kept = {f"the store of {each.name}": each.corpus.store.path for each in corpora}
    with (
        temporary_folder() as work,
        new_folder(out, "site", kept=kept, force=force) as folder,
    ):
        chosen = [_choose(each, dialogues, work) for each in corpora]
        # A wrong file is reported before pages are made.
        results = ResultFiles.open(corpora.results).within(chosen) if corpora.results else None
        plan = SitePlan(
            out=folder,
            sections={each.name: title_sections(each) for each in chosen},
            pictures=pictures,
            twins=twins,
            has_results=results is not None,
            packed=packed,
        )
        summary = _write(plan, chosen, results, jobs or os.cpu_count() or 1, progress)
    return msgspec.structs.replace(summary, seconds=time.perf_counter() - began)


def _choose(opened: OpenCorpus, dialogues: str, work: Path) -> OpenCorpus:
    """Returns a corpus with the dialogues asked for, and an index of just those."""
    if not dialogues:
        return opened
    blocks = opened.index.blocks
    # A bare number is no query: it would look for dialogues in which the number is said.
    if dialogues.isdecimal():
        ids = blocks.ids[: int(dialogues)]
    else:
        ids = [blocks.ids[ordinal] for ordinal in opened.select(dialogues).ordinals.tolist()]
    place = work / encode_id(opened.name)
    return OpenCorpus(CorpusPart(opened.corpus, ids), opened.pictures.folder, index_folder=place)


def _write(
    plan: SitePlan,
    chosen: Sequence[OpenCorpus],
    results: ResultFiles | None,
    jobs: int,
    progress: Progress | None,
) -> SiteSummary:
    """Writes everything into the folder of the plan."""
    shutil.copytree(STATIC, plan.out / "static")
    save_text(plan.out / "static" / "figures.css", figures_style())
    for each in chosen:
        _begin_corpus(plan, each)
    # One thread: lists of several corpora at once would be no faster.
    with ThreadPoolExecutor(1) as beside:
        # Processes write the dialogues, so this one has time for the rest.
        lists = [beside.submit(_write_corpus, plan, each) for each in chosen]
        began = time.perf_counter()
        try:
            total = write_dialogues(plan, chosen, jobs, progress)
            took = time.perf_counter() - began
            for written in lists:
                written.result()
        except BaseException:
            beside.shutdown(wait=False, cancel_futures=True)
            raise
    corpora = OpenCorpora.of(chosen)
    page = build_corpora_page(corpora)
    _save_page(plan, "index.html", "corpora.html", page, pictures_of=chosen)
    if page.compared:
        compared, charts = build_comparisons_page(corpora), draw_comparisons(corpora)
        _save_page(plan, "figures.html", "figures.html", compared, charts=charts)
    if plan.packed:
        shell = plan.shell(0)
        notes = render_page("notes.html", shell, section="notes")
        plan.save_page(plan.out / "notes.html", notes, shell)
    if results is not None:
        _write_results(plan, corpora, results)
    write_terms(plan.out, [each.describe_licensed() for each in chosen])
    copied = sum(_copy_pictures(each, plan.out) for each in chosen) if plan.pictures else 0
    return SiteSummary(total, copied, 0.0, took)


def _begin_corpus(plan: SitePlan, opened: OpenCorpus) -> None:
    """Makes the folder of a corpus, and what is in it of its own files."""
    folder = plan.folder(opened.name)
    (folder / "d").mkdir(parents=True)
    (folder / "data").mkdir()
    style = find_view(opened.name, "page.css")
    if style is not None:
        shutil.copyfile(style, folder / "view.css")


def _write_corpus(plan: SitePlan, opened: OpenCorpus) -> None:
    """Writes the lists and the sections of a corpus."""
    _write_lists(plan, opened)
    for section in find_sections():
        if section.is_there(opened):
            _write_section(plan, section, opened)


def _write_lists(plan: SitePlan, opened: OpenCorpus) -> None:
    for tab in build_browse_page(opened).tabs:
        for number, page in _pages(partial(build_browse_page, opened, tab=tab)):
            name = FileLinks(0).page("browse", opened.name, tab=tab, page=number)
            whole = not opened.is_part
            _save_page(plan, name, "browse.html", page, of=opened, whole=whole)
            if tab == "events":
                # Further events are shown by the search: a file of each fifty would be thousands.
                break


def _write_section(plan: SitePlan, section: Section, opened: OpenCorpus) -> None:
    drawn = section.draw(opened, FileLinks(1)) if section.draw else {}
    for asked in ({}, *(section.list_files(opened) if section.list_files else ())):
        build = partial(section.build, opened, **asked)
        for number, page in _pages(build) if "page" in section.parameters else [(1, build())]:
            further = {"page": number} if number > 1 else {}
            name = FileLinks(0).page(section.name, opened.name, **asked, **further)
            _save_page(plan, name, f"{section.name}.html", page, of=opened, **drawn)


def _write_results(plan: SitePlan, corpora: OpenCorpora, files: ResultFiles) -> None:
    """Writes what a file of scored instances says, beside the gold."""

    def build(only: str, error: str, page: int) -> ResultsPage:
        return build_results_page(corpora, files, ResultQuery(only=only, error=error, page=page))

    _write_result_data(plan, corpora, files, build("all", "", 1))
    for only in ONLY:
        first = build(only, "", 1)
        # What is true of all that is listed narrows nothing; results.html has no link to it either.
        kinds = [each.name for each in first.errors if each.count < first.paging.total]
        for error in ("", *kinds):
            for number, page in _pages(partial(build, only, error)):
                chosen = None if only == "all" else only
                name = FileLinks(0).page("results", only=chosen, error=error, page=number)
                _save_page(plan, name, "results.html", page, pictures_of=list(corpora))


def _write_result_data(
    plan: SitePlan, corpora: OpenCorpora, files: ResultFiles, page: ResultsPage
) -> None:
    """Writes what ``static/results.js`` reads: numbers of all instances, rows block by block."""
    file, shell = files.choose("")[1], plan.shell(0)
    folder = plan.out / "static" / "results"
    folder.mkdir()
    sink = Sink(folder, plan.packed)
    shell.pictures = {each.name: plan.pictures_of(each) for each in corpora}
    # Right, wrong, or without a prediction.
    states = np.where(file.scored, np.where(file.right, "r", "w"), "u")
    columns = zip(file.measured, file.values.T, strict=True)
    listed = {
        "size": INSTANCES,
        "block": RESULTS_BLOCK,
        "states": "".join(states.tolist()),
        "values": [(each.name, list_numbers(column)) for each, column in columns],
        "kinds": [(name, list_steps(np.flatnonzero(flags))) for name, flags in file.kinds.items()],
    }
    sink.write("index", listed)
    for number, first in enumerate(range(0, len(file), RESULTS_BLOCK)):
        places = range(first, min(first + RESULTS_BLOCK, len(file)))
        rows = show_results(corpora, file, places)
        sink.write(f"rows-{number}", render_page("result_rows.html", shell, page=page, rows=rows))


class _Paged(Protocol):
    @property
    def paging(self) -> Paging | None: ...


P = TypeVar("P", bound=_Paged)


def _pages(build: Callable[..., P]) -> Iterator[tuple[int, P]]:
    """Yields the pages of a list with their numbers, as many as the first one says there are."""
    number = pages = 1
    while number <= pages:
        page = build(page=number)
        pages = page.paging.pages if page.paging else 1
        yield number, page
        number += 1


def _save_page(
    plan: SitePlan,
    name: str,
    template: str,
    page: Any,
    *,
    of: OpenCorpus | None = None,
    pictures_of: Sequence[OpenCorpus] = (),
    **values: Any,
) -> None:
    """Writes a page, and its twin in JSON where the site has those.

    Args:
        name: its file, from the root of the site.
        of: None for pages of no corpus.
        pictures_of: corpora whose pictures a page of no corpus shows.
    """
    path = plan.out / name
    shell = plan.shell(0 if of is None else 1, of)
    if of is None:
        shell.pictures = {each.name: plan.pictures_of(each) for each in pictures_of}
    shell.twin = plan.twin_name(path.name)
    near = near_pages(getattr(page, "paging", None))
    plan.save_page(path, render_page(template, shell, page=page, near=near, **values), shell)
    plan.save_twin(path, page)


def _copy_pictures(opened: OpenCorpus, out: Path) -> int:
    """Copies the pictures that the objects of what is shown name."""
    folder = out / encode_id(opened.name) / "pictures"
    uris = {uri for _, uri in opened.list_named_pictures()}
    found = {
        file.name: file for file in map(opened.pictures.find, uris) if isinstance(file, PictureFile)
    }
    if found:
        folder.mkdir()
    for file in found.values():
        shutil.copyfile(file.path, folder / picture_name(file.name))
    return len(found)
