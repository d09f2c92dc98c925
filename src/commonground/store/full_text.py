"""Full-text search over what was said: an index beside the tables, made from them.

It has a document for each utterance and one for each dialogue; both hold nothing but a number,
so whatever is shown comes from the tables. Words are compared in lower case and without accents,
and cut wherever there is no letter or digit.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np
import tantivy

Kind = Literal["event", "dialogue"]
MOST_EXPANSIONS = 2_000
"""Words that one prefix may stand for."""

_WORD = re.compile(r"[^\W_]+")
_HEAP = 96_000_000
_Query = tantivy.Query


class Words(msgspec.Struct, frozen=True):
    """Words that follow each other.

    Attributes:
        words: folded words, in order; at least one.
        prefix: whether the last of them is only the beginning of a word.
    """

    words: tuple[str, ...]
    prefix: bool = False


class Word(msgspec.Struct, frozen=True):
    """A word of a text: where it stands, in code points, and how it is compared."""

    start: int
    end: int
    folded: str


def fold(word: str) -> str:
    """Writes a word as it is compared: lower case, no accents."""
    plain = unicodedata.normalize("NFKD", word.lower())
    return "".join(c for c in plain if not unicodedata.combining(c))


def split_words(text: str) -> list[Word]:
    """Lists the words of a text."""
    return [Word(m.start(), m.end(), fold(m[0])) for m in _WORD.finditer(text)]


def write_full_text(folder: Path, dialogues: Iterable[tuple[Sequence[int], Sequence[str]]]) -> None:
    """Writes the index.

    Args:
        folder: empty folder to write to.
        dialogues: for each dialogue in order the numbers of its utterances and their texts.
    """
    index = tantivy.Index(_schema(), path=str(folder))
    # One thread, so that the same corpus gives the same index.
    writer = index.writer(_HEAP, 1)
    for ordinal, (numbers, texts) in enumerate(dialogues):
        folded = [" ".join(word.folded for word in split_words(text)) for text in texts]
        for number, text in zip(numbers, folded, strict=True):
            writer.add_document(tantivy.Document(text=text, number=int(number), kind="event"))
        writer.add_document(tantivy.Document(text=folded, number=ordinal, kind="dialogue"))
    writer.commit()
    writer.wait_merging_threads()


def _schema() -> Any:
    builder = tantivy.SchemaBuilder()
    builder.add_text_field("text", tokenizer_name="whitespace")
    builder.add_text_field("kind", tokenizer_name="raw", index_option="basic")
    builder.add_integer_field("number", fast=True)
    return builder.build()


class FullText:
    """An index that is open for reading; may be used by several threads.

    Args:
        folder: what :func:`write_full_text` wrote.
    """

    def __init__(self, folder: Path) -> None:
        index = tantivy.Index.open(str(folder))
        self._searcher = index.searcher()
        self._schema = index.schema

    def search(self, kind: Kind, all_of: Sequence[Words]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Returns the ascending numbers of the events or dialogues that have all of some words."""
        clauses = [self._kind(kind), *(self._clause(each) for each in all_of)]
        query = _Query.boolean_query(
            [(tantivy.Occur.Must, _Query.const_score_query(each, 1.0)) for each in clauses]
        )
        limit = max(1, self._searcher.num_docs)
        hits = self._searcher.search(query, limit=limit, count=False).hits
        found = self._searcher.fast_field_values("number", [address for _, address in hits])
        return np.sort(np.asarray(found, dtype=np.int64))

    def _kind(self, kind: Kind) -> Any:
        return _Query.term_query(self._schema, "kind", kind, "basic")

    def _clause(self, each: Words) -> Any:
        words: list[Any] = list(each.words)
        if each.prefix and len(words) == 1:
            found = self._searcher.terms_with_prefix("text", words[0], limit=MOST_EXPANSIONS)
            terms = [term for term, _count in found]
            return _Query.term_set_query(self._schema, "text", terms) if terms else _none()
        if each.prefix:
            return _Query.phrase_prefix_query(self._schema, "text", words)
        if len(words) == 1:
            return _Query.term_query(self._schema, "text", words[0], "basic")
        return _Query.phrase_query(self._schema, "text", words)


def _none() -> Any:
    return _Query.empty_query()
