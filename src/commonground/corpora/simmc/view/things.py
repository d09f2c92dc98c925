"""The things of a dialogue as its page speaks of them: names, titles, facts."""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.corpora.simmc.native.reprs import parse_literal
from commonground.model import Dialogue, Object
from commonground.view import get_fact

FIRST_FACTS = (
    "color pattern price sale_price brand customerRating availableSizes size material decor_style"
)
_PLACES = {name: place for place, name in enumerate(FIRST_FACTS.split())}
LONGEST_FACT = 40
"""Characters of a fact that is shown at once; what is longer is shown on a click."""

TECHNICAL = frozenset(
    (
        "sku",
        "product_name",
        "product_description",
        "product_page_url",
        "thumbnail_image_url",
        "obj",
        "glb",
    )
)
"""Facts that nobody talks about, which is shown on a click too."""


class Ref(msgspec.Struct, frozen=True, gc=False):
    """A thing that is spoken of.

    Attributes:
        name: what the dialogue calls it: ``OBJECT_1``, ``41``; its id where it has no name there.
        title: what it is; None where nothing says so.
    """

    object_id: str
    name: str
    title: str | None = None


class Fact(msgspec.Struct, frozen=True, gc=False):
    """A fact about a thing, ready to be read."""

    name: str
    text: str


class Things:
    """Finds the things of a dialogue by name, by number and by id."""

    def __init__(self, dialogue: Dialogue) -> None:
        # The public form of a dialogue shares its objects with the whole one.
        self._base = dialogue.dialogue_id.removesuffix("~public")
        self._objects = {each.object_id: each for each in dialogue.objects}
        self._ids: dict[str, str] = {}
        self._names: dict[str, str] = {}
        for shown in dialogue.displays:
            self._call(get_fact(shown.attributes, "name", str), shown.object_id)
        for each in dialogue.groundings:
            self._call(each.mention, each.object_id)
        for one in dialogue.objects:
            base, slash, name = one.object_id.partition("/")
            if slash and base == self._base:
                self._call(name, one.object_id)

    def _call(self, name: str | None, object_id: str) -> None:
        if name is not None:
            # The first to name a thing stands: what is in view goes before what is spoken of.
            self._ids.setdefault(name, object_id)
            self._names.setdefault(object_id, name)

    def id_of(self, name: str) -> str:
        """Returns the object id of ``OBJECT_1`` or ``41``."""
        return self._ids.get(name) or f"{self._base}/{name}"

    def name_of_frame(self, frame: int) -> str:
        """Returns what the dialogue calls thing number ``frame``: ``OBJECT_1`` or ``1``."""
        # SIMMC 2 calls its things by bare numbers, version 1 has the word before.
        return str(frame) if str(frame) in self._ids else f"OBJECT_{frame}"

    def ref(self, object_id: str) -> Ref:
        """Returns a thing by its id."""
        known = self._objects.get(object_id)
        name = self._names.get(object_id, object_id)
        return Ref(object_id, name, known.title if known else None)

    def ref_to(self, name: str) -> Ref:
        """Returns a thing by its name."""
        found = self.ref(self.id_of(name))
        return msgspec.structs.replace(found, name=name)

    def described(self, object_id: str) -> Object:
        """Returns a thing as an object; one that nothing describes has its id only."""
        return self._objects.get(object_id) or Object(object_id, "item")


def list_facts(attributes: Any, without: frozenset[str] = frozenset()) -> list[Fact]:
    """Writes the facts about a thing that are not empty, those that are talked about most first."""
    if not isinstance(attributes, dict):
        return []
    facts = [
        Fact(name, text)
        for name, value in attributes.items()
        if name not in without and (text := write_value(value))
    ]
    return sorted(facts, key=lambda each: _PLACES.get(each.name, len(_PLACES)))


def write_value(value: Any) -> str:
    """Writes a released value: lists with commas, also one that is a Python ``repr``."""
    # Sizes are the repr of a list in 1,990 items, and a list in 108.
    if isinstance(value, str) and value.startswith("["):
        read = parse_literal(value)
        value = read if isinstance(read, list) else value
    if isinstance(value, list):
        return ", ".join(_write(each) for each in value)
    return _write(value)


def _write(value: Any) -> str:
    if value is None or isinstance(value, str):
        return value or ""
    return msgspec.json.encode(value).decode()
