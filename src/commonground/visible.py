"""Text of data as people may see it on a terminal: nothing in it acts, all of it shows.

A terminal obeys what it is sent: escape sequences write the clipboard, change titles, clear the
screen; a return overwrites what stands before it; marks of direction let text read as what it is
not. Dialogues, ids, names of files and what models answered may hold any of these.
"""

from __future__ import annotations

import re

_DIRECTIONS = "\u202a-\u202e\u2066-\u2069"
"""Embeddings, overrides and isolates; plain marks of direction belong to many scripts and stay."""

# Control characters of both tables, line and paragraph separators; a lone carriage return, which
# would write over the line.
_ACTING = re.compile(rf"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029{_DIRECTIONS}]|\r(?!\n)")
_ACTING_OR_BREAK = re.compile(rf"[\x00-\x1f\x7f-\x9f\u2028\u2029{_DIRECTIONS}]")


def make_visible(text: str, *, one_line: bool = False) -> str:
    r"""Writes each character that a terminal would obey as ``\u001b`` and the like.

    That is how JSON writes them, so that JSON stays JSON.

    Args:
        text: anything.
        one_line: whether tabs and line breaks are written so, too: where a line is a record of
            its own, a break in a name could begin a false one.
    """
    pattern = _ACTING_OR_BREAK if one_line else _ACTING
    return pattern.sub(_write_code, text)


def _write_code(found: re.Match[str]) -> str:
    return f"\\u{ord(found[0]):04x}"
