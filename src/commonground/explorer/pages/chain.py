"""One thing through all dialogues: a picture, an item, a package, or a value given to calls.

Which dialogues have it, the index knows of objects and SQL of values; what they say of it is read
from the dialogues of one page.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any

import msgspec
import numpy as np

from commonground.errors import UsageError, close_names
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.pages.browse import Hit
from commonground.explorer.pages.parts.paging import Paging, cut_page
from commonground.explorer.search.highlights import mark_phrases
from commonground.model import Action, Dialogue, Object, Utterance
from commonground.store.index.postings import Numbers
from commonground.view import Described

DIALOGUES = 20
"""Dialogues of a page."""

VALUES = 200
"""Values of an argument that are listed, the most frequent ones."""

ROOM = 320
"""Characters of a text that are shown."""

_SHORTEST = 3
"""Characters of a value that is looked for in what people say."""

# Values that differ in capitals only are one, in their most frequent spelling. A value counts by
# where it comes up, then by how often.
_VALUES = """
    WITH given AS (
        SELECT dialogue_id, json_extract_string(arguments, ?) AS value FROM events
        WHERE corpus = ? AND kind = 'action'
    ), spelled AS (
        SELECT value, count(*) AS times FROM given WHERE value IS NOT NULL GROUP BY value
    ), counted AS (
        SELECT lower(value) AS folded, count(*) AS calls, count(DISTINCT dialogue_id) AS dialogues
        FROM given WHERE value IS NOT NULL GROUP BY folded
    )
    SELECT first(value ORDER BY times DESC, value) AS name, any_value(calls) AS calls,
        any_value(dialogues) AS dialogues
    FROM spelled JOIN counted ON lower(value) = folded
    GROUP BY folded ORDER BY dialogues DESC, calls DESC, name
"""
_ARGUMENTS = (
    "SELECT DISTINCT unnest(json_keys(arguments)) FROM events WHERE corpus = ? AND kind = 'action' "
    "AND arguments IS NOT NULL"
)
_CALLED = (
    "SELECT DISTINCT dialogue_id FROM events WHERE corpus = ? AND kind = 'action' "
    "AND lower(json_extract_string(arguments, ?)) = lower(?)"
)


class ChainLine(msgspec.Struct, frozen=True, kw_only=True):
    """An event of a chain.

    Attributes:
        hit: the event, the words for the thing marked in it.
        notes: what the corpus says of it there.
    """

    hit: Hit
    notes: list[str] = []


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """The description of the thing in one go.

    Attributes:
        part: where in the dialogue; None where it has no parts.
    """

    part: str | None = None
    lines: list[ChainLine]


class ChainedDialogue(msgspec.Struct, frozen=True, kw_only=True):
    """A dialogue that has the thing.

    Attributes:
        position: its place among those that have it, from 1.
        started_at: None where the corpus does not say.
        people: who took part, across dialogues; empty where the corpus does not say.
        descriptions: in order; empty where the thing was in sight and nobody spoke of it.
    """

    position: int = 0
    dialogue_id: str
    split: str | None = None
    started_at: datetime | None = None
    people: list[str] = []
    descriptions: list[Description] = []


class ValueCount(msgspec.Struct, frozen=True):
    """A value of an argument, with the calls that were given it and the dialogues those stand in.

    Attributes:
        value: as the chain of it is asked for.
    """

    value: str
    calls: int
    dialogues: int


class ChainPage(msgspec.Struct, frozen=True, kw_only=True):
    """One thing through the dialogues of a corpus.

    Attributes:
        unit: what a dialogue of the corpus is called.
        name: what a person would call the thing.
        object: None where a value of an argument is meant.
        argument: None where an object is meant.
        value: None where the values are listed.
        values: of the argument, most frequent first; empty where one is chosen.
    """

    corpus: str
    title: str
    unit: str
    name: str
    object: Object | None = None
    argument: str | None = None
    value: str | None = None
    values: list[ValueCount] = []
    dialogues_all: int
    paging: Paging
    dialogues: list[ChainedDialogue] = []


def build_object_chain(opened: OpenCorpus, object_id: str, *, page: int = 1) -> ChainPage:
    """Follows an object through all dialogues that show it or point at it.

    Args:
        page: from 1.

    Raises:
        UsageError: there is no such object or page.
    """
    found = opened.index.blocks.objects([object_id])
    ordinals = opened.remember(("chain", object_id), lambda: _dialogues_with(opened, object_id))
    if not found and not len(ordinals):
        advice = "The objects tab of the corpus lists all of them."
        raise UsageError(f"There is no object {object_id!r} in {opened.name}.", advice)
    thing = found[0] if found else Object(object_id, "unknown")
    made = _begin(opened, thing.title or object_id, len(ordinals), page)
    shown = made.paging.take(ordinals)
    chained = [_chain_object(opened, ordinal, object_id) for ordinal in shown]
    return msgspec.structs.replace(made, object=thing, dialogues=_place(chained, made.paging))


def build_argument_chain(
    opened: OpenCorpus, argument: str, value: str | None = None, *, page: int = 1
) -> ChainPage:
    """Follows a value that calls were given through all dialogues, or lists an argument's values.

    Args:
        value: in capitals or not; None to list all values.
        page: from 1.

    Raises:
        UsageError: no call has such an argument, or there is no such page.
    """
    if value is None:
        return _list_values(opened, argument, page)
    key = ("chain", argument, value.lower())
    ordinals = opened.remember(key, lambda: _dialogues_called(opened, argument, value))
    if not len(ordinals):
        raise UsageError(
            f"No call of {opened.name} has {argument} {value!r}.",
            "The address without the value lists all of them.",
        )
    made = _begin(opened, value, len(ordinals), page)
    shown = made.paging.take(ordinals)
    chained = [_chain_value(opened, ordinal, argument, value) for ordinal in shown]
    return msgspec.structs.replace(
        made, argument=argument, value=value, dialogues=_place(chained, made.paging)
    )


def _list_values(opened: OpenCorpus, argument: str, page: int) -> ChainPage:
    parameters = [_pointer(argument), opened.name]
    rows = opened.remember(
        ("values", argument), lambda: opened.corpus.rows(_VALUES, parameters)[:VALUES]
    )
    if not rows:
        known = [name for (name,) in opened.corpus.rows(_ARGUMENTS, [opened.name])]
        raise UsageError(
            f"No call of {opened.name} has {argument!r}.", close_names(argument, known)
        )
    made = _begin(opened, argument, 0, page)
    return msgspec.structs.replace(
        made, argument=argument, values=[ValueCount(*row) for row in rows]
    )


def _begin(opened: OpenCorpus, name: str, found: int, page: int) -> ChainPage:
    manifest = opened.entry.manifest
    return ChainPage(
        corpus=opened.name,
        title=manifest.title,
        unit=manifest.unit,
        name=name,
        dialogues_all=len(opened.index.blocks.ids),
        paging=cut_page(found, page, DIALOGUES),
    )


def _place(chained: Sequence[ChainedDialogue], paging: Paging) -> list[ChainedDialogue]:
    return [
        msgspec.structs.replace(each, position=number)
        for number, each in enumerate(chained, paging.first)
    ]


def _dialogues_with(opened: OpenCorpus, object_id: str) -> Numbers:
    """Returns the ascending numbers of the dialogues that show an object or point at it."""
    postings = opened.index.postings
    # There must be something to join, also where a corpus has neither field.
    lists = [np.zeros(0, dtype=np.int64)]
    for name in ("object", "shown"):
        field = postings.fields.get(name)
        if field is not None and object_id in field.codes:
            numbers = field.numbers(field.codes[object_id])
            lists.append(postings.dialogues_of(numbers, field.level))
    return np.unique(np.concatenate(lists))


def _dialogues_called(opened: OpenCorpus, argument: str, value: str) -> Numbers:
    rows = opened.corpus.rows(_CALLED, [opened.name, _pointer(argument), value])
    found: Numbers = np.sort(opened.index.blocks.ids.find_all([row[0] for row in rows]))
    return found


def _pointer(argument: str) -> str:
    """Writes the name of an argument as a JSON pointer; a path would read its dots."""
    return "/" + argument.replace("~", "~0").replace("/", "~1")


def _chain_object(opened: OpenCorpus, ordinal: int, object_id: str) -> ChainedDialogue:
    dialogue = opened.index.blocks.dialogue(ordinal)
    notes: dict[int, list[str]] = {}
    words: dict[int, list[str]] = {}
    for display in dialogue.displays:
        if display.object_id == object_id and display.event is not None:
            notes.setdefault(display.event, []).append("shown")
    for each in dialogue.groundings:
        if each.object_id == object_id:
            notes.setdefault(each.event, []).extend(filter(None, (each.relation, each.label)))
            words.setdefault(each.event, []).extend([each.mention] if each.mention else [])
    # A corpus that cannot say where it is described has the events that show it or point at it.
    module = opened.entry.view_module("chain")
    described = module.find_descriptions(dialogue, object_id) if module else ()
    described = described or [Described(events=sorted(notes))]
    return _read(opened, dialogue, described, notes, words)


def _chain_value(opened: OpenCorpus, ordinal: int, argument: str, value: str) -> ChainedDialogue:
    """Finds the calls that were given a value, and what says the same in the talk."""
    dialogue = opened.index.blocks.dialogue(ordinal)
    folded = value.casefold()
    notes: dict[int, list[str]] = {
        number: [f"{key} {_as_text(given)}" for key, given in event.arguments.items()]
        for number, event in enumerate(dialogue.events)
        if isinstance(event, Action)
        and isinstance(event.arguments, dict)
        and _as_text(event.arguments.get(argument)).casefold() == folded
    }
    # What is marked has its label beside it; what only says the same has none.
    words = {number: [value] for number in _find_said(dialogue, value)}
    notes |= {number: [] for number in words if number not in notes}
    for span in dialogue.spans:
        if span.text.casefold() == folded:
            notes.setdefault(span.event, []).append(span.label)
            words.setdefault(span.event, []).append(span.text)
    return _read(opened, dialogue, [Described(events=sorted(notes))], notes, words)


def _find_said(dialogue: Dialogue, value: str) -> list[int]:
    """Finds the utterances that have a value as words of theirs; numbers describe anything."""
    if len(value) < _SHORTEST or not any(map(str.isalpha, value)):
        return []
    said = re.compile(rf"(?<!\w){re.escape(value)}(?!\w)", re.IGNORECASE)
    return [
        number
        for number, event in enumerate(dialogue.events)
        if isinstance(event, Utterance) and event.text and said.search(event.text)
    ]


def _as_text(value: Any) -> str:
    """Writes a value as DuckDB's ``json_extract_string`` does."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _read(
    opened: OpenCorpus,
    dialogue: Dialogue,
    described: Sequence[Described],
    notes: Mapping[int, Sequence[str]],
    words: Mapping[int, Sequence[str]],
) -> ChainedDialogue:
    """Reads the events that descriptions name."""

    def line(number: int) -> ChainLine:
        event = dialogue.events[number]
        said = event.text
        hit = Hit(
            event=number,
            speaker=event.speaker,
            text=None if said is None else mark_phrases(said, words.get(number, ()), ROOM),
            name=event.name,
            tone=opened.tones.get(event.speaker),
        )
        return ChainLine(hit=hit, notes=list(dict.fromkeys(notes.get(number, ()))))

    return ChainedDialogue(
        dialogue_id=dialogue.dialogue_id,
        split=dialogue.split,
        started_at=dialogue.started_at,
        people=[each.agent_id for each in dialogue.speakers if each.agent_id is not None],
        descriptions=[
            Description(part=each.part, lines=[line(number) for number in each.events])
            for each in described
            if each.events
        ],
    )
