"""SIMMC 1 annotations as acts, states and spans."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec
from msgspec import UNSET, UnsetType

from commonground.corpora.simmc.native.reprs import AnnotatedSlot, Intent, parse_intents
from commonground.corpora.simmc.native.simmc1 import ActSlots, Belief, Graph, TurnLabel
from commonground.files.reading import ConversionError
from commonground.model import Act, Dialogue, Span, State, Utterance

# Nine digits always fit the column's 32 bits; ASCII, since `\d` takes the digits of any script.
THING = re.compile(r"OBJECT_(\d{1,9})\Z", re.ASCII)


def as_text(value: Any) -> str | None:
    """Writes a value for a table: texts as they are, booleans as ``true`` and ``false``."""
    if value is None or isinstance(value, str):
        return value
    return msgspec.json.encode(value).decode()


def frame_of(name: str) -> int | None:
    """Returns the number of ``OBJECT_n``, None for any other name."""
    match = THING.match(name)
    return int(match[1]) if match else None


def add_belief(
    dialogue: Dialogue, event: int, layer: str, belief: Belief | UnsetType, path: str
) -> None:
    """Adds the acts of a belief state; empty entries keep their number and give no row.

    Args:
        layer: name of the annotation, which is the name of its field.
        belief: the released state; anything but a list adds nothing.
        path: JSON path of the turn in the dialogue, for the error.

    Raises:
        ConversionError: a slot is no pair of name and value.
    """
    if not isinstance(belief, list):
        return
    for index, act in enumerate(belief):
        if not isinstance(act, ActSlots):
            continue
        # A row without a slot keeps the act; without it nothing would say that it was there.
        if not act.slots:
            dialogue.acts.append(Act(event, layer, index, act.act))
        for place, pair in enumerate(act.slots):
            if len(pair) != 2:
                where = f"{path}.{layer}[{index}].slots[{place}]"
                raise ConversionError(where, "a slot and its value", pair)
            row = Act(event, layer, index, act.act, place, pair[0], pair[1], frame_of(pair[1]))
            dialogue.acts.append(row)


def add_labels(
    dialogue: Dialogue, event: int, layer: str, labels: list[TurnLabel] | UnsetType
) -> None:
    """Adds the acts of a turn label: its slots, then its things."""
    if labels is UNSET:
        return
    for index, label in enumerate(labels):
        rows = [
            Act(event, layer, index, label.act, None, slot, value)
            for slot, value in _label_slots(label.slots)
        ]
        for thing in label.objects:
            row = Act(event, layer, index, label.act, None, "object", thing.obj_name or None)
            # The column has 32 bits; the native record keeps what does not fit.
            row.frame = thing.obj_idx if 0 <= thing.obj_idx < 2**31 else None
            row.attributes = {"obj_type": thing.obj_type} if thing.obj_type else None
            rows.append(row)
        for place, row in enumerate(rows):
            row.slot_index = place
        dialogue.acts += rows or [Act(event, layer, index, label.act)]


def _label_slots(slots: Any) -> Iterator[tuple[str, str | None]]:
    if isinstance(slots, dict):
        slots = [[name, value] for name, value in slots.items()]
    for each in slots if isinstance(slots, list) else []:
        if isinstance(each, dict):
            # Their form is documented nowhere: each that scripts write is read.
            name, value = each.get("id", each.get("slot")), each.get("text", each.get("value"))
        elif isinstance(each, list) and len(each) == 2:
            name, value = each
        else:
            name, value = each, None
        yield as_text(name) or "", as_text(value)


def object_refs(
    belief: Belief | UnsetType, labels: list[TurnLabel] | UnsetType
) -> dict[tuple[str, str], None]:
    """Returns the things that a turn refers to, each with the act, in order and once."""
    refs: dict[tuple[str, str], None] = {}
    for act in belief if isinstance(belief, list) else []:
        if isinstance(act, ActSlots):
            for pair in act.slots:
                # `fashion-O` and `furniture-O` name things.
                if len(pair) == 2 and pair[0].endswith("-O") and THING.match(pair[1]):
                    refs[pair[1], act.act] = None
    for label in labels if isinstance(labels, list) else []:
        for thing in label.objects:
            refs[f"OBJECT_{thing.obj_idx}", label.act] = None
    return refs


def add_intents(dialogue: Dialogue, event: int, layer: str, annotated: str | UnsetType) -> None:
    """Adds spans and acts of an annotated transcript; none where it cannot be read.

    The dialogue has the utterance already. ``annotated`` is the ``repr`` of a list of intents.
    """
    if annotated is UNSET:
        return
    utterance = dialogue.events[event]
    text = utterance.text if isinstance(utterance, Utterance) else ""
    for index, intent in enumerate(parse_intents(annotated) or ()):
        if intent.span is not None:
            start, end = intent.span.start, intent.span.end
            facts = {"node_id": intent.node_id}
            row = Span(event, layer, start, end, text[start:end], intent.intent, facts)
            dialogue.spans.append(row)
        if not intent.slots:
            dialogue.acts.append(Act(event, layer, index, intent.intent))
        for place, slot in enumerate(intent.slots):
            act = Act(event, layer, index, intent.intent, place, slot.id, slot.text)
            dialogue.acts.append(act)
            _add_slot_span(dialogue, event, layer, intent, slot, text)


def _add_slot_span(
    dialogue: Dialogue, event: int, layer: str, intent: Intent, slot: AnnotatedSlot, text: str
) -> None:
    span = slot.span
    if span is None:
        return
    facts = {"node_id": slot.node_id, "intent": intent.intent}
    if slot.subframe is not None:
        facts["subframe"] = slot.subframe
    # Many spans of version 1.0 are wrong (14 of 23 in the one whole dialogue at hand), so the words
    # that a slot gives count before those at its span.
    said = slot.text if slot.text is not None else text[span.start : span.end]
    dialogue.spans.append(Span(event, layer, span.start, span.end, said, slot.id, facts))


def add_graph(dialogue: Dialogue, event: int, layer: str, graph: Graph | UnsetType) -> None:
    """Adds a state graph: a row per value of each attribute of each thing.

    An empty graph gives one row without a value, so that it is not taken for an absent one.
    """
    if graph is UNSET:
        return
    if not graph:
        dialogue.states.append(State(event, layer, "attribute"))
    for name, attributes in graph.items():
        frame = frame_of(name)
        # What is no OBJECT_n has no number of a frame, and keeps its name before the attribute.
        prefix = "" if frame is not None else f"{name}."
        for attribute, value in attributes.items():
            values = value if isinstance(value, list) else [value]
            for each in values or [None]:
                slot = prefix + attribute
                row = State(event, layer, "attribute", frame, slot=slot, value=as_text(each))
                dialogue.states.append(row)
