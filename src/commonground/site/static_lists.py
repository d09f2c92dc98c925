"""The lists of the static site: of dialogues, events and objects, of findings and of results."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commonground.site.library import Library, Shelf
from commonground.site.links import FileLinks, findings_name
from commonground.site.pages.browse import TABS, build_browse_page
from commonground.site.pages.figures import build_figures_page, draw_charts, has_figures
from commonground.site.pages.findings import build_findings_page
from commonground.site.pages.paging import Paging, near_pages
from commonground.site.pages.results import ONLY, ResultFile, build_results_page
from commonground.site.rendering import Shell, render_page
from commonground.site.static_dialogues import save_text, save_twin


def write_lists(shelf: Shelf, folder: Path, shell: Shell, *, twins: bool) -> None:
    """Writes the lists, the findings and the figures of a corpus.

    Args:
        shelf: the corpus.
        folder: its folder in the site.
        shell: what every page needs.
        twins: whether each page has a twin in JSON.
    """
    for tab in TABS:
        number = pages = 1
        while number <= pages:
            page = build_browse_page(shelf, tab=tab, page=number)
            if tab not in page.tabs:
                break
            # Further events are shown by the search: a file of each fifty would be thousands.
            pages = 1 if tab == "events" else page.paging.pages
            path = folder.parent / FileLinks(0).page("browse", shelf.name, tab=tab, page=number)
            save_page(path, "browse.html", shell, page, page.paging, twin=twins)
            number += 1
    _write_findings(shelf, folder, shell, twins)
    if has_figures(shelf):
        charts, figures = draw_charts(shelf, shell.links), build_figures_page(shelf)
        path = folder / "figures.html"
        save_page(path, "figures.html", shell, figures, twin=twins, charts=charts)


def _write_findings(shelf: Shelf, folder: Path, shell: Shell, twins: bool) -> None:
    page = build_findings_page(shelf)
    save_page(folder / "findings.html", "findings.html", shell, page, twin=twins)
    for rule in page.rules:
        number = pages = 1
        while number <= pages:
            found = build_findings_page(shelf, code=rule.code, page=number)
            assert found.chosen is not None  # noqa: S101 - its code was asked for
            paging = found.chosen.paging
            pages = paging.pages
            name = findings_name(rule.code) + ("" if number == 1 else f"-{number}")
            path = folder / f"{name}.html"
            save_page(path, "findings.html", shell, found, paging, twin=twins)
            number += 1


def write_results(library: Library, path: Path, out: Path, shell: Shell, *, twins: bool) -> None:
    """Writes what a file of scored instances says, beside the gold.

    Args:
        library: the corpora of the site.
        path: the file.
        out: folder of the site.
        shell: what every page needs.
        twins: whether each page has a twin in JSON.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it lacks a column.
    """
    file = ResultFile(path)
    for only in ONLY:
        number = pages = 1
        while number <= pages:
            page = build_results_page(library, file, only=only, page=number)
            pages = page.paging.pages
            chosen = None if only == "all" else only
            place = out / FileLinks(0).page("results", only=chosen, page=number)
            save_page(place, "results.html", shell, page, page.paging, twin=twins)
            number += 1


def save_page(
    path: Path,
    template: str,
    shell: Shell,
    page: Any,
    paging: Paging | None = None,
    *,
    twin: bool,
    **values: Any,
) -> None:
    """Writes a page.

    Args:
        path: its file.
        template: template of the page.
        shell: what every page needs.
        page: its data.
        paging: which part of a list it shows; null where it shows none.
        twin: whether it has a twin in JSON.
        values: what its template needs besides.
    """
    near = near_pages(paging) if paging else []
    shell.twin = path.with_suffix(".json").name if twin else None
    save_text(path, render_page(template, shell, page=page, near=near, **values))
    if twin:
        save_twin(path, page)
