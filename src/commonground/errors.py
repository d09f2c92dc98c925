"""The exceptions of commonground.

::

    CommongroundError
    ├── SourceError    a file or folder: missing, unreadable, wrong hash, unsafe archive
    ├── FormatError    readable, but not the format that was asked for
    ├── StoreError     a store: not there, of another version, damaged, refused query
    ├── TaskError      predictions that do not fit their task
    └── UsageError     a name or an option that does not exist
        └── UnknownNameError    what was asked for by a name that nothing has; also a KeyError

Each message says where, what was expected, what was found, and what to do.
Faults *inside* readable data are no exceptions but findings: see ``findings.py``.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TypeVar

T = TypeVar("T")


class CommongroundError(Exception):
    """Whatever commonground raises on purpose.

    Attributes:
        message: what is wrong and where, in one or two sentences.
        advice: what to do about it; empty where there is nothing to add.
    """

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(f"{message} {advice}".strip())
        self.message = message
        self.advice = advice


class SourceError(CommongroundError):
    """A source cannot be read: it is missing, unreadable, unsafe, or has the wrong hash."""


class FormatError(CommongroundError):
    """A source is readable but is not in the format that was asked for."""


class StoreError(CommongroundError):
    """A store is missing, damaged or of another version, or a query was refused."""


class TaskError(CommongroundError):
    """Predictions do not fit the task that they are said to be for."""


class UsageError(CommongroundError):
    """A name or an option does not exist."""


class UnknownNameError(UsageError, KeyError):
    """Nothing has the name that was given, such as the id of a dialogue.

    It is a ``KeyError``, too, so that what is looked up by name fails as in a dictionary.
    """

    # Of its two parents, KeyError would print the quoted form of the message.
    __str__ = Exception.__str__


def unknown_name(
    kind: str, name: str, known: Iterable[str], where: str = "", *, most: int | None = None
) -> UnknownNameError:
    """Builds the error for a name nobody knows, with the closest known ones.

    Args:
        kind: what was named, as a reader would call it: ``"corpus"``.
        name: the name that was not found.
        known: the names that exist.
        where: what it was sought in, with its preposition: ``"in photobook"``.
        most: names that the advice lists; None for the usual number, ``NEAR`` for ids.
    """
    what = f"There is no {kind} {name!r}{f' {where}' if where else ''}."
    return UnknownNameError(what, close_names(name, known, most or MOST_NAMES))


def find_named(kind: str, name: str, known: Mapping[str, T]) -> T:
    """Returns what has a name.

    Args:
        kind: what was named, as a reader would call it: ``"corpus"``.
        name: its name.
        known: what there is, by name.

    Raises:
        UnknownNameError: there is nothing of that name; the advice lists close ones.
    """
    if name not in known:
        raise unknown_name(kind, name, known)
    return known[name]


CLOSE = 0.6
"""How alike names must be for one to be suggested: ``gamse`` and ``games`` are, by far."""

MOST_NAMES = 40
"""Names that an advice lists; of more, three near ones."""

NEAR = 3
"""Names that are listed of many, and of ids, which say nothing to a reader, always."""


def close_names(name: str, known: Iterable[str], most: int = MOST_NAMES) -> str:
    """Writes advice on a name nobody knows: the closest known ones, else all; empty for none.

    Of very many where none is close, it is the three beside which the name would stand; they
    fill up what is close of ids, too, so that there are always three.

    Args:
        name: the name that was not found.
        known: the names that exist.
        most: how many are listed where none is close.
    """
    # Every command loads this module when it starts, and hardly any needs these.
    import difflib
    from bisect import bisect

    names = sorted(known)
    first = max(min(bisect(names, name) - 1, len(names) - NEAR), 0)
    beside = names[first : first + NEAR]
    close = difflib.get_close_matches(name, names, n=NEAR, cutoff=CLOSE)
    if close:
        more = [each for each in beside if each not in close] if most == NEAR else []
        return f"Did you mean {' or '.join([*close, *more][:NEAR])}?"
    if not names:
        return ""
    if len(names) > most:
        return f"There are {len(names):,}, such as {', '.join(beside)}."
    return f"There are: {', '.join(names)}."
