"""The two text tables that the official frame tracking script prints."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from commonground.metrics.base import Counts
from commonground.metrics.frames_tracking import TrackingTables

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


def render_tables(tables: TrackingTables) -> RenderedTables:
    """Writes the tables as the official script does; a tag without bare references has zeros."""
    tags = sorted(_list_rows(tables.cnt, "_cnt"))
    by_tag = [
        [
            tag,
            *_rates(tables.cnt, tag, "_cnt"),
            *_rates(tables.cnt_noanno, tag, "_cnt")[1:],
        ]
        for tag in tags
    ]
    combined = tables.cnt_comb
    slots = sorted(_list_rows(combined, "_count"), key=lambda s: (combined[f"{s}_count"], s))
    by_slot = [[slot, *_rates(combined, slot, "_count")] for slot in slots]
    return RenderedTables(_render(_TAG_HEAD, by_tag), _render(_SLOT_HEAD, by_slot))


def _list_rows(table: Counts, suffix: str) -> list[str]:
    return [name.removesuffix(suffix) for name in table if name.endswith(suffix)]


def _rates(table: Counts, row: str, suffix: str) -> list[str]:
    """Returns number, accuracy in percent and mean log-likelihood, the latter to one decimal."""
    number = table.get(row + suffix, 0)
    parts = (100 * table.get(f"{row}_accuracy", 0), table.get(f"{row}_loglik", 0))
    rounded = [float(f"{part / max(1, number):.1f}") for part in parts]
    return [f"{value:g}" for value in (number, *rounded)]


def _render(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Lays cells out in columns: the first to the left, numbers by their decimal points."""
    if not rows:
        return "  ".join(head) + "\n" + "  ".join("-" * len(name) for name in head)
    columns = [_pad([name, *cells]) for name, *cells in zip(head, *rows, strict=True)]
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
