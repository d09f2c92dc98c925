"""CSV that spreadsheets open: what they would run, and how they learn that it is UTF-8."""

from __future__ import annotations

import re

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
