"""Tables for the terminal in which no word is ever broken: no number, id or path.

A table that is too wide is laid out in another way: one of numbers as several tables below each
other, any other as a list of records.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain
from typing import TextIO

from rich import box
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table
from rich.text import Text

from commonground.cli._streams import underlying
from commonground.printing import make_visible

_GAP = 3
"""Characters between two columns."""

_EDGES = 2
"""Characters left and right of a table."""

_PROSE = 16
"""Least width of words that run over several lines; narrower ones are hard to read."""


class _Console(Console):
    """Draws what it is given; text in it that a terminal would obey is made visible.

    What prints for people does so before, since it needs more room then. This is for the rest.
    """

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        for segment in super().render(renderable, options):
            # An escape sequence of rich's own, such as that which hides the cursor.
            if segment.control:
                yield segment
            else:
                yield Segment(make_visible(segment.text), segment.style)


def open_console(stream: TextIO, width: int | None = None) -> Console:
    """Opens standard output or error for drawing; without a width it is that of the terminal."""
    return _Console(file=underlying(stream), width=width, highlight=False)


class Sheet:
    """A table that fits.

    Attributes:
        names: headings; all empty for a table without a head.
        right: for each column whether it holds numbers, which stand right and are never wrapped.
    """

    def __init__(self, names: Iterable[str], right: Iterable[bool]) -> None:
        self.names = [make_visible(name, one_line=True) for name in names]
        self.right = list(right)
        self.rows: list[list[Text]] = []

    def add_row(self, *cells: str | Text) -> None:
        """Adds a row; plain text is shown as it is, brackets and escape sequences included."""
        self.rows.append(
            [Text(make_visible(cell)) if isinstance(cell, str) else cell for cell in cells]
        )

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        # rich calls this when it draws the object, and only then says how wide lines may be.
        groups = self._group(options.max_width)
        if groups is None:
            yield from self._list_records(options.max_width)
        for columns in groups or ():
            yield from _trim(console, self._draw(columns, options.max_width), options)

    def _group(self, width: int) -> list[list[int]] | None:
        """Returns the columns of each table to draw; None where tables do not fit."""
        least = [self._least(column) for column in range(len(self.names))]
        columns = list(range(len(least)))
        if _width(least) <= width:
            return [columns]
        # Columns before the first number name the row; they are repeated in each part of a wide
        # table.
        first = max(1, self.right.index(True)) if True in self.right else len(columns)
        keys, numbers = columns[:first], columns[first:]
        if not numbers or not all(self.right[first:]):
            return None
        return _fold(least, keys, numbers, width)

    def _draw(self, columns: Sequence[int], width: int) -> Table:
        table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
        table.show_header = any(self.names)
        least = [self._least(column) for column in columns]
        most = [self._most(column) for column in columns]
        room = width - _EDGES - _GAP * (len(columns) - 1)
        for column, given in zip(columns, _share_out(least, most, room), strict=True):
            name = Text(self.names[column])
            table.add_column(name, justify="right" if self.right[column] else "left", width=given)
        for row in self.rows:
            table.add_row(*(row[column] for column in columns))
        return table

    def _cells(self, column: int) -> Iterator[Text]:
        return (row[column] for row in self.rows)

    def _most(self, column: int) -> int:
        """Returns the width in which nothing of a column wraps."""
        lines = (line for cell in self._cells(column) for line in cell.plain.splitlines())
        return max(map(cell_len, chain([self.names[column]], lines)))

    def _least(self, column: int) -> int:
        """Returns the width in which a column can be read and none of its words is broken."""
        heading = max(map(cell_len, self.names[column].split()), default=0)
        lines = [line for cell in self._cells(column) for line in cell.plain.splitlines()]
        if self.right[column]:
            return max([heading, *map(cell_len, lines)])
        words = (word for line in lines for word in line.split())
        return max([heading, min(_PROSE, self._most(column)), *map(cell_len, words)])

    def _list_records(self, width: int) -> Iterator[Text]:
        """Writes each row as lines of a name and a value."""
        indent = max(map(cell_len, self.names)) + _GAP
        for row in self.rows:
            yield Text()
            for name, cell in zip(self.names, row, strict=True):
                yield from _write_pair(Text(name, "bold"), cell, indent, width)
        yield Text()


def _write_pair(name: Text, value: Text, indent: int, width: int) -> Iterator[Text]:
    """Writes a value beside its name, or below where that leaves it too little room."""
    beside = width - indent >= _PROSE
    room = width - indent if beside else width - 2
    lines = wrap_words(value, room)
    if not beside:
        yield name
        yield from (Text("  ") + line for line in lines)
        return
    for number, line in enumerate(lines):
        start = name.copy() if number == 0 else Text()
        start.pad_right(indent - cell_len(start.plain))
        yield start + line


def wrap_words(text: Text, width: int) -> list[Text]:
    """Breaks a text between words into lines; a line that starts with spaces goes on below them.

    A word that is wider than the lines stands whole on one of its own.
    """
    return [part for line in text.split("\n", allow_blank=True) for part in _wrap_line(line, width)]


def _wrap_line(line: Text, width: int) -> list[Text]:
    indent = len(line.plain) - len(line.plain.lstrip())
    breaks: list[int] = []
    column = indent
    # A word with the spaces after it, as these go where it goes.
    # A no-break space counts as a letter, so that `train 1,200` of a list of splits stays whole.
    for word in re.finditer(r"[\S\xa0]+\s*", line.plain):
        if column > indent and column + cell_len(word[0].rstrip()) > width:
            breaks.append(word.start())
            column = indent
        column += cell_len(word[0])
    first, *others = line.divide(breaks)
    parts = [first, *(Text(" " * indent) + each for each in others)]
    for part in parts:
        part.rstrip()
    return parts


def _width(widths: Sequence[int]) -> int:
    """Returns the width of a table from those of its columns."""
    return sum(widths) + _GAP * (len(widths) - 1) + _EDGES


def _fold(
    least: Sequence[int], keys: list[int], numbers: list[int], width: int
) -> list[list[int]] | None:
    """Spreads numbers over tables that each begin with the keys; None where one is too wide."""
    groups: list[list[int]] = []
    for column in numbers:
        if groups and _width([least[each] for each in [*groups[-1], column]]) <= width:
            groups[-1].append(column)
        elif _width([least[each] for each in [*keys, column]]) <= width:
            groups.append([*keys, column])
        else:
            return None
    return groups


def _share_out(least: Sequence[int], most: Sequence[int], room: int) -> list[int]:
    """Gives each column at least its least width, and room that is left to the narrowest first."""
    widths = list(least)
    # A negative range is empty: where there is no room to share, least widths it is.
    for _ in range(room - sum(widths)):
        wanting = [i for i, width in enumerate(widths) if width < most[i]]
        if not wanting:
            break
        # A character at a time to the narrowest: in the end all wide ones are alike.
        widths[min(wanting, key=widths.__getitem__)] += 1
    return widths


def _trim(console: Console, table: Table, options: ConsoleOptions) -> Iterator[Segment]:
    """Draws a table without the spaces at the ends of its lines."""
    for line in console.render_lines(table, options, pad=False):
        # Cells are padded to the width of their column, the last of a line as well.
        while line and not line[-1].text.strip():
            line.pop()
        if line:
            last = line.pop()
            line.append(Segment(last.text.rstrip(), last.style))
        yield from line
        yield Segment.line()
