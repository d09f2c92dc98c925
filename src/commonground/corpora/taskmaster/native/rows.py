"""Taskmaster's split files: lists of ids (generation 1) and tab-separated rows (generation 3).

A row is a line. What is read can be written back byte for byte, whatever its quoting and ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from commonground.files.formats import TextRecord, split_lines
from commonground.records import Record


class SplitId(Record):
    """A line of a split list of generation 1.

    Attributes:
        conversation_id: what stands before the first comma.
        rest: everything after it, the comma included; ``,`` in the released files.
        ending: the end of the line; empty where the file stops without one.
    """

    conversation_id: str
    rest: str
    ending: str


class SplitRow(Record):
    """A training example of generation 3: a line without a header.

    Attributes:
        context: the dialogue so far in the tag language of ``tags.py``.
        target: what the assistant says or calls next, tags in square brackets; null where the
            row has one cell only.
        conversation_id: null where the row has fewer than three cells.
        more: further cells; empty in the released files.
        quoted: for each cell, whether it stood in quotation marks.
        ending: the end of the line; empty where the file stops without one.
    """

    context: str
    target: str | None
    conversation_id: str | None
    more: list[str]
    quoted: list[bool]
    ending: str


def parse_split_ids(text: str) -> Iterator[TextRecord]:
    """Parses a split list of generation 1."""
    for number, line, ending in _lines(text):
        name, comma, rest = line.partition(",")
        record = SplitId(conversation_id=name, rest=comma + rest, ending=ending)
        yield TextRecord(number, line, record)


def render_split_ids(records: Sequence[SplitId]) -> bytes:
    """Writes a split list of generation 1."""
    return "".join(r.conversation_id + r.rest + r.ending for r in records).encode()


def parse_split_rows(text: str) -> Iterator[TextRecord]:
    """Parses a tab-separated split file of generation 3."""
    for number, line, ending in _lines(text):
        cells, quoted = parse_cells(line)
        record = SplitRow(
            context=cells[0],
            target=cells[1] if len(cells) > 1 else None,
            conversation_id=cells[2] if len(cells) > 2 else None,
            more=cells[3:],
            quoted=quoted,
            ending=ending,
        )
        yield TextRecord(number, line, record)


def render_split_rows(records: Sequence[SplitRow]) -> bytes:
    """Writes a tab-separated split file of generation 3."""
    return "".join(map(_render_row, records)).encode()


def _render_row(row: SplitRow) -> str:
    cells = [row.context, row.target, row.conversation_id, *row.more]
    present = [cell for cell in cells if cell is not None]
    pairs = zip(present, row.quoted, strict=True)
    return "\t".join(_quote(cell) if quoted else cell for cell, quoted in pairs) + row.ending


def _quote(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def parse_cells(line: str) -> tuple[list[str], list[bool]]:
    """Divides a line at its tabs, and says for each cell whether it was quoted.

    A quotation mark that is never closed is part of the text.
    """
    # Nearly all rows; the others are quoted as in CSV.
    if '"' not in line:
        cells = line.split("\t")
        return cells, [False] * len(cells)
    cells, quoted = [], []
    at = 0
    # At the very end, too: after a last tab there is an empty cell.
    while at <= len(line):
        end = _closing_quote(line, at)
        quoted.append(end is not None)
        if end is not None:
            cells.append(line[at + 1 : end].replace('""', '"'))
            # Past the closing mark and the tab after it.
            at = end + 2
        else:
            tab = line.find("\t", at)
            tab = len(line) if tab < 0 else tab
            cells.append(line[at:tab])
            at = tab + 1
    return cells, quoted


def _closing_quote(line: str, start: int) -> int | None:
    """Returns where the quoted cell that starts at ``start`` ends; null if it is not one."""
    if not line.startswith('"', start):
        return None
    at = line.find('"', start + 1)
    while at >= 0 and line.startswith('"', at + 1):
        # Two marks are one of the text, as in CSV.
        at = line.find('"', at + 2)
    if at < 0 or line[at + 1 : at + 2] not in ("", "\t"):
        return None
    return at


def _lines(text: str) -> Iterator[tuple[int, str, str]]:
    """Yields number, text and ending of each line; only line feeds end a line."""
    for number, line in enumerate(split_lines(text), 1):
        ending = "\r\n" if line.endswith("\r\n") else "\n" if line.endswith("\n") else ""
        yield number, line.removesuffix(ending), ending
