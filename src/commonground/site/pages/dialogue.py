"""The page of one dialogue: its header, one row per event, and what belongs to each of them."""

from __future__ import annotations

from datetime import datetime
from typing import Any, Literal

import msgspec

from commonground.findings import Finding
from commonground.model import (
    Candidate,
    Display,
    Grounding,
    Object,
    Outcome,
    Role,
    Span,
)
from commonground.site.pages.changes import StateChange
from commonground.site.snippets import Snippet
from commonground.view import Mode, OutlineItem


class SpeakerLine(msgspec.Struct, frozen=True, kw_only=True):
    """A participant, and how they are told from the others.

    Attributes:
        speaker: label as released.
        role: ``user``, ``assistant`` or ``peer``; null for one who speaks but is not listed.
        agent_id: who it was, across dialogues; null where the corpus does not say.
        side: where their bubbles stand.
        tone: number of their colour, from 0.
    """

    speaker: str
    role: Role | None = None
    agent_id: str | None = None
    side: Literal["left", "right"] = "left"
    tone: int = 0


class ActSlot(msgspec.Struct, frozen=True):
    """A slot of an act; see the columns of ``acts``."""

    slot: str
    value: str | None = None
    frame: int | None = None
    relation: str | None = None


class ActLine(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue act with its slots, in order."""

    layer: str
    act: str
    slots: list[ActSlot] = []


class Row(msgspec.Struct, kw_only=True):
    """An event, and everything that the corpus says of it.

    Attributes:
        event: number of the event.
        kind: ``utterance``, ``action`` or ``withheld``.
        speaker: who spoke or acted.
        role: of the speaker; null where they are not listed.
        side: where the bubble stands.
        tone: number of the speaker's colour.
        turn: the corpus's own number; null where it has none.
        segment: the larger part that it is in; null where there are none.
        starts_segment: whether a part begins here.
        again: whether the same speaker goes on, in the same part and kind of event.
        at_s: seconds since the dialogue began; null where the corpus does not say.
        text: what was said; null for an action.
        name: what was done; null for an utterance.
        arguments: what the action was given.
        result: what came back.
        native_id: the corpus's own id; null where it has none.
        details: released facts that nothing else here holds; null for none.
        spans: labelled stretches of the text.
        acts: dialogue acts.
        groundings: objects that the event points at.
        displays: what came into sight here: what is seen from this event on, or in the part
            that begins here.
        states: what changed in the states that hold after the event.
        candidates: options of a ranking.
        findings: faults that were found here.
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
    """A released record of the dialogue, as it stands in its file."""

    format: str
    source_file: str
    source_path: str
    json: str


class Neighbours(msgspec.Struct, frozen=True, kw_only=True):
    """Where the dialogue stands in the list that the reader came from.

    Attributes:
        query: what the list is filtered by, as written in its URL; empty for all.
        sort: its order, as written there; empty for the order of the files.
        position: from 1; null where it is not in the list.
        total: length of the list.
        previous: id of the dialogue before; null for the first.
        next: id of the dialogue after; null for the last.
    """

    query: str = ""
    sort: str = ""
    position: int | None = None
    total: int = 0
    previous: str | None = None
    next: str | None = None


class DialoguePage(msgspec.Struct, kw_only=True):
    """Everything on the page of a dialogue, beside what its corpus's view adds.

    Attributes:
        corpus: name of the corpus.
        title: title of the corpus.
        unit: what a dialogue is called there: ``game``, ``thread``.
        dialogue_id: id of the dialogue.
        split: released split; null where it is in none.
        domain: null where the corpus does not say.
        started_at: null where the corpus does not say.
        duration_s: time of the last event that has one; null where none has.
        attributes: released facts about the whole dialogue.
        speakers: participants, in order, and whoever else speaks.
        outcomes: scores, ratings and answers.
        rows: the events, in order.
        objects: what can be shown or pointed at, by id.
        candidates: options of rankings that are about the whole dialogue.
        findings: faults of the dialogue that belong to no event.
        outline: lines that lead through the dialogue.
        modes: ways to look at it.
        neighbours: the list that the reader came from; null where there is none.
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
    rows: list[Row] = []
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
