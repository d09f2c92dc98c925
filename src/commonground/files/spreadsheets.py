"""CSV that spreadsheets open and save: what they would run, and what goes wrong on the way."""

from __future__ import annotations

import codecs
import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from commonground.errors import FormatError

MARK = "\ufeff"
"""Byte-order mark: without it Excel reads a CSV file in the code page of Windows."""

# How a formula may begin; the last four are the full-width forms, which spreadsheets take, too. A
# text and no pattern, since Arrow's own engine is given it as well.
ARMED = "^[=+\\-@\t\r\n＝＋－＠]"
"""Texts that a spreadsheet takes for a formula, or for the end of the cell before.

OWASP's list for "CSV injection". The wide signs are the same as the others to a spreadsheet that
is set to Japanese or Chinese.
"""


def disarm(text: str) -> str:
    """Puts ``'`` before a text that a spreadsheet would run, such as ``=HYPERLINK(...)``."""
    return f"'{text}" if re.match(ARMED, text) else text


def arm(text: str) -> str:
    """Takes away the ``'`` that :func:`disarm` put before a text."""
    return text[1:] if text.startswith("'") and disarm(text[1:]) == text else text


def write_sheet(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> str:
    """Writes a table as CSV that people open in a spreadsheet: marked as UTF-8, and disarmed.

    None is an empty cell.
    """
    sheet = io.StringIO()
    sheet.write(MARK)
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        [disarm(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return sheet.getvalue()


class SheetRow(NamedTuple):
    """A row of a table: the number of its last line in the file, from 1, and cells by column."""

    line: int
    cells: dict[str, str]


def read_sheet(name: str, data: bytes, needed: Sequence[str]) -> list[SheetRow]:
    """Reads a CSV file that people made; no row and no cell is dropped.

    Args:
        name: for messages.
        data: its bytes, UTF-8 with or without a mark.
        needed: columns that must be there; others may be.

    Raises:
        FormatError: it has another encoding, is separated by anything but commas, lacks a
            column, has one twice, or a row with too few or too many cells; the message says in
            which line and column, and the advice what to do.
    """
    # From text, for a cell may have line breaks: only the reader knows where a row ends.
    reader = csv.DictReader(io.StringIO(_decode(name, data), newline=""))
    try:
        columns = list(reader.fieldnames or ())
        _check_header(name, columns, needed)
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise FormatError(f"{name}, line {reader.line_num}: {error}.") from error
    for line, row in rows:
        # `DictReader` puts what is too much under None, and None where a cell is missing.
        if None in row or None in row.values():
            cells = [cell for column, cell in row.items() if column is not None]
            found = sum(cell is not None for cell in cells)
            found += len(row.get(None, ()))
            lacking = columns[found] if found < len(columns) else f"behind {columns[-1]}"
            raise FormatError(
                f"{name}, line {line}, {lacking}: expected a value for each column: "
                f"{len(columns)}, found {found}.",
                "Put cells that hold a comma in quotes; leave cells empty rather than out.",
            )
    return [SheetRow(line, row) for line, row in rows]


def fault_of_cell(
    name: str, line: int, column: str, expected: str, found: str, advice: str
) -> FormatError:
    """Returns the error of a cell of the file ``name``, whose lines count from 1."""
    where = f"{name}, line {line}, {column}"
    return FormatError(f"{where}: expected {expected}, found {found!r}.", advice)


def _check_header(name: str, columns: Sequence[str], needed: Sequence[str]) -> None:
    if len(columns) == 1 and (sign := next((e for e in ";\t" if e in columns[0]), None)):
        found = "semicolons" if sign == ";" else "tabs"
        raise FormatError(
            f"{name}, line 1: expected columns separated by commas, found {found}.",
            "Save it as CSV with commas; semicolons separate several values in one cell.",
        )
    twice = next((each for each in columns if columns.count(each) > 1), None)
    if twice is not None:
        message = f"{name}, line 1: the column {twice} is there twice."
        raise FormatError(message, "Leave one of them out.")
    missing = [each for each in needed if each not in columns]
    if missing:
        many = (
            f"columns {', '.join(missing)} are" if len(missing) > 1 else f"column {missing[0]} is"
        )
        raise FormatError(f"{name}, line 1: the {many} missing.", "Add what is missing.")


_SAVE = 'Save it with the encoding UTF-8; spreadsheets call this "CSV UTF-8".'


def _decode(name: str, data: bytes) -> str:
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise FormatError(f"{name}, line 1: expected UTF-8, found UTF-16.", _SAVE)
    try:
        # Spreadsheets put a mark before the file, which would be part of the first name.
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = data.count(b"\n", 0, error.start) + 1
        raise FormatError(
            f"{name}, line {line}{_name_column(data[: error.start])}: expected UTF-8, found the "
            f"byte 0x{data[error.start]:02x}, which is of another encoding.",
            _SAVE,
        ) from error


def _name_column(data: bytes) -> str:
    """Names the column in which data end, with a comma; nothing where that is not known."""
    # In Latin-1 every byte is a character, and what divides cells is the same as in UTF-8.
    try:
        rows = list(csv.reader(io.StringIO(data.decode("latin-1"), newline="")))
    except csv.Error:
        return ""
    # A row that has only just begun has no cell yet.
    cells = 1 if data.endswith(b"\n") else len(rows[-1]) if len(rows) > 1 else 0
    return f", {rows[0][cells - 1]}" if 0 < cells <= len(rows[0]) else ""
