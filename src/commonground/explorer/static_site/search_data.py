"""The data of the static site's search, as scripts: what was said, cut into shards.

Each file calls ``commonground(name, value)``; ``static/query.js`` asks for those it needs:
``index`` always, ``field-NAME`` for events and dialogues with a value, ``words-N`` and ``lines-N``
for what was said, ``objects`` for their list. Ascending numbers are written as differences from
the one before. Whatever has names from the data is a list of pairs, since some names, such as
``__proto__``, mean something else in an object of JavaScript.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

import msgspec
import numpy as np

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.links import picture_name
from commonground.explorer.pages.browse import SIZES, title_outcomes
from commonground.explorer.pages.parts.previews import preview_dialogues
from commonground.explorer.rendering.environment import SIZES as BOXES
from commonground.explorer.rendering.environment import fit_picture
from commonground.explorer.rendering.sketches import (
    SHAPES,
    Drawing,
    find_sketch,
    is_drawn,
    list_facts,
    plan_drawing,
)
from commonground.explorer.search.language import FIELDS, QUANTITY_NAMES
from commonground.explorer.search.ranks import list_ranks
from commonground.explorer.search.searcher import LateField
from commonground.explorer.static_site.packing import pack_script
from commonground.explorer.web.addresses import encode_file_name
from commonground.model import Object
from commonground.store.index.full_text import fold_words
from commonground.store.index.postings import FieldPostings, Numbers
from commonground.store.index.summaries import EventLine
from commonground.store.pictures import Missing, PictureFolder

LINES_BLOCK = 32
"""Dialogues whose lines are in one file."""

SMALLEST_PACKED = 1000
"""Bytes from which a file is packed."""

WORDS_SHARD = 40_000
"""Numbers that one file of words holds, about."""

Lists = list[tuple[str, list[int]]]
"""Numbers by value."""


Picture = tuple[str, int, int] | Drawing | str
"""Of an object: file, width and height in pixels; what is drawn; or why there is neither."""


def write_search_data(
    opened: OpenCorpus, folder: Path, pictures: PictureFolder, *, packed: bool = False
) -> None:
    """Writes the files of one corpus to an empty folder.

    Args:
        pictures: those that the site has.
    """
    index, sink = opened.index, Sink(folder, packed)
    words = _write_lines(opened, sink, pictures)
    shards = list(_write_words(words, sink))
    known: dict[str, FieldPostings | LateField]
    known = {**index.postings.fields, **opened.searcher.late}
    fields = {name: field for name, field in known.items() if field.values}
    for name, field in fields.items():
        lists = [(v, list_steps(field.numbers(code))) for code, v in enumerate(field.values)]
        sink.write(f"field-{name}", lists)
    sink.write("objects", _list_objects(opened, pictures))
    facets = opened.facets.listed()
    listed = {
        "ids": list(index.blocks.ids),
        "files": [encode_file_name(each) for each in index.blocks.ids],  # of their pages
        "lengths": np.diff(index.postings.event_starts).tolist(),
        "fields": [(n, _by_dialogue(opened, fields[n])) for n, _, _ in facets if n in fields],
        "levels": [(name, field.level) for name, field in fields.items()],
        "measures": [
            (name, list_numbers(values)) for name, values in index.postings.quantities.items()
        ],
        # Where dialogues are put in order by what is no measure.
        "ranks": [(name, list_numbers(opened.rank(name))) for name in list_ranks(index)],
        "names": _names(opened),
        "facets": facets,  # name, heading and values of each, in order
        "titles": list(title_outcomes(opened).items()),
        "shards": shards,  # the first word of each file of words
        "block": LINES_BLOCK,
        "sizes": SIZES,
        "tones": list(opened.tones.items()),
        # What people call values whose labels are codes.
        "coded": [
            (f"{name}:{value}", titles[value])
            for name, _, values in facets
            for titles in [opened.facets.titles.get(name, {})]
            for value in values
            if value in titles
        ],
        "outlines": list(SHAPES.items()),
    }
    sink.write("index", listed)


def list_numbers(values: Numbers) -> list[float | None]:
    """Returns numbers as JSON has them: None for NaN, which alone differs from itself."""
    return [None if value != value else value for value in values.tolist()]


def _names(opened: OpenCorpus) -> list[tuple[str, str]]:
    names = {name: each.name for each in FIELDS for name in (each.name, *each.also)}
    names = {name: QUANTITY_NAMES.get(field, field) for name, field in names.items()}
    return list((names | {name: name for name in opened.searcher.quantities}).items())


def _by_dialogue(opened: OpenCorpus, field: FieldPostings | LateField) -> Lists:
    dialogues_of = opened.index.postings.dialogues_of
    numbers = (field.numbers(code) for code in range(len(field.values)))
    lists = (np.unique(dialogues_of(each, field.level)) for each in numbers)
    return list(zip(field.values, map(list_steps, lists), strict=True))


def list_steps(numbers: Numbers) -> list[int]:
    """Writes ascending numbers as differences from the one before."""
    steps = numbers.copy()
    steps[1:] -= numbers[:-1]
    listed: list[int] = steps.tolist()
    return listed


def _list_objects(opened: OpenCorpus, pictures: PictureFolder) -> list[Any]:
    """Lists id, kind and title of each object, its picture, and what tells it from others."""
    blocks = opened.index.blocks
    listed: list[Any] = []
    for each in blocks.object_rows(range(len(blocks.object_ids))):
        facts = list_facts(opened.name, each)
        # Scenes and the like have no picture to look for unless one is named.
        wanted = each.uri or (facts and each.kind == "item")
        picture = _find_picture(opened.name, each, pictures, "m") if wanted else None
        listed.append([each.object_id, each.kind, each.title, picture, facts])
    return listed


def _list_pictures(opened: OpenCorpus, ordinal: int, pictures: PictureFolder) -> list[Any]:
    return [
        [each.object_id, each.title, _find_picture(opened.name, each, pictures, "s")]
        for each in opened.thumbnails.choose([ordinal])[0]
    ]


def _find_picture(
    corpus: str, shown: Object, pictures: PictureFolder, box: Literal["s", "m"]
) -> Picture:
    file = pictures.find(shown.uri)
    if isinstance(file, Missing):
        sketch = find_sketch(corpus, shown) if is_drawn(corpus, shown) else None
        return (
            file.reason if sketch is None else plan_drawing(sketch, shown.title or shown.object_id)
        )
    width, height = fit_picture(pictures.size(file), BOXES[box])
    return picture_name(file.name), width, height


def _write_words(words: dict[str, list[int]], sink: Sink) -> Iterator[str]:
    """Writes the words in order of the alphabet; yields the first of each file."""
    shard: Lists = []
    size = number = 0
    # As JavaScript compares texts: by units of UTF-16.
    for word in sorted(words, key=lambda each: each.encode("utf-16-be", "surrogatepass")):
        if not shard:
            yield word
        places = np.array(words[word], dtype=np.int64).reshape(-1, 2)
        # A copy, or differences would be taken of differences.
        places[1:, 0] -= places[:-1, 0].copy()
        shard.append((word, places.ravel().tolist()))
        size += places.size
        if size >= WORDS_SHARD:
            sink.write(f"words-{number}", shard)
            shard, size, number = [], 0, number + 1
    if shard:
        sink.write(f"words-{number}", shard)


def _write_lines(opened: OpenCorpus, sink: Sink, pictures: PictureFolder) -> dict[str, list[int]]:
    """Writes what was said; returns the places of each word, event and place in it in turn."""
    index = opened.index
    starts = index.postings.event_starts.tolist()
    words: defaultdict[str, list[int]] = defaultdict(list)
    for block, first in enumerate(range(0, len(starts) - 1, LINES_BLOCK)):
        last = min(first + LINES_BLOCK, len(starts) - 1)
        lines = index.digest.lines(range(starts[first], starts[last]))
        _add_words(words, starts[first], lines)
        cut = [number - starts[first] for number in starts[first : last + 1]]
        said = [[each.speaker, each.text, each.name] for each in lines]
        previews = preview_dialogues(opened, range(first, last))
        value = [
            [
                [
                    *(card.split, card.domain, card.n_events, card.findings, previews[place]),
                    _list_pictures(opened, first + place, pictures),
                    card.source_file,
                ],
                said[cut[place] : cut[place + 1]],
            ]
            for place, card in enumerate(index.digest.cards(range(first, last)))
        ]
        sink.write(f"lines-{block}", value)
    return words


def _add_words(words: defaultdict[str, list[int]], first: int, lines: list[EventLine]) -> None:
    for number, line in enumerate(lines, first):
        for place, word in enumerate(fold_words(line.text or "")):
            words[word] += (number, place)


class Sink:
    """Writes values as scripts, for the pages of a site to load."""

    def __init__(self, folder: Path, packed: bool) -> None:
        self._folder = folder
        self._packed = packed

    def write(self, name: str, value: Any) -> None:
        """Writes a value that JSON can hold."""
        data, path = msgspec.json.encode(value), self._folder / f"{name}.js"
        if self._packed and len(data) > SMALLEST_PACKED:
            path.write_text(pack_script(name, data), encoding="ascii")
            return
        # A script file is no HTML: nothing in a JSON text can end it.
        head = b"commonground(" + msgspec.json.encode(name) + b","
        path.write_bytes(head + data + b");\n")
