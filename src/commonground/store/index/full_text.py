"""Full-text search over what was said: an index beside the tables, made from them.

It has a document for each utterance and one for each dialogue; both hold nothing but a number,
so whatever is shown comes from the tables. Words are compared in lower case and without accents,
and cut wherever there is no letter or digit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import tantivy

Kind = Literal["event", "dialogue"]
MOST_EXPANSIONS = 2_000
"""Words that one prefix may stand for."""

# Letters and digits of any script: what ``\w`` matches, but for the underscore.
_WORD = re.compile(r"[^\W_]+")
# Bytes that tantivy gathers before it writes a segment; it refuses less than 15 MB a thread.
_HEAP = 48_000_000
_Query = tantivy.Query


_KEPT = 16
"""Searches whose results are kept: about a megabyte each where a word is in most texts."""


class Words(msgspec.Struct, frozen=True):
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
        end: the code point behind the last.
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
    plain = unicodedata.normalize("NFKD", word.lower())
    return "".join(c for c in plain if not unicodedata.combining(c))


def split_words(text: str) -> list[Word]:
    """Lists the words of a text."""
    return [Word(m.start(), m.end(), fold(m[0])) for m in _WORD.finditer(text)]


def fold_words(text: str) -> list[str]:
    """Lists the words of a text, folded."""
    if text.isascii():  # nearly all are, and have no accents to look for
        return _WORD.findall(text.lower())
    return [word.folded for word in split_words(text)]


class FullTextWriter:
    """Writes the index, utterance by utterance.

    Args:
        folder: empty folder to write to.
    """

    def __init__(self, folder: Path) -> None:
        # One thread, so that the same corpus gives the same index.
        self._writer = tantivy.Index(_schema(), path=str(folder)).writer(_HEAP, 1)
        self._ordinal = -1
        self._said: list[str] = []

    def add(self, ordinal: int, number: int, text: str) -> None:
        """Adds an utterance; those of a dialogue follow each other.

        Args:
            ordinal: number of its dialogue.
            number: number of the event.
            text: what was said.
        """
        if ordinal != self._ordinal:
            self._end_dialogue()
            self._ordinal = ordinal
        folded = " ".join(fold_words(text))
        self._said.append(folded)
        self._writer.add_document(tantivy.Document(text=folded, number=number, kind="event"))

    def _end_dialogue(self) -> None:
        if self._said:
            # tantivy leaves a gap between the values of a field, so that no phrase is found across
            # two utterances.
            whole = tantivy.Document(text=self._said, number=self._ordinal, kind="dialogue")
            self._writer.add_document(whole)
            self._said = []

    def close(self) -> None:
        """Writes the last dialogue, and waits until the files of the index are whole."""
        self._end_dialogue()
        self._writer.commit()
        self._writer.wait_merging_threads()


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    # Texts come cut and folded by `fold_words`, so that the index and the marks on a page agree
    # on what a word is.
    builder.add_text_field("text", tokenizer_name="whitespace")
    builder.add_text_field("kind", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("number", fast=True)
    return builder.build()


class FullText:
    """An index that is open for reading; may be used by several threads.

    Args:
        folder: what a :class:`FullTextWriter` wrote.
    """

    def __init__(self, folder: Path) -> None:
        index = tantivy.Index.open(str(folder))
        self._searcher = index.searcher()
        self._schema = index.schema
        # One page asks for the same words several times: for its list and for its facets.
        self._find = lru_cache(_KEPT)(self._search)

    def search(self, kind: Kind, all_of: Sequence[Words]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Returns the ascending numbers of the events or dialogues that have all of some words.

        The array cannot be written to.
        """
        # A list cannot be looked up in a cache.
        return self._find(kind, tuple(all_of))

    def _search(self, kind: Kind, all_of: tuple[Words, ...]) -> np.ndarray[Any, np.dtype[np.int64]]:
        clauses = [self._kind(kind), *(self._clause(each) for each in all_of)]
        # All found count alike: nothing is ranked, so nothing need be scored.
        query = _Query.boolean_query(
            [(tantivy.Occur.Must, _Query.const_score_query(each, 1.0)) for each in clauses]
        )
        # tantivy panics at a limit of 0.
        limit = max(1, self._searcher.num_docs)
        hits = self._searcher.search(query, limit=limit, count=False).hits
        found = self._searcher.fast_field_values("number", [address for _, address in hits])
        numbers = np.sort(np.asarray(found, dtype=np.int64))
        # The same array is given to whoever asks for these words again.
        numbers.flags.writeable = False
        return numbers

    def _kind(self, kind: Kind) -> Any:
        return _Query.term_query(self._schema, "kind", kind, "basic")

    def _clause(self, each: Words) -> Any:
        words: list[Any] = list(each.words)
        if each.prefix and len(words) == 1:
            found = self._searcher.terms_with_prefix("text", words[0], limit=MOST_EXPANSIONS)
            terms = [term for term, _count in found]
            return _Query.term_set_query(self._schema, "text", terms) if terms else _none()
        if each.prefix:
            # Not phrase_prefix_query: that one looks at no more than fifty words. A folded word
            # has only letters and digits, so it means itself in a regular expression.
            pattern = [*words[:-1], f"{words[-1]}.*"]
            return _Query.regex_phrase_query(self._schema, "text", pattern)
        if len(words) == 1:
            return _Query.term_query(self._schema, "text", words[0], "basic")
        return _Query.phrase_query(self._schema, "text", words)


def _none() -> Any:
    return _Query.empty_query()
