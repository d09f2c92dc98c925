"""Ids of data as parts of addresses and as names of files.

An id may hold anything, so it is written with ``~XX`` for each byte that is no plain letter,
digit, ``-`` or ``_``: neither a browser nor a file system can read it otherwise than as one name.
In names of files capitals are written so, too, since some file systems do not tell them from small
letters.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from urllib.parse import quote_plus

from commonground.errors import UsageError

_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
# Some file systems do not tell ``A`` from ``a``: capitals are escaped in names of files.
_SMALL = _PLAIN - frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_EMPTY = "~"
"""Stands for an id without characters, which would be no part of a path."""

_ESCAPED = re.compile(r"~([0-9A-F]{2})")
_REMEMBERED = 10_000
"""Encoded ids that are remembered: pages write the same ones again and again."""

LONGEST_NAME = 120
"""Characters of an encoded id that a file name may have; longer ones end in a hash."""


def encode_id(text: str) -> str:
    """Writes an id so that it is one plain part of a path."""
    return _encode(text, _PLAIN)


@lru_cache(_REMEMBERED)
def _encode(text: str, plain: frozenset[int]) -> str:
    # Data may hold halves of surrogate pairs, which are no Unicode but can be ids.
    data = text.encode("utf-8", "surrogatepass")
    return "".join(chr(each) if each in plain else f"~{each:02X}" for each in data) or _EMPTY


def decode_id(text: str) -> str:
    """Reads what :func:`encode_id` wrote.

    Raises:
        UsageError: it did not write that.
    """
    if text == _EMPTY:
        return ""
    # Latin-1 has a character for each byte, so that the escapes are bytes again in the next step.
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    try:
        decoded = plain.encode("latin-1").decode("utf-8", "surrogatepass")
    except UnicodeError as error:
        raise UsageError(f"The address holds no id: {text!r}.") from error
    return decoded


def encode_file_name(text: str) -> str:
    """Writes an id as the name, without ending, of a file on any file system."""
    return shorten_name(_encode(text, _SMALL))


def shorten_name(name: str) -> str:
    """Cuts an encoded id that is too long for a file name; a hash keeps it unlike all others."""
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{name[: LONGEST_NAME - 20]}~~{digest}"


def add_parameters(path: str, parameters: dict[str, object]) -> str:
    """Adds parameters to an address; those that are None or empty are left out."""
    given = [
        f"{_quote(key)}={_quote(str(each))}"
        for key, value in parameters.items()
        if value not in (None, "", [], ())
        for each in (value if isinstance(value, (list, tuple)) else (value,))
    ]
    return f"{path}?{'&'.join(given)}" if given else path


@lru_cache(1_000)
def _quote(text: str) -> str:
    # A page has a hundred addresses that differ in one parameter only.
    return quote_plus(text)
