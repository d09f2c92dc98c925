"""The data of the static site's search, as scripts: what was said, cut into shards.

Each file calls ``commonground(name, value)``; ``static/search.js`` asks for those it needs. Words
are at the level of events, everything else at that of dialogues.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from commonground.site.library import Shelf
from commonground.site.links import file_name
from commonground.site.search_language import FIELDS, MEASURE_NAMES
from commonground.store.full_text import split_words
from commonground.store.postings import Field, Numbers

LINES_BLOCK = 32
"""Dialogues whose lines are in one file."""

WORDS_SHARD = 60_000
"""Numbers that one file of words holds, about."""

_KEYWORDS = ("split", "domain", "speaker", "kind", "segment", "act", "slot", "action", "label")
_MORE_KEYWORDS = ("grounding", "finding")


class Listed(msgspec.Struct, frozen=True):
    """What the search needs before anything is asked.

    Attributes:
        ids: of the dialogues, in order.
        files: names of their pages.
        fields: dialogues of each value of each field, as differences from the one before.
        measures: numbers of each dialogue; null where one has none.
        names: fields by each of their names.
        shards: first word of each file of words.
        block: dialogues whose lines are in one file.
    """

    ids: list[str]
    files: list[str]
    fields: dict[str, dict[str, list[int]]]
    measures: dict[str, list[float | None]]
    names: dict[str, str]
    shards: list[str]
    block: int


def write_search_data(shelf: Shelf, folder: Path) -> None:
    """Writes the files of one corpus to an empty folder."""
    index = shelf.open()
    shards = list(_write_words(shelf, folder))
    _write_lines(shelf, folder)
    objects = {name: _field(shelf, name) for name in ("shown", "object")}
    _write(folder / "objects.js", "objects", objects)
    measures = {
        name: [None if value != value else value for value in values.tolist()]
        for name, values in index.postings.measures.items()
    }
    listed = Listed(
        ids=index.blocks.ids,
        files=[file_name(each) for each in index.blocks.ids],
        fields={name: _field(shelf, name) for name in (*_KEYWORDS, *_MORE_KEYWORDS)},
        measures=measures,
        names=_names(shelf),
        shards=shards,
        block=LINES_BLOCK,
    )
    _write(folder / "index.js", "index", listed)


def _names(shelf: Shelf) -> dict[str, str]:
    names = {name: each.name for each in FIELDS for name in (each.name, *each.also)}
    names = {name: MEASURE_NAMES.get(field, field) for name, field in names.items()}
    return names | {name: name for name in shelf.searcher.measures}


def _field(shelf: Shelf, name: str) -> dict[str, list[int]]:
    field = shelf.open().postings.fields.get(name)
    if field is None:
        return {}
    return {
        value: np.diff(_dialogues(shelf, field, code), prepend=0).tolist()
        for code, value in enumerate(field.values)
    }


def _dialogues(shelf: Shelf, field: Field, code: int) -> Numbers:
    numbers = field.numbers(code)
    if field.level == "dialogue":
        return numbers
    return np.unique(shelf.open().postings.dialogues_of(numbers))


def _write_words(shelf: Shelf, folder: Path) -> Iterator[str]:
    """Writes the words in order of the alphabet; yields the first of each file."""
    words = _gather_words(shelf)
    shard: dict[str, list[int]] = {}
    size = number = 0
    for word in sorted(words):
        if not shard:
            yield word
        shard[word] = words[word]
        size += len(words[word])
        if size >= WORDS_SHARD:
            _write(folder / f"words-{number}.js", f"words-{number}", shard)
            shard, size, number = {}, 0, number + 1
    if shard:
        _write(folder / f"words-{number}.js", f"words-{number}", shard)


def _gather_words(shelf: Shelf) -> dict[str, list[int]]:
    """Lists for each word its places: dialogue, event and place in the event, one after another."""
    index = shelf.open()
    starts = index.postings.event_starts.tolist()
    words: dict[str, list[int]] = {}
    for ordinal, (first, last) in enumerate(pairwise(starts)):
        for event, line in enumerate(index.digest.lines(range(first, last))):
            if line.text is None:
                continue
            for place, word in enumerate(split_words(line.text)):
                words.setdefault(word.folded, []).extend((ordinal, event, place))
    return words


def _write_lines(shelf: Shelf, folder: Path) -> None:
    index = shelf.open()
    starts = index.postings.event_starts.tolist()
    for block, first in enumerate(range(0, len(starts) - 1, LINES_BLOCK)):
        ordinals = range(first, min(first + LINES_BLOCK, len(starts) - 1))
        cards = index.digest.cards(ordinals)
        lines = [index.digest.lines(range(starts[o], starts[o + 1])) for o in ordinals]
        value = [
            [
                [card.split, card.domain, card.n_events, card.findings, card.opening],
                [[each.speaker, each.text, each.name] for each in said],
            ]
            for card, said in zip(cards, lines, strict=True)
        ]
        _write(folder / f"lines-{block}.js", f"lines-{block}", value)


def _write(path: Path, name: str, value: Any) -> None:
    # A script file is no HTML: nothing in a JSON text can end it.
    head = b"commonground(" + msgspec.json.encode(name) + b","
    path.write_bytes(head + msgspec.json.encode(value) + b");\n")
