"""What a dialogue is, whatever corpus it came from.

A :class:`Dialogue` holds its events in order and, beside them, flat lists of annotations that
point at events by number. Each list is one table of the store, each attribute a column; the
meaning of every column stands in ``schema.py``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Literal

import msgspec

from commonground.printing import Brief, cut

Role = Literal["user", "assistant", "peer"]
Json = Any
"""A value that JSON can hold; in the store it is kept as JSON text."""


class Speaker(Brief, msgspec.Struct, gc=False):
    """A participant of a dialogue."""

    speaker: str
    role: Role
    agent_id: str | None = None


class Utterance(Brief, msgspec.Struct, gc=False):
    """Something said: an event with text."""

    kind: ClassVar[Literal["utterance"]] = "utterance"
    name: ClassVar[None] = None
    arguments: ClassVar[None] = None
    result: ClassVar[None] = None

    speaker: str
    text: str
    turn: int | None = None
    segment: int | None = None
    at_s: float | None = None
    native_id: str | None = None
    details: Json = None


class Action(Brief, msgspec.Struct, gc=False):
    """Something done: an event with a name, arguments and a result."""

    kind: ClassVar[Literal["action"]] = "action"
    text: ClassVar[None] = None

    speaker: str
    name: str
    arguments: Json = None
    result: Json = None
    turn: int | None = None
    segment: int | None = None
    at_s: float | None = None
    native_id: str | None = None
    details: Json = None


class Withheld(Brief, msgspec.Struct, gc=False):
    """Something said that the authors keep back, such as the answer that a test set asks for."""

    kind: ClassVar[Literal["withheld"]] = "withheld"
    text: ClassVar[None] = None
    name: ClassVar[None] = None
    arguments: ClassVar[None] = None
    result: ClassVar[None] = None

    speaker: str
    turn: int | None = None
    segment: int | None = None
    at_s: float | None = None
    native_id: str | None = None
    details: Json = None


Event = Utterance | Action | Withheld
"""``event.kind`` tells them apart, in type checkers, too; each answers ``text`` and ``name``, with
None where it has none."""


Kind = Literal["utterance", "action", "withheld"]


class EventRow(Brief, msgspec.Struct, frozen=True, gc=False):
    """An event of any kind as a row of the table ``events``: its columns, JSON decoded.

    ``split`` is that of its dialogue and ``role`` that of its speaker, so that nothing need be
    joined.
    """

    dialogue_id: str
    event: int
    kind: Kind
    speaker: str
    turn: int | None
    segment: int | None
    at_s: float | None
    text: str | None
    name: str | None
    arguments: Any
    result: Any
    native_id: str | None
    details: Any
    split: str | None = None
    role: Role | None = None


class Span(Brief, msgspec.Struct, gc=False):
    """A labelled stretch of an utterance; code points, end exclusive."""

    event: int
    layer: str
    start_char: int
    end_char: int
    text: str
    label: str
    attributes: Json = None


class Act(Brief, msgspec.Struct, gc=False):
    """One slot of a dialogue act; an act without slots is one row with no slot."""

    event: int
    layer: str
    act_index: int
    act: str
    slot_index: int | None = None
    slot: str | None = None
    value: str | None = None
    frame: int | None = None
    relation: str | None = None
    argument_index: int | None = None
    reference_index: int | None = None
    attributes: Json = None


class State(Brief, msgspec.Struct, gc=False):
    """One slot of what holds after an event."""

    event: int
    layer: str
    kind: str
    frame: int | None = None
    parent_frame: int | None = None
    active: bool | None = None
    slot: str | None = None
    value: str | None = None
    negated: bool | None = None
    item_index: int | None = None
    asked_by: str | None = None


class Object(Brief, msgspec.Struct, gc=False):
    """Something that can be shown, chosen or talked about."""

    object_id: str
    kind: str
    title: str | None = None
    uri: str | None = None
    attributes: Json = None


class Display(Brief, msgspec.Struct, gc=False):
    """An object that a viewer had before them."""

    object_id: str
    viewer: str | None = None
    event: int | None = None
    segment: int | None = None
    position: int | None = None
    highlighted: bool | None = None
    attributes: Json = None


class Grounding(Brief, msgspec.Struct, gc=False):
    """An event that points at an object."""

    event: int
    object_id: str
    relation: str
    label: str | None = None
    mention: str | None = None
    votes: Json = None


class Candidate(Brief, msgspec.Struct, gc=False):
    """One option of a ranking task."""

    event: int | None
    task: str
    position: int
    text: str | None = None
    object_id: str | None = None
    gold: bool | None = None
    native_id: str | None = None


class Outcome(Brief, msgspec.Struct, gc=False):
    """A score, rating or answer."""

    name: str
    value: float | None = None
    text: str | None = None
    speaker: str | None = None
    segment: int | None = None


class FileEntry(Brief, msgspec.Struct, gc=False):
    """What a released file says that is in no dialogue: a reward example, a line of a split list.

    ``dialogue_id`` is that of the dialogue it speaks of, whether or not it is at hand.
    """

    kind: str
    entry_id: str | None = None
    dialogue_id: str | None = None
    split: str | None = None
    text: str | None = None
    value: float | None = None
    attributes: Json = None


class Dialogue(msgspec.Struct, kw_only=True):
    """One conversation, game or thread.

    The number of an event is its position in ``events``. Lists are empty, never null.
    """

    dialogue_id: str
    split: str | None = None
    domain: str | None = None
    started_at: datetime | None = None
    attributes: Json = None
    speakers: list[Speaker] = []
    events: list[Event] = []
    spans: list[Span] = []
    acts: list[Act] = []
    states: list[State] = []
    objects: list[Object] = []
    displays: list[Display] = []
    groundings: list[Grounding] = []
    candidates: list[Candidate] = []
    outcomes: list[Outcome] = []

    def __repr__(self) -> str:
        said = "".join(f"\n{n:4} {_line(e)}" for n, e in enumerate(self.events[:_MOST_EVENTS]))
        left = len(self.events) - _MOST_EVENTS
        more = f"\n     and {left:,} more events" if left > 0 else ""
        split = f", split {self.split}" if self.split is not None else ""
        count = f"{len(self.events):,} event{'' if len(self.events) == 1 else 's'}"
        heading = cut(f"Dialogue {self.dialogue_id}{split}: {count}")
        return f"<{heading}{said}{more}>"

    @property
    def text(self) -> str:
        """What was said, a line for each utterance: ``speaker: text``."""
        return "\n".join(f"{event.speaker}: {event.text}" for event in self.utterances())

    @property
    def roles(self) -> dict[str, Role]:
        """The role of each speaker: ``dialogue.roles[event.speaker]``."""
        return {each.speaker: each.role for each in self.speakers}

    def utterances(self) -> list[Utterance]:
        """Returns the events that are utterances, in order."""
        return [event for event in self.events if isinstance(event, Utterance)]

    def actions(self) -> list[Action]:
        """Returns the events that are actions, in order."""
        return [event for event in self.events if isinstance(event, Action)]


_MOST_EVENTS = 16
"""Events of a dialogue that its ``repr`` shows; with the lines around them fewer than 20."""


def _line(event: Event) -> str:
    if event.kind == "utterance":
        return cut(f"{event.speaker}: {event.text}")
    done = "withheld" if event.kind == "withheld" else f"{event.name} {event.arguments or ''}"
    return cut(f"{event.speaker} → {done}")
