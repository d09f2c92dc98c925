"""What utterances do and speak of: labels, what to propose for them, and labels in records.

A label of an utterance is a list of frames, each an act with the things that it is about and the
stretches of text that fill its slots. Released dialogues say all this three times: in
``transcript_annotated`` (spans), ``belief_state`` (slots and names of things) and ``turn_label``
(numbers of things), the assistant's under names with ``system`` before. One label gives all three.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.native import simmc1
from commonground.play.scenarios.simmc.game.graphs import LIKED, add_facts, name_of
from commonground.play.scenarios.simmc.shop.items import list_cell

Side = Literal["user", "assistant"]

THINGS = {"fashion": "CLOTHING", "furniture": "FURNITURE"}
"""What acts call the things of a domain."""


class SlotSpan(msgspec.Struct, frozen=True):
    """A stretch of an utterance that fills a slot; code points, end exclusive.

    Attributes:
        slot: its name, without the act.
        start: first code point.
        end: the code point after the last.
    """

    slot: str
    start: int
    end: int


class ActLabel(msgspec.Struct, frozen=True):
    """An act of an utterance.

    Attributes:
        act: such as ``DA:ASK:GET:CLOTHING.price``.
        objects: numbers of the things that it is about.
        slots: the words that fill its slots.
    """

    act: str
    objects: tuple[int, ...] = ()
    slots: tuple[SlotSpan, ...] = ()


Label = tuple[ActLabel, ...]
"""What an utterance does; empty for nothing that any act is for."""


# Labels in records


def label_dialogue(record: simmc1.Dialogue1, labels: Mapping[int, Label]) -> simmc1.Dialogue1:
    """Returns a dialogue with labels in all the fields that released dialogues have for them.

    What the user likes enters the state graphs, from the utterance on that says so.

    Args:
        record: without labels.
        labels: by utterance: twice the turn for the user's, one more for the assistant's. All
            others have an empty label.
    """
    liked: simmc1.Graph = {}
    turns = []
    for place, turn in enumerate(record.dialogue):
        user, assistant = labels.get(2 * place, ()), labels.get(2 * place + 1, ())
        before = liked
        for name in _liked(user):
            liked = add_facts(liked, name, {LIKED: ["USER"]})
        turns.append(_label_turn(turn, user, assistant, (before, liked, liked)))
    return msgspec.structs.replace(record, dialogue=turns)


def _liked(label: Label) -> Iterator[str]:
    for frame in label:
        if frame.act.startswith("DA:INFORM:PREFER"):
            yield from (name_of(number) for number in frame.objects)


def _label_turn(
    turn: simmc1.Turn, user: Label, assistant: Label, liked: Sequence[simmc1.Graph]
) -> simmc1.Turn:
    kinds = _kinds(turn)
    graphs = (turn.state_graph_0, turn.state_graph_1, turn.state_graph_2)
    first, second, third = (
        _merge(graph, more) if isinstance(graph, dict) else graph
        for graph, more in zip(graphs, liked, strict=True)
    )
    return msgspec.structs.replace(
        turn,
        belief_state=_belief(turn.domain, turn.transcript, user),
        system_belief_state=_belief(turn.domain, turn.system_transcript, assistant),
        transcript_annotated=_annotated(turn.transcript, user),
        system_transcript_annotated=_annotated(turn.system_transcript, assistant),
        turn_label=_turn_label(turn.transcript, user, kinds),
        system_turn_label=_turn_label(turn.system_transcript, assistant, kinds),
        state_graph_0=first,
        state_graph_1=second,
        state_graph_2=third,
    )


def _merge(graph: simmc1.Graph, more: simmc1.Graph) -> simmc1.Graph:
    for name in more:
        graph = add_facts(graph, name, more[name])
    return graph


def _kinds(turn: simmc1.Turn) -> dict[int, str]:
    """Returns the type of each thing that is known in a turn, by number."""
    graph = turn.state_graph_2 if isinstance(turn.state_graph_2, dict) else {}
    found = {}
    for name, facts in graph.items():
        kind = facts.get("type", facts.get("class_name"))
        found[int(name.removeprefix("OBJECT_"))] = str(kind)
    return found


def _pairs(text: str, frame: ActLabel) -> list[list[str]]:
    return [[each.slot, text[each.start : each.end]] for each in frame.slots]


def _belief(domain: str, text: str, label: Label) -> simmc1.Belief:
    return [
        simmc1.ActSlots(
            act=frame.act,
            slots=[
                *([f"{domain}-O", name_of(number)] for number in frame.objects),
                *([f"{domain}-{slot}", words] for slot, words in _pairs(text, frame)),
            ],
        )
        for frame in label
    ]


def _turn_label(text: str, label: Label, kinds: Mapping[int, str]) -> list[simmc1.TurnLabel]:
    return [
        simmc1.TurnLabel(
            act=frame.act,
            objects=[
                simmc1.LabelObject(
                    obj_idx=each, obj_name=name_of(each), obj_type=kinds.get(each, "")
                )
                for each in frame.objects
            ],
            slots=_pairs(text, frame),
        )
        for frame in label
    ]


def _annotated(text: str, label: Label) -> str:
    """Writes spans as released: a ``repr``, with the intents numbered before their slots."""
    # Slots are numbered after all intents, as in the released annotations.
    intents, node = [], len(label)
    for number, frame in enumerate(label, 1):
        slots = []
        for each in frame.slots:
            node += 1
            slots.append(_annotated_slot(text, each, node))
        span = {"start": 0, "end": len(text)}
        intents.append({"intent": frame.act, "slots": slots, "span": span, "node_id": number})
    return repr(intents)


def _annotated_slot(text: str, slot: SlotSpan, node: int) -> dict[str, Any]:
    words = text[slot.start : slot.end]
    span = {"start": slot.start, "end": slot.end}
    found: dict[str, Any] = {"id": f"O.{slot.slot}", "span": span, "text": words, "node_id": node}
    if slot.slot == "brand":
        found["subframe"] = {"utterance": words, "intent": ".name", "slots": []}
    return found


# Proposals


class KnownThing(msgspec.Struct, frozen=True):
    """A thing that the user knows when something is said.

    Attributes:
        number: of its name ``OBJECT_n``.
        place: where it is in view; empty where it is not.
        facts: all that the catalogue says of it.
    """

    number: int
    place: str
    facts: dict[str, Any]


# Words that point at what is in view without naming it.
_DEICTIC = re.compile(r"\b(?:this|that|these|those|it)(?: (?:one|ones))?\b", re.IGNORECASE)
_PLACE = re.compile(r"\bthe (left|center|right|middle|first|second|third) one\b", re.IGNORECASE)
_PLACES = {"first": "left", "middle": "center", "second": "center", "third": "right"}

_USER_ACTS = {
    "SearchDatabase": "DA:REQUEST:GET:{thing}",
    "SearchMemory": "DA:REQUEST:GET:{thing}",
    "SearchFurniture": "DA:REQUEST:GET:{thing}",
    "NavigateCarousel": "DA:REQUEST:GET:{thing}",
    "FocusOnFurniture": "DA:REQUEST:GET:{thing}",
    "Rotate": "DA:REQUEST:ROTATE:{thing}",
    "AddToCart": "DA:REQUEST:ADD_TO_CART:{thing}",
}
_ASSISTANT_ACTS = {
    **dict.fromkeys(_USER_ACTS, "DA:INFORM:GET:{thing}"),
    "Rotate": "DA:CONFIRM:ROTATE:{thing}",
    "AddToCart": "DA:CONFIRM:ADD_TO_CART:{thing}",
}
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


def propose(
    text: str, side: Side, domain: str, known: Iterable[KnownThing], call: simmc1.ApiCall | None
) -> Label:
    """Proposes a label from exact matches with what is known, and from what the assistant did.

    Spans are values of facts, as whole words, and words that point; the things are those that
    words point at, else those whose facts are named. The acts are those that usually come with the
    action of the round; nobody is spared looking at them.

    Args:
        text: the utterance.
        side: who said it.
        domain: of the dialogue.
        known: the things that the user knows.
        call: what the assistant did in the round; None where that is not known.
    """
    things = list(known)
    pointing = [*_points(text, things)]
    values = [*_values(text, things)]
    objects = [number for _, numbers in pointing for number in numbers]
    objects = objects or [number for _, numbers in values for number in numbers]
    slots = sorted({slot for slot, _ in [*pointing, *values]}, key=lambda each: each.start)
    acts = _acts(side, THINGS.get(domain, "OBJECT"), call)
    about = tuple(dict.fromkeys(objects))
    # The words fill the first act only: the same stretch twice would be two annotations.
    return tuple(
        ActLabel(act, about, tuple(slots) if not at else ()) for at, act in enumerate(acts)
    )


def _acts(side: Side, thing: str, call: simmc1.ApiCall | None) -> list[str]:
    name = "None" if call is None else call.action
    given = (call.action_supervision if call else None) or {}
    given = given.get("args", given) or {}
    if name == "SpecifyInfo":
        asked = given.get("attributes") or [given.get("matches", "info")]
        verb = "ASK" if side == "user" else "INFORM"
        return [f"DA:{verb}:GET:{thing}.{each}" for each in asked]
    usual = (_USER_ACTS if side == "user" else _ASSISTANT_ACTS).get(name, "ERR:CHITCHAT")
    return [usual.format(thing=thing)]


def _points(text: str, things: Sequence[KnownThing]) -> Iterator[tuple[SlotSpan, tuple[int, ...]]]:
    """Yields words that point, each with the things in view that they point at."""
    for match in _PLACE.finditer(text):
        place = _PLACES.get(match[1].lower(), match[1].lower())
        numbers = tuple(each.number for each in things if each.place == place)
        yield SlotSpan("attentionOn", *match.span()), numbers
    for match in _DEICTIC.finditer(text):
        numbers = tuple(each.number for each in things if each.place == "focus")
        yield SlotSpan("attentionOn", *match.span()), numbers


def _values(text: str, things: Sequence[KnownThing]) -> Iterator[tuple[SlotSpan, tuple[int, ...]]]:
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
