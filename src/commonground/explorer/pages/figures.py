"""Figures: charts and tables of a corpus, with published numbers, and of all corpora compared."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from contextlib import suppress
from functools import partial
from typing import NamedTuple
from xml.etree import ElementTree

import msgspec
from markupsafe import Markup

from commonground.errors import UsageError, close_names, find_named
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
from commonground.explorer.links import Links
from commonground.explorer.sections import Section
from commonground.figures.drawing.charts import LABEL_STYLE, MARK, dark_style
from commonground.figures.drawing.paper import ENDINGS, Paper, convert_svg, print_figure
from commonground.figures.figure_files import get_figure
from commonground.figures.figure_runs import ALL, choose_figures
from commonground.figures.views import (
    SIMULATED,
    FigureView,
    describe_figure,
    draw_figure,
)
from commonground.files.spreadsheets import write_sheet

_SVG = "{http://www.w3.org/2000/svg}"
_SHAPES = ("path", "rect", "line", "circle", "text", "tspan")
_ELEMENTS = frozenset(
    ("svg", "g", *_SHAPES, "title", "a", "defs", "clipPath", "linearGradient", "stop")
)
_NAMED = frozenset(f"{_SVG}{name}" for name in ("clipPath", "linearGradient"))
"""Elements that others refer to by id; ids are unique in all that one process draws."""

_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")
_INNER = re.compile(r"svg\.figure ")


MEDIA_TYPES = {"svg": "image/svg+xml", "pdf": "application/pdf", "png": "image/png"}


BETWEEN_S = 0.7
"""Seconds between two times that what is there so far is kept."""


class PrintedFigure(NamedTuple):
    """A figure as a file."""

    data: bytes
    media_type: str


class FiguresPage(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a corpus, or those that compare all.

    Attributes:
        corpus: name of the corpus; empty where all are compared.
        unit: what a dialogue of the corpus is called.
        simulated: what to say where the numbers are of simulated data; empty where they are not.
        waits: titles of figures that are still being counted.
        drawn: charts of those that are there, while others are counted.
    """

    corpus: str
    title: str
    unit: str
    figures: list[FigureView]
    simulated: str = ""
    waits: list[str] = []
    drawn: dict[str, str] = {}


def build_figures_page(opened: OpenCorpus) -> FiguresPage:
    """Runs the figures of a corpus; the first time of an import takes seconds.

    Raises:
        StoreError: a query is wrong.
    """
    return _make_page(opened, _describe(opened))


def _make_page(opened: OpenCorpus, figures: list[FigureView]) -> FiguresPage:
    manifest = opened.entry.manifest
    return FiguresPage(
        corpus=opened.name,
        title=manifest.title,
        unit=manifest.unit,
        figures=figures,
        simulated=SIMULATED if opened.corpus.manifest.simulated else "",
    )


def build_figures_so_far(opened: OpenCorpus, links: Links) -> FiguresPage | None:
    """Gives the figures that are there while others are counted; None before the first."""
    some = read_drawn(place_some(opened, _example(links, opened.name)))
    if some is None:
        return None
    page = _make_page(opened, some.figures)
    return msgspec.structs.replace(page, waits=some.waits, drawn=some.charts)


def draw_charts(opened: OpenCorpus, links: Links) -> dict[str, Markup]:
    """Draws the figures that have a chart, by name; none without the drawing library."""
    example = _example(links, opened.name)
    try:
        # Links differ between a server and a written site, so charts are kept by how a link looks.
        drawn = opened.remember(("charts", example), lambda: _draw(opened, links))
    except UsageError:
        return {}
    # Cleaned before they were kept, in the folder of the index.
    return {name: Markup(svg) for name, svg in drawn.charts.items()}  # noqa: S704


def _draw(opened: OpenCorpus, links: Links) -> DrawnFigures:
    """Reads the figures that were kept, or draws them and keeps them; meanwhile those so far."""
    example = _example(links, opened.name)
    place, place_so_far = place_figures(opened, example), place_some(opened, example)
    kept = read_drawn(place)
    if kept is not None:
        return kept
    drawn, written = DrawnFigures([], {}), time.monotonic()
    for drawn in _draw_step_by_step(opened, links):
        if drawn.waits and time.monotonic() - written > BETWEEN_S:
            keep_drawn(place_so_far, drawn)
            written = time.monotonic()
    keep_drawn(place, drawn)
    with suppress(OSError):  # it is not there, or its folder cannot be written to
        place_so_far.unlink()
    opened.remember("described", lambda: drawn.figures)
    return drawn


def _draw_step_by_step(opened: OpenCorpus, links: Links) -> Iterator[DrawnFigures]:
    """Yields the figures that are there so far, after each one; the last time all."""

    def address(query: str) -> str:
        return links.page("browse", opened.name, q=query)

    run = choose_figures(opened.corpus.store, opened.name)
    views: dict[str, FigureView] = {}
    charts: dict[str, str] = {}
    for table in run.run_quick_first():
        name = table.figure.name
        views[name] = describe_figure(table)
        svg = draw_figure(table, address)
        if svg is not None:
            charts[name] = str(clean_svg(svg))
        there = [views[each.name] for each in run.figures if each.name in views]
        waits = [each.title for each in run.figures if each.name not in views]
        yield DrawnFigures(there, charts, waits)


def make_drawer(corpora: OpenCorpora) -> FigureDrawer:
    """Makes what draws the figures of a server's corpora before they are asked for."""
    address = partial(_example, Links())
    return FigureDrawer(corpora.plan(), address, _draw_for_server, _compare_for_server)


def _draw_for_server(opened: OpenCorpus) -> None:
    draw_charts(opened, Links())


def _example(links: Links, corpus: str) -> str:
    # Any query will do: what counts is the form of a link, by which charts are kept.
    return links.page("browse", corpus, q="x")


def _describe(opened: OpenCorpus) -> list[FigureView]:
    def describe() -> list[FigureView]:
        kept = read_drawn(place_figures(opened, _example(Links(), opened.name)))
        if kept is not None:
            return kept.figures
        run = choose_figures(opened.corpus.store, opened.name)
        return [describe_figure(table) for table in run.run()]

    return opened.remember("described", describe)


def print_kept(opened: OpenCorpus, name: str, paper: Paper, ending: str) -> PrintedFigure:
    """Draws a figure for a paper, or gives its numbers as CSV, from the numbers of its page.

    Args:
        ending: ``svg``, ``pdf``, ``png`` or ``csv``.

    Raises:
        UsageError: there is no such figure or format, or the drawing library is not installed.
    """
    view = find_kept(opened, name)
    if ending == "csv":
        sheet = write_sheet([column.name for column in view.columns], view.rows)
        return PrintedFigure(sheet.encode(), "text/csv")
    chosen = next((each for each in ENDINGS if each == ending), None)
    if chosen is None:
        raise UsageError(f"There is no format {ending!r}.", close_names(ending, (*ENDINGS, "csv")))
    svg = print_figure(get_figure(opened.name, name), view.rows, paper, opened.name)
    if svg is None:
        raise UsageError(f"{name} has no chart.", "Its numbers are available as CSV.")
    return PrintedFigure(convert_svg(svg, chosen), MEDIA_TYPES[chosen])


def find_kept(opened: OpenCorpus, name: str) -> FigureView:
    """Returns a figure of a corpus with its numbers, from those of its page.

    Raises:
        UsageError: there is none of that name.
    """
    return find_named("figure", name, {each.name: each for each in _describe(opened)})


def has_comparisons(corpora: OpenCorpora) -> bool:
    """Tells whether there are corpora to compare: several, each whole, and no others beside."""
    shown = list(corpora)
    # A comparison reads the store as a whole. Beside a part of a corpus, or of the store, its
    # numbers would not be those of the pages.
    if len(shown) < 2 or any(each.is_part for each in shown):
        return False
    return sorted(corpora.names) == sorted(shown[0].corpus.store.corpora())


def build_comparisons_page(corpora: OpenCorpora) -> FiguresPage:
    """Runs the figures that compare all corpora.

    Raises:
        UsageError: there are none to compare.
    """
    if not has_comparisons(corpora):
        raise UsageError("There is nothing to compare.", "Import and show several whole corpora.")
    figures = _compare(corpora).figures
    return FiguresPage(corpus="", title="All corpora", unit="dialogue", figures=figures)


def draw_comparisons(corpora: OpenCorpora) -> dict[str, Markup]:
    """Draws the comparisons that have a chart, by name; none without the drawing library."""
    # Cleaned before they were kept, in the folder of an index.
    return {name: Markup(svg) for name, svg in _compare(corpora).charts.items()}  # noqa: S704


def _compare(corpora: OpenCorpora) -> DrawnFigures:
    first = next(iter(corpora))
    # Another import of any of them makes other numbers.
    times = tuple(each.corpus.manifest.imported_at for each in corpora)
    return first.remember(
        ("compared", times),
        lambda: read_drawn(place_comparisons(corpora)) or _draw_comparisons(corpora),
    )


def _draw_comparisons(corpora: OpenCorpora) -> DrawnFigures:
    store = next(iter(corpora)).corpus.store
    # Figures over all corpora are those that set them side by side; each corpus has a page of its
    # own for the others.
    tables = list(choose_figures(store, ALL).run())
    figures = [describe_figure(table) for table in tables]
    try:
        drawn = {table.figure.name: draw_figure(table) for table in tables}
    except UsageError:
        return DrawnFigures(figures, {})  # and not kept: the drawing library may come
    charts = {name: str(clean_svg(svg)) for name, svg in drawn.items() if svg is not None}
    made = DrawnFigures(figures, charts)
    keep_drawn(place_comparisons(corpora), made)
    return made


def _compare_for_server(corpora: OpenCorpora) -> None:
    if has_comparisons(corpora):
        _compare(corpora)


def clean_svg(svg: str) -> Markup:
    """Keeps shapes, texts and links to our own pages; drops styles, scripts and all else."""
    # It is our own drawing library's, which declares no entities.
    root = ElementTree.fromstring(svg)  # noqa: S314
    _clean(root)
    if root.find(f".//{_SVG}a") is not None:
        root.set("role", "group")  # an image may hold no links
    # Else each name is written with ``ns0:`` in front, and browsers take it for no SVG in HTML.
    ElementTree.register_namespace("", _SVG.strip("{}"))
    text = ElementTree.tostring(root, encoding="unicode")
    return Markup(text)  # noqa: S704 - written anew from a tree of known elements


def _clean(element: ElementTree.Element) -> None:
    # A copy, as children are removed meanwhile.
    for child in list(element):
        if child.tag.removeprefix(_SVG) not in _ELEMENTS or not child.tag.startswith(_SVG):
            element.remove(child)
        else:
            _clean(child)
    target = next((element.get(name) for name in _HREFS if element.get(name)), None)
    for name in list(element.attrib):
        # Styles are in the sheet, since the policy of the pages allows none in place; ids of two
        # charts on a page would clash.
        is_needless = name == "style" or (name == "id" and element.tag not in _NAMED)
        if name in _HREFS or name.lower().startswith("on") or is_needless:
            del element.attrib[name]
    # Links of a server begin with a slash; those of a written site name one of its files.
    if target and (target.startswith("/") or ".html" in target.partition("?")[0]):
        element.set("href", target)


def figures_style() -> str:
    """Returns the style sheet that gives charts their corpus's colour, and those of dark pages.

    Words that a font makes wider than the drawing library thought are shown whole, and those from
    right to left run so.
    """
    rules = dark_style().partition("{")[2].removesuffix("}")
    # Twice the same rules: for whom the system is dark, unless they chose light; and for anyone who
    # chose dark, whatever the system is.
    system = _INNER.sub(':root:not([data-theme="light"]) svg.figure ', rules)
    chosen = _INNER.sub(':root[data-theme="dark"] svg.figure ', rules)
    whole = f"svg.figure {{ overflow: visible }}\n{LABEL_STYLE}"
    # With ``:root`` as specific as the rules of dark pages, and with ``body`` more so.
    own = "".join(
        f':root body[class*="hue-"] svg.figure [{name}="{MARK}"] {{{name}: var(--hue)}}\n'
        for name in ("fill", "stroke")
    )
    return f"{whole}\n{own}@media (prefers-color-scheme: dark) {{{system}}}\n{chosen}\n"


SECTION = Section(
    name="figures",
    title="Figures",
    place=2,
    build=build_figures_page,
    draw=lambda opened, links: {"charts": draw_charts(opened, links)},
    is_there=lambda opened: opened.has_figures,
)
