"""Examples of what the agent does next: split rows, and dialogues cut at every such place."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import msgspec

from commonground.corpora.taskmaster.native.tags import (
    Mark,
    TagError,
    TaggedTurn,
    parse_turns,
    render_turns,
)
from commonground.corpora.taskmaster.tasks.actions.targets import (
    Target,
    list_history,
    parse_target,
    target_of,
    turns_of,
)
from commonground.corpora.taskmaster.tasks.dialogues import Row, Source
from commonground.corpora.taskmaster.tasks.predictions import NO_SCRIPT, unique_id
from commonground.model import Action, Dialogue
from commonground.task import Problem


class Example(msgspec.Struct, frozen=True):
    """A place where the agent goes on.

    Attributes:
        instance_id: file and line of a row; dialogue and event otherwise.
        dialogue_id: dialogue it is from.
        event: number of the event to be predicted; None for a row.
        target: what comes next.
        row: the row it is; None where it is from a dialogue.
        inputs: makes its inputs.
    """

    instance_id: str
    dialogue_id: str
    event: int | None
    target: Target
    row: Row | None
    inputs: Callable[[], dict[str, Any]]


def list_examples(source: Source) -> dict[str, Example]:
    """Lists examples by id, rows first; notes rows without a readable target as a problem."""
    found: dict[str, Example] = {}
    bad = []
    for row in source.rows:
        name = unique_id(f"{row.document}:{row.line}", found)
        try:
            target = parse_target(row.row.target or "")
        except TagError as error:
            bad.append(f"{name}: {error}")
            continue
        owner = row.row.conversation_id or name
        found[name] = Example(name, owner, None, target, row, partial(_row_inputs, row))
    for dialogue in source.dialogues:
        for example in _cut(dialogue):
            name = unique_id(example.instance_id, found)
            found[name] = msgspec.structs.replace(example, instance_id=name)
    source.problems += _bad_rows(bad)
    return found


def _bad_rows(bad: list[str]) -> list[Problem]:
    if not bad:
        return []
    official = f"{NO_SCRIPT}they are left out."
    kind = "rows without a readable target"
    return [Problem(kind=kind, count=len(bad), example=bad[0], official=official, skipped=len(bad))]


def _cut(dialogue: Dialogue) -> Iterator[Example]:
    """Yields what the agent says or calls right after the user or an API, as rows do."""
    roles = {speaker.speaker: speaker.role for speaker in dialogue.speakers}
    for number, event in enumerate(dialogue.events):
        if number == 0 or roles.get(event.speaker) == "user":
            continue
        before = dialogue.events[number - 1]
        if isinstance(before, Action) or roles.get(before.speaker) == "user":
            name = f"{dialogue.dialogue_id}:{number}"
            inputs = partial(_cut_inputs, dialogue, number)
            yield Example(name, dialogue.dialogue_id, number, target_of(event), None, inputs)


def _row_inputs(row: Row) -> dict[str, Any]:
    """Gives the context as released, and its turns in the order in which they came."""
    context = row.row.context
    try:
        turns = parse_turns(context)
    except TagError:
        return {"context": context, "history": []}
    marks = [i for i, turn in enumerate(turns) if isinstance(turn, Mark)]
    if marks:
        turns = [*turns[marks[-1] + 1 :], *turns[: marks[0]]]
    return {"context": context, "history": list_history(turns)}


def _cut_inputs(dialogue: Dialogue, number: int) -> dict[str, Any]:
    """Gives what came before an event, in the same two forms."""
    roles = {speaker.speaker: speaker.role for speaker in dialogue.speakers}
    turns: list[TaggedTurn] = []
    for event in dialogue.events[:number]:
        turns += turns_of(event, roles.get(event.speaker))
    latest = [turns[-1], Mark("context" if len(turns) > 1 else "start"), *turns[:-1]]
    return {"context": render_turns(latest), "history": list_history(turns)}
