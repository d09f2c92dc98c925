"""Queries of the explorer that find the dialogues behind the rows of a figure."""

from __future__ import annotations

import re
from collections.abc import Container, Mapping, Sequence
from string import Formatter
from typing import Any

from commonground.figure import Chart, Figure, Row

_PLAIN_WORD = re.compile(r"\w[\w./-]*")


def link_row(figure: Figure, row: Row, named: Container[str] | None = None) -> str | None:
    """Returns the query for the dialogues behind a row; null where there can be none.

    Args:
        figure: the figure.
        row: one of its rows.
        named: names of the rows that have dialogues behind them; null means all.
    """
    names = [column.name for column in figure.columns]
    cells = dict(zip(names, row, strict=True))
    if figure.behind is not None:
        if _is_empty(figure.chart, cells):
            return None
        name = name_row(figure, [cells[key] for key in figure.behind.keys])
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
    """Tells whether a row has no bar: there is nothing behind it."""
    sizes = [chart.color] if chart.kind == "heatmap" else chart.y
    return bool(sizes) and not any(cells[each] for each in sizes if each)


def name_row(figure: Figure, cells: Sequence[Any]) -> str | None:
    """Names a row by figure and cells, as ``figure:`` takes it; null where a cell is null."""
    if any(cell is None for cell in cells):
        return None
    return "/".join([figure.name, *map(_as_text, cells)])


def _as_text(cell: Any) -> str:
    return str(int(cell)) if isinstance(cell, float) and cell.is_integer() else str(cell)


def _in_query(cell: Any) -> str:
    """Writes a cell as a word of the explorer's language: quoted where it is not a plain one."""
    text = _as_text(cell)
    if _PLAIN_WORD.fullmatch(text):
        return text
    # The language has no way to write a quotation mark; a prefix up to it is the nearest.
    cut, mark, _ = text.partition('"')
    return f'"{cut}"*' if mark else f'"{cut}"'
