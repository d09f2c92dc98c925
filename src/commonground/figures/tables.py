"""Runs figures over a store."""

from __future__ import annotations

import gc
import re
from collections import Counter
from collections.abc import Callable, Container, Mapping, Sequence
from decimal import Decimal
from string import Formatter
from typing import TYPE_CHECKING, Any, TypeVar, cast

import msgspec

from commonground.corpora import find_corpus
from commonground.errors import FormatError
from commonground.figure import Chart, Data, Figure, Row
from commonground.figures.published import Comparison, compare_published
from commonground.files.formats import identify_name
from commonground.printing import drop_noise
from commonground.store.opening import Store

if TYPE_CHECKING:
    from commonground.store.sql.query import QueryResult

T = TypeVar("T")


class FigureTable(msgspec.Struct, frozen=True):
    """A figure with its numbers.

    Attributes:
        figure: what was run.
        corpus: name of the corpus; empty for a comparison of several.
        rows: the rows, in order.
        named: names of the rows that have dialogues of them; None where all have.
        simulated: whether what was counted was invented; it is not compared with anything then.
        part: which part of the released dialogues was counted, in a sentence; empty for all.
        missing: formats some of whose files were not imported, each with a sentence.
    """

    figure: Figure
    corpus: str
    rows: list[list[Any]]
    named: frozenset[str] | None = None
    simulated: bool = False
    part: str = ""
    missing: Mapping[str, str] = {}

    def comparisons(self) -> list[Comparison]:
        """Returns each published number beside ours; none where ours were counted in inventions."""
        if self.simulated:
            return []
        return compare_published(self.figure, self.corpus, self.rows, self.part, self.missing)

    def links(self) -> list[str | None]:
        """Returns, for each row, the explorer's query for the dialogues of it."""
        return [link_row(self.figure, row, self.named) for row in self.rows]


class StoreData:
    """A store as the figures of one corpus see it.

    Attributes:
        corpus: name of the corpus; empty for comparisons.
    """

    def __init__(self, store: Store, corpus: str = "") -> None:
        self._database = store.database
        self._shared: dict[object, Any] = {}
        self._simulated = bool(corpus) and store.manifests[corpus].simulated
        self._part = _describe_part(store, corpus) if corpus else ""
        self._missing = _describe_missing(store, corpus) if corpus else {}
        self.corpus = corpus

    def rows(self, query: str, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        """Runs one SQL query; ``$corpus`` in it is the name of the corpus.

        Raises:
            StoreError: the query is wrong.
        """
        return cast("list[Row]", self._select(query, parameters or {}).rows)

    def share(self, function: Callable[[Data], T]) -> T:
        """Calls a function of this object once, and gives the same answer from then on."""
        if function not in self._shared:
            # By the function itself: figures that share work name the same one.
            self._shared[function] = function(self)
        return cast("T", self._shared[function])

    def run(self, figure: Figure) -> FigureTable:
        """Gives a figure its numbers.

        Raises:
            StoreError: its query is wrong.
            FormatError: its query gives other columns than it declares.
        """
        rows = self._compute(figure) if figure.compute else self._query(figure)
        partial = figure.row_dialogues is not None and figure.row_dialogues.partial
        named = frozenset(self.find_row_dialogues(figure)) if partial else None
        return FigureTable(
            figure, self.corpus, rows, named, self._simulated, self._part, self._missing
        )

    def find_row_dialogues(self, figure: Figure) -> dict[str, list[str]]:
        """Returns the dialogues of the rows of a figure, by the names of the rows.

        Raises:
            StoreError: the query is wrong.
            FormatError: the query gives other columns than it should.
        """
        row_dialogues = figure.row_dialogues
        if row_dialogues is None:
            return {}
        if row_dialogues.compute is not None:
            rows: list[Row] = list(row_dialogues.compute(self))
        else:
            rows = self._select_columns(
                figure, row_dialogues.query or "", [*row_dialogues.keys, "dialogue_id"]
            )
        found: dict[str, list[str]] = {}
        for *cells, dialogue_id in rows:
            name = name_row(figure, [_plain(cell) for cell in cells])
            if name is not None:
                found.setdefault(name, []).append(dialogue_id)
        return found

    def _compute(self, figure: Figure) -> list[list[Any]]:
        assert figure.compute is not None  # noqa: S101 - asked by the caller
        was_on = gc.isenabled()
        # Millions of small objects, none of which refers to itself: looking for those that do would
        # take up to half of the time.
        gc.disable()
        try:
            rows = [[_plain(cell) for cell in row] for row in figure.compute(self)]
        finally:
            if was_on:
                gc.enable()
        for row in rows:
            if len(row) != len(figure.columns):
                wanted = len(figure.columns)
                raise FormatError(f"Figure {figure.name}: {wanted} cells expected, found {row!r}.")
        return rows

    def _query(self, figure: Figure) -> list[list[Any]]:
        wanted = [column.name for column in figure.columns]
        rows = self._select_columns(figure, figure.query or "", wanted)
        return [[_plain(cell) for cell in row] for row in rows]

    def _select_columns(self, figure: Figure, query: str, wanted: Sequence[str]) -> list[Row]:
        found = self._select(query, {})
        if found.columns != list(wanted):
            raise FormatError(
                f"Figure {figure.name}: columns {list(wanted)} expected, found {found.columns}."
            )
        return cast("list[Row]", found.rows)

    def _select(self, query: str, parameters: Mapping[str, Any]) -> QueryResult:
        # Only those that are used: DuckDB refuses a parameter that a query does not have.
        known = {"corpus": self.corpus, **parameters}
        return self._database.select(query, {k: v for k, v in known.items() if f"${k}" in query})


def _describe_part(store: Store, corpus: str) -> str:
    """Says how many of the released dialogues were imported, where it is not all of them."""
    imported = store.manifests[corpus].counts.get("dialogues", 0)
    released = find_corpus(corpus).manifest.counts.get("dialogues", 0)
    if imported >= released:
        return ""
    return f"{imported:,} of {released:,} released dialogues were imported."


def _describe_missing(store: Store, corpus: str) -> dict[str, str]:
    """Says of each format how many of its released files were imported, where not all were."""
    entry = find_corpus(corpus)
    released: Counter[str] = Counter()
    for source in entry.manifest.sources:
        if (fmt := identify_name(source.path, entry.formats())) is not None:
            released[fmt.name] += 1
    imported = Counter(each.format for each in store.sources(corpus))
    titles = {fmt.name: fmt.title for fmt in entry.formats()}
    return {
        name: f"{imported[name]:,} of {number:,} released files of {titles[name]} were imported."
        for name, number in released.items()
        if imported[name] < number
    }


def _plain(cell: Any) -> Any:
    """Turns SQL's decimals into floats, which JSON and charts know."""
    if isinstance(cell, Decimal):
        return float(cell)
    return drop_noise(cell) if isinstance(cell, float) else cell


# What the explorer's language takes without quotation marks.
_PLAIN_WORD = re.compile(r"\w[\w./-]*")


def link_row(figure: Figure, row: Row, named: Container[str] | None = None) -> str | None:
    """Returns the query for the dialogues of a row; None where there can be none.

    Args:
        figure: the figure.
        row: one of its rows.
        named: names of the rows that have dialogues of them; None means all.
    """
    names = [column.name for column in figure.columns]
    cells = dict(zip(names, row, strict=True))
    if figure.row_dialogues is not None:
        if _is_empty(figure.chart, cells):
            return None
        name = name_row(figure, [cells[key] for key in figure.row_dialogues.keys])
        if name is None or (named is not None and name not in named):
            return None
        return f"figure:{_in_query(name)}"
    if figure.link is None:
        return None
    used = {name for _, name, _, _ in Formatter().parse(figure.link) if name}
    if any(cells[name] is None for name in used):
        return None
    return figure.link.format_map({name: _in_query(cells[name]) for name in used})


def _is_empty(chart: Chart, cells: Mapping[str, Any]) -> bool:
    """Tells whether a row has no bar: there is nothing after it."""
    # What a mark shows: the colour of a cell, or the heights of bars.
    sizes = [chart.color] if chart.kind == "heatmap" else chart.y
    return bool(sizes) and not any(cells[each] for each in sizes if each)


def name_row(figure: Figure, cells: Sequence[Any]) -> str | None:
    """Names a row by figure and cells, as ``figure:`` takes it; None where a cell is None."""
    if any(cell is None for cell in cells):
        return None
    return "/".join([figure.name, *map(_as_text, cells)])


def _as_text(cell: Any) -> str:
    # SQL may give 3.0 where the row is called 3.
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _in_query(cell: Any) -> str:
    """Writes a cell as a word of the explorer's language: quoted where it is not a plain one."""
    text = _as_text(cell)
    if _PLAIN_WORD.fullmatch(text):
        return text
    # The language has no way to write a quotation mark; a prefix up to it is the nearest.
    cut, mark, _ = text.partition('"')
    return f'"{cut}"*' if mark else f'"{cut}"'
