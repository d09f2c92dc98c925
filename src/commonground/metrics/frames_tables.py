"""The two tables that the official frame tracking script prints, and their text."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commonground.metrics.base import Counts
from commonground.metrics.frames_tracking import tracking_tables
from commonground.task import Table

_TAG_HEAD = (
    "Key",
    "count",
    "accuracy (%)",
    "loglik",
    "with-noanno (%)",
    "with-noanno (loglik)",
)
_SLOT_HEAD = _TAG_HEAD[:4]


class RenderedTables(msgspec.Struct, frozen=True):
    """Both tables as text.

    Attributes:
        by_tag: a row for each tag, by name.
        by_slot: a row for each act and slot, the rarest first. Equally frequent ones, which the
            official script prints in any order, are by name.
    """

    by_tag: str
    by_slot: str


def list_tables(sums: Counts) -> list[Table]:
    """Returns both tables, rounded as the official script prints them.

    A tag without bare references has zeros.
    """
    tables = tracking_tables(sums)
    tags = sorted(_list_rows(tables.cnt, "_cnt"))
    by_tag: list[list[str | float]] = [
        [
            tag,
            *_rates(tables.cnt, tag, "_cnt"),
            *_rates(tables.cnt_noanno, tag, "_cnt")[1:],
        ]
        for tag in tags
    ]
    combined = tables.cnt_comb
    slots = sorted(_list_rows(combined, "_count"), key=lambda s: (combined[f"{s}_count"], s))
    by_slot: list[list[str | float]] = [[s, *_rates(combined, s, "_count")] for s in slots]
    titles = "Slots by tag of their turn, and bare references.", "Slots by act and slot."
    return [
        Table(name="by_tag", title=titles[0], head=list(_TAG_HEAD), rows=by_tag),
        Table(name="by_slot", title=titles[1], head=list(_SLOT_HEAD), rows=by_slot),
    ]


def render_tables(sums: Counts) -> RenderedTables:
    """Writes the tables as the official script does."""
    return RenderedTables(*(_render(table.head, table.rows) for table in list_tables(sums)))


def _list_rows(table: Counts, suffix: str) -> list[str]:
    return [name.removesuffix(suffix) for name in table if name.endswith(suffix)]


def _rates(table: Counts, row: str, suffix: str) -> list[float]:
    """Returns number, accuracy in percent and mean log-likelihood, the latter to one decimal."""
    number = table.get(row + suffix, 0)
    parts = (100 * table.get(f"{row}_accuracy", 0), table.get(f"{row}_loglik", 0))
    return [number, *(float(f"{part / max(1, number):.1f}") for part in parts)]


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
