"""The things that a user knows when something is said, and the words that mean them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

import msgspec

from commonground.play.scenarios.simmc.annotation.labels import SlotSpan
from commonground.play.scenarios.simmc.shop.items import list_cell


class KnownThing(msgspec.Struct, frozen=True):
    """A thing that the user knows when something is said.

    Attributes:
        number: of its name ``OBJECT_n``.
        place: where it is in view; empty where it is not, and ``answer`` where the answer to a
            user brings it into view.
        facts: all that the catalogue says of it.
    """

    number: int
    place: str
    facts: dict[str, Any]


PLACE = re.compile(r"\bthe (left|center|right|middle|first|second|third) one\b", re.IGNORECASE)
_PLACES = {"first": "left", "middle": "center", "second": "center", "third": "right"}

_IGNORED = frozenset({"url", "product_page_url", "thumbnail_image_url", "obj", "glb", "sku"})
"""Facts that nobody speaks."""

_SLOTS = {
    "class_name": "furnitureType",
    "decor_style": "decorStyle",
    "intended_room": "intendedRoom",
    "product_name": "name",
    "sale_price": "price",
    "x_dim": "width",
    "y_dim": "depth",
    "z_dim": "height",
}
"""What labels call a fact that the furniture catalogue has under another name."""

_NUMBERS = frozenset({"sale_price", "x_dim", "y_dim", "z_dim"})
"""Facts that the furniture catalogue writes as ``771.0``, and people say as 771."""


def find_places(text: str, things: Sequence[KnownThing]) -> tuple[int, ...]:
    """Returns the numbers of the things that stand where words such as ``the left one`` say."""
    found = []
    for match in PLACE.finditer(text):
        place = _PLACES.get(match[1].lower(), match[1].lower())
        found += [each.number for each in things if each.place == place]
    return tuple(found)


def find_values(
    text: str, things: Sequence[KnownThing]
) -> Iterator[tuple[SlotSpan, tuple[int, ...]]]:
    """Yields stretches that are a fact of a thing, each with the things that have it."""
    found: dict[SlotSpan, list[int]] = {}
    for thing in things:
        for name, value in thing.facts.items():
            for each in _spoken(name, value):
                for span in _find_words(text, each):
                    slot = SlotSpan(_SLOTS.get(name, name), *span)
                    found.setdefault(slot, []).append(thing.number)
    for slot, numbers in found.items():
        # "light blue" holds "blue": only the longer stretch is proposed.
        inside = any(
            other.start <= slot.start and slot.end <= other.end and other != slot
            for other in found
            if other.end - other.start > slot.end - slot.start
        )
        if not inside:
            yield slot, tuple(dict.fromkeys(numbers))


def _spoken(name: str, value: Any) -> Sequence[str]:
    """Returns what people may say of a fact; nothing where nobody speaks of it."""
    if name in _IGNORED:
        return ()
    if isinstance(value, list):
        return [str(each) for each in value]
    if name in _NUMBERS:
        number = str(value).removesuffix(".0")
        return (f"${number}", number) if name == "sale_price" else (number,)
    return list_cell(str(value))


def _find_words(text: str, words: str) -> Iterator[tuple[int, int]]:
    """Yields where whole words stand: capitals as they are, such as sizes, others in any case."""
    plain = words.replace("_", " ").strip()
    likely = plain.lower() in text.lower()  # patterns are dear, and most facts are not spoken
    # A single small letter is in any text; a single capital is a size.
    if likely and (len(plain) > 1 or plain.isupper()):
        pattern = rf"(?<!\w){re.escape(plain)}(?!\w)"
        for match in re.finditer(pattern, text, 0 if plain.isupper() else re.IGNORECASE):
            yield match.span()
