"""A figure with all that a page or a file needs of it, as plain data."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Callable
from typing import Any

import msgspec

from commonground.figure import FigureColumn
from commonground.figures.drawing.charts import render_svg
from commonground.figures.drawing.plain import can_draw, draw_plain
from commonground.figures.published import Comparison
from commonground.figures.tables import FigureTable

SIMULATED = "Simulated data, not compared with published numbers."
"""What stands in place of a comparison where the data were invented."""


class FigureView(msgspec.Struct, frozen=True, kw_only=True):
    """A figure with its numbers, for people and machines.

    Attributes:
        corpus: name of the corpus; empty for a comparison of several.
        name: name of the figure.
        title: its title.
        caption: what is counted, and how.
        query: the SQL it comes from; None where it is computed.
        columns: its columns.
        rows: its rows.
        links: for each row, the explorer's query for the dialogues of it, or None; empty
            where no row has one.
        comparisons: each published number beside ours; empty where ours are of simulated data.
        simulated: whether the numbers are of simulated data.
        total: number of rows, where some are left out here; None where all are there.
    """

    corpus: str
    name: str
    title: str
    caption: str
    query: str | None
    columns: tuple[FigureColumn, ...]
    rows: list[list[Any]]
    links: list[str | None]
    comparisons: list[Comparison]
    simulated: bool = False
    total: int | None = None


def describe_figure(table: FigureTable) -> FigureView:
    """Returns all of a figure but its picture."""
    figure, links = table.figure, table.links()
    return FigureView(
        corpus=table.corpus,
        name=figure.name,
        title=figure.title,
        caption=figure.caption,
        query=tidy_sql(figure.query) if figure.query else None,
        columns=figure.columns,
        rows=table.rows,
        links=links if any(links) else [],
        comparisons=table.comparisons(),
        simulated=table.simulated,
    )


def draw_figure(table: FigureTable, address: Callable[[str], str] | None = None) -> str | None:
    """Draws a figure as SVG, each mark linking to its dialogues; None for a table only.

    Args:
        table: the figure with its numbers.
        address: turns a query of the explorer into a web address; None for no links.

    Raises:
        UsageError: the drawing library is not installed.
    """
    if address is None and can_draw():
        svg = draw_plain(table.figure, table.rows, "svg")
        return None if svg is None else svg.decode()
    found = table.links() if address is not None else []
    links = [address(link) if address and link else None for link in found]
    return render_svg(table.figure, table.rows, links)


def write_csv(table: FigureTable) -> str:
    """Writes the numbers of a figure as CSV: names of columns, then rows."""
    sink = io.StringIO()
    writer = csv.writer(sink, lineterminator="\n")
    writer.writerow([column.name for column in table.figure.columns])
    writer.writerows(table.rows)
    return sink.getvalue()


def show_cell(column: FigureColumn, cell: Any) -> str:
    """Writes a cell for people; None is an empty text."""
    if cell is None:
        return ""
    # A truth value is an int to Python, and no number to people.
    if isinstance(cell, bool) or not isinstance(cell, int | float):
        return str(cell)
    if column.digits is not None:
        return f"{cell:,.{column.digits}f}"
    return f"{cell:,}" if isinstance(cell, int) else f"{cell:,.6g}"


# Parentheses and words inside of texts and quoted names are not SQL's own.
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_BEGINS = re.compile(
    r"(WITH|SELECT|FROM|WHERE|GROUP|HAVING|ORDER|LIMIT|QUALIFY|WINDOW|UNION|EXCEPT|VALUES)\b"
    r"|((LEFT|RIGHT|INNER|CROSS|FULL|SEMI|ANTI|ASOF|POSITIONAL) )?JOIN\b|\w+ AS (\w+ )?\(|\)"
)
_INDENT = " " * 4


def tidy_sql(query: str) -> str:
    """Indents a query by its parentheses, since queries are put together from several texts.

    Lines stay as they are; one that goes on with a clause stands a step further in.
    """
    lines: list[str] = []
    comments: list[str] = []
    depth = 0
    for line in query.strip().splitlines():
        text = line.strip()
        # A comment stands as far in as the line that it is about, which comes after it.
        if text.startswith("--"):
            comments.append(text)
            continue
        plain = _QUOTED.sub("", text)
        # A line that begins by closing parentheses belongs to the level outside of them.
        closed = len(plain) - len(plain.lstrip(")"))
        level = depth - closed + (not _BEGINS.match(plain))
        lines += [_INDENT * max(0, level) + each for each in (*comments, text)]
        comments = []
        depth += plain.count("(") - plain.count(")")
    return "\n".join([*lines, *comments])
