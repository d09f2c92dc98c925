"""What a dialogue is, whatever corpus it came from.

A :class:`Dialogue` holds its events in order and, beside them, flat lists of annotations that
point at events by number. Each list is one table of the store, each attribute a column:
``schema.py`` reads type and meaning from annotations and docstrings here. ``; None: nothing was
said.`` at the end of an attribute says what None and null mean; ``, if any`` is short for
``; None: none``.
"""

from __future__ import annotations

from datetime import datetime
from typing import Any, ClassVar, Literal

import msgspec

from commonground.printing import Brief, count_of, cut

Role = Literal["user", "assistant", "peer"]
Json = Any
"""A value that JSON can hold; in the store it is kept as JSON text."""


# Rows have gc=False: an import makes millions of them, none is part of a cycle, and the collector
# need not visit them.
class Speaker(Brief, msgspec.Struct, gc=False):
    """A participant of a dialogue.

    Attributes:
        speaker: label as released: ``A``, ``user``, ``wizard``, an author.
        role: ``user``, ``assistant`` or ``peer``.
        agent_id: id of the person, the same across dialogues; None: the corpus does not say.
    """

    speaker: str
    role: Role
    agent_id: str | None = None


class Utterance(Brief, msgspec.Struct, gc=False):
    """Something said: an event with text.

    :class:`EventRow` describes the attributes.
    """

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
    """Something done: an event with a name, arguments and a result.

    :class:`EventRow` describes the attributes.
    """

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
    """Something said that the authors withhold, such as the answer that a test set asks for.

    :class:`EventRow` describes the attributes.
    """

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


_EVENTS: dict[Kind, type[Event]] = {
    "utterance": Utterance,
    "action": Action,
    "withheld": Withheld,
}


def make_event(kind: Kind, **values: Any) -> Event:
    """Makes an event of its values by name; those that its kind does not have must be None."""
    event = _EVENTS[kind]
    return event(**{name: values[name] for name in event.__struct_fields__ if name in values})


class EventRow(Brief, msgspec.Struct, frozen=True, gc=False):
    """An event of any kind as a row of the table ``events``: its columns, JSON decoded.

    ``split`` is that of its dialogue and ``role`` that of its speaker, so that nothing need be
    joined.

    Attributes:
        dialogue_id: id of the dialogue, unique in its corpus.
        event: number of the event in its dialogue, from 0.
        kind: ``utterance``, ``action``, or ``withheld``: an utterance that the authors withhold.
        speaker: who spoke or acted.
        turn: the corpus's own number of the turn; None: the event has none.
        segment: the larger part it is in (PhotoBook round); None: the dialogue has no parts.
        at_s: seconds since the dialogue began; None: the corpus does not say.
        text: what was said, verbatim; None: it is an action, or was withheld.
        name: name of the action; None: it is not an action.
        arguments: arguments of the action; None: it had none.
        result: what the action returned; None: it returned nothing.
        native_id: the corpus's own id of the event; None: the event has none.
        details: released information that no other column holds, if any.
        split: split of the dialogue; None: in no split.
        role: role of the speaker; None: the corpus does not say.
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
    """A labelled part of an utterance's text; code points, end exclusive.

    Attributes:
        event: number of the event in its dialogue, from 0.
        layer: set of annotations it belongs to, such as ``belief_state`` or ``segments``.
        start_char: first code point, from 0.
        end_char: code point after the last.
        text: the text of the span, as the corpus gives it.
        label: its label; several labels are several rows.
        attributes: released information about the span, if any.
    """

    event: int
    layer: str
    start_char: int
    end_char: int
    text: str
    label: str
    attributes: Json = None


class Act(Brief, msgspec.Struct, gc=False):
    """One slot of a dialogue act; an act without slots is one row with no slot.

    Attributes:
        event: number of the event in its dialogue, from 0.
        layer: set of annotations it belongs to, such as ``belief_state`` or ``segments``.
        act_index: number of the act at its event and layer, from 0.
        act: name of the act.
        slot_index: number of the slot in its act, from 0; None: no slot.
        slot: name of the slot; None: the act has no slot.
        value: its value as text (``true``, ``false`` for booleans), if any.
        frame: frame that the slot refers to; None: it refers to none.
        relation: how it refers: ``ref``, ``read``, ``write``, ``id``; None: the slot is not a
            reference.
        argument_index: number of the released argument in its act, from 0; one that refers to
            several things is several rows; None: it is ``slot_index``.
        reference_index: number of the reference in its argument, from 0; its slots share it;
            None: no reference.
        attributes: released information about the slot or the act, if any.
    """

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
    """One slot of what holds after an event.

    Attributes:
        event: number of the event in its dialogue, from 0.
        layer: set of annotations it belongs to, such as ``belief_state`` or ``segments``.
        kind: what the slot is: ``info``, ``request``, ...; ``empty``: nothing.
        frame: number of the frame; None: the state has no frames.
        parent_frame: frame that it was copied from, if any.
        active: whether the frame is the active one; None: the state has no frames.
        slot: name of the slot; None: the state is empty.
        value: its value as text; each of several values has its own row, if any.
        negated: whether the value is ruled out; None: the corpus does not say.
        item_index: number of the released item among those of its frame, kind and, for ``info``,
            slot, from 0; the slots of one comparison share it; None: no such items.
        asked_by: who asked, if the slot is an open question; None: no one asked.
    """

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
    """Something that can be shown, chosen or talked about.

    Attributes:
        object_id: id of the object, unique in its corpus.
        kind: ``image``, ``item``, ``package``, ``persona``, ``post``, ...
        title: what a person would call it; None: the corpus does not say.
        uri: path below the image folder, or a web address, if any.
        attributes: released information about it, if any.
    """

    object_id: str
    kind: str
    title: str | None = None
    uri: str | None = None
    attributes: Json = None


class Display(Brief, msgspec.Struct, gc=False):
    """An object that was shown to a viewer.

    Attributes:
        object_id: the object.
        viewer: speaker who saw it; None: all speakers saw it.
        event: event from which it was visible; None: it was visible for a segment.
        segment: segment during which it was visible; None: it was visible from an event.
        position: place in the display, from 0, row by row; None: the corpus does not say.
        highlighted: whether it was highlighted as one to talk about; None: the corpus does not say.
        attributes: released information about this display, if any.
    """

    object_id: str
    viewer: str | None = None
    event: int | None = None
    segment: int | None = None
    position: int | None = None
    highlighted: bool | None = None
    attributes: Json = None


class Grounding(Brief, msgspec.Struct, gc=False):
    """An event that refers to an object.

    Attributes:
        event: number of the event in its dialogue, from 0.
        object_id: the object.
        relation: ``selected``, ``mentioned``, ``grounded``, ``offered``, ...
        label: a player's or annotators' decision: ``common``, ``different``, ``E``; None: none.
        mention: how the event names it: ``OBJECT_1``, a frame; None: it does not.
        votes: votes of the annotators, as released; None: no votes.
    """

    event: int
    object_id: str
    relation: str
    label: str | None = None
    mention: str | None = None
    votes: Json = None


class Candidate(Brief, msgspec.Struct, gc=False):
    """One option of a ranking task.

    Attributes:
        event: event to be predicted; None: the task is about the whole dialogue.
        task: name of the task.
        position: place in the released list, from 0.
        text: the option, if it is a text; None: it is an object.
        object_id: the option, if it is an object; None: it is a text.
        gold: whether it is the correct one; None: not released.
        native_id: the corpus's own id of the option; None: the option has none.
    """

    event: int | None
    task: str
    position: int
    text: str | None = None
    object_id: str | None = None
    gold: bool | None = None
    native_id: str | None = None


class Outcome(Brief, msgspec.Struct, gc=False):
    """A score, rating or answer.

    Attributes:
        name: what was measured or asked.
        value: the number; 1 and 0 for yes and no; None: not a number.
        text: the answer in words; None: not in words.
        speaker: speaker it is from or about; None: it is about the whole dialogue.
        segment: part of the dialogue it is for; None: the whole dialogue.
    """

    name: str
    value: float | None = None
    text: str | None = None
    speaker: str | None = None
    segment: int | None = None


class FileEntry(Brief, msgspec.Struct, gc=False):
    """What a released file says that is in no dialogue: a reward example, a line of a split list.

    ``dialogue_id`` is that of the dialogue it speaks of, whether or not it is at hand.

    Attributes:
        kind: ``split``, ``reward``, ``answer``, ``task``, ``file``, ...
        entry_id: its id, or its number in a list; None: it has none.
        dialogue_id: dialogue that it refers to, imported or not, if any.
        split: released split that it belongs to, if any.
        text: its content, if that is a text; None: it is not a text.
        value: its content, if that is a number; None: it is not a number.
        attributes: the rest of its content, if any.
    """

    kind: str
    entry_id: str | None = None
    dialogue_id: str | None = None
    split: str | None = None
    text: str | None = None
    value: float | None = None
    attributes: Json = None


class Dialogue(msgspec.Struct, kw_only=True, weakref=True):
    """One conversation, game or thread.

    The number of an event is its position in ``events``. Lists are empty, never None.

    Attributes:
        dialogue_id: id of the dialogue, unique in its corpus.
        split: released split, under its released name, unless others were asked for at import;
            None: in no split.
        domain: topic, image set or product world, as released; None: the corpus does not say.
        started_at: when it began; UTC where that is known; None: the corpus does not say.
        attributes: released information about the whole dialogue, if any.
        speakers: the participants.
        events: what was said and done, in order; the number of an event is its place.
        spans: labelled parts of utterances.
        acts: dialogue acts, a slot each.
        states: what holds after an event, a slot each.
        objects: what the dialogue shows, points at or offers.
        displays: objects that were shown to a viewer.
        groundings: events that point at objects.
        candidates: options of ranking tasks.
        outcomes: scores, ratings and answers.
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
        more = f"\n     and {count_of(left, 'more event')}" if left > 0 else ""
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
