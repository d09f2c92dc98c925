"""What is known of the things of SIMMC 1."""

from __future__ import annotations

import json
from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import msgspec

from commonground.corpora.simmc.native.reprs import parse_literal
from commonground.figure import Data, Row


class _Known(msgspec.Struct, frozen=True, gc=False):
    """An attribute of a thing, and all it says."""

    thing: str
    domain: str
    name: str
    words: Sequence[str]


def _list_attributes(data: Data) -> list[_Known]:
    found = []
    for object_id, attributes in data.rows(
        """
        SELECT object_id, attributes FROM objects
        WHERE corpus = $corpus AND kind = 'item' AND attributes IS NOT NULL
        """
    ):
        # `fashion/1841` of a catalogue, `fashion-12/OBJECT_3` of a dialogue.
        domain = object_id.partition("/")[0].partition("-")[0]
        for name, value in json.loads(attributes).items():
            # An address is an opaque hash: it says nothing of the thing.
            words = _words(value) if name != "url" else []
            if words:
                found.append(_Known(object_id, domain, name, words))
    return found


def compute_attributes(data: Data) -> list[Row]:
    """Counts things and different values by attribute and domain."""
    items: dict[tuple[str, str], int] = defaultdict(int)
    values: dict[tuple[str, str], set[str]] = defaultdict(set)
    for known in data.share(_list_attributes):
        items[known.domain, known.name] += 1
        values[known.domain, known.name].update(known.words)
    order = sorted(items, key=lambda key: (key[0], -items[key], key[1]))
    return [
        [name, domain, items[domain, name], len(values[domain, name])] for domain, name in order
    ]


def find_things(data: Data) -> list[Row]:
    """Returns the dialogues that show a thing with the attribute."""
    displays = data.rows(
        """
        SELECT object_id, list(DISTINCT dialogue_id) FROM displays
        WHERE corpus = $corpus GROUP BY object_id
        """
    )
    shown: dict[str, list[str]] = {row[0]: row[1] for row in displays}
    dialogues: dict[tuple[str, str], set[str]] = defaultdict(set)
    for known in data.share(_list_attributes):
        dialogues[known.name, known.domain].update(shown.get(known.thing, ()))
    return [[*key, dialogue] for key, found in dialogues.items() for dialogue in found]


def _words(value: Any) -> list[str]:
    """Returns what an attribute says, each as text; an empty list says nothing."""
    if isinstance(value, str) and value.startswith("["):
        # Many lists were released as their Python text; some of them cannot be read.
        value = parse_literal(value) or value
    listed = value if isinstance(value, list) else [value]
    return [str(each) for each in listed if each not in ("", None)]
