"""Where the words that were looked for stand in a text, cut to what a list has room for."""

from __future__ import annotations

import re
from collections.abc import Sequence

import msgspec

from commonground.store.index.full_text import Word, WordSequence, find_words


class Marked(msgspec.Struct, frozen=True):
    """A piece of a text, with places in it.

    Attributes:
        text: the piece; ``…`` stands where something was cut off.
        marks: first code point and the one after the last, of each place, ascending.
    """

    text: str
    marks: list[tuple[int, int]]


def mark_words(text: str, looked_for: Sequence[WordSequence], most: int = 240) -> Marked:
    """Finds words in a text, and cuts it to a readable length around the first place.

    Args:
        looked_for: words, each of which may be several in a row.
        most: code points that are left of the text.
    """
    words = find_words(text) if looked_for else []
    places = sorted({place for each in looked_for for place in _find(words, each)})
    joined: list[tuple[int, int]] = []
    for start, end in places:
        if joined and start <= joined[-1][1]:
            joined[-1] = (joined[-1][0], max(end, joined[-1][1]))
        else:
            joined.append((start, end))
    return _cut(text, joined, most)


def mark_phrases(text: str, phrases: Sequence[str], most: int = 240) -> Marked:
    """Finds phrases in a text, capitals or not, and cuts it around the first place.

    Args:
        phrases: as they were written; empty ones are nowhere.
        most: code points that are left of the text.
    """
    # The longest first: a pattern takes the first alternative that fits.
    wanted = "|".join(re.escape(each) for each in sorted(phrases, key=len, reverse=True) if each)
    places = re.finditer(wanted, text, re.IGNORECASE) if wanted else ()
    return _cut(text, [each.span() for each in places], most)


def _find(words: Sequence[Word], looked_for: WordSequence) -> list[tuple[int, int]]:
    wanted, length = looked_for.words, len(looked_for.words)
    folded = [word.folded for word in words]
    places = []
    for first in range(len(words) - length + 1):
        last = first + length - 1
        ends = (
            folded[last].startswith(wanted[-1]) if looked_for.prefix else folded[last] == wanted[-1]
        )
        if ends and folded[first:last] == list(wanted[:-1]):
            places.append((words[first].start, words[last].end))
    return places


def _cut(text: str, marks: list[tuple[int, int]], most: int) -> Marked:
    if len(text) <= most:
        return Marked(text, marks)
    # A third of the room before the first mark, so that one reads what led to it.
    start = max(0, min(marks[0][0] - most // 3, len(text) - most)) if marks else 0
    end = start + most
    before, after = "…" if start else "", "…" if end < len(text) else ""
    shift = len(before) - start
    kept = [(a + shift, min(b, end) + shift) for a, b in marks if start <= a < end]
    return Marked(before + text[start:end] + after, kept)
