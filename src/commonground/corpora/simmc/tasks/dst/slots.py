"""What the slots of a belief state could be filled with, and features to choose by."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from commonground.corpora.simmc.tasks.features import last_answer
from commonground.learners.tokens import split_tokens
from commonground.task import Instance

OBJECT = "O"
"""Slot that names a thing in view or seen before."""

_THING = re.compile(r"(OBJECT_\d{1,9}) : (?:pos (\w+))?")
_LONGEST = 5  # words of a value that is looked for in the text


class StateTurn(msgspec.Struct, frozen=True):
    """What is known at a turn.

    Attributes:
        inputs: the turn's inputs.
        words: the user's words.
        view: what is in view, by name, with its place.
        before: what was in view at the turn before.
        seen: what was in view at any turn before, the newest last.
    """

    inputs: Mapping[str, Any]
    words: str
    view: dict[str, str]
    before: dict[str, str]
    seen: list[str]


class Filler(msgspec.Struct, frozen=True):
    """A slot with a value that it could have, and what speaks for it besides the act.

    Attributes:
        slot: name of the slot.
        value: the value.
        facts: what is known of it.
    """

    slot: str
    value: str
    facts: list[str]


def walk_turns(instances: Iterable[Instance]) -> Iterator[StateTurn]:
    """Yields turns with what was seen before; those of a dialogue must come in order."""
    dialogue, before, seen = "", dict[str, str](), list[str]()
    for each in instances:
        if each.dialogue_id != dialogue:
            dialogue, before, seen = each.dialogue_id, {}, []
        view = _read_view(each.inputs)
        words = str(each.inputs.get("transcript") or "")
        yield StateTurn(each.inputs, words, view, before, seen)
        before = view
        seen = [name for name in seen if name not in view] + list(view)


def _read_view(inputs: Mapping[str, Any]) -> dict[str, str]:
    if "context" in inputs:
        context = inputs["context"]
        return {name: place or "" for name, place in _THING.findall(_latest(context))}
    things = inputs.get("visual_objects") or {}
    return {name: str(thing.get("pos", "")) for name, thing in things.items()}


def _latest(context: str) -> str:
    start = context.rfind("<SOM>")
    return context[start:] if start >= 0 else ""


def list_fillers(turn: StateTurn, values: Mapping[str, Sequence[str]]) -> list[Filler]:
    """Returns what the slots could be filled with.

    Args:
        turn: the turn.
        values: slots by the values, in lower case, that they were seen with.
    """
    return [*_list_objects(turn), *_list_words(turn.words, values)]


def _list_objects(turn: StateTurn) -> Iterator[Filler]:
    """Yields all things up to the highest number that was seen, and one more."""
    names = [*turn.seen, *turn.view]
    numbers = [int(name.partition("_")[2]) for name in names]
    words = sorted({token.text.lower() for token in split_tokens(turn.words)})
    for number in range(max(numbers, default=-1) + 2):
        name = f"OBJECT_{number}"
        facts = _describe_object(turn, name, number, max(numbers, default=-1))
        crossed = [f"{facts[0]} {word}" for word in words]
        yield Filler(OBJECT, name, [*facts, *crossed])


def _describe_object(turn: StateTurn, name: str, number: int, highest: int) -> list[str]:
    if name in turn.view:
        status = "in view"
    elif name in turn.before:
        status = "before"
    else:
        status = "seen" if name in turn.seen else "unseen"
    newest = [each for each in turn.seen if each not in turn.view][-1:]
    facts = [
        status,
        f"{status} of {len(turn.view)}",
        f"{status} at {turn.view.get(name) or turn.before.get(name)} of {len(turn.view)}",
        f"{status} {'first' if number == 0 else highest - number}",
    ]
    return [*facts, f"newest {len(turn.view)}"] if newest == [name] else facts


def _list_words(text: str, values: Mapping[str, Sequence[str]]) -> Iterator[Filler]:
    """Yields runs of words that a slot was seen with."""
    tokens = split_tokens(text)
    lower = ["", *(token.text.lower() for token in tokens), ""]
    taken = -1
    for start in range(len(tokens)):
        for size in range(min(_LONGEST, len(tokens) - start), 0, -1):
            value = text[tokens[start].start : tokens[start + size - 1].end]
            slots = values.get(value.lower(), ())
            inside = "inside" if start + size <= taken else "alone"
            around = [f"after {lower[start]}", f"before {lower[start + size + 1]}"]
            for slot in slots:
                yield Filler(slot, value, [f"= {value.lower()}", inside, *around])
            if slots:
                taken = max(taken, start + size)


def describe_filler(filler: Filler, act: str, place: str) -> dict[str, float]:
    """Returns features of a filler for an act.

    Args:
        filler: the slot and its value.
        act: the act that would have it.
        place: which of how many acts it is.
    """
    slot = filler.slot
    names = [slot, f"{slot} {act}", f"{slot} {place}"]
    for fact in filler.facts:
        names += [f"{slot} {fact}", f"{slot} {fact} {act}", f"{slot} {fact} {place}"]
    return dict.fromkeys(names, 1.0)


def describe_state(turn: StateTurn) -> list[str]:
    """Returns what is in view and what was asked last, for choosing acts."""
    places = sorted(turn.view.values())
    answer = split_tokens(last_answer(turn.inputs))
    asked = "asked" if answer and answer[-1].text == "?" else "told"
    return [f"view {' '.join(places)}", f"{asked}", f"{asked} view {len(turn.view)}"]
