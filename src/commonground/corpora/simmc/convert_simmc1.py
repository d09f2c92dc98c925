"""SIMMC 1 dialogues: utterance, action and answer of each turn, with all their annotations."""

from __future__ import annotations

from typing import Any

from msgspec import UNSET

from commonground.corpora.simmc.context import Call, Context, Released
from commonground.corpora.simmc.labels import (
    add_belief,
    add_graph,
    add_intents,
    add_labels,
    object_refs,
)
from commonground.corpora.simmc.native import (
    Dialogue1,
    Turn,
    dialogue_id_of,
    domain_of_name,
    split_of_name,
)
from commonground.corpora.simmc.objects import catalogue_id, seen_object
from commonground.model import (
    Action,
    Candidate,
    Dialogue,
    Display,
    Grounding,
    Speaker,
    Utterance,
)
from commonground.reading import ConversionError, Where

USER, ASSISTANT = "user", "assistant"
POSITIONS = {"focus": 0, "left": 0, "center": 1, "right": 2}
"""Places of a scene, by their released names."""

MAX_INT = 2**31 - 1


def convert_simmc1(record: Dialogue1, where: Where, context: Context) -> Dialogue:
    """Turns a version 1 dialogue into a dialogue.

    Raises:
        ConversionError: a number is out of all bounds, or a belief state slot is no pair.
    """
    file = context.files.get(where.document) or _file_by_name(where.document)
    domain = file.domain or (record.domains[0] if record.domains else None)
    dialogue_id = dialogue_id_of(domain, record.dialogue_idx)
    builder = _Builder(dialogue_id, domain, context)
    dialogue = builder.dialogue
    dialogue.split = _split(record, file, context, dialogue_id)
    dialogue.attributes = _attributes(record, file)
    builder.name_things(record)
    for index, turn in enumerate(record.dialogue):
        builder.add_turn(turn, index)
    builder.add_rest()
    if file.is_public_copy and dialogue_id in context.in_full:
        # The whole dialogue is there too, under its own id; this is its beginning once more.
        dialogue.dialogue_id = f"{dialogue_id}~public"
        dialogue.split = file.released_split
    return dialogue


def silent_dialogue(dialogue_id: str, context: Context) -> Dialogue:
    """Makes a dialogue of which only the API calls are there."""
    builder = _Builder(dialogue_id, dialogue_id.partition("-")[0], context)
    listed = context.splits.get(dialogue_id)
    builder.dialogue.split = listed or context.call_splits.get(dialogue_id)
    builder.add_rest()
    return builder.dialogue


def _file_by_name(document: str) -> Released:
    base = document.rpartition("/")[2]
    return Released(domain_of_name(document), split_of_name(base))


def _split(record: Dialogue1, file: Released, context: Context, dialogue_id: str) -> str | None:
    listed = context.splits.get(dialogue_id) or context.splits.get(str(record.dialogue_idx))
    return file.split or listed or context.call_splits.get(dialogue_id)


def _attributes(record: Dialogue1, file: Released) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    if file.version is not None:
        attributes["version"] = file.version
    if record.dialogue_task_id is not UNSET:
        attributes["dialogue_task_id"] = record.dialogue_task_id
        task = file.tasks.get(record.dialogue_task_id)
        if task is not None:
            attributes["focus_image"] = task.focus_image
            attributes["memory_images"] = task.memory_images
            attributes["database_images"] = task.database_images
    if record.dialogue_coref_map is not UNSET:
        attributes["dialogue_coref_map"] = record.dialogue_coref_map
    return attributes


class _Builder:
    """A dialogue in the making."""

    def __init__(self, dialogue_id: str, domain: str | None, context: Context) -> None:
        self.dialogue = Dialogue(
            dialogue_id=dialogue_id,
            domain=domain,
            speakers=[Speaker(USER, "user"), Speaker(ASSISTANT, "assistant")],
        )
        self._context = context
        self._calls = dict(context.calls.get(dialogue_id, {}))
        self._rankings = context.rankings.get(dialogue_id, {})
        self._names: dict[str, str] = {}
        self._described: set[str] = set()

    def name_things(self, record: Dialogue1) -> None:
        """Finds out which catalogue item each ``OBJECT_n`` is.

        The coreference map says it. Where there is none, the API file does: it names the image
        in focus, or the furniture at each place, at every turn.
        """
        if record.dialogue_coref_map is not UNSET:
            for number, local in record.dialogue_coref_map.items():
                self._names[f"OBJECT_{local}"] = catalogue_id(self.dialogue.domain, number)
            return
        for turn in record.dialogue:
            call = self._calls.get(turn.turn_idx)
            if call is None or turn.visual_objects is UNSET:
                continue
            for name, attributes in turn.visual_objects.items():
                item = _item_at(call, attributes.get("pos"))
                if item is not None and name not in self._names:
                    self._names[name] = catalogue_id(self.dialogue.domain, item)

    def add_turn(self, turn: Turn, index: int) -> None:
        """Adds the events of a turn with what is annotated on them."""
        number = turn.turn_idx
        if not 0 <= number <= MAX_INT:
            raise ConversionError(f".dialogue[{index}].turn_idx", "a small number", number)
        dialogue = self.dialogue
        user = len(dialogue.events)
        dialogue.events.append(Utterance(USER, turn.transcript, number))
        self._add_scene(turn, user)
        self._add_user_side(turn, user, index)
        call = self._calls.pop(number, None)
        if call is not None:
            self._add_call(call, number)
        answer = len(dialogue.events)
        dialogue.events.append(Utterance(ASSISTANT, turn.system_transcript, number))
        self._add_assistant_side(turn, answer, index)
        self._add_candidates(number, answer)

    def _add_scene(self, turn: Turn, event: int) -> None:
        if turn.visual_objects is UNSET:
            return
        for name, attributes in turn.visual_objects.items():
            object_id = self._object_id(name, attributes)
            pos = attributes.get("pos")
            position = POSITIONS.get(pos) if isinstance(pos, str) else None
            facts = {"name": name, **attributes}
            self.dialogue.displays.append(
                Display(object_id, None, event, None, position, None, facts)
            )

    def _add_user_side(self, turn: Turn, event: int, index: int) -> None:
        dialogue, path = self.dialogue, f".dialogue[{index}]"
        add_belief(dialogue, event, "belief_state", turn.belief_state, path)
        add_intents(dialogue, event, "transcript_annotated", turn.transcript_annotated)
        add_labels(dialogue, event, "turn_label", turn.turn_label)
        add_graph(dialogue, event, "state_graph_0", turn.state_graph_0)
        add_graph(dialogue, event, "state_graph_1", turn.state_graph_1)
        self._add_references(event, object_refs(turn.belief_state, turn.turn_label))

    def _add_assistant_side(self, turn: Turn, event: int, index: int) -> None:
        dialogue, path = self.dialogue, f".dialogue[{index}]"
        add_belief(dialogue, event, "system_belief_state", turn.system_belief_state, path)
        annotated = turn.system_transcript_annotated
        add_intents(dialogue, event, "system_transcript_annotated", annotated)
        add_labels(dialogue, event, "system_turn_label", turn.system_turn_label)
        add_graph(dialogue, event, "state_graph_2", turn.state_graph_2)
        refs = object_refs(turn.system_belief_state, turn.system_turn_label)
        self._add_references(event, refs)

    def _add_references(self, event: int, refs: dict[tuple[str, str], None]) -> None:
        for name, act in refs:
            object_id = self._object_id(name, None)
            self.dialogue.groundings.append(Grounding(event, object_id, "mentioned", act, name))

    def _object_id(self, name: str, attributes: dict[str, Any] | None) -> str:
        object_id = self._names.get(name) or f"{self.dialogue.dialogue_id}/{name}"
        return self._describe(object_id, attributes)

    def _item(self, number: str | int) -> str:
        return self._describe(catalogue_id(self.dialogue.domain, number), None)

    def _describe(self, object_id: str, attributes: dict[str, Any] | None) -> str:
        """Adds a thing when it is met first and no catalogue describes it; returns its id."""
        if object_id not in self._described:
            self._described.add(object_id)
            if object_id not in self._context.catalogue:
                described = seen_object(object_id, attributes, self._context.pictures)
                self.dialogue.objects.append(described)
        return object_id

    def _add_call(self, call: Call, turn: int) -> None:
        event = len(self.dialogue.events)
        self.dialogue.events.append(Action(ASSISTANT, call.name, call.arguments, call.result, turn))
        for number, relation in _call_refs(call):
            object_id = self._item(number)
            self.dialogue.groundings.append(Grounding(event, object_id, relation, call.name))

    def add_rest(self) -> None:
        """Adds the actions of the turns whose words are not there, and what was in view."""
        for number, call in sorted(self._calls.items()):
            event = len(self.dialogue.events)
            self._add_call(call, number)
            for position, item in _in_view(call):
                source = "focus_images" if call.focus is not None else "carousel_state"
                facts = {"source": source}
                self.dialogue.displays.append(
                    Display(self._item(item), None, event, None, position, None, facts)
                )
            self._add_candidates(number, event)

    def _add_candidates(self, turn: int, event: int) -> None:
        ranking = self._rankings.get(turn)
        if ranking is None:
            return
        pool, gold = self._context.pools[ranking.pool], ranking.gold
        add = self.dialogue.candidates.append
        for position, place in enumerate(ranking.options):
            text = pool[place] if place >= 0 else None
            right = None if gold is None else position == gold
            add(Candidate(event, "retrieval", position, text, None, right, str(place)))


def _item_at(call: Call, pos: Any) -> str | int | None:
    """Returns the catalogue id of what is at a place before an action; null if not known."""
    if pos == "focus" and call.focus is not None:
        return call.focus
    if call.carousel is None:
        return None
    if pos == "focus":
        return call.carousel.focus or None
    position = POSITIONS.get(pos) if isinstance(pos, str) else None
    row = call.carousel.carousel or []
    return row[position] if position is not None and position < len(row) else None


def _in_view(call: Call) -> list[tuple[int, str | int]]:
    if call.focus is not None:
        return [(0, call.focus)]
    if call.carousel is None:
        return []
    if call.carousel.focus:
        return [(0, call.carousel.focus)]
    return list(enumerate(call.carousel.carousel or []))


def _call_refs(call: Call) -> list[tuple[str | int, str]]:
    """Returns the catalogue items that an action is about, each with how."""
    given = call.arguments or {}
    focus = given.get("focus")
    if isinstance(focus, int) and not isinstance(focus, bool):
        return [(focus, "shown")]
    place, relation = given.get("position"), "shown"
    if place is None:
        place, relation = given.get("furniture_id"), "selected"
    item = _item_at(call, place) if isinstance(place, str) else None
    return [(item, relation)] if item is not None else []
