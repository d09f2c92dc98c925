"""Full-text search over what was said: an index beside the tables, made from them.

Of each word it lists the events that it stands in, the place of each in its text, and the
dialogues: plain arrays of numbers that are mapped, so that a word which stands in most of ten
million events costs no more than to go through an array once. Words are compared in lower case and
without accents, and cut wherever there is no letter, digit or mark of one; in scripts that are
written without spaces each letter is a word, and what is looked for is a phrase of them. An emoji
is a word, too. ``static/words.js`` of the site does the same.

It has several parts, each of dialogues that follow each other; their arrays stand end to end in the
same files.
"""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import msgspec
import numpy as np
import regex

from commonground.store.index.arrays import join_arrays, map_array
from commonground.store.index.postings import Numbers, Postings, find_window

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

_END = b"\xff"
"""Stands behind each text while many are cut at once; no UTF-8 has this byte."""

_SPACED = bytes(each if each >= 128 or chr(each).isalnum() else 32 for each in range(256))
"""What each byte is taken for when texts are cut at spaces."""

_PLACE_BITS = 16
"""Bits of a place; in a text of more words than these can count, places begin again at 0."""

_ARRAYS = ("words", "word_ends", "starts", "events", "places", "dialogue_starts", "dialogues")


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
    plain: str = _ACCENTS.sub("", unicodedata.normalize("NFKD", word.lower()))
    return plain


def split_words(text: str) -> list[Word]:
    """Lists the words of a text."""
    words = (Word(m.start(), m.end(), fold(m[0])) for m in _WORD.finditer(text))
    # Of a sign such as a lone iota subscript nothing is left.
    return [word for word in words if word.folded]


def fold_words(text: str) -> list[str]:
    """Lists the words of a text, folded."""
    if text.isascii():  # nearly all are, and have no accents to look for
        return _ASCII_WORD.findall(text.lower())
    return [word.folded for word in split_words(text)]


class PartSize(msgspec.Struct, frozen=True):
    """How much of each file belongs to one part.

    Attributes:
        lengths: numbers in each file, by its name.
    """

    lengths: dict[str, int]


class _Codes(dict[bytes, int]):
    """Numbers words in the order in which they first come."""

    def __missing__(self, word: bytes) -> int:
        self[word] = number = len(self)
        return number


class FullTextWriter:
    """Writes one part, from utterances in order of dialogues.

    Args:
        folder: empty folder to write to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._codes = _Codes({_END: 0})
        # Of each piece: the dialogue and the event of each text, and the words of all, with an end
        # behind each text.
        self._ordinals: list[Numbers] = []
        self._numbers: list[Numbers] = []
        self._cut: list[Numbers] = []

    def add(self, ordinals: Numbers, numbers: Numbers, texts: Sequence[str]) -> None:
        """Adds utterances that follow those added before.

        Args:
            ordinals: number of the dialogue of each, counted from the first of the part.
            numbers: number of the event of each, likewise.
            texts: what was said.
        """
        # As `fold_words` cuts one text, but all at once: a tenth of the time.
        folded = (t.lower() if t.isascii() else " ".join(fold_words(t)) for t in texts)
        whole = b"".join(each.encode() + b" \xff " for each in folded)
        words = whole.translate(_SPACED).split()
        self._cut.append(np.fromiter(map(self._codes.__getitem__, words), np.int32, len(words)))
        self._ordinals.append(np.asarray(ordinals, dtype=np.int32))
        self._numbers.append(np.asarray(numbers, dtype=np.int32))

    def close(self) -> None:
        """Puts the words in order, and writes the files."""
        none = np.zeros(0, dtype=np.int32)
        cut = np.concatenate([none, *self._cut])
        self._cut.clear()
        ends = np.flatnonzero(cut == self._codes.pop(_END))
        lengths = np.diff(ends, prepend=-1) - 1
        ranks, words = self._rank()
        # Of each word that was said: which it is, its text, its place there.
        said = ranks[cut[cut != 0]]
        texts = np.repeat(np.arange(len(ends), dtype=np.int32), lengths)
        first = (np.cumsum(lengths) - lengths).astype(np.int32)
        places = (np.arange(len(texts), dtype=np.int32) - first[texts]).astype(np.uint16)
        order = _order(said)
        said, texts = said[order], texts[order]
        bounds = np.arange(len(words) + 1)
        ordinals = np.concatenate([none, *self._ordinals])[texts]
        # The first of those that are said in one dialogue.
        new = np.flatnonzero(
            (np.diff(said, prepend=-1) != 0) | (np.diff(ordinals, prepend=-1) != 0)
        )
        self._save(
            words=np.frombuffer(b"".join(words), dtype=np.uint8),
            word_ends=np.cumsum([len(word) for word in words], dtype=np.int64),
            starts=np.searchsorted(said, bounds),
            events=np.concatenate([none, *self._numbers])[texts],
            places=places[order],
            dialogue_starts=np.searchsorted(said[new], bounds),
            dialogues=ordinals[new],
        )

    def _rank(self) -> tuple[Numbers, list[bytes]]:
        """Returns the place of each word by its code, and the words in order."""
        words = sorted(self._codes)
        ranks = np.zeros(len(words) + 1, dtype=np.int32)
        ranks[[self._codes[word] for word in words]] = np.arange(len(words))
        return ranks, words

    def _save(self, **arrays: Numbers) -> None:
        for name, values in arrays.items():
            np.save(self._folder / f"{name}.npy", values)
        size = PartSize({name: len(values) for name, values in arrays.items()})
        (self._folder / "parts.json").write_bytes(msgspec.json.encode([size]))


def _order(ranks: Numbers) -> Numbers:
    """Returns the order that sorts numbers and leaves equal ones as they are."""
    # By the lower half and then by the upper: numpy sorts numbers of 16 bits without comparing,
    # ten times faster than longer ones.
    order: Numbers = np.argsort((ranks & 0xFFFF).astype(np.uint16), kind="stable")
    upper = (ranks >> 16).astype(np.uint16)
    return order[np.argsort(upper[order], kind="stable")] if upper.any() else order


def join_texts(folders: Sequence[Path], target: Path) -> None:
    """Writes one index of several parts, in the order given.

    Args:
        folders: of the parts.
        target: empty folder to write to.
    """
    for name in _ARRAYS:
        join_arrays([folder / f"{name}.npy" for folder in folders], target / f"{name}.npy")
    sizes = [each for folder in folders for each in _read_sizes(folder)]
    (target / "parts.json").write_bytes(msgspec.json.encode(sizes))


def _read_sizes(folder: Path) -> list[PartSize]:
    return msgspec.json.decode((folder / "parts.json").read_bytes(), type=list[PartSize])


class _Part:
    """One part that is open for reading; its numbers count from its first dialogue and event.

    Args:
        arrays: what it has of each file.
        dialogues: how many there are in it.
        events: how many there are in it.
    """

    def __init__(self, arrays: dict[str, Numbers], dialogues: int, events: int) -> None:
        self._arrays = arrays
        self._ends = arrays["word_ends"]
        self._dialogues = dialogues
        self._events = events

    def _word(self, code: int) -> bytes:
        start = int(self._ends[code - 1]) if code else 0
        return self._arrays["words"][start : int(self._ends[code])].tobytes()

    def _codes(self, word: str, *, prefix: bool) -> tuple[int, int]:
        """Returns the first of the words that are meant, and the one behind the last."""
        wanted, every = word.encode(), range(len(self._ends))
        first = bisect_left(every, wanted, key=self._word)
        if prefix:
            return first, bisect_left(every, wanted + _END, key=self._word)
        return first, first + (first < len(every) and self._word(first) == wanted)

    def dialogues(self, word: str, *, prefix: bool) -> Numbers:
        """Returns the ascending dialogues in which a word is said."""
        first, last = self._codes(word, prefix=prefix)
        bounds = self._arrays["dialogue_starts"]
        found: Numbers = self._arrays["dialogues"][bounds[first] : bounds[last]]
        return found if last - first <= 1 else _merge(found, self._dialogues)

    def events(self, words: Words, window: range | None) -> Numbers:
        """Returns the ascending events in which some words are said, one after the other.

        Args:
            words: the words.
            window: the events that are looked at; None for all.
        """
        last = len(words.words) - 1
        said = [
            self._said(word, prefix=words.prefix and place == last, window=window)
            for place, word in enumerate(words.words)
        ]
        if not last:
            events, _, many = said[0]
            if many:
                return _merge(events, self._events)
            return _drop_repeated(events)
        # Where the words begin, if each is at its place among them.
        begins = []
        for place, (events, places, many) in enumerate(said):
            # Below 0, too, numbers of 16 bits go on at their other end, as places do.
            keys = events.astype(np.int64) << _PLACE_BITS | (places - np.uint16(place))
            begins.append(np.sort(keys) if many or place else keys)
        begins.sort(key=len)
        found = begins[0]
        for each in begins[1:]:
            found = _in_both(found, each)
        return _drop_repeated((found >> _PLACE_BITS).astype(np.int32))

    def _said(
        self, word: str, *, prefix: bool, window: range | None
    ) -> tuple[Numbers, Numbers, bool]:
        """Returns the events of a word, its places in them, and whether several words are meant."""
        first, last = self._codes(word, prefix=prefix)
        bounds = self._arrays["starts"]
        begin, end = int(bounds[first]), int(bounds[last])
        events, many = self._arrays["events"][begin:end], last - first > 1
        places = self._arrays["places"][begin:end]
        if window is not None and many:
            inside = (events >= window.start) & (events < window.stop)
            return events[inside], places[inside], many
        if window is not None:
            near = find_window(events, window)
            return events[near], places[near], many
        return events, places, many


def _merge(numbers: Numbers, length: int) -> Numbers:
    """Puts numbers below a length in order, each once: faster than to sort them."""
    there = np.zeros(length, dtype=bool)
    there[numbers] = True
    return np.flatnonzero(there)


def _drop_repeated(numbers: Numbers) -> Numbers:
    """Returns ascending numbers, each once."""
    kept: Numbers = numbers[np.diff(numbers, prepend=-1) != 0]
    return kept


def _in_both(few: Numbers, many: Numbers) -> Numbers:
    """Returns what two arrays have in common; both ascend, and have no number twice."""
    found: Numbers
    if len(few) * 8 < len(many):
        places = np.searchsorted(many, few)
        places[places == len(many)] = 0
        found = few[many[places] == few]
    else:
        both = np.sort(np.concatenate([few, many]))
        found = both[1:][both[1:] == both[:-1]]
    return found


class FullText:
    """An index that is open for reading; may be used by several threads.

    Args:
        folder: what a :class:`FullTextWriter` or :func:`join_texts` wrote.
        postings: those of the same index.
        part_starts: the first dialogue of each part, and behind them the number of dialogues.
    """

    def __init__(self, folder: Path, postings: Postings, part_starts: Numbers) -> None:
        self._postings = postings
        self._dialogue_bases: list[int] = part_starts.tolist()
        self._event_bases: list[int] = postings.event_starts[part_starts].tolist()
        files = {name: map_array(folder / f"{name}.npy") for name in _ARRAYS}
        self._parts = []
        begins = dict.fromkeys(_ARRAYS, 0)
        for number, size in enumerate(_read_sizes(folder)):
            arrays = {}
            for name, length in size.lengths.items():
                arrays[name] = files[name][begins[name] : begins[name] + length]
                begins[name] += length
            dialogues = self._dialogue_bases[number + 1] - self._dialogue_bases[number]
            events = self._event_bases[number + 1] - self._event_bases[number]
            self._parts.append(_Part(arrays, dialogues, events))

    def dialogues(self, words: Words) -> Numbers:
        """Returns the ascending dialogues that have some words in one of their utterances."""
        if len(words.words) > 1:
            return _drop_repeated(self._postings.dialogues_of(self.events(words)))
        found = [
            part.dialogues(words.words[0], prefix=words.prefix) + np.int32(base)
            for part, base in zip(self._parts, self._dialogue_bases[:-1], strict=True)
        ]
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int32)

    def events(self, words: Words, window: range | None = None) -> Numbers:
        """Returns the ascending events that have some words.

        Args:
            words: the words.
            window: the events that are looked at; None for all.
        """
        found = [np.zeros(0, dtype=np.int32)]
        for part, (begin, end) in zip(self._parts, pairwise(self._event_bases), strict=True):
            if window is None:
                found.append(part.events(words, None) + np.int32(begin))
            elif window.start < end and begin < window.stop:
                near = range(window.start - begin, window.stop - begin)
                found.append(part.events(words, near) + np.int32(begin))
        return np.concatenate(found)
