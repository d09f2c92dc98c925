"""Instances as pages show them: with what was said, and the pictures and texts that they name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import msgspec

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.results.files import ResultFile, ResultRow, find_corpus
from commonground.explorer.results.pieces import AnswerDifference, AnswerPiece
from commonground.explorer.results.runs import ResultFiles
from commonground.model import Object
from commonground.store.index.summaries import EventLine


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """What one file says of an instance.

    Attributes:
        right: whether the prediction equals what was to be predicted.
        predicted: the prediction as it stands in the file; None for none.
        values: its numbers, by column; None where one is undefined.
    """

    right: bool
    difference: AnswerDifference
    predicted: Any
    values: dict[str, float | None]


class ShownResult(msgspec.Struct, frozen=True, kw_only=True):
    """An instance with all that a page shows of it.

    Attributes:
        corpus: corpus of the dialogue; None where none of the store has it.
        event: event it is about; None where the file does not say.
        speaker: who speaks or acts there; None where the event is not known.
        said: what is said or done there; None where the event is not known.
        right: whether the prediction equals what was to be predicted.
        values: its numbers, by column; None where one is undefined.
        beside: what the other file says; None where there is none, or it lacks the instance.
        objects: the objects that answers name, by what they are called there.
        candidates: the candidates that answers name, by their places.
    """

    instance_id: str
    dialogue_id: str
    corpus: str | None
    event: int | None
    speaker: str | None
    said: str | None
    right: bool
    gold: Any
    predicted: Any
    values: dict[str, float | None]
    difference: AnswerDifference
    beside: Prediction | None = None
    objects: dict[str, Object] = {}
    candidates: dict[int, str] = {}


class Answered(msgspec.Struct, frozen=True, kw_only=True):
    """What one file, and perhaps one beside it, says was predicted in a dialogue."""

    file: str
    beside: str | None
    rows: list[ShownResult]


def find_answered(
    opened: OpenCorpus, files: ResultFiles, dialogue_id: str, run: str, beside: str = ""
) -> Answered:
    """Gathers what was predicted in a dialogue.

    Args:
        run: name of the file.
        beside: name of the one beside it; empty for none.

    Raises:
        UsageError: there is no file of a name.
    """
    name, file = files.choose(run)
    other = files.pair(run, beside).other
    places = file.by_dialogue.get(dialogue_id, [])
    return Answered(
        file=name,
        beside=beside if other else None,
        rows=show_results([opened], file, places, other),
    )


def show_results(
    corpora: Iterable[OpenCorpus],
    file: ResultFile,
    numbers: Sequence[int],
    other: ResultFile | None = None,
) -> list[ShownResult]:
    """Gathers what pages show of some instances.

    Args:
        corpora: where their dialogues are looked for.
        numbers: their places in it.
        other: another file; what it says of the same instances stands beside; None for none.
    """
    rows = file.rows(numbers)
    beside = _list_beside(rows, other)
    listed = list(corpora)
    of = [find_corpus(listed, file.task, row.dialogue_id) for row in rows]
    # All at once: reading a line or an object of the index costs as much as reading a hundred.
    lines: dict[int, EventLine] = {}
    objects: dict[int, dict[str, Object]] = {}
    for opened in listed:
        mine = {place: rows[place] for place, each in enumerate(of) if each is opened}
        if mine:
            lines |= _find_lines(opened, mine)
            objects |= _find_objects(opened, mine, beside)
    shown = []
    for place, (number, row, found) in enumerate(zip(numbers, rows, of, strict=True)):
        says, line = beside.get(row.instance_id), lines.get(place)
        shown.append(
            ShownResult(
                instance_id=row.instance_id,
                dialogue_id=row.dialogue_id,
                corpus=found.name if found else None,
                event=row.event if line else None,
                speaker=line.speaker if line else None,
                said=(line.name if line.text is None else line.text) if line else None,
                right=bool(file.right[number]),
                gold=row.gold,
                predicted=row.predicted,
                values=file.values_of(number),
                difference=row.difference,
                beside=says,
                objects=objects.get(place, {}),
                candidates=_find_candidates(found, row, _both(row, says)) if found else {},
            )
        )
    return shown


def _list_beside(rows: Sequence[ResultRow], other: ResultFile | None) -> dict[str, Prediction]:
    if other is None:
        return {}
    places = [other.places[row.instance_id] for row in rows if row.instance_id in other.places]
    return {
        row.instance_id: Prediction(
            right=bool(other.right[place]),
            difference=row.difference,
            predicted=row.predicted,
            values=other.values_of(place),
        )
        for place, row in zip(places, other.rows(places), strict=True)
    }


def _both(row: ResultRow, beside: Prediction | None) -> list[AnswerDifference]:
    return [row.difference, *([beside.difference] if beside else [])]


def _find_lines(opened: OpenCorpus, rows: Mapping[int, ResultRow]) -> dict[int, EventLine]:
    """Reads what is said or done at the events of instances; those of no event have no line."""
    starts = opened.index.postings.event_starts
    numbers: dict[int, int] = {}
    for place, row in rows.items():
        ordinal = opened.ordinal(row.dialogue_id)
        first, end = int(starts[ordinal]), int(starts[ordinal + 1])
        # Files may be of other data, whose events do not exist here.
        if row.event is not None and 0 <= row.event < end - first:
            numbers[place] = first + row.event
    return dict(zip(numbers, opened.index.digest.lines(list(numbers.values())), strict=True))


def _find_objects(
    opened: OpenCorpus, rows: Mapping[int, ResultRow], beside: Mapping[str, Prediction]
) -> dict[int, dict[str, Object]]:
    """Finds the objects that pieces name: by their ids, or by their ids within the dialogue."""
    ids: dict[int, dict[str, str]] = {}
    for place, row in rows.items():
        pieces = _list_pieces(_both(row, beside.get(row.instance_id)))
        # A part of a dialogue names several images, one a line.
        values = {value for each in pieces for value in (each.value or "").split("\n") if value}
        ids[place] = {
            # Some corpora number objects anew in each dialogue, and have its id before theirs.
            name: value
            for value in values
            for name in (value, f"{row.dialogue_id}/{value}")
        }
    wanted = {name for each in ids.values() for name in each}
    known = opened.index.blocks.objects(list(wanted))
    by_id = {each.object_id: each for each in known}
    return {
        place: {value: by_id[name] for name, value in named.items() if name in by_id}
        for place, named in ids.items()
    }


def _find_candidates(
    opened: OpenCorpus, row: ResultRow, differences: Iterable[AnswerDifference]
) -> dict[int, str]:
    """Finds the texts of the candidates that pieces name."""
    places = {each.place for each in _list_pieces(differences) if each.place is not None}
    if not places:
        return {}
    columns = opened.index.blocks.rows("candidates", opened.ordinal(row.dialogue_id))
    found = zip(*(columns[name] for name in ("event", "position", "text")), strict=True)
    return {
        position: text
        for event, position, text in found
        # Some rankings are about a whole dialogue, and so of no event.
        if event in (row.event, None) and position in places and text is not None
    }


def _list_pieces(differences: Iterable[AnswerDifference]) -> list[AnswerPiece]:
    return [
        marked.piece for each in differences for marked in (*each.gold, *(each.predicted or ()))
    ]
