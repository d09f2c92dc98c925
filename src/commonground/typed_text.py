"""What people can type into a field of one line, whatever their script; the same in all games."""

from __future__ import annotations

import unicodedata

_NO_LINE = frozenset({"Cc", "Cs", "Zl", "Zp"})
"""Unicode's categories of control characters, halves of pairs, and ends of lines and paragraphs."""


def is_line(text: str) -> bool:
    """Says whether a text can be typed into a field of one line.

    Joiners, which many scripts and emoji need, and spaces that do not break can be, though nobody
    sees them.
    """
    # `isprintable` is quick, but says no to joiners and to spaces other than the common one.
    return text.isprintable() or all(unicodedata.category(each) not in _NO_LINE for each in text)
