"""The tables of frame tracking, written out as the official script writes them."""

from __future__ import annotations

from collections.abc import Sequence

from commonground.bench.metrics.frames_tracking import list_tables
from commonground.metric import Counts


def render_tables(sums: Counts) -> tuple[str, str]:
    """Returns the table by tag and the one by act and slot."""
    by_tag, by_slot = (_render(table.head, table.rows) for table in list_tables(sums))
    return by_tag, by_slot


def _render(head: Sequence[str], rows: Sequence[Sequence[str | float]]) -> str:
    """Lays cells out in columns: the first to the left, numbers by their decimal points."""
    if not rows:
        return "  ".join(head) + "\n" + "  ".join("-" * len(name) for name in head)
    texts = [[each if isinstance(each, str) else f"{each:g}" for each in row] for row in rows]
    columns = [_pad([name, *cells]) for name, *cells in zip(head, *texts, strict=True)]
    lines = [list(line) for line in zip(*columns, strict=True)]
    lines.insert(1, ["-" * len(cell) for cell in lines[0]])
    return "\n".join("  ".join(line).rstrip() for line in lines)


def _pad(column: list[str]) -> list[str]:
    head, *cells = column
    if head == "Key":
        width = max(len(head) + 2, *map(len, cells))
        return [cell.ljust(width) for cell in column]
    # A whole number has no point of its own; it takes the place of one.
    tails = [len(cell) - cell.index(".") if "." in cell else 0 for cell in cells]
    cells = [cell + " " * (max(tails) - tail) for cell, tail in zip(cells, tails, strict=True)]
    width = max(len(head) + 2, *map(len, cells))
    return [cell.rjust(width) for cell in (head, *cells)]
