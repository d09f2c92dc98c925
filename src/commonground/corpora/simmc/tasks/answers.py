"""Predictions of sub-tasks 1 and 2: JSON, dialogue by dialogue, with the number of each turn."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.simmc.tasks.inputs import name_instance
from commonground.errors import TaskError
from commonground.metrics.base import is_last_turn
from commonground.predictions import decode_json, read_predictions
from commonground.task import Problem, Tally

OFFICIAL = {
    "unknown dialogues": "stops with a KeyError; here they are left out",
    "unknown turns": "stops with an IndexError; here they are left out",
    "turns counted from the end": "takes -1 for the last turn, as Python does; so do we",
    "repeated dialogues": "scores each; repeated turns among them count again",
    "repeated turns": "scores each again; the corrected measures take the first",
    "missing turns": "does not notice them; the corrected measures count them as wrong",
    "missing dialogues": "does not notice them; the corrected measures count them as wrong",
    "malformed entries": "stops with a KeyError or TypeError; here they are left out",
}
"""What the official scripts do about faults that any of the three tasks may have."""


class GoldFile(msgspec.Struct, frozen=True):
    """Right answers of a released file.

    Attributes:
        domain: ``fashion`` or ``furniture``; null where the file does not say.
        dialogues: the turns' right answers by number of the dialogue.
    """

    domain: str | None
    dialogues: Mapping[int, Sequence[Any]]

    def dialogue_id(self, number: Any) -> str:
        """Returns the id of a dialogue."""
        return f"{self.domain or 'simmc'}-{number}"


class Pair(msgspec.Struct, frozen=True):
    """A turn's right answer and its prediction.

    Attributes:
        instance_id: of the turn; a repetition has ``~2`` and so on behind it.
        dialogue_id: of its dialogue.
        gold: the right answer.
        predicted: the prediction; null where there is none.
        is_repeated: whether the turn was predicted before.
    """

    instance_id: str
    dialogue_id: str
    gold: Any
    predicted: dict[str, Any] | None
    is_repeated: bool = False


class Format(msgspec.Struct, frozen=True):
    """How a file of predictions looks.

    Attributes:
        items: name of the list of turns in each dialogue.
        fields: what each turn must have, with its type.
        example: a short example, for messages.
    """

    items: str
    fields: Mapping[str, type | tuple[type, ...]]
    example: str


def read_entries(path: Path, form: Format) -> list[Any]:
    """Reads a file of predictions.

    Raises:
        TaskError: it is cut off, of another task, or empty.
        SourceError: it cannot be read.
    """
    try:
        value = decode_json(read_predictions(path))
    except ValueError as error:
        advice = f"It may be cut off; the official script stops, too. Expected: {form.example}"
        raise TaskError(f"{path} is no JSON: {error}.", advice) from error
    fits = isinstance(value, list) and any(_has_items(each, form) for each in value)
    if not fits:
        wanted = " and ".join(map(repr, form.fields))
        raise TaskError(
            f"{path} has no dialogue whose {form.items!r} have {wanted}; found {_describe(value)}.",
            "It may be the file of another task; the official script stops with a KeyError. "
            f"Expected: {form.example}",
        )
    listed: list[Any] = value
    return listed


def _has_items(value: Any, form: Format) -> bool:
    if not isinstance(value, dict) or "dialog_id" not in value:
        return False
    items = value.get(form.items)
    if not isinstance(items, list):
        return False
    return not items or any(
        isinstance(each, dict) and each.keys() >= form.fields.keys() for each in items
    )


def _describe(value: Any) -> str:
    kind = "a list" if isinstance(value, list) else "a single value"
    kind = "an object" if isinstance(value, dict) else kind
    inner = value[0] if isinstance(value, list) and value else value
    return f"{kind} with {', '.join(map(repr, inner))[:80]}" if isinstance(inner, dict) else kind


def choose_gold(files: Iterable[GoldFile], predictions: Sequence[Any], path: Path) -> GoldFile:
    """Returns the file that has most of the predicted dialogues, least besides, and most answers.

    Predicted dialogues that it lacks are taken from the other files of its domain, as a split may
    be spread over several, some of which hide answers.

    Raises:
        TaskError: none has any.
    """
    wanted = {_number(each.get("dialog_id")) for each in predictions if isinstance(each, dict)}
    best, *others = sorted(files, key=lambda file: _fit(file, wanted), reverse=True)
    if not wanted & best.dialogues.keys():
        known = min(best.dialogues, default=None)
        raise TaskError(
            f"No dialogue of {path} is among the {len(best.dialogues):,} right answers: found "
            f"`dialog_id` such as {_show(predictions[0])}, expected such as {known}.",
            "Name the right answers of the same domain and split; the official script stops with "
            "a KeyError.",
        )
    alike = [each for each in others if each.domain == best.domain]
    return GoldFile(best.domain, {**_collect(alike, wanted), **best.dialogues})


def _collect(files: Iterable[GoldFile], wanted: set[int | None]) -> dict[int, Sequence[Any]]:
    """Returns the wanted dialogues, each from the file that hides fewest of its answers."""
    found: dict[int, Sequence[Any]] = {}
    for file in files:
        for number in wanted & file.dialogues.keys():
            if number is not None:
                turns = file.dialogues[number]
                found[number] = max(found.get(number, ()), turns, key=_count_answers)
    return found


def _count_answers(turns: Sequence[Any]) -> int:
    return sum(map(bool, turns))


def _fit(file: GoldFile, wanted: set[int | None]) -> tuple[int, int, int]:
    common = len(wanted & file.dialogues.keys())
    return common, -len(file.dialogues), sum(map(_count_answers, file.dialogues.values()))


def _number(value: Any) -> int | None:
    """Returns a dialogue's number; null for what is none, such as a text or a truth value."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


class Pairing:
    """Pairs predictions with right answers, and counts what is wrong with them.

    Args:
        gold: the right answers.
        form: how the predictions look.
        single_round: whether only the last turn of each dialogue is wanted.
        official: what the official script does about faults of this task, by kind.
    """

    def __init__(
        self, gold: GoldFile, form: Format, single_round: bool, official: Mapping[str, str]
    ) -> None:
        self.tally = Tally({**OFFICIAL, **official})
        self._gold = gold
        self._form = form
        self._single = single_round
        self._seen: dict[tuple[int, int], int] = {}

    def problems(self) -> list[Problem]:
        """Returns what is wrong so far."""
        return self.tally.problems()

    def pairs(
        self, predictions: Sequence[Any], check: Callable[[Any, dict[str, Any]], str | None]
    ) -> Iterator[Pair]:
        """Yields predicted turns in the order of the file, then those that are missing.

        Args:
            predictions: the file.
            check: gives the kind of fault that keeps a turn from being scored, or null.
        """
        dialogues = set()
        for entry in predictions:
            number = _number(entry.get("dialog_id")) if isinstance(entry, dict) else None
            items = entry.get(self._form.items) if isinstance(entry, dict) else None
            listed = items if isinstance(items, list) else []
            if number not in self._gold.dialogues:
                told = f"dialog_id {_show(entry)}"
                self.tally.add("unknown dialogues", told, skipped=len(listed))
                continue
            assert number is not None  # noqa: S101 - null is no number of a dialogue
            if number in dialogues:
                self.tally.add("repeated dialogues", f"dialog_id {number}")
            dialogues.add(number)
            if not isinstance(items, list):
                self.tally.add("malformed entries", f"dialog_id {number}")
            for item in listed:
                yield from self._pair(number, item, check)
        yield from self._missing(dialogues)

    def _pair(
        self, number: int, item: Any, check: Callable[[Any, dict[str, Any]], str | None]
    ) -> Iterator[Pair]:
        turns = self._gold.dialogues[number]
        turn = item.get("turn_id") if isinstance(item, dict) else None
        told = f"dialog_id {number}, turn_id {turn!r}"
        if not isinstance(turn, int) or not self._fits(item):
            self.tally.add("malformed entries", told, skipped=1)
            return
        if self._single and not is_last_turn(turn, len(turns)):
            return
        if not -len(turns) <= turn < len(turns):
            self.tally.add("unknown turns", told, skipped=1)
            return
        if turn < 0:
            self.tally.add("turns counted from the end", told)
            turn += len(turns)
        fault = check(turns[turn], item)
        if fault is not None:
            self.tally.add(fault, told, skipped=1)
            return
        yield self._name(number, turn, item, told)

    def _fits(self, item: dict[str, Any]) -> bool:
        return all(isinstance(item.get(k), kind) for k, kind in self._form.fields.items())

    def _name(self, number: int, turn: int, item: dict[str, Any], told: str) -> Pair:
        times = self._seen[number, turn] = self._seen.get((number, turn), 0) + 1
        if times > 1:
            self.tally.add("repeated turns", told)
        dialogue_id = self._gold.dialogue_id(number)
        mark = f"~{times}" if times > 1 else ""
        name = name_instance(dialogue_id, turn) + mark
        return Pair(name, dialogue_id, self._gold.dialogues[number][turn], item, times > 1)

    def _missing(self, dialogues: set[int]) -> Iterator[Pair]:
        for number, turns in self._gold.dialogues.items():
            if number not in dialogues:
                self.tally.add("missing dialogues", f"dialog_id {number}")
            for turn, gold in enumerate(turns):
                if (number, turn) in self._seen:
                    continue
                if self._single and not is_last_turn(turn, len(turns)):
                    continue
                self.tally.add("missing turns", f"dialog_id {number}, turn_id {turn}")
                dialogue_id = self._gold.dialogue_id(number)
                yield Pair(name_instance(dialogue_id, turn), dialogue_id, gold, None)


def _show(entry: Any) -> str:
    return repr(entry.get("dialog_id") if isinstance(entry, dict) else entry)[:40]
