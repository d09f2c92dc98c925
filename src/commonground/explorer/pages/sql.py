"""SQL in the browser: a query over the tables of all corpora that are shown, and what it gives."""

from __future__ import annotations

import time
from collections.abc import Sequence
from decimal import Decimal
from functools import partial
from typing import Any, Literal

import msgspec
from markupsafe import Markup

from commonground.errors import CommongroundError, UsageError
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.pages.figures import clean_svg
from commonground.figure import Chart, Figure, FigureColumn
from commonground.figures.drawing.charts import render_svg
from commonground.figures.figure_files import find_figures
from commonground.figures.views import tidy_sql
from commonground.schema import TABLES, VIEWS
from commonground.store.sql.limits import LimitError, page_limits, too_much_memory
from commonground.store.sql.query import NUMBERS, Database

ROWS = 1000
"""Rows that are shown."""

CELL = 5_000
"""Characters of a cell; what is longer is cut, and says so."""

LETTERS = 4_000_000
"""Characters of all cells; later rows are left out. Browsers are slow with more."""

# For all queries of one process together. What needs more is refused: it may not fill the disk.
MEMORY = "2GB"

PROCESS_MEMORY = 4_000_000_000
"""Bytes of a process that answers queries: DuckDB does not count the texts that it makes."""

MOST_BARS = 100
"""Rows that a chart is drawn of; the first ones."""

Drawn = Literal["", "bar", "line"]
_LONGEST_NUMBER = 2**63
_FIRST = """SELECT corpus, count(*) AS dialogues, sum(n_events) AS events
FROM dialogues
GROUP BY corpus
ORDER BY corpus"""


class SqlExample(msgspec.Struct, frozen=True):
    """A query to begin with: that of a figure."""

    title: str
    query: str


class SqlPage(msgspec.Struct, frozen=True, kw_only=True):
    """A query, with its result or with what is wrong with it.

    Attributes:
        query: as it was written; the first example where nothing was asked.
        chart: what the result is drawn as; empty for a table only.
        types: SQL types of the columns.
        rows: what JSON has no word for is text.
        is_cut: whether there were more rows.
        error: what is wrong with the query; empty where nothing is.
        tables: columns of each table, and of each view.
        examples: queries to begin with, by corpus.
        limit_seconds: seconds that a query may take; 0 for any number.
    """

    query: str
    asked: bool = False
    chart: Drawn = ""
    columns: list[str] = []
    types: list[str] = []
    rows: list[list[Any]] = []
    is_cut: bool = False
    seconds: float = 0.0
    error: str = ""
    advice: str = ""
    tables: dict[str, list[str]]
    examples: dict[str, list[SqlExample]]
    limit_rows: int
    limit_seconds: float


def build_sql_page(
    corpora: OpenCorpora,
    query: str = "",
    chart: str = "",
    *,
    ended: LimitError | None = None,
) -> SqlPage:
    """Runs a query, confined to the tables of the corpora that are shown.

    Args:
        query: one SELECT; empty for none.
        chart: ``bar`` or ``line``; anything else means a table only.
        ended: why the query was ended elsewhere; None where it is to be run.

    Raises:
        UsageError: the environment sets a limit that is none.
    """
    limits = page_limits(ROWS)
    drawn: Drawn = "bar" if chart == "bar" else "line" if chart == "line" else ""
    page = SqlPage(
        query=query or _FIRST,
        asked=bool(query),
        chart=drawn,
        tables={
            table.name: [column.name for column in table.columns] for table in (*TABLES, *VIEWS)
        },
        examples={
            each.name: each.remember("sql", partial(_examples, each.name)) for each in corpora
        },
        limit_rows=ROWS,
        limit_seconds=limits.seconds or 0.0,
    )
    if not query:
        return page
    began = time.perf_counter()
    try:
        if ended is not None:
            raise ended
        found = _open(corpora).select(query, limits=limits, cut=True, width=CELL)
        rows = _take_rows(found.rows)
    except CommongroundError as error:
        return msgspec.structs.replace(page, error=error.message, advice=error.advice)
    except MemoryError:
        return build_sql_page(corpora, query, chart, ended=too_hungry())
    except (ValueError, OverflowError, RuntimeError) as error:
        # Such as a date that is none in Python.
        return msgspec.structs.replace(page, error=f"The result cannot be shown: {error}.")
    return msgspec.structs.replace(
        page,
        columns=found.columns,
        types=found.types,
        rows=rows,
        is_cut=found.is_cut or len(rows) < len(found.rows),
        seconds=time.perf_counter() - began,
    )


def too_hungry() -> LimitError:
    """Returns the error of a query that ended the process it ran in."""
    return too_much_memory(f"{PROCESS_MEMORY / 1e9:g} GB")


def draw_sql(page: SqlPage) -> Markup | None:
    """Draws the result: the first column along, the first with numbers up, another as colour.

    Returns:
        None where there is nothing to draw, or nothing to draw it with.
    """
    numbers = [place for place, kind in enumerate(page.types) if _is_number(kind)]
    # Not place 0, which is the axis along.
    up = next((place for place in numbers if place), None)
    if not page.chart or up is None or not page.rows:
        return None
    others = (place for place in range(1, len(page.types)) if place not in numbers)
    colour = next(others, None)
    chosen = [0, up, *([] if colour is None else [colour])]
    # Names of our own: a result may have one twice.
    names = [f"c{place}" for place in chosen]
    titles = [
        FigureColumn(name, page.columns[place]) for name, place in zip(names, chosen, strict=True)
    ]
    figure = Figure(
        name="query",
        title="Result",
        caption="",
        query=page.query,
        columns=tuple(titles),
        chart=Chart(
            kind=page.chart,
            x=names[0],
            y=(names[1],),
            color=names[2] if colour is not None else None,
        ),
    )
    try:
        svg = render_svg(
            figure, [tuple(row[place] for place in chosen) for row in page.rows[:MOST_BARS]]
        )
    except UsageError:
        return None
    return clean_svg(svg) if svg is not None else None


def _take_rows(found: Sequence[Sequence[Any]]) -> list[list[Any]]:
    """Takes rows from the first on, as many as have room."""
    rows: list[list[Any]] = []
    room = LETTERS
    for row in found:
        cells = [_plain(cell) for cell in row]
        room -= sum(len(cell) for cell in cells if isinstance(cell, str))
        if room < 0:
            break
        rows.append(cells)
    return rows


def _open(corpora: OpenCorpora) -> Database:
    """Opens the tables of what is shown, once for these imports."""
    first = next(iter(corpora))
    manifests = {each.name: each.corpus.manifest for each in corpora}
    key = ("sql database", *(each.imported_at for each in manifests.values()))
    return first.remember(key, lambda: Database(first.corpus.store.path, manifests, memory=MEMORY))


def _examples(corpus: str) -> list[SqlExample]:
    """Returns the queries of a corpus's figures, shortest first."""
    found = [
        SqlExample(figure.title, tidy_sql(figure.query.replace("$corpus", f"'{corpus}'")))
        for figure in find_figures(corpus)
        if figure.query
    ]
    return sorted(found, key=lambda each: len(each.query))


def _is_number(kind: str) -> bool:
    # DECIMAL(18,3) is a DECIMAL.
    return kind.partition("(")[0] in NUMBERS


def _plain(cell: Any) -> Any:
    """Returns a cell as JSON has it; what that has no word for becomes text."""
    if cell is None or isinstance(cell, bool | str | float):
        return cell
    if isinstance(cell, int):
        # A HUGEINT has 128 bits, and JSON is written with 64.
        return cell if abs(cell) < _LONGEST_NUMBER else str(cell)
    if isinstance(cell, Decimal):
        return float(cell)
    return str(cell)
