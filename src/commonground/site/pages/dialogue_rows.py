"""Puts the page of a dialogue together: everything that belongs to an event in its row."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Sequence
from typing import TypeVar

from commonground.findings import Finding
from commonground.model import Act, Action, Dialogue, Display, Event, Object, Utterance
from commonground.site.pages.changes import find_changes
from commonground.site.pages.dialogue import (
    ActLine,
    ActSlot,
    DialoguePage,
    NativeRecord,
    Neighbours,
    Row,
    SpeakerLine,
)
from commonground.site.snippets import write_snippets
from commonground.view import View

T = TypeVar("T")
TONES = 6
"""Colours of speakers; further speakers begin again."""


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
        dialogue: the dialogue.
        view: what its corpus made of it.
        corpus: name of the corpus.
        title: title of the corpus; empty for its name.
        unit: what a dialogue is called there.
        title_outcome: gives what people call an outcome.
        findings: the findings of this dialogue.
        native: its released records.
        neighbours: its place in the list that the reader came from.
    """
    found = list(findings)
    times = [each.at_s for each in dialogue.events if each.at_s is not None]
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
    """Gives each speaker a side and a colour; whoever speaks unlisted comes last."""
    known = {each.speaker: each for each in dialogue.speakers}
    names = list(dict.fromkeys([*known, *(event.speaker for event in dialogue.events)]))
    lines = []
    for number, name in enumerate(names):
        listed = known.get(name)
        role = listed.role if listed else None
        right = role == "assistant" or (role != "user" and len(names) == 2 and number == 1)
        lines.append(
            SpeakerLine(
                speaker=name,
                role=role,
                agent_id=listed.agent_id if listed else None,
                side="right" if right else "left",
                tone=_tone(role, number),
            )
        )
    return lines


def _tone(role: str | None, number: int) -> int:
    if role in ("user", "assistant"):
        return int(role == "assistant")
    return number % TONES


def _rows(
    dialogue: Dialogue, speakers: Sequence[SpeakerLine], findings: Sequence[Finding]
) -> list[Row]:
    line_of = {each.speaker: each for each in speakers}
    rows: list[Row] = []
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


def _event_row(number: int, event: Event, line: SpeakerLine) -> Row:
    row = Row(
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


def _annotate(rows: list[Row], dialogue: Dialogue, findings: Sequence[Finding]) -> None:
    spans, groundings = _by_event(dialogue.spans), _by_event(dialogue.groundings)
    candidates, found = _by_event(dialogue.candidates), _by_event(findings)
    acts, changes = _by_event(dialogue.acts), find_changes(dialogue.states)
    seen = _by_event(dialogue.displays)
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


def _by_event(items: Iterable[T]) -> dict[int | None, list[T]]:
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
