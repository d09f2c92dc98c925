"""SIMMC 1 dialogues: utterance, action and answer of each turn, with all their annotations."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from msgspec import UNSET

from commonground.corpora.simmc.convert.context import AssistantCall, Context, Ranking, Released
from commonground.corpora.simmc.convert.labels import (
    THING,
    add_belief,
    add_graph,
    add_intents,
    add_labels,
    object_refs,
)
from commonground.corpora.simmc.convert.objects import catalogue_id, seen_object
from commonground.corpora.simmc.convert.targets import (
    TargetTurn,
    differs,
    make_acts,
    make_arguments,
)
from commonground.corpora.simmc.native.reprs import parse_intents
from commonground.corpora.simmc.native.simmc1 import (
    Dialogue1,
    Scene,
    Turn,
    dialogue_id_of,
    domain_of_name,
    split_of_name,
)
from commonground.files.reading import ConversionError, Where
from commonground.model import (
    Action,
    Candidate,
    Dialogue,
    Display,
    Grounding,
    Speaker,
    Utterance,
    Withheld,
)
from commonground.rows import keep_columns
from commonground.schema import LARGEST_INT

USER, ASSISTANT = "user", "assistant"
# A thing in focus is alone; a row has up to three places.
POSITIONS = {"focus": 0, "left": 0, "center": 1, "right": 2}
"""Places of a scene, by their released names."""


def convert_simmc1(record: Dialogue1, where: Where, context: Context) -> Dialogue:
    """Turns a version 1 dialogue into a dialogue.

    Raises:
        ConversionError: a number is out of all bounds, or a belief state slot is no pair.
    """
    split = split_of_name(where.document.rpartition("/")[2])
    file = context.files.get(where.document) or Released(domain_of_name(where.document), split)
    domain = file.domain or (record.domains[0] if record.domains else None)
    dialogue_id = dialogue_id_of(domain, record.dialogue_idx)
    # Where the whole dialogue is there too, this is its beginning once more.
    is_copy = file.is_public_copy and dialogue_id in context.in_full
    builder = _Builder(dialogue_id, domain, context, with_targets=not is_copy)
    dialogue = builder.dialogue
    # A list whose name tells no domain is kept under bare numbers.
    listed = context.splits.get(dialogue_id) or context.splits.get(str(record.dialogue_idx))
    dialogue.split = file.split or listed or context.call_splits.get(dialogue_id)
    dialogue.attributes = _attributes(record, file, domain)
    builder.name_things(record)
    for index, turn in enumerate(record.dialogue):
        builder.add_turn(turn, index)
    builder.add_rest(len(record.dialogue))
    # Renamed last: the side files know the whole dialogue's id. The split is the file's own word,
    # so that the copy is not counted with the whole one.
    if is_copy:
        dialogue.dialogue_id = f"{dialogue_id}~public"
        dialogue.split = file.released_split
    return dialogue


def side_dialogue(dialogue_id: str, context: Context) -> Dialogue:
    """Makes a dialogue of which only API calls or state tracking targets are there."""
    builder = _Builder(dialogue_id, dialogue_id.partition("-")[0], context)
    split = context.splits.get(dialogue_id) or context.call_splits.get(dialogue_id)
    for each in context.targets.get(dialogue_id, ()):
        split = split or each.split
    builder.dialogue.split = split
    builder.name_things(None)
    builder.add_rest(0)
    return builder.dialogue


def _attributes(record: Dialogue1, file: Released, domain: str | None) -> dict[str, Any]:
    attributes: dict[str, Any] = {}
    if file.version is not None:
        attributes["version"] = file.version
    # Fashion only, and not everywhere: six dialogues of train and one of devtest lack it.
    if record.dialogue_task_id is not UNSET:
        attributes["dialogue_task_id"] = record.dialogue_task_id
        task = file.tasks.get(record.dialogue_task_id)
        if task is not None:
            attributes["focus_image"] = task.focus_image
            attributes["memory_images"] = task.memory_images
            attributes["database_images"] = task.database_images
    if record.dialogue_coref_map is not UNSET:
        attributes["dialogue_coref_map"] = record.dialogue_coref_map
    if record.domains != [domain]:
        attributes["domains"] = record.domains
    return attributes


class _Builder:
    """A dialogue in the making."""

    def __init__(
        self, dialogue_id: str, domain: str | None, context: Context, *, with_targets: bool = True
    ) -> None:
        self.dialogue = Dialogue(
            dialogue_id=dialogue_id,
            domain=domain,
            speakers=[Speaker(USER, "user"), Speaker(ASSISTANT, "assistant")],
        )
        self._context = context
        self._choices: list[tuple[int, Ranking]] = []
        # A copy: turns are taken out of it, and the public form of a dialogue asks for them again.
        self._calls = dict(context.calls.get(dialogue_id, {}))
        self._rankings = context.rankings.get(dialogue_id, {})
        self._targets = context.targets.get(dialogue_id, []) if with_targets else []
        self._names: dict[str, str] = {}
        self._described: set[str] = set()
        self._begun = 0
        self._ranked: set[int] = set()

    def name_things(self, record: Dialogue1 | None) -> None:
        """Finds out which catalogue item each ``OBJECT_n`` is.

        The coreference map says it. Where there is none, the API file does: it names the image
        in focus, or the furniture at each place, at every turn.
        """
        if record is not None and record.dialogue_coref_map is not UNSET:
            for number, local in record.dialogue_coref_map.items():
                self._names[f"OBJECT_{local}"] = catalogue_id(self.dialogue.domain, number)
            return
        # Names hold for the whole dialogue: the first turn that shows a thing settles what it is.
        for turn, scene in self._list_scenes(record):
            call = self._calls.get(turn)
            if call is None:
                continue
            for name, attributes in scene.items():
                item = _item_at(call, attributes.get("pos"))
                if item is not None and name not in self._names:
                    self._names[name] = catalogue_id(self.dialogue.domain, item)

    def _list_scenes(self, record: Dialogue1 | None) -> Iterator[tuple[int, Scene]]:
        """Yields what is in view at each turn, by its number."""
        for turn in record.dialogue if record is not None else ():
            if turn.visual_objects is not UNSET:
                yield turn.turn_idx, turn.visual_objects
        for each in self._targets:
            for number, target in enumerate(each.turns):
                yield number, target.scene

    def add_turn(self, turn: Turn, index: int) -> None:
        """Adds the events of a turn with what is annotated on them."""
        number = turn.turn_idx
        if not 0 <= number <= LARGEST_INT:
            raise ConversionError(f".dialogue[{index}].turn_idx", "a small number", number)
        dialogue = self.dialogue
        user = len(dialogue.events)
        dialogue.events.append(Utterance(USER, turn.transcript, number))
        self._begun = len(dialogue.groundings)
        targets = self._find_targets(index)
        scene = {} if turn.visual_objects is UNSET else turn.visual_objects
        self._add_scene(scene, user)
        self._add_target_scenes(targets, scene, user)
        self._add_side(turn, user, index, "", ("state_graph_0", "state_graph_1"))
        self._add_target_acts(targets, user)
        self._add_deed(number, targets, user)
        answer = len(dialogue.events)
        # The target line holds the answer that the public form keeps back.
        known = targets[0][1].answer if targets else ""
        given = known if is_withheld(turn) else turn.system_transcript
        if given or not is_withheld(turn):
            dialogue.events.append(Utterance(ASSISTANT, given, number))
        else:
            dialogue.events.append(Withheld(ASSISTANT, number))
        self._add_side(turn, answer, index, "system_", ("state_graph_2",))
        self._add_details(turn, targets, user, answer)
        self._add_candidates(number, answer)

    def _add_details(
        self, turn: Turn, targets: Iterable[tuple[str, TargetTurn]], user: int, answer: int
    ) -> None:
        """Adds what no other table has a place for: what cannot be read, or is said otherwise."""
        asks: dict[str, Any] = {}
        if turn.domain != (self.dialogue.domain or ""):
            asks["domain"] = turn.domain
        said = self.dialogue.events[answer].text or ""
        # The answers of target lines that are not the one given, by layer.
        answers: dict[str, Any] = {
            layer: each.answer for layer, each in targets if differs(each.answer, said)
        }
        if turn.raw_assistant_keystrokes is not UNSET and turn.raw_assistant_keystrokes:
            answers["raw_assistant_keystrokes"] = turn.raw_assistant_keystrokes
        for facts, name in (
            (asks, "transcript_annotated"),
            (answers, "system_transcript_annotated"),
        ):
            text = getattr(turn, name)
            if text is not UNSET and parse_intents(text) is None:
                facts[name] = text
        self.dialogue.events[user].details = asks or None
        self.dialogue.events[answer].details = answers or None

    def _add_scene(self, scene: Scene, event: int, source: str | None = None) -> None:
        for name, attributes in scene.items():
            object_id = self._object_id(name, attributes)
            pos = attributes.get("pos")
            position = POSITIONS.get(pos) if isinstance(pos, str) else None
            facts: dict[str, Any] = {"name": name, **attributes}
            if source is not None:
                facts["source"] = source
            self.dialogue.displays.append(
                Display(object_id, None, event, None, position, None, facts)
            )

    def _find_targets(self, index: int) -> list[tuple[str, TargetTurn]]:
        """Returns the target lines of a turn, each with its layer."""
        return [(t.layer, t.turns[index]) for t in self._targets if index < len(t.turns)]

    def _add_target_scenes(
        self, targets: Iterable[tuple[str, TargetTurn]], scene: Scene, event: int
    ) -> None:
        """Adds what target lines show beyond what is known to be in view."""
        known = dict(scene)
        for layer, target in targets:
            new = {
                name: facts
                for name, facts in target.scene.items()
                # A target line says fewer attributes than the scene.
                if name not in known or not facts.items() <= known[name].items()
            }
            self._add_scene(new, event, layer)
            known.update(new)

    def _add_target_acts(self, targets: Iterable[tuple[str, TargetTurn]], event: int) -> None:
        for layer, target in targets:
            self.dialogue.acts += make_acts(event, layer, target.acts)
            refs = {
                (pair[1], act.act): None
                for act in target.acts
                for pair in act.slots
                if pair[0].endswith("-O") and THING.match(pair[1])
            }
            self._add_references(event, refs)

    def _add_side(
        self, turn: Turn, event: int, index: int, prefix: str, graphs: Iterable[str]
    ) -> None:
        """Adds what is annotated on an utterance; layers have the names of the fields."""
        names = [
            f"{prefix}{each}" for each in ("belief_state", "transcript_annotated", "turn_label")
        ]
        belief, intents, labels = (getattr(turn, name) for name in names)
        add_belief(self.dialogue, event, names[0], belief, f".dialogue[{index}]")
        add_intents(self.dialogue, event, names[1], intents)
        add_labels(self.dialogue, event, names[2], labels)
        for graph in graphs:
            add_graph(self.dialogue, event, graph, getattr(turn, graph))
        self._add_references(event, object_refs(belief, labels))

    def _add_references(self, event: int, refs: dict[tuple[str, str], None]) -> None:
        for name, act in refs:
            row = Grounding(event, self._object_id(name, None), "mentioned", act, name)
            # Belief state, labels and target lines often name the same thing in one turn.
            if row not in self.dialogue.groundings[self._begun :]:
                self.dialogue.groundings.append(row)

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

    def _add_deed(self, turn: int, targets: Iterable[tuple[str, TargetTurn]], seen_at: int) -> None:
        """Adds what the assistant does in a turn, as the API file says, else the target lines.

        What is in view before it is so from the event ``seen_at`` on.
        """
        event = len(self.dialogue.events)
        call = self._calls.pop(turn, None)
        deeds = [(layer, target.action) for layer, target in targets if target.action is not None]
        if call is not None:
            self._add_call(call, turn)
            self._add_view(call, seen_at)
        elif deeds:
            action = deeds[0][1]
            row = Action(ASSISTANT, action.act, make_arguments(action), None, turn)
            self.dialogue.events.append(row)
        for layer, action in deeds:
            self.dialogue.acts += make_acts(event, layer, [action])

    def _add_view(self, call: AssistantCall, event: int) -> None:
        """Adds what the API file says to be in view before an action, where nothing else does."""
        known = {each.object_id for each in self.dialogue.displays if each.event == event}
        source = {"source": "focus_images" if call.focus is not None else "carousel_state"}
        for position, number in _in_view(call):
            object_id = self._item(number)
            if object_id not in known:
                self.dialogue.displays.append(
                    Display(object_id, None, event, None, position, None, source)
                )

    def _add_call(self, call: AssistantCall, turn: int) -> None:
        event = len(self.dialogue.events)
        self.dialogue.events.append(
            Action(ASSISTANT, call.name, call.arguments, call.result, turn, details=call.details)
        )
        for number, relation in _call_refs(call):
            object_id = self._item(number)
            self.dialogue.groundings.append(Grounding(event, object_id, relation, call.name))

    def add_rest(self, turns: int) -> None:
        """Adds the turns that are not in the released dialogue.

        Those with a target line have words; of the others only the action is known, and what was
        in view.
        """
        length = max((len(each.turns) for each in self._targets), default=0)
        # Actions that no turn took, target lines after the last turn, and candidates of no turn.
        rest = {*self._calls, *range(turns, length), *self._rankings} - self._ranked
        for number in sorted(rest):
            # Target lines of released turns are in the dialogue already.
            if turns <= number < length:
                _, line = self._find_targets(number)[0]
                turn = Turn(
                    turn_idx=number,
                    domain=self.dialogue.domain or "",
                    transcript=line.words,
                    system_transcript=line.answer,
                )
                self.add_turn(turn, number)
                continue
            event = len(self.dialogue.events)
            if number in self._calls:
                self._add_deed(number, [], event)
            else:
                # Only candidates are known of the answer.
                self.dialogue.events.append(Withheld(ASSISTANT, number))
            self._add_candidates(number, event)
        self.dialogue.candidates = self._list_candidates()
        if self._targets:
            facts = self.dialogue.attributes = self.dialogue.attributes or {}
            facts["targets"] = [f"{each.document} {each.line}" for each in self._targets]
            if 0 < turns < length:
                facts["public_turns"] = turns

    def _add_candidates(self, turn: int, event: int) -> None:
        ranking = self._rankings.get(turn)
        if ranking is None:
            return
        self._ranked.add(turn)
        self._choices.append((event, ranking))

    def _list_candidates(self) -> list[Candidate]:
        """Returns the candidates of all turns, by columns: they are most rows of the corpus."""
        choices, pools = self._choices, self._context.pools
        return keep_columns(
            Candidate,
            event=[event for event, each in choices for _ in each.options],
            task=["retrieval" for _, each in choices for _ in each.options],
            position=[n for _, each in choices for n in range(len(each.options))],
            text=[
                pools[each.pool][place] if place >= 0 else None
                for _, each in choices
                for place in each.options
            ],
            gold=[
                None if each.gold is None else n == each.gold
                for _, each in choices
                for n in range(len(each.options))
            ],
            native_id=[str(place) for _, each in choices for place in each.options],
        )


def is_withheld(turn: Turn) -> bool:
    """Says whether the answer is kept back: the public form of a test set has "" in its place."""
    # Whole files have a list in `belief_state`; the public form has an empty object.
    return not turn.system_transcript and turn.belief_state == {}


def _item_at(call: AssistantCall, pos: Any) -> str | int | None:
    """Returns the catalogue id of what is at a place before an action; None if not known."""
    if pos == "focus" and call.focus is not None:
        return call.focus
    if call.carousel is None:
        return None
    if pos == "focus":
        return call.carousel.focus or None  # "" where nothing is in focus
    position = POSITIONS.get(pos) if isinstance(pos, str) else None
    row = call.carousel.carousel or []
    return row[position] if position is not None and position < len(row) else None


def _in_view(call: AssistantCall) -> list[tuple[int, str | int]]:
    if call.focus is not None:
        return [(0, call.focus)]
    if call.carousel is None:
        return []
    if call.carousel.focus:
        return [(0, call.carousel.focus)]
    return list(enumerate(call.carousel.carousel or []))


def _call_refs(call: AssistantCall) -> list[tuple[str | int, str]]:
    """Returns the catalogue items that an action is about, each with how."""
    given = call.arguments or {}
    focus = given.get("focus")
    # A boolean is an int to Python, but no image.
    if isinstance(focus, int) and not isinstance(focus, bool):
        return [(focus, "shown")]
    place, relation = given.get("position"), "shown"
    if place is None:
        place, relation = given.get("furniture_id"), "selected"
    item = _item_at(call, place) if isinstance(place, str) else None
    return [(item, relation)] if item is not None else []
