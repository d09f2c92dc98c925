"""Full-text search over what was said: SQLite's FTS5 over the words of each event.

Words are compared in lower case and without accents, and cut wherever there is no letter, digit or
mark of one; in scripts that are written without spaces each letter is a word, and what is looked
for is a phrase of them. An emoji is a word, too. ``static/words.js`` of the site does the same.
"""

from __future__ import annotations

import errno
import os
import re
import sqlite3
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, contextmanager
from itertools import chain, pairwise
from pathlib import Path

import msgspec
import numpy as np
import regex

from commonground.errors import StoreError
from commonground.store.index.postings import Numbers

_UNSPACED = "".join(
    rf"\p{{Script={each}}}"
    for each in ("Han", "Hiragana", "Katakana", "Thai", "Lao", "Khmer", "Myanmar")
)
_SIGN = r"\p{Extended_Pictographic}[\p{Emoji_Modifier}\uFE0F]*"
_WORD = regex.compile(
    "|".join(
        (
            rf"[{_UNSPACED}]\p{{M}}*",
            rf"(?![{_UNSPACED}])[\p{{L}}\p{{N}}]"
            # Joiners stand within words of Persian, Hindi and others.
            rf"(?:(?![{_UNSPACED}])[\p{{L}}\p{{N}}\p{{M}}]|[\u200C\u200D](?=\p{{L}}))*",
            rf"{_SIGN}(?:\u200D{_SIGN})*",
            r"\p{Regional_Indicator}{2}",
        )
    )
)
_ASCII_WORD = re.compile(r"[0-9a-z]+")

_ACCENTS = regex.compile(
    r"[\s\u0300-\u036f\u0591-\u05bd\u05bf-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u1ab0-\u1aff"
    r"\u1dc0-\u1dff\u200c\u200d\u20d0-\u20ff\ufe0f\ufe20-\ufe2f]"
)
"""Accents, points of Hebrew and Arabic, joiners: what people leave out when they look for a word.

Marks without which it is another word, as in Hindi and Thai, are none of them.
"""


class WordSequence(msgspec.Struct, frozen=True):
    """Words that follow each other.

    Attributes:
        words: folded words, in order; at least one.
        prefix: whether the last of them is only the beginning of a word.
    """

    words: tuple[str, ...]
    prefix: bool = False


class Word(msgspec.Struct, frozen=True):
    """A word of a text.

    Attributes:
        start: first code point.
        end: the code point after the last.
        folded: how it is compared: in lower case, without accents.
    """

    start: int
    end: int
    folded: str


def fold(word: str) -> str:
    """Writes a word as it is compared: lower case, no accents."""
    if word.isascii():
        return word.lower()
    # NFKD takes letters and their accents apart, and the accents are dropped.
    plain: str = _ACCENTS.sub("", unicodedata.normalize("NFKD", word.lower()))
    return plain


def find_words(text: str) -> list[Word]:
    """Lists the words of a text."""
    words = (Word(m.start(), m.end(), fold(m[0])) for m in _WORD.finditer(text))
    # Of a sign such as a lone iota subscript nothing is left.
    return [word for word in words if word.folded]


def fold_words(text: str) -> list[str]:
    """Lists the words of a text, folded."""
    if text.isascii():  # nearly all are, and have no accents to look for
        return _ASCII_WORD.findall(text.lower())
    return [word.folded for word in find_words(text)]


_FILE = "text.sqlite"
"""Words of the events of one part of an index, each under the number of its event."""

_SEARCH = "SELECT rowid FROM said WHERE said MATCH ? AND rowid BETWEEN ? AND ? ORDER BY rowid"

# Words come folded and with spaces between; whatever else is no ASCII is left as it is.
_TABLE = "CREATE VIRTUAL TABLE said USING fts5(words, content='', columnsize=0, tokenize='ascii')"


class FullTextWriter:
    """Writes one part, from utterances in order of dialogues; whatever fails is an ``OSError``."""

    def __init__(self, folder: Path) -> None:
        with _os_errors():
            self._database = sqlite3.connect(folder / _FILE, isolation_level=None)
            # Nobody reads it before it is whole, and the import waits for the disk.
            self._database.executescript("PRAGMA journal_mode=OFF; PRAGMA synchronous=OFF")
            self._database.execute(_TABLE)
            self._database.execute("BEGIN")

    def add(self, numbers: Numbers, texts: Iterable[str]) -> None:
        """Adds utterances that follow those added before.

        Args:
            numbers: number of the event of each, counted from the first of the part.
        """
        folded = (text if text.isascii() else " ".join(fold_words(text)) for text in texts)
        rows = zip(numbers.tolist(), folded, strict=True)
        with _os_errors():
            self._database.executemany("INSERT INTO said(rowid, words) VALUES (?, ?)", rows)

    def close(self) -> None:
        """Puts what was added in order."""
        with _os_errors():
            self._database.execute("INSERT INTO said(said) VALUES ('optimize')")
            self._database.execute("COMMIT")
            self._database.close()


@contextmanager
def _os_errors() -> Iterator[None]:
    """Says of what SQLite cannot write what the system would say of any other file."""
    try:
        yield
    except sqlite3.OperationalError as error:
        is_full = error.sqlite_errorcode == sqlite3.SQLITE_FULL
        number = errno.ENOSPC if is_full else errno.EIO
        raise OSError(number, os.strerror(number)) from error


def join_texts(folders: Sequence[Path], target: Path) -> None:
    """Moves the texts of several parts to the folder of the index, in the order given."""
    for number, folder in enumerate(folders):
        path = target / _FILE
        (folder / _FILE).rename(path.with_stem(f"{path.stem}-{number:05}"))


class FullText:
    """An index that is open for reading; may be used by several threads.

    Args:
        folder: where a :class:`FullTextWriter` or :func:`join_texts` wrote.
        event_bases: the first event of each part, and after them the number of events.
    """

    def __init__(self, folder: Path, event_bases: Sequence[int]) -> None:
        self._event_bases = event_bases
        self._parts = sorted(folder.absolute().glob("text*.sqlite"))

    def events(self, words: WordSequence, window: range | None = None) -> Numbers:
        """Returns the ascending events that have some words, one after the other.

        Args:
            window: the events that are looked at; None for all.
        """
        near = range(self._event_bases[-1]) if window is None else window  # which may be empty
        phrase = " ".join(words.words).replace('"', '""')
        wanted = f'"{phrase}" *' if words.prefix else f'"{phrase}"'
        found = [np.zeros(0, dtype=np.int64)]
        for part, (begin, end) in zip(self._parts, pairwise(self._event_bases), strict=True):
            if near.start < end and begin < near.stop:
                bounds = near.start - begin, near.stop - begin - 1
                found.append(_search(part, wanted, *bounds) + begin)
        return np.concatenate(found)


def _search(part: Path, wanted: str, first: int, last: int) -> Numbers:
    # A connection is of one thread, and to open one costs less than a page's other work.
    address = f"{part.as_uri()}?mode=ro&immutable=1"
    try:
        with closing(sqlite3.connect(address, uri=True)) as database:
            rows = database.execute(_SEARCH, (wanted, first, last))
            return np.fromiter(chain.from_iterable(rows), dtype=np.int64)
    except sqlite3.DatabaseError as error:
        advice = (
            "Import the same files again; "
            "`commonground check --integrity` says what else is damaged."
        )
        raise StoreError(f"{part} cannot be searched: {error}.", advice) from error
