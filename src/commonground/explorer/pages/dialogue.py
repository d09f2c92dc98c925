"""The page of one dialogue as data: its header, one row per event, what belongs to each of them.

``build_dialogue_page`` is pure: the dialogue and what is known of it in, the records below out.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import Any, Literal, TypeVar

import msgspec

from commonground.explorer.pages.parts.state_changes import StateChange, find_changes
from commonground.explorer.rendering.colours import speaker_tone
from commonground.findings import Finding
from commonground.model import (
    Act,
    Action,
    Candidate,
    Dialogue,
    Display,
    Event,
    Grounding,
    Object,
    Outcome,
    Role,
    Span,
    Utterance,
)
from commonground.schema import quote_sql
from commonground.view import Mode, OutlineItem, View

T = TypeVar("T")


class SpeakerLine(msgspec.Struct, frozen=True, kw_only=True):
    """A participant, and how they are distinguished.

    Attributes:
        speaker: label as released.
        role: None for one who speaks but is not listed.
        agent_id: who it was, across dialogues; None where the corpus does not say.
        side: where their bubbles stand.
        tone: number of their colour, from 0.
    """

    speaker: str
    role: Role | None = None
    agent_id: str | None = None
    side: Literal["left", "right"] = "left"
    tone: int = 0


class ActSlot(msgspec.Struct, frozen=True):
    """A slot of an act, without a value where that is asked for; see the columns of ``acts``."""

    slot: str
    value: str | None = None
    frame: int | None = None
    relation: str | None = None


class ActLine(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue act, and the layer of annotations that it is from."""

    layer: str
    act: str
    slots: list[ActSlot] = []


class ShownEvent(msgspec.Struct, kw_only=True):
    """An event, and everything that the corpus says of it.

    Attributes:
        kind: ``utterance``, ``action`` or ``withheld``.
        role: None where the speaker is not listed.
        side: where the bubble stands.
        tone: number of the speaker's colour.
        turn: the corpus's own number; None where it has none.
        segment: the larger part that it is in; None where there are none.
        again: whether the same speaker goes on, in the same part and kind of event.
        at_s: seconds since the dialogue began; None where the corpus does not say.
        text: what was said; None for an action.
        name: what was done; None for an utterance.
        native_id: the corpus's own id; None where it has none.
        details: released facts that nothing else here holds; None for none.
        groundings: objects that the event points at.
        displays: what came into sight here: what is seen from this event on, or in the part
            that begins here.
        states: what changed in the states that hold after the event.
        candidates: options of a ranking.
    """

    event: int
    kind: str
    speaker: str
    role: Role | None = None
    side: str = "left"
    tone: int = 0
    turn: int | None = None
    segment: int | None = None
    starts_segment: bool = False
    again: bool = False
    at_s: float | None = None
    text: str | None = None
    name: str | None = None
    arguments: Any = None
    result: Any = None
    native_id: str | None = None
    details: Any = None
    spans: list[Span] = []
    acts: list[ActLine] = []
    groundings: list[Grounding] = []
    displays: list[Display] = []
    states: list[StateChange] = []
    candidates: list[Candidate] = []
    findings: list[Finding] = []


class NativeRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A released record of the dialogue, as it stands in its file.

    Attributes:
        source_path: JSON path of the record in it.
        json: the record as released, byte for byte.
    """

    format: str
    source_file: str
    source_path: str
    json: str


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """Where the dialogue stands in the list that the reader came from.

    Attributes:
        query: what the list is filtered by, as written in its URL; empty for all.
        sort: its order, as written there; empty for the order of the files.
        words: what the query looks for in the talk: folded words in a row, with a star after
            the last where it is only the beginning of one.
        position: from 1; None where it is not in the list.
        total: length of the list.
        previous, next: ids of the dialogues before and after; None at the ends.
    """

    query: str = ""
    sort: str = ""
    words: list[str] = []
    position: int | None = None
    total: int = 0
    previous: str | None = None
    next: str | None = None


class Snippet(msgspec.Struct, frozen=True):
    """A few lines of code, in ``Python`` or ``SQL``."""

    language: str
    code: str


class DialoguePage(msgspec.Struct, kw_only=True):
    """Everything on the page of a dialogue, beside what its corpus's view adds.

    Attributes:
        unit: what a dialogue is called there: ``game``, ``thread``.
        domain, started_at: None where the corpus does not say.
        duration_s: time of the last event that has one; None where none has.
        attributes: released facts about the whole dialogue.
        speakers: participants, in order, and anyone who else speaks.
        outcomes: scores, ratings and answers.
        rows: the events, in order.
        objects: what can be shown or pointed at, by id.
        candidates: options of rankings that are about the whole dialogue.
        findings: faults of the dialogue that belong to no event.
        outcome_titles: what people call the outcomes, by name.
        native: released records; empty where they were left out.
        snippets: how to get at this dialogue from Python and SQL.
    """

    corpus: str
    title: str
    unit: str
    dialogue_id: str
    split: str | None = None
    domain: str | None = None
    started_at: datetime | None = None
    duration_s: float | None = None
    attributes: Any = None
    speakers: list[SpeakerLine] = []
    outcomes: list[Outcome] = []
    outcome_titles: dict[str, str] = {}
    rows: list[ShownEvent] = []
    objects: dict[str, Object] = {}
    candidates: list[Candidate] = []
    findings: list[Finding] = []
    outline: list[OutlineItem] = []
    modes: list[Mode] = []
    neighbours: Neighbours | None = None
    native: list[NativeRecord] = []
    snippets: list[Snippet] = []

    @property
    def all_findings(self) -> list[tuple[int | None, Finding]]:
        """Every finding with its event, those of no event first."""
        rest = [(row.event, each) for row in self.rows for each in row.findings]
        return [*((None, each) for each in self.findings), *rest]


def build_dialogue_page(
    dialogue: Dialogue,
    view: View,
    *,
    corpus: str,
    title: str = "",
    unit: str = "dialogue",
    title_outcome: Callable[[str], str] = str,
    findings: Iterable[Finding] = (),
    native: Sequence[NativeRecord] = (),
    neighbours: Neighbours | None = None,
) -> DialoguePage:
    """Gathers what the page of a dialogue shows.

    Args:
        title: title of the corpus; empty for its name.
    """
    found = list(findings)
    times = [each.at_s for each in dialogue.events if each.at_s is not None]
    # Findings of events beyond the last one, in damaged data, belong to the whole dialogue.
    last = len(dialogue.events)
    return DialoguePage(
        corpus=corpus,
        title=title or corpus,
        unit=unit,
        dialogue_id=dialogue.dialogue_id,
        split=dialogue.split,
        domain=dialogue.domain,
        started_at=dialogue.started_at,
        duration_s=max(times, default=None),
        attributes=dialogue.attributes,
        speakers=(speakers := list_speakers(dialogue)),
        outcomes=dialogue.outcomes,
        outcome_titles={each.name: title_outcome(each.name) for each in dialogue.outcomes},
        rows=_rows(dialogue, speakers, found),
        objects=_objects(dialogue),
        candidates=[each for each in dialogue.candidates if each.event is None],
        findings=[each for each in found if each.event is None or not 0 <= each.event < last],
        outline=view.outline,
        modes=view.modes,
        neighbours=neighbours,
        native=list(native),
        snippets=write_snippets(corpus, dialogue.dialogue_id),
    )


def _objects(dialogue: Dialogue) -> dict[str, Object]:
    """Gives every object by its id; one that is pointed at but not described has its id only."""
    objects = {each.object_id: each for each in dialogue.objects}
    for rows in (dialogue.displays, dialogue.groundings, dialogue.candidates):
        for row in rows:
            if row.object_id is not None and row.object_id not in objects:
                objects[row.object_id] = Object(row.object_id, "unknown")
    return objects


def list_speakers(dialogue: Dialogue) -> list[SpeakerLine]:
    """Gives each speaker a side and a colour; anyone who speaks unlisted comes last."""
    known = {each.speaker: each for each in dialogue.speakers}
    names = list(dict.fromkeys([*known, *(event.speaker for event in dialogue.events)]))
    lines = []
    for number, name in enumerate(names):
        listed = known.get(name)
        role = listed.role if listed else None
        # Of two peers the second stands on the right, as in messengers; of three or more none does.
        right = role == "assistant" or (role != "user" and len(names) == 2 and number == 1)
        lines.append(
            SpeakerLine(
                speaker=name,
                role=role,
                agent_id=listed.agent_id if listed else None,
                side="right" if right else "left",
                tone=speaker_tone(role, number),
            )
        )
    return lines


def _rows(
    dialogue: Dialogue, speakers: Sequence[SpeakerLine], findings: Sequence[Finding]
) -> list[ShownEvent]:
    line_of = {each.speaker: each for each in speakers}
    rows: list[ShownEvent] = []
    before = None
    for number, event in enumerate(dialogue.events):
        row = _event_row(number, event, line_of[event.speaker])
        segment = before.segment if before else None
        row.starts_segment = row.segment is not None and row.segment != segment
        if before and not row.starts_segment:
            row.again = (row.speaker, row.kind) == (before.speaker, before.kind)
        rows.append(row)
        before = row
    _annotate(rows, dialogue, findings)
    return rows


def _event_row(number: int, event: Event, line: SpeakerLine) -> ShownEvent:
    row = ShownEvent(
        event=number,
        kind=event.kind,
        speaker=event.speaker,
        role=line.role,
        side=line.side,
        tone=line.tone,
        turn=event.turn,
        segment=event.segment,
        at_s=event.at_s,
        native_id=event.native_id,
        details=event.details,
    )
    if isinstance(event, Action):
        row.name, row.arguments, row.result = event.name, event.arguments, event.result
    elif isinstance(event, Utterance):
        row.text = event.text
    return row


def _annotate(rows: list[ShownEvent], dialogue: Dialogue, findings: Sequence[Finding]) -> None:
    spans, groundings = group_by_event(dialogue.spans), group_by_event(dialogue.groundings)
    candidates, found = group_by_event(dialogue.candidates), group_by_event(findings)
    acts, changes = group_by_event(dialogue.acts), find_changes(dialogue.states)
    seen = group_by_event(dialogue.displays)
    in_segment: dict[int | None, list[Display]] = defaultdict(list)
    for each in dialogue.displays:
        if each.event is None:
            in_segment[each.segment].append(each)
    for row in rows:
        event = row.event
        row.spans, row.groundings = spans.get(event, []), groundings.get(event, [])
        row.candidates, row.findings = candidates.get(event, []), found.get(event, [])
        row.acts, row.states = group_acts(acts.get(event, [])), changes.get(event, [])
        row.displays = seen.get(event, [])
        if row.starts_segment:
            # A part that is come back to shows its displays again, as it did to its viewers.
            row.displays = [*in_segment.get(row.segment, ()), *row.displays]


def group_by_event(items: Iterable[T]) -> dict[int | None, list[T]]:
    """Groups rows of a table by the number of their event."""
    grouped: dict[int | None, list[T]] = {}
    for each in items:
        grouped.setdefault(each.event, []).append(each)  # type: ignore[attr-defined]
    return grouped


def group_acts(acts: Iterable[Act]) -> list[ActLine]:
    """Puts the slots of each act together, acts in order of first row."""
    lines: dict[tuple[str, int], ActLine] = {}
    for each in acts:
        key = (each.layer, each.act_index)
        if key not in lines:
            lines[key] = ActLine(layer=each.layer, act=each.act, slots=[])
        if each.slot is not None:
            slot = ActSlot(each.slot, each.value, each.frame, each.relation)
            lines[key].slots.append(slot)
    return list(lines.values())


def write_snippets(corpus: str, dialogue_id: str) -> list[Snippet]:
    """Writes the code that loads a dialogue."""
    python = (
        f"import commonground as cg\n\ndialogue = cg.load({corpus!r}).dialogue({dialogue_id!r})"
    )
    sql = (
        "SELECT event, speaker, coalesce(text, name) AS what\nFROM events\n"
        f"WHERE corpus = {quote_sql(corpus)} AND dialogue_id = {quote_sql(dialogue_id)}\n"
        "ORDER BY event"
    )
    return [Snippet("Python", python), Snippet("SQL", sql)]
