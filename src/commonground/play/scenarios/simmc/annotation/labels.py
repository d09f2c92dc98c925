"""What utterances do and speak of: labels, and labels in records.

A label of an utterance is a list of frames, each an act with the things that it is about and the
stretches of text that fill its slots. Released dialogues say all this three times: in
``transcript_annotated`` (spans), ``belief_state`` (slots and names of things) and ``turn_label``
(numbers of things), the assistant's under names with ``system`` before. One label gives all three.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.native import simmc1
from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.simmc.game.graphs import LIKED, add_facts, name_of

Side = Literal["user", "assistant"]

THINGS = {"fashion": "CLOTHING", "furniture": "FURNITURE"}
"""What acts call the things of a domain."""


@cache
def offer_for(domain: str) -> dict[str, list[str]]:
    """Returns what is offered for a dialogue of a domain, the most usual first.

    ``user`` and ``assistant`` are the acts of each, without attributes; ``attributes`` an act may
    name after a dot; ``slots`` words may fill. Domains other than furniture have those of fashion.
    """
    found = load_beside(__file__, "ontology.toml", dict[str, dict[str, list[str]]])
    names = found["furniture" if domain == "furniture" else "fashion"]
    thing, acts = THINGS.get(domain, "OBJECT"), found["acts"]
    sides = {
        side: [act.format(thing=thing) for act in (*acts[side], *acts["both"])]
        for side in ("user", "assistant")
    }
    return {**sides, "attributes": names["attributes"], "slots": names["slots"]}


class SlotSpan(msgspec.Struct, frozen=True):
    """Where an utterance fills a slot, named without its act; code points, end exclusive."""

    slot: str
    start: int
    end: int


class ActLabel(msgspec.Struct, frozen=True):
    """An act of an utterance.

    Attributes:
        act: such as ``DA:ASK:GET:CLOTHING.price``.
        span: first code point of the words that do it and that after the last; None for the whole
            utterance.
    """

    act: str
    objects: tuple[int, ...] = ()
    slots: tuple[SlotSpan, ...] = ()
    span: tuple[int, int] | None = None


Label = tuple[ActLabel, ...]
"""What an utterance does; empty for nothing that any act is for."""


def label_dialogue(record: simmc1.Dialogue1, labels: Mapping[int, Label]) -> simmc1.Dialogue1:
    """Returns a dialogue with labels in all the fields that released dialogues have for them.

    Labels go by utterance: twice the turn for the user's, one more for the assistant's; all others
    are empty. What the user likes enters the state graphs, from the utterance on that says so.
    """
    liked: simmc1.Graph = {}
    turns = []
    for place, turn in enumerate(record.dialogue):
        user, assistant = labels.get(2 * place, ()), labels.get(2 * place + 1, ())
        before = liked
        for frame in user:
            if frame.act.startswith("DA:INFORM:PREFER"):
                for number in frame.objects:
                    liked = add_facts(liked, name_of(number), {LIKED: ["USER"]})
        turns.append(_label_turn(turn, user, assistant, (before, liked, liked)))
    return msgspec.structs.replace(record, dialogue=turns)


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
        start, end = frame.span or (0, len(text))
        span = {"start": start, "end": end}
        intents.append({"intent": frame.act, "slots": slots, "span": span, "node_id": number})
    return repr(intents)


def _annotated_slot(text: str, slot: SlotSpan, node: int) -> dict[str, Any]:
    words = text[slot.start : slot.end]
    span = {"start": slot.start, "end": slot.end}
    found: dict[str, Any] = {"id": f"O.{slot.slot}", "span": span, "text": words, "node_id": node}
    if slot.slot == "brand":
        found["subframe"] = {"utterance": words, "intent": ".name", "slots": []}
    return found
