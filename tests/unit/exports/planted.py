"""Dialogues with a text of its own in every field that can hold one."""

from __future__ import annotations

import re
from typing import Any

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
    Span,
    Speaker,
    State,
    Utterance,
)
from commonground.schema import get_table

_MARK = re.compile(r"Q([a-z]+)X([a-zX]+?)X\d+X?[KV]?Q")

TABLE_OF = {
    Act: "acts",
    Action: "events",
    Candidate: "candidates",
    Display: "displays",
    Grounding: "groundings",
    Object: "objects",
    Outcome: "outcomes",
    Span: "spans",
    Speaker: "speakers",
    State: "states",
    Utterance: "events",
}


def mark(table: str, column: str, row: int, part: str = "") -> str:
    """Returns a text that stands nowhere else: letters and digits only."""
    return f"Q{table}X{column.replace('_', 'X')}X{row}{'X' if part else ''}{part}Q"


def find_marks(text: str, table: str, column: str) -> list[str]:
    """Returns the marks in a value that are those of its own column."""
    own = (table, column.replace("_", "X"))
    return [found[0] for found in _MARK.finditer(text) if found.groups() == own]


def plant(kind: Any, row: int, /, **given: Any) -> Any:
    """Makes a struct; each text and JSON value that is not given is a mark."""
    table = get_table(TABLE_OF[kind])
    values = dict(given)
    for column in table.columns:
        if column.name in values or column.name not in kind.__struct_fields__:
            continue
        if column.type == "text":
            values[column.name] = mark(table.name, column.name, row)
        elif column.type == "json":
            key, value = (mark(table.name, column.name, row, part) for part in "KV")
            values[column.name] = {key: value}
    return kind(**values)


def plant_dialogue(number: int, *, is_silent: bool = False) -> Dialogue:
    """Makes a dialogue whose rows are numbered from a hundred times its own number.

    Its annotations are at two utterances in a row, at one of the assistant, at an action, and at
    an event that is not there.

    Args:
        number: makes the marks differ from those of others.
        is_silent: let there be actions only.
    """
    first = number * 100
    speakers = [plant(Speaker, first, role="user"), plant(Speaker, first + 1, role="assistant")]
    user, helper = (each.speaker for each in speakers)
    events: list[Event] = [
        plant(Utterance, first, speaker=user),
        plant(Utterance, first + 1, speaker=user),
        plant(Action, first + 2, speaker=helper),
        plant(Utterance, first + 3, speaker=helper),
        plant(Action, first + 4, speaker=user),
        plant(Utterance, first + 5, speaker=user),
    ]
    if is_silent:
        events = [each for each in events if isinstance(each, Action)]
    places = list(enumerate((0, 1, 2, 3, 4, 99), first))
    objects = [
        plant(Object, first, kind="image"),
        plant(Object, first + 1, kind="persona", uri=None),
        plant(Object, first + 2),
    ]
    shown = objects[0].object_id
    states = [
        plant(State, row, event=at, active=True, **({"kind": "info"} if row % 2 else {}))
        for row, at in places
    ]
    # A slot without a value, after the last utterance of a turn that has a state.
    states.append(plant(State, first + 6, event=1, kind="info", active=True, value=None))
    displays = [
        plant(Display, first, object_id=shown, viewer=helper, event=0, position=0),
        plant(Display, first + 1, object_id=shown, viewer=user, event=1, position=0),
        plant(Display, first + 2, object_id=objects[1].object_id, viewer=helper),
        plant(Display, first + 3, object_id=shown, viewer=None, event=99),
    ]
    return Dialogue(
        dialogue_id=mark("dialogues", "dialogue_id", first),
        split=mark("dialogues", "split", first),
        domain=mark("dialogues", "domain", first),
        attributes={"instructions": mark("dialogues", "attributes", first)},
        speakers=speakers,
        events=events,
        spans=[plant(Span, row, event=at, start_char=0, end_char=3) for row, at in places],
        acts=[plant(Act, row, event=at, act_index=0, slot_index=0) for row, at in places],
        states=states,
        objects=objects,
        displays=displays,
        groundings=[plant(Grounding, row, event=at, object_id=shown) for row, at in places],
        candidates=[
            plant(Candidate, first, event=None, position=0, object_id=None),
            plant(Candidate, first + 1, event=3, position=1, object_id=shown, text=None),
        ],
        outcomes=[plant(Outcome, first, speaker=user), plant(Outcome, first + 1, speaker=None)],
    )
