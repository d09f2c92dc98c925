"""Figures as files: SQL that can be run as it stands, with a header that says what it gives.

The header is a comment at the top, in TOML. ``columns`` names the columns in order, each with its
title, or with title, unit and digits; ``published`` lists what somebody published, where
``measure`` stands for a row of that measure and its column ``number``, and ``by`` and ``values``
for a number in each of several rows, with ``row`` among those that it names; the other fields are
those of :class:`~commonground.figure.Figure`::

    /*
    title = "Searches of a dialogue"
    caption = "Dialogues by the number of searches of the wizard."
    order = 140
    chart = {kind = "histogram", x = "searches", y = ["dialogues"], step = 1}
    row_dialogues = ["searches"]
    published = [{measure = "searches", value = 5227, source = "@page"}]

    [columns]
    searches = "searches of a dialogue"
    dialogues = {title = "dialogues", unit = "", digits = 0}
    */
    WITH row_dialogues AS (
        SELECT n_events - n_utterances AS searches, dialogue_id FROM dialogues
        WHERE corpus = $corpus
    )
    SELECT searches, count(*) AS dialogues FROM row_dialogues GROUP BY ALL ORDER BY searches

A header with ``row_dialogues`` says which columns name a row; the query then has a part
``row_dialogues`` after its ``WITH``, which gives these columns and the dialogue of each thing that
is counted, and more where that helps the query.

What SQL cannot say is computed: such a figure is a TOML file, the header alone, whose ``compute``
names a function of a module beside it (``references:compute_lengths``), and
``row_dialogues_compute`` one that gives what ``row_dialogues`` gives; see
:class:`~commonground.figure.Figure` and :class:`~commonground.figure.RowDialogues` for what they
take and return.

Sources and reasons that several figures share stand in ``published.toml`` beside them, in the
tables ``sources`` and ``reasons``; ``@page`` means the one called ``page``.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from importlib import import_module
from pathlib import Path
from string import Formatter
from types import ModuleType
from typing import Any

import msgspec

from commonground.corpora import find_corpus
from commonground.errors import FormatError, find_named
from commonground.figure import Chart, Figure, FigureColumn, PublishedValue, RowDialogues

SHARED = "published.toml"
# The comment between `/*` and `*/`, each alone on its line, and the query below.
_FILE = re.compile(r"/\*\n(?P<header>.*?)\n\*/\n(?P<query>.+)", re.DOTALL)
# To the parenthesis that stands alone at the beginning of a line, as all queries here end a part.
_ROW_DIALOGUES = re.compile(r"WITH (.*\), )?row_dialogues AS \(\n.*?^\)", re.DOTALL | re.MULTILINE)


class _Column(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    unit: str = ""
    digits: int | None = None


class _Published(msgspec.Struct, forbid_unknown_fields=True):
    source: str
    value: float | None = None
    by: str = ""
    values: dict[str, float] = {}
    name: str = ""
    measure: str | None = None
    column: str = "number"
    row: dict[str, str | int | float] = {}
    unit: str = ""
    tolerance: float = 0.0
    why: str = ""
    corpus: str = ""
    file_format: str = ""


class _Header(msgspec.Struct, forbid_unknown_fields=True):
    title: str
    caption: str
    columns: dict[str, str | _Column]
    order: int = 1000
    corpora: tuple[str, ...] = ()
    wording: bool = False
    listing: bool = False
    chart: Chart = Chart(kind="none")
    link: str | None = None
    row_dialogues: tuple[str, ...] = ()
    partial: bool = False
    compute: str = ""
    row_dialogues_compute: str = ""
    published: tuple[_Published, ...] = ()


class _Shared(msgspec.Struct, forbid_unknown_fields=True):
    sources: dict[str, str] = {}
    reasons: dict[str, str] = {}


def read_figure(path: Path, load_module: Callable[[str], ModuleType]) -> Figure:
    """Reads a figure from a file, which it is named after.

    Args:
        path: an SQL file with a header, or a TOML file.
        load_module: gives a module beside it by its name.

    Raises:
        FormatError: the header is not as described; the message names file and field.
    """
    text = path.read_text(encoding="utf-8")
    query = None
    if path.suffix == ".sql":
        parts = _FILE.fullmatch(text)
        if parts is None:
            raise FormatError(f"{path}: a figure begins with a comment in TOML, then has a query.")
        text, query = parts["header"], parts["query"]
    header: _Header = _convert(path, text, _Header)
    return Figure(
        name=path.stem,
        order=header.order,
        title=header.title,
        caption=header.caption,
        columns=tuple(_build_column(name, each) for name, each in header.columns.items()),
        query=query,
        compute=_find_function(path, header.compute, load_module),
        chart=header.chart,
        link=header.link,
        row_dialogues=_find_row_dialogues(path, query, header, load_module),
        published=tuple(value for each in header.published for value in _expand(path, each)),
        corpora=header.corpora,
        wording=header.wording,
        listing=header.listing,
    )


def _find_function(path: Path, said: str, load_module: Callable[[str], ModuleType]) -> Any:
    """Returns the function that ``module:function`` means; None where nothing is said."""
    if not said:
        return None
    module, _, name = said.partition(":")
    found = getattr(load_module(module), name, None)
    if found is None:
        raise FormatError(f"{path}: {module}.py has no function {name!r}.")
    return found


def _convert(path: Path, text: str, kind: type[Any]) -> Any:
    try:
        return msgspec.convert(tomllib.loads(text), kind)
    except (tomllib.TOMLDecodeError, msgspec.ValidationError) as error:
        raise FormatError(f"{path}: {error}.", "Compare it with another figure.") from error


def _build_column(name: str, said: str | _Column) -> FigureColumn:
    column = _Column(said) if isinstance(said, str) else said
    return FigureColumn(name, column.title, column.unit, column.digits)


def _find_row_dialogues(
    path: Path, query: str | None, header: _Header, load_module: Callable[[str], ModuleType]
) -> RowDialogues | None:
    if not header.row_dialogues:
        return None
    if header.row_dialogues_compute:
        compute = _find_function(path, header.row_dialogues_compute, load_module)
        return RowDialogues(keys=header.row_dialogues, compute=compute, partial=header.partial)
    found = _ROW_DIALOGUES.match(query or "")
    if found is None:
        raise FormatError(
            f"{path}: `row_dialogues` needs a part `row_dialogues AS (` after `WITH`."
        )
    columns = ", ".join([*header.row_dialogues, "dialogue_id"])
    dialogues = f"{found[0]}\nSELECT {columns} FROM row_dialogues"
    return RowDialogues(keys=header.row_dialogues, query=dialogues, partial=header.partial)


def _expand(path: Path, said: _Published) -> Iterator[PublishedValue]:
    """Yields the published value of a row, or of each of several."""
    if said.measure is not None:
        yield _build_published(path, said, {"measure": said.measure}, said.value, said.measure)
    elif said.by:
        for key, value in said.values.items():
            name = said.name.replace(f"{{{said.by}}}", key)
            # Keys of TOML are texts, and cells of rounds and the like are numbers.
            cell = int(key) if key.isdecimal() else key
            yield _build_published(path, said, {**said.row, said.by: cell}, value, name)
    else:
        yield _build_published(path, said, said.row, said.value, "")


def _build_published(
    path: Path, said: _Published, row: Mapping[str, Any], value: float | None, name: str
) -> PublishedValue:
    if value is None:
        raise FormatError(f"{path}: {said.name or name!r} has no value.")
    shared = _read_shared(path.parent / SHARED)
    return PublishedValue(
        name=name if said.by else said.name or name,
        column=said.column,
        row=row,
        value=value,
        unit=said.unit,
        source=_look_up(path, said.source, shared.sources),
        tolerance=said.tolerance,
        why=_look_up(path, said.why, shared.reasons),
        corpus=said.corpus,
        file_format=said.file_format,
    )


def _read_shared(path: Path) -> _Shared:
    if not path.exists():
        return _Shared()
    shared: _Shared = _convert(path, path.read_text(encoding="utf-8"), _Shared)
    return shared


def _look_up(path: Path, text: str, shared: dict[str, str]) -> str:
    if not text.startswith("@"):
        return text
    if text[1:] not in shared:
        raise FormatError(f"{path}: {path.with_name(SHARED)} has no {text[1:]!r}.")
    return shared[text[1:]]


def find_figures(corpus: str) -> tuple[Figure, ...]:
    """Returns the figures of a corpus, in their order; empty where it has none.

    Raises:
        UsageError: there is no such corpus.
        FormatError: a figure is not well formed; the message names file and figure.
    """
    entry = find_corpus(corpus)
    every = _find_all(corpus, entry.folder)
    # Corpora that share a folder share its figures, unless a figure names some of them.
    mine = [each for each in every if not each.corpora or corpus in each.corpora]
    found = tuple(sorted(mine, key=lambda each: (each.order, each.name)))
    check_figures(found, str(entry.folder / "figures"))
    return found


@cache
def _find_all(corpus: str, folder: Path) -> tuple[Figure, ...]:
    """Finds the figures in the folder of a corpus."""
    entry, folder = find_corpus(corpus), folder / "figures"
    paths = sorted([*folder.glob("*.sql"), *folder.glob("*.toml")])
    return tuple(
        read_figure(path, lambda name: entry.module(f"figures/{name}"))
        for path in paths
        if path.name != SHARED
    )


@cache
def find_comparisons() -> tuple[Figure, ...]:
    """Returns the figures that compare the corpora of a store, in their order."""
    folder = Path(__file__).with_name("comparisons")
    # None of them is computed by a module.
    found = (read_figure(path, import_module) for path in folder.glob("*.sql"))
    return tuple(sorted(found, key=lambda each: each.order))


def get_figure(corpus: str, name: str) -> Figure:
    """Returns one figure of a corpus.

    Raises:
        UsageError: there is none of that name.
    """
    found = {each.name: each for each in find_figures(corpus)}
    return find_named(f"figure of {corpus}", name, found)


def check_figures(figures: tuple[Figure, ...], where: str) -> None:
    """Raises where a figure cannot be run or drawn.

    Raises:
        FormatError: two have one name, a figure has no rows to come from, or something names a
            column that is not there.
    """
    names: set[str] = set()
    for each in figures:
        for fault in _list_faults(each):
            raise FormatError(f"{where}: figure {each.name!r} {fault}.")
        if each.name in names:
            raise FormatError(f"{where}: there are two figures {each.name!r}.")
        names.add(each.name)


def _list_faults(figure: Figure) -> list[str]:
    faults = []
    if (figure.query is None) == (figure.compute is None):
        faults.append("needs exactly one of query and compute")
    known = {column.name for column in figure.columns}
    chart, row_dialogues = figure.chart, figure.row_dialogues
    used = {chart.x, chart.color, *chart.y} if chart.kind != "none" else set()
    if figure.link is not None:
        used |= {name for _, name, _, _ in Formatter().parse(figure.link)}
    if row_dialogues is not None:
        used |= {*row_dialogues.keys}
        faults += ["has both link and row_dialogues"] if figure.link is not None else []
    for each in figure.published:
        used |= {each.column, *each.row}
    unknown = sorted(filter(None, used - known))
    faults += [f"names a column {name!r}, which it lacks" for name in unknown]
    if chart.kind != "none" and not (chart.x and chart.y):
        faults.append("has a chart without x or y")
    return faults
