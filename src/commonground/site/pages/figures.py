"""Figures: charts and tables of a corpus, with published numbers, and of all corpora compared."""

from __future__ import annotations

import re
from functools import partial
from typing import NamedTuple
from xml.etree import ElementTree

import msgspec
from markupsafe import Markup

from commonground.errors import UsageError, close_names, find_named
from commonground.site.corpora import OpenCorpora, OpenCorpus
from commonground.site.kept_figures import (
    DrawnFigures,
    FigureDrawer,
    keep_comparisons,
    keep_figures,
    read_comparisons,
    read_figures,
)
from commonground.site.links import Links, ServerLinks
from commonground.stats.charts import MARK, dark_style
from commonground.stats.figure_files import get_figure
from commonground.stats.figure_runs import ALL, choose_figures
from commonground.stats.paper import ENDINGS, Paper, convert_svg, print_figure
from commonground.stats.tables import FigureTable
from commonground.stats.views import (
    SIMULATED,
    FigureView,
    describe_figure,
    draw_figure,
    write_rows,
)

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


class PrintedFigure(NamedTuple):
    """A figure as a file."""

    data: bytes
    media_type: str


class FiguresPage(msgspec.Struct, frozen=True, kw_only=True):
    """The figures of a corpus, or those that compare all.

    Attributes:
        corpus: name of the corpus; empty where all are compared.
        title: its title.
        unit: what a dialogue is called there.
        figures: in order.
        simulated: what to say where the numbers are of simulated data; empty where they are not.
    """

    corpus: str
    title: str
    unit: str
    figures: list[FigureView]
    simulated: str = ""


def build_figures_page(opened: OpenCorpus) -> FiguresPage:
    """Runs the figures of a corpus; the first time of an import takes seconds.

    Raises:
        StoreError: a query is wrong.
    """
    manifest = opened.entry.manifest
    return FiguresPage(
        corpus=opened.name,
        title=manifest.title,
        unit=manifest.unit,
        figures=_describe(opened),
        simulated=SIMULATED if opened.corpus.manifest.simulated else "",
    )


def draw_charts(opened: OpenCorpus, links: Links) -> dict[str, Markup]:
    """Draws the figures that have a chart, by name; none without the drawing library."""
    example = _example(links, opened.name)

    def draw() -> dict[str, Markup]:
        kept = read_figures(opened, example)
        if kept is not None:
            # Written by the process that cleaned them, into the folder of the index.
            return {name: Markup(svg) for name, svg in kept.charts.items()}  # noqa: S704
        drawn = _draw_charts(opened, links)
        plain = {name: str(svg) for name, svg in drawn.items()}
        keep_figures(opened, example, DrawnFigures(_describe(opened), plain))
        return drawn

    try:
        return opened.remember(("charts", example), draw)
    except UsageError:
        return {}


def print_kept(opened: OpenCorpus, name: str, paper: Paper, ending: str) -> PrintedFigure:
    """Draws a figure for a paper, or gives its numbers as CSV, from the numbers of its page.

    Args:
        opened: the corpus.
        name: of the figure.
        paper: how it is printed.
        ending: ``svg``, ``pdf``, ``png`` or ``csv``.

    Raises:
        UsageError: there is no such figure or format, or the drawing library is not installed.
    """
    kept = {each.name: each for each in _describe(opened)}
    view = find_named("figure", name, kept)
    if ending == "csv":
        return PrintedFigure(write_rows(view.columns, view.rows).encode(), "text/csv")
    chosen = next((each for each in ENDINGS if each == ending), None)
    if chosen is None:
        raise UsageError(f"There is no format {ending!r}.", close_names(ending, (*ENDINGS, "csv")))
    svg = print_figure(get_figure(opened.name, name), view.rows, paper, opened.name)
    if svg is None:
        raise UsageError(f"{name} has no chart.", "Its numbers can be had as CSV.")
    return PrintedFigure(convert_svg(svg, chosen), MEDIA_TYPES[chosen])


def make_drawer(corpora: OpenCorpora) -> FigureDrawer:
    """Makes what draws the figures of a server's corpora before they are asked for."""
    address = partial(_example, ServerLinks())
    return FigureDrawer(corpora.plan(), address, _draw_for_server, _compare_for_server)


def _draw_for_server(opened: OpenCorpus) -> None:
    draw_charts(opened, ServerLinks())


def _example(links: Links, corpus: str) -> str:
    return links.page("browse", corpus, q="x")


def _draw_charts(opened: OpenCorpus, links: Links) -> dict[str, Markup]:
    def address(query: str) -> str:
        return links.page("browse", opened.name, q=query)

    drawn = {table.figure.name: draw_figure(table, address) for table in _tables(opened)}
    return {name: clean_svg(svg) for name, svg in drawn.items() if svg is not None}


def _describe(opened: OpenCorpus) -> list[FigureView]:
    def describe() -> list[FigureView]:
        kept = read_figures(opened, _example(ServerLinks(), opened.name))
        if kept is not None:
            return kept.figures
        return [describe_figure(table) for table in _tables(opened)]

    return opened.remember("described", describe)


def has_comparisons(corpora: OpenCorpora) -> bool:
    """Tells whether there are corpora to compare: several, each whole, and no others beside."""
    shown = list(corpora)
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
        ("compared", times), lambda: read_comparisons(corpora) or _draw_comparisons(corpora)
    )


def _draw_comparisons(corpora: OpenCorpora) -> DrawnFigures:
    store = next(iter(corpora)).corpus.store
    tables = list(choose_figures(store, ALL).run())
    figures = [describe_figure(table) for table in tables]
    try:
        drawn = {table.figure.name: draw_figure(table) for table in tables}
    except UsageError:
        return DrawnFigures(figures, {})  # and not kept: the drawing library may come
    charts = {name: str(clean_svg(svg)) for name, svg in drawn.items() if svg is not None}
    made = DrawnFigures(figures, charts)
    keep_comparisons(corpora, made)
    return made


def _compare_for_server(corpora: OpenCorpora) -> None:
    if has_comparisons(corpora):
        _compare(corpora)


def _tables(opened: OpenCorpus) -> list[FigureTable]:
    return opened.remember(
        "figures", lambda: list(choose_figures(opened.corpus.store, opened.name).run())
    )


def clean_svg(svg: str) -> Markup:
    """Keeps shapes, texts and links to our own pages; drops styles, scripts and all else.

    Args:
        svg: as ``stats`` draws it.
    """
    # It is our own drawing library's, which declares no entities.
    root = ElementTree.fromstring(svg)  # noqa: S314
    _clean(root)
    if root.find(f".//{_SVG}a") is not None:
        root.set("role", "group")  # an image may hold no links
    ElementTree.register_namespace("", _SVG.strip("{}"))
    text = ElementTree.tostring(root, encoding="unicode")
    return Markup(text)  # noqa: S704 - written anew from a tree of known elements


def _clean(element: ElementTree.Element) -> None:
    for child in list(element):
        if child.tag.removeprefix(_SVG) not in _ELEMENTS or not child.tag.startswith(_SVG):
            element.remove(child)
        else:
            _clean(child)
    target = next((element.get(name) for name in _HREFS if element.get(name)), None)
    for name in list(element.attrib):
        is_needless = name == "style" or (name == "id" and element.tag not in _NAMED)
        if name in _HREFS or name.lower().startswith("on") or is_needless:
            del element.attrib[name]
    if target and (target.startswith("/") or ".html" in target.partition("?")[0]):
        element.set("href", target)


def figures_style() -> str:
    """Returns the style sheet that gives charts their corpus's colour, and those of dark pages.

    Words that a font makes wider than the drawing library thought are shown whole.
    """
    rules = dark_style().partition("{")[2].removesuffix("}")
    system = _INNER.sub(':root:not([data-theme="light"]) svg.figure ', rules)
    chosen = _INNER.sub(':root[data-theme="dark"] svg.figure ', rules)
    whole = "svg.figure { overflow: visible }"
    own = "".join(
        f'body[class*="hue-"] svg.figure [{name}="{MARK}"] {{{name}: var(--hue)}}\n'
        for name in ("fill", "stroke")
    )
    return f"{whole}\n{own}@media (prefers-color-scheme: dark) {{{system}}}\n{chosen}\n"
