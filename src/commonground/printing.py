"""How values print in a terminal: small tables, and records cut to a few lines.

Nothing here prints; it is what ``repr`` gives. No ``repr`` of ours is over 20 lines. What a
notebook shows instead is made of the same :class:`Sheet`, in ``notebook.py``.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

MOST_ROWS = 14
"""Rows of a printed table; with its heads, notes and the count of the rest it has 20 lines."""

MOST_NOTES = 3
_WIDEST_CELL = 48
_WIDEST_LINE = 160
_WIDEST_FIELD = 100
_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates; plain marks of direction belong to many scripts and stay."""

# Control characters of both tables, line and paragraph separators; a lone carriage return, which
# would write over the line.
_NO_UTF_8 = "\udc80-\udcff"  # what Python makes of the bytes of a name that is not UTF-8
_MARKED = rf"\x7f-\x9f\u2028\u2029{_DIRECTIONS}{_NO_UTF_8}"
_ACTING = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f{_MARKED}]|\r(?!\n)")
_ACTING_OR_BREAK = re.compile(rf"[\x00-\x1f{_MARKED}]")


class Sheet(NamedTuple):  # no struct: commands load this for their help, without msgspec
    """A result as a small table.

    Attributes:
        title: one line on what it is.
        columns: heads of the columns.
        rows: the cells, as people read them.
        right: heads of the columns that have numbers.
        notes: lines to stand below it.
        total: number of rows, where ``rows`` has the first only; None where it has all.
    """

    title: str
    columns: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]
    right: frozenset[str] = frozenset()
    notes: tuple[str, ...] = ()
    total: int | None = None

    def count_left_out(self, shown: int) -> int:
        """Returns how many rows there are beyond those shown."""
        return (len(self.rows) if self.total is None else self.total) - shown


class Tabled:
    """Prints as a small table, and shows itself as one in a notebook.

    A class that has it says in :meth:`sheet` what stands in the table.
    """

    __slots__ = ()

    def sheet(self) -> Sheet:
        """Returns the table that is printed."""
        raise NotImplementedError

    def __repr__(self) -> str:
        return write_sheet(self.sheet())


class Brief:
    """Prints as its class with the fields that are not None, each cut to a readable length."""

    __slots__ = ()
    __struct_fields__: tuple[str, ...]

    def __repr__(self) -> str:
        named = ((name, getattr(self, name)) for name in self.__struct_fields__)
        fields = (f"{name}={cut(repr(value))}" for name, value in named if value is not None)
        return f"{type(self).__name__}({', '.join(fields)})"


def cut(text: str, width: int = _WIDEST_FIELD) -> str:
    """Makes a text one line that acts on no terminal, at most ``width`` characters long."""
    # Of a text of millions of characters only the beginning is looked at; twice the width, since
    # white space shrinks.
    line = make_visible(" ".join(text[: 2 * width].split()), one_line=True)
    return line if len(line) <= width else line[: width - 1] + "…"


def write_number(value: float | None) -> str:
    """Writes a number for a cell with three digits after the point; a dash where there is none."""
    return "–" if value is None else f"{value:,.3f}"


_NUMBER = re.compile(r"(\d+)")
_LONGEST = 0x10FFFF


def write_clock(seconds: float | None) -> str:
    """Writes seconds as ``m:ss``, or ``h:mm:ss`` from an hour on; None as nothing."""
    if seconds is None:
        return ""
    minutes, rest = divmod(int(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def drop_noise(value: float) -> float:
    """Rounds to 12 digits, so that a result is the same whichever threads added up its parts.

    Threads add in the order in which they come, and the last of 16 digits depend on it; of spreads
    two or three.
    """
    return float(f"{value:.12g}")


def sort_naturally(names: Iterable[str]) -> list[str]:
    """Puts names in order, with numbers in them by their value: ``fold-2`` before ``fold-10``."""

    def write(number: re.Match[str]) -> str:
        # By its length first, and not as ``int``, which takes no more than some thousand digits. A
        # text that ends here is before any that goes on.
        digits = number[0].lstrip("0")
        return f"\0{chr(min(len(digits), _LONGEST))}{digits}"

    def key(name: str) -> str:
        return _NUMBER.sub(write, name)

    return sorted(names, key=key)


def count_of(count: int, singular: str, plural: str = "") -> str:
    """Writes a number with what it counts: ``1 finding``, ``2,502 games``.

    Args:
        count: how many.
        singular: what one of them is called.
        plural: what several are called, where an s after it is not enough.
    """
    return f"{count:,} {singular if count == 1 else plural or singular + 's'}"


def list_severities(counts: Mapping[str, int]) -> str:
    """Writes how many findings there are of each severity: ``no errors, 1 warning, 12 notes``."""
    return ", ".join(
        count_of(count, name) if count else f"no {name}s" for name, count in counts.items()
    )


def write_interval(low: float | None, high: float | None) -> str:
    """Writes an interval for a cell, which is empty where there is none."""
    return "" if low is None or high is None else f"{write_number(low)} to {write_number(high)}"


def write_sheet(sheet: Sheet) -> str:
    """Writes a table for a terminal: its title, its first rows, how many more, its notes."""
    shown = [[cut(cell, _WIDEST_CELL) for cell in row] for row in sheet.rows[:MOST_ROWS]]
    widths = [max(map(len, column)) for column in zip(sheet.columns, *shown, strict=True)]
    lines = [cut(sheet.title, _WIDEST_LINE)]
    for row in [list(sheet.columns), *shown] if shown else []:
        cells = (
            cell.rjust(width) if head in sheet.right else cell.ljust(width)
            for cell, width, head in zip(row, widths, sheet.columns, strict=True)
        )
        # Not `cut`: the spaces by which cells are padded stay.
        line = "  ".join(cells).rstrip()
        lines.append(line if len(line) <= _WIDEST_LINE else line[: _WIDEST_LINE - 1] + "…")
    left = sheet.count_left_out(len(shown))
    lines += [f"and {left:,} more"] if left else []
    lines += [cut(note, _WIDEST_LINE) for note in sheet.notes[:MOST_NOTES]]
    return "\n".join(lines)


def make_visible(text: str, *, one_line: bool = False) -> str:
    r"""Writes each character that a terminal would obey as ``\u001b`` and the like.

    A terminal obeys what it is sent: escape sequences write the clipboard, change titles, clear the
    screen; a return overwrites what stands before it; marks of direction let text read as what it
    is not. Dialogues, ids, names of files and what models answered may hold any of these. Codes are
    written as JSON writes them, so that JSON stays JSON. Bytes of names that are not UTF-8 are
    written as ``\\xe9``.

    Args:
        text: anything.
        one_line: whether tabs and line breaks are written so, too: where a line is a record of
            its own, a break in a name could begin a false one.
    """
    pattern = _ACTING_OR_BREAK if one_line else _ACTING
    return pattern.sub(_write_code, text)


def _write_code(found: re.Match[str]) -> str:
    code = ord(found[0])
    return f"\\x{code - 0xDC00:02x}" if code >= 0xDC80 else f"\\u{code:04x}"
