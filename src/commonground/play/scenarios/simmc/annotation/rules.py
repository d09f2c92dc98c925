"""The rules of labelling: one person marks what each utterance of a dialogue does and speaks of.

Each utterance gets a label, a list of acts with things and slots; again as often as one likes, the
last one counts. The view proposes a label for each from exact matches, from what is in view and
from what the assistant did, and nothing counts that was not confirmed. When all have one the labels
are submitted, and the dialogue is over.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from commonground.corpora.simmc.rules.annotations import ACT
from commonground.play import acts
from commonground.play.scenario import (
    Act,
    Allowed,
    Refusal,
    ReleasedFile,
    Sitting,
    Timer,
    payload_schema,
)
from commonground.play.scenarios.simmc.annotation.agreement import (
    Annotation,
    release_annotations,
)
from commonground.play.scenarios.simmc.annotation.known import KnownThing
from commonground.play.scenarios.simmc.annotation.labels import (
    ActLabel,
    Label,
    Side,
    SlotSpan,
    label_dialogue,
    offer_for,
)
from commonground.play.scenarios.simmc.annotation.material import AnnotationMaterial, require_sound
from commonground.play.scenarios.simmc.annotation.proposals import propose
from commonground.play.scenarios.simmc.game.graphs import IN_CART, LIKED
from commonground.play.scenarios.simmc.game.talk import plain, replace
from commonground.play.scenarios.simmc.release import release_records
from commonground.play.scenarios.simmc.shop.items import Item
from commonground.records import UNSET

MOST_FRAMES = 10
"""Acts of an utterance; released ones have no more."""

SLOT = re.compile(r"[A-Za-z]\w{0,39}", re.ASCII)
"""Names of slots."""


class Labelled(msgspec.Struct, frozen=True):
    """An utterance gets a label."""

    utterance: int
    frames: tuple[ActLabel, ...]


class Utterance(msgspec.Struct, frozen=True):
    """Something to be labelled.

    Attributes:
        number: twice its turn, and one more for the assistant's.
        known: the things that the user knew, once it was said, and those that the answer to a user
            brings into view.
        did: name of the assistant's action in the round, for what the assistant said; null
            elsewhere, and where it is not known.
    """

    number: int
    role: Side
    text: str
    known: tuple[KnownThing, ...]
    proposal: Label
    did: str | None = None


class AnnotationState(msgspec.Struct, frozen=True, kw_only=True):
    """Labelling between two acts.

    Attributes:
        shown: what of the material never changes in views.
        labels: of those that have one, by number.
        notes: what moderators wrote.
        last_us: time of the last act; null before the first.
        ended: why it was ended before its time; null where it was not.
    """

    material: AnnotationMaterial
    utterances: tuple[Utterance, ...]
    shown: dict[str, Any]
    labels: dict[int, Label] = {}
    notes: tuple[dict[str, Any], ...] = ()
    submitted: bool = False
    last_us: int | None = None
    ended: str | None = None


def _list_utterances(material: AnnotationMaterial) -> Iterator[Utterance]:
    """Yields the utterances of a dialogue with what was known and in view at each."""
    scenes = [*_places(material)]
    items = _items(material)
    calls = material.calls.actions if material.calls else []
    for place, turn in enumerate(material.dialogue.dialogue):
        call = calls[place] if calls else None
        earlier = calls[place - 1] if calls and place else None
        # What the assistant brings into view is in the scene of the next turn, where there is one.
        after = scenes[min(place + 1, len(scenes) - 1)]
        # Graph 0 stands before the user speaks, graph 2 after the answer.
        sides: tuple[tuple[Side, str, Any, dict[int, str]], ...] = (
            ("user", turn.transcript, turn.state_graph_0, scenes[place]),
            ("assistant", turn.system_transcript, turn.state_graph_2, after),
        )
        for side, text, graph, scene in sides:
            known = tuple(_known(graph, scene, items))
            if side == "user":
                known += tuple(_brought(turn.state_graph_2, known, items))
            proposal = propose(text, side, material.domain, known, call, earlier)
            number = 2 * place + (side == "assistant")
            did = call.action if call and side == "assistant" else None
            yield Utterance(number, side, text, known, proposal, did)


def _lay_out(material: AnnotationMaterial, utterances: Sequence[Utterance]) -> dict[str, Any]:
    """Returns what of the material a view shows; of each thing it says all that is known once."""
    facts: dict[int, dict[str, Any]] = {}
    for each in (known for utterance in utterances for known in utterance.known):
        facts.setdefault(each.number, {}).update(each.facts)
    items = _items(material)
    things = {
        str(number): _describe(found, items.get(number), material.domain)
        for number, found in facts.items()
    }
    return {
        "domain": material.domain,
        "dialogue": material.dialogue.dialogue_idx,
        "utterances": [_show(each) for each in utterances],
        "things": plain(things),
        "offer": offer_for(material.domain),
    }


def _describe(facts: dict[str, Any], item: Item | None, domain: str) -> dict[str, Any]:
    """Returns what a thing is drawn and named by, beside all facts of it."""
    colors = facts.get("color")
    first = str(colors[0]) if isinstance(colors, list) and colors else ""
    return {
        "kind": item.kind if item else str(facts.get("type", facts.get("class_name", ""))),
        "color": item.color if item else first,
        "price": item.price if item else str(facts.get("price", "")),
        "picture": item.portrait()["picture"] if item else None,
        "look": item.seen if item else {"color": [first]},
        "side": "front" if domain == "furniture" else None,
        "facts": facts,
    }


def _show(utterance: Utterance) -> dict[str, Any]:
    known = [{"number": each.number, "place": each.place} for each in utterance.known]
    return {**plain(utterance), "known": known}


def _items(material: AnnotationMaterial) -> dict[int, Item]:
    """Returns what the catalogue knows of the things, by their numbers in the dialogue."""
    items = {each.number: each for each in material.items}
    numbers = (material.dialogue.dialogue_coref_map or {}).items()
    return {number: items[int(item)] for item, number in numbers if int(item) in items}


def _places(material: AnnotationMaterial) -> Iterator[dict[int, str]]:
    """Yields what was in view at each turn, by number.

    Where a scene is empty, it is that of API calls (fashion), else that of the turn before.
    """
    numbers = material.dialogue.dialogue_coref_map or {}
    focus = material.calls.focus_images if material.calls else UNSET
    last: dict[int, str] = {}
    for place, turn in enumerate(material.dialogue.dialogue):
        image = str(focus[place]) if isinstance(focus, list) and place < len(focus) else ""
        seen = turn.visual_objects if isinstance(turn.visual_objects, dict) else {}
        scene = {_number(name): str(facts.get("pos", "")) for name, facts in seen.items()}
        if not scene and image in numbers:
            scene = {numbers[image]: "focus"}
        last = scene or last
        yield last


def _number(name: str) -> int:
    digits = name.rpartition("_")[2]
    # No thing of a dialogue has the number -1.
    return int(digits) if digits.isdecimal() else -1


def _known(
    graph: dict[str, dict[str, Any]], scene: dict[int, str], items: dict[int, Item]
) -> Iterator[KnownThing]:
    for name, facts in graph.items():
        number = _number(name)
        item = items.get(number)
        # Where the graph and the catalogue both know something, the catalogue's word holds.
        named = {key: value for key, value in facts.items() if key not in _OF_GRAPHS}
        yield KnownThing(number, scene.get(number, ""), {**named, **(item.facts if item else {})})


def _brought(
    graph: Any, known: Sequence[KnownThing], items: dict[int, Item]
) -> Iterator[KnownThing]:
    """Yields what the answer brings into view: "the red one from before" may speak of it."""
    numbers = {each.number for each in known}
    for each in _known(graph, {}, items):
        if each.number not in numbers:
            yield msgspec.structs.replace(each, place="answer")


_OF_GRAPHS = frozenset({"pos", LIKED, IN_CART})
"""What graphs say of a thing that is no fact of it, and nothing that words could name."""

_PAYLOADS: dict[str, type[msgspec.Struct]] = {
    "simmc.label": Labelled,
    "simmc.submit": acts.Empty,
    **acts.SERVER_FORMS,
}
_AUTHORS = {kind: (None,) if kind in acts.BY_SERVER else ("annotator",) for kind in _PAYLOADS}
_REFUSALS = acts.COMMON_REFUSALS | {
    *("no_such_utterance", "too_many_acts", "unknown_act", "unknown_object", "bad_slot"),
    *("bad_span", "labels_missing"),
}


class AnnotationScenario:
    """How one annotator labels the utterances of a finished dialogue.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
    """

    name = "simmc-annotation"
    corpus = "simmc"
    version = "1"
    roles = ("annotator",)
    act_types = frozenset(_PAYLOADS)
    refusals = _REFUSALS
    material = AnnotationMaterial

    def start(self, material: AnnotationMaterial, _seed: int) -> AnnotationState:
        """Lays out the whole dialogue, which nobody has labelled yet."""
        require_sound(material)
        utterances = tuple(_list_utterances(material))
        return AnnotationState(
            material=material, utterances=utterances, shown=_lay_out(material, utterances)
        )

    def apply(self, state: AnnotationState, act: Act) -> AnnotationState | Refusal:
        """Returns the state after an act, or why it is refused."""
        payload = self._read(state, act)
        if isinstance(payload, Refusal):
            return payload
        timed = replace(state, last_us=act.at_us)
        if isinstance(payload, Labelled):
            refusal = _refuse_label(state, payload)
            labels = {**state.labels, payload.utterance: payload.frames}
            return refusal or replace(timed, labels=labels)
        if isinstance(payload, acts.Reason):
            return replace(timed, ended=payload.reason)
        if isinstance(payload, acts.Text):
            return replace(timed, notes=(*state.notes, acts.show_message(act, payload.text)))
        missing = len(state.utterances) - len(state.labels)
        if missing:
            return Refusal("labels_missing", parameters={"missing": missing})
        return replace(timed, submitted=True)

    def _read(self, state: AnnotationState, act: Act) -> Any:
        """Returns the payload of an act of the right form, or why it has none."""
        if self.is_over(state):
            return Refusal("over")
        refusal = acts.refuse_stranger(act, _AUTHORS, state.last_us)
        return refusal or acts.read_payload(act.payload, _PAYLOADS[act.type])

    def view(self, state: AnnotationState, _role: str, /) -> dict[str, Any]:
        """Returns the dialogue, with what was known and a proposal for each utterance.

        ``labels`` are those given so far, by number of the utterance. ``things`` are those of the
        whole dialogue, by the number by which utterances and labels name them; ``offer`` is what
        labels are made of. ``chat`` has what moderators wrote: nobody writes in a dialogue that is
        over.
        """
        return {
            "round": None,
            "phase": "over" if self.is_over(state) else "label",
            **state.shown,
            "labels": plain(state.labels),
            "missing": len(state.utterances) - len(state.labels),
            "most": MOST_FRAMES,
            "ended": state.ended,
            "chat": list(state.notes),
        }

    def allowed(self, state: AnnotationState, _role: str, /) -> Sequence[Allowed]:
        """Returns labels, and submitting where none is missing."""
        if self.is_over(state):
            return ()
        label = Allowed("simmc.label", _label_schema(state.utterances))
        missing = len(state.utterances) > len(state.labels)
        return (label,) if missing else (label, _SUBMIT)

    def timers(self, _state: AnnotationState, /) -> Sequence[Timer]:
        """Returns no timer: there is all the time that it takes."""
        return ()

    def is_over(self, state: AnnotationState) -> bool:
        """Says whether the labels are submitted, or the session was ended."""
        return state.submitted or state.ended is not None

    def is_complete(self, state: AnnotationState) -> bool:
        """Says whether the labels are submitted."""
        return state.submitted

    def finish(self, state: AnnotationState, sitting: Sitting) -> Sequence[Any]:
        """Returns the dialogue with its labels, and the labels with who gave them.

        Utterances without a label have an empty list in the dialogue.
        """
        material = state.material
        around = [each for each in (material.calls, material.task) if each is not None]
        own = Annotation(
            material.domain,
            material.dialogue.dialogue_idx,
            sitting.agents.get("annotator"),
            tuple(state.labels.get(each.number) for each in state.utterances),
        )
        return [label_dialogue(material.dialogue, state.labels), *around, own]

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields dialogues and API calls as released, then all labels and how far people agree."""
        every = [*records]
        yield from release_records(each for each in every if not isinstance(each, Annotation))
        yield from release_annotations([each for each in every if isinstance(each, Annotation)])


def _refuse_label(state: AnnotationState, label: Labelled) -> Refusal | None:
    if not 0 <= label.utterance < len(state.utterances):
        return Refusal("no_such_utterance", parameters={"utterance": label.utterance})
    if (found := len(label.frames)) > MOST_FRAMES:
        return Refusal("too_many_acts", parameters={"most": MOST_FRAMES, "found": found})
    utterance = state.utterances[label.utterance]
    known = {each.number for each in utterance.known}
    for frame in label.frames:
        if not ACT.fullmatch(frame.act):
            return Refusal("unknown_act", parameters={"act": frame.act})
        for number in frame.objects:
            if number not in known:
                return Refusal("unknown_object", parameters={"object": number})
        if frame.span is not None:
            first, last = frame.span
            if not 0 <= first < last <= len(utterance.text):
                span = {"start": first, "end": last, "most": len(utterance.text)}
                return Refusal("bad_span", parameters=span)
        for slot in frame.slots:
            if refusal := _refuse_slot(slot, len(utterance.text)):
                return refusal
    return None


def _refuse_slot(slot: SlotSpan, length: int) -> Refusal | None:
    if not SLOT.fullmatch(slot.slot):
        return Refusal("bad_slot", parameters={"slot": slot.slot})
    if not 0 <= slot.start < slot.end <= length:
        span = {"start": slot.start, "end": slot.end}
        return Refusal("bad_span", parameters={**span, "most": length})
    return None


def _label_schema(utterances: Sequence[Utterance]) -> dict[str, Any]:
    place = {"type": "integer", "minimum": 0}
    slot = payload_schema(
        slot={"type": "string", "pattern": f"^{SLOT.pattern}$"}, start=place, end=place
    )
    span = {"type": ["array", "null"], "items": place, "minItems": 2, "maxItems": 2}
    frame = payload_schema(
        ("span",),
        act={"type": "string", "pattern": f"^(?:{ACT.pattern})$"},
        objects={"type": "array", "items": place},
        slots={"type": "array", "items": slot},
        span=span,
    )
    frames = {"type": "array", "items": frame, "maxItems": MOST_FRAMES}
    numbers = {"type": "integer", "minimum": 0, "maximum": len(utterances) - 1}
    proposals = [
        {"utterance": {"enum": [number]}, "frames": {"examples": [plain(each.proposal)]}}
        for number, each in enumerate(utterances)
    ]
    return payload_schema(utterance=numbers, frames=frames) | {
        "anyOf": [{"properties": each} for each in proposals]
    }


_SUBMIT = Allowed("simmc.submit", payload_schema())
SCENARIO = AnnotationScenario()
