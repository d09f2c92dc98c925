"""What rules of several corpora look for: repeats, disorder, wrong spans."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from operator import ge, gt
from typing import Any, TypeVar

T = TypeVar("T", bound=Hashable)


def find_repeats(values: Iterable[T]) -> Iterator[tuple[int, T]]:
    """Yields position and value of everything that stood before in ``values``."""
    seen: set[T] = set()
    for index, value in enumerate(values):
        if value in seen:
            yield index, value
        seen.add(value)


def find_disorder(values: Sequence[Any], *, strict: bool) -> Iterator[int]:
    """Yields positions of values that come before (or, if strict, with) the one before them."""
    wrong = ge if strict else gt
    for index, (before, after) in enumerate(pairwise(values), 1):
        if wrong(before, after):
            yield index


def span_gives(text: str, start: int, end: int, words: str) -> bool:
    """Says whether a span lies inside the text and covers just these words.

    Args:
        text: the whole text.
        start: first code point.
        end: code point behind the last.
        words: what the span should cover.
    """
    return 0 <= start <= end <= len(text) and text[start:end] == words
