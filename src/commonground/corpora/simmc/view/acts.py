"""Belief states and other acts as lines of chips, and the words that they mark."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from commonground.corpora.simmc.view.things import Ref, Things
from commonground.model import Act, Dialogue, Span
from commonground.view import Mark, MarkedText, get_fact

_LAYERS = (
    "belief_state",
    "system_belief_state",
    "transcript_annotated",
    "system_transcript_annotated",
    "turn_label",
    "system_turn_label",
)
_RANK = {layer: place for place, layer in enumerate(_LAYERS)}


class ShownSlot(msgspec.Struct, frozen=True, gc=False):
    """A slot of an act.

    Attributes:
        thing: the thing that it names or is about; None for none.
        of_thing: whether the slot is a fact of that thing, else it names the thing.
    """

    name: str
    value: str | None
    thing: Ref | None = None
    of_thing: bool = False
    asked: bool = False

    @property
    def short(self) -> str:
        """The name without the domain: ``color`` for ``fashion-color``."""
        return self.name.removeprefix("fashion-").removeprefix("furniture-")


class Chip(msgspec.Struct, gc=False):
    """An act with its slots, as released, and the words that carry it; None where all do."""

    act: str
    slots: list[ShownSlot]
    words: str | None = None


class Layer(msgspec.Struct):
    """What one annotation says of an event.

    Attributes:
        name: of the annotation, as in the column ``layer``.
        also: further annotations that say the same and are not drawn again.
    """

    name: str
    chips: list[Chip]
    also: list[str] = []


def make_layers(dialogue: Dialogue, things: Things) -> dict[int, list[Layer]]:
    """Returns the acts of each event by annotation, the belief state first."""
    words = _find_words(dialogue)
    found: dict[int, dict[str, Layer]] = {}
    last: tuple[int, str, int] | None = None
    for act in dialogue.acts:
        layers = found.setdefault(act.event, {})
        layer = layers.setdefault(act.layer, Layer(act.layer, [], []))
        # The store has a row for each slot: rows of one number are one act.
        if last != (act.event, act.layer, act.act_index):
            last = (act.event, act.layer, act.act_index)
            # An utterance may have an act twice; its spans come in the same order.
            carried = words.get((act.event, act.layer, act.act))
            layer.chips.append(Chip(act.act, [], carried.pop(0) if carried else None))
        if act.slot is not None:
            layer.chips[-1].slots.append(_slot(act, things))
    return {event: _merge(layers) for event, layers in found.items()}


def _slot(act: Act, things: Things) -> ShownSlot:
    name, asked = act.slot or "", act.relation == "request"
    if act.frame is None:
        return ShownSlot(name, act.value, asked=asked)
    about = act.relation == "object"
    thing = things.ref_to(str(act.frame) if about else things.name_of_frame(act.frame))
    return ShownSlot(name, act.value, thing, of_thing=about, asked=asked)


def _merge(layers: dict[str, Layer]) -> list[Layer]:
    """Puts annotations that say the same into one, under the name of the first."""
    merged: dict[object, Layer] = {}
    for layer in sorted(layers.values(), key=lambda each: _RANK.get(each.name, len(_RANK))):
        first = merged.setdefault(_gist(layer), layer)
        if first is not layer:
            first.also.append(layer.name)
    return list(merged.values())


def _gist(layer: Layer) -> object:
    """What an annotation says, without the things that only some annotations name."""
    return tuple(
        (
            chip.act,
            chip.words,
            tuple((_bare(s.name), s.value) for s in chip.slots if s.thing is None),
        )
        for chip in layer.chips
    )


def _bare(slot: str) -> str:
    """Returns ``color`` for ``fashion-color`` and for ``O.color``."""
    return slot.rpartition("-")[2].rpartition(".")[2]


def _find_words(dialogue: Dialogue) -> dict[tuple[int, str, str], list[str | None]]:
    """Returns the words of each intent, in order; None for those of a whole utterance."""
    words: dict[tuple[int, str, str], list[str | None]] = {}
    for span in dialogue.spans:
        if _intent_of(span) is None:
            text = dialogue.events[span.event].text or ""
            whole = span.start_char <= 0 and span.end_char >= len(text.rstrip())
            key = (span.event, span.layer, span.label)
            words.setdefault(key, []).append(None if whole else span.text)
    return words


def find_abouts(
    dialogue: Dialogue, layers: Mapping[int, list[Layer]], things: Things
) -> dict[int, list[Ref]]:
    """Returns the things that an utterance points at without an act that names them, by event."""
    abouts: dict[int, dict[str, Ref]] = {}
    for each in dialogue.groundings:
        # Candidates have a panel of their own; damaged data name events beyond the end.
        if each.relation == "candidate" or each.event >= len(dialogue.events):
            continue
        named = {
            slot.thing.object_id
            for layer in layers.get(each.event, ())
            for chip in layer.chips
            for slot in chip.slots
            if slot.thing is not None
        }
        if each.object_id not in named:
            abouts.setdefault(each.event, {})[each.object_id] = things.ref(each.object_id)
    return {event: list(refs.values()) for event, refs in abouts.items()}


def mark_texts(dialogue: Dialogue) -> dict[int, MarkedText]:
    """Returns the utterances in which words are marked that fill a slot."""
    things: dict[tuple[int, str | None], set[str]] = {}
    for each in dialogue.groundings:
        things.setdefault((each.event, each.label), set()).add(each.object_id)
    marked: dict[int, MarkedText] = {}
    for span in dialogue.spans:
        intent = _intent_of(span)
        if intent is None:
            continue
        text = dialogue.events[span.event].text or ""
        meant = things.get((span.event, intent), set())
        shared = next(iter(meant)) if len(meant) == 1 else None
        mark = Mark(span.start_char, span.end_char, _label(span, text), shared)
        marked.setdefault(span.event, MarkedText(text, [])).spans.append(mark)
    return marked


def _intent_of(span: Span) -> str | None:
    """Returns the intent whose slot a span is; None for the span of an intent itself."""
    return get_fact(span.attributes, "intent", str)


def _label(span: Span, text: str) -> str:
    """Writes the label, with the words that it should mark where it marks others."""
    if text[span.start_char : span.end_char] == span.text:
        return span.label
    # Many spans of version 1.0 mark other characters than their words.
    return f"{span.label}: “{span.text}”"
