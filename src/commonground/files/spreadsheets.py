"""CSV that spreadsheets open: what they would run, and how they learn that it is UTF-8."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Iterable, Sequence
from typing import Any

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

    Args:
        columns: the names of the columns.
        rows: the cells of each row, in the order of the columns; None is an empty cell.
    """
    sheet = io.StringIO()
    sheet.write(MARK)
    writer = csv.writer(sheet, lineterminator="\n")
    writer.writerow(columns)
    writer.writerows(
        [disarm(cell) if isinstance(cell, str) else cell for cell in row] for row in rows
    )
    return sheet.getvalue()
