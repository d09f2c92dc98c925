"""Rules on SIMMC 1 dialogues: what is in view."""

from __future__ import annotations

import re
from collections.abc import Iterator

from msgspec import UNSET

from commonground.corpora.simmc.native.reprs import parse_literal
from commonground.corpora.simmc.native.simmc1 import Dialogue1, domain_of_name
from commonground.findings import Examined, Place, Ruleset

rules = Ruleset("CG-SIMMC-", "dials", known=0)

PLACES = frozenset({"focus", "left", "center", "right"})


def is_fashion(record: Dialogue1, examined: Examined) -> bool:
    """Says whether a dialogue is about fashion."""
    if record.domains:
        return record.domains[0] == "fashion"
    return domain_of_name(examined.source_file) == "fashion"


def _attributes(record: Dialogue1) -> Iterator[tuple[str, int, str, str | list[str]]]:
    """Yields path, turn, name and value of every attribute of a thing in view."""
    for index, turn in enumerate(record.dialogue):
        if isinstance(turn.visual_objects, dict):
            for thing, attributes in turn.visual_objects.items():
                for name, value in attributes.items():
                    path = f".dialogue[{index}].visual_objects.{thing}.{name}"
                    yield path, turn.turn_idx, name, value


def _named(record: Dialogue1, wanted: str, right: str) -> Iterator[Place]:
    for path, _, name, _ in _attributes(record):
        if name == wanted:
            yield Place(path, right, wanted)


@rules.note(4, known=77)
def hemlength(record: Dialogue1) -> Iterator[Place]:
    """The attribute `hemLength` is spelt `hemlength`.

    A query for one spelling misses the other.

    Treat both as one.
    """
    return _named(record, "hemlength", "hemLength")


@rules.note(5, known=38)
def embellishment(record: Dialogue1) -> Iterator[Place]:
    """The attribute `embellishments` is spelt `embellishment`.

    A query for one spelling misses the other.

    Treat both as one.
    """
    return _named(record, "embellishment", "embellishments")


@rules.warning(6, known=18)
def unreadable_style(record: Dialogue1) -> Iterator[Place]:
    """A `decor_style` is a text that cannot be read as a list.

    Programs cannot read the styles of the item.

    Correct the quotes, as the authors' own scripts do.
    """
    for path, _, name, value in _attributes(record):
        if name != "decor_style" or not isinstance(value, str) or not value:
            continue
        if not isinstance(parse_literal(value), list):
            yield Place(path, "a list", value)


@rules.note(7, known=1030)
def empty_style(record: Dialogue1) -> Iterator[Place]:
    """A `decor_style` is an empty string instead of an empty list.

    Code that expects a list finds a text.

    Treat it as no style.
    """
    for path, _, name, value in _attributes(record):
        if name == "decor_style" and value == "":
            yield Place(path, "a list", "")


def _values(record: Dialogue1, pattern: re.Pattern[str]) -> Iterator[Place]:
    for path, _, name, value in _attributes(record):
        if name != "description" and isinstance(value, list):
            for place, each in enumerate(value):
                if pattern.fullmatch(each):
                    yield Place(f"{path}[{place}]", None, each)


_TWO_COLOURS = re.compile(r"[A-Z]\w+,[A-Z]\w+")
# Matched as a whole value, so that `Traditional` is not found.
_DOUBLED = re.compile(r"Traditionall")
_SLEEVE = re.compile(r".+_sleeveStyle")


@rules.note(8, known=16)
def joined_values(record: Dialogue1) -> Iterator[Place]:
    """Two values are in one text, separated by a comma.

    A query for either value misses the object.

    Split the text at the comma.
    """
    # Looks for values such as `Gray,Black`.
    return _values(record, _TWO_COLOURS)


@rules.note(9, known=13)
def traditionall(record: Dialogue1) -> Iterator[Place]:
    """The value `Traditional` is spelt `Traditionall`.

    A query for one spelling misses the other.

    Treat both as one.
    """
    return _values(record, _DOUBLED)


@rules.note(10, known=246)
def sleeve_values(record: Dialogue1) -> Iterator[Place]:
    """A sleeve value ends in `_sleeveStyle` where `_sleeve` is meant.

    A search and replace for `sleeve` changed the values, too.

    Read `_sleeveStyle` as `_sleeve`.
    """
    return _values(record, _SLEEVE)


@rules.warning(17)
def fashion_scene(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """A fashion scene is not exactly one image in focus.

    The shopper sees one image at a time; none is shown at some later turns.

    Check what was in focus in the API-call file.
    """
    if not is_fashion(record, examined):
        return
    for index, turn in enumerate(record.dialogue):
        scene = turn.visual_objects
        if scene is UNSET:
            continue
        places = [attributes.get("pos") for attributes in scene.values()]
        # Nothing in view is usual at later turns (974 in the public devtest), never at the first.
        if places != ["focus"] and (places or index == 0):
            yield Place(f".dialogue[{index}].visual_objects", "one image in focus", str(places))


@rules.warning(18)
def furniture_scene(record: Dialogue1, examined: Examined) -> Iterator[Place]:
    """A furniture scene is neither one object in focus nor a row of up to three.

    Positions of the scene cannot be trusted.

    Check what was in view in the API-call file.
    """
    if is_fashion(record, examined):
        return
    for index, turn in enumerate(record.dialogue):
        scene = turn.visual_objects
        if not isinstance(scene, dict) or not scene:
            continue
        places = [str(attributes.get("pos")) for attributes in scene.values()]
        twice = len(set(places)) < len(places)
        alone = "focus" not in places or len(places) == 1
        # All 960 public devtest dialogues begin with nothing in view.
        if index == 0 or twice or not alone or not PLACES.issuperset(places):
            path = f".dialogue[{index}].visual_objects"
            yield Place(path, "focus, or left, center and right", ", ".join(places))
