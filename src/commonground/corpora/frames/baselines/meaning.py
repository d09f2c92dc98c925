"""What a turn means, in two parts: stretches of the text that are values, and all the rest."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.task import Instance

_APART = frozenset({"intent"})
_WITHOUT_TEXT = frozenset({"intent", "action"})


class Item(msgspec.Struct, frozen=True, order=True):
    """An act without slots, or with one whose value is not in the text.

    Attributes:
        act: name of the act.
        slot: name of the slot; empty where it has none.
        value: its value as JSON; ``null`` where it has none.
    """

    act: str
    slot: str = ""
    value: str = "null"


class Held(msgspec.Struct, frozen=True):
    """A slot whose value is in the text; code points, end exclusive."""

    start: int
    end: int
    act: str
    slot: str


class Meaning(msgspec.Struct):
    """The two parts of what a turn means."""

    held: list[Held] = []
    items: list[Item] = []


def divide_acts(text: str, acts: Iterable[Mapping[str, Any]]) -> Meaning:
    """Divides annotated acts; a value that is in the text more than once takes the first place."""
    found = Meaning()
    taken: set[int] = set()
    for act in acts:
        if not act["args"]:
            found.items.append(Item(act["name"]))
        for arg in act["args"]:
            slot, value = arg["key"], arg.get("val")
            place = None if slot in _WITHOUT_TEXT else _find_value(text, value, taken)
            if place is None:
                found.items.append(Item(act["name"], slot, msgspec.json.encode(value).decode()))
            else:
                taken.add(place[0])
                found.held.append(Held(*place, act["name"], slot))
    return found


def _find_value(text: str, value: Any, taken: set[int]) -> tuple[int, int] | None:
    """Returns where a value stands as words of its own; null where it does not."""
    if not isinstance(value, str) or not value:
        return None
    pattern = rf"(?<!\w){re.escape(value)}(?!\w)"
    for match in re.finditer(pattern, text, re.IGNORECASE):
        if match.start() not in taken:
            return match.span()
    return None


def join_acts(text: str, meaning: Meaning) -> list[dict[str, Any]]:
    """Joins the parts to acts, one for each name, in the form of ``acts_without_refs``.

    An intent stands in an act of its own, as annotated.
    """
    acts: dict[tuple[str, bool], list[dict[str, Any]]] = {}
    for held in sorted(meaning.held, key=lambda each: each.start):
        value = {"key": held.slot, "val": text[held.start : held.end]}
        acts.setdefault((held.act, False), []).append(value)
    for item in meaning.items:
        args = acts.setdefault((item.act, item.slot in _APART), [])
        if item.slot:
            args.append({"key": item.slot, "val": msgspec.json.decode(item.value)})
    return [{"name": name, "args": args} for (name, _), args in acts.items()]


def write_acts(answers: Iterable[tuple[Instance, Any]], path: Path) -> None:
    """Writes acts as JSON lines, one per turn."""
    with path.open("wb") as file:
        for instance, acts in answers:
            turn = len(instance.inputs["history"])
            line = {"dialogue_id": instance.dialogue_id, "turn": turn, "acts": acts}
            file.write(msgspec.json.encode(line) + b"\n")


def divide_all(instances: Sequence[Instance]) -> list[Meaning]:
    """Divides the acts of annotated turns."""
    return [divide_acts(each.inputs["text"], each.gold) for each in instances]
