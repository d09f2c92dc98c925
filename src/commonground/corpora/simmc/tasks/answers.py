"""Predictions of sub-tasks 1 and 2, and the right answers that they are paired with, turn by turn.

Predictions are JSON, dialogue by dialogue, with the number of each turn. Right answers are those of
released files of any format, by number of the dialogue.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.simmc.tasks.inputs import name_instance
from commonground.corpora.simmc.tasks.released import (
    TITLES,
    Released,
    ReleasedDialogue,
    read_released,
)
from commonground.corpora.simmc.tasks.target_lines import (
    choose_targets,
    is_numbered,
    read_line_records,
)
from commonground.errors import TaskError
from commonground.files.gold import describe_gold
from commonground.files.predictions import decode_json, read_predictions
from commonground.task import Gold, Instance, Prediction, Predictions, Tally

OFFICIAL = {
    "unreadable records": "stops; here they are left out",
    "unknown dialogues": "stops with a KeyError, or a TypeError where `dialog_id` is a list; here "
    "they are left out",
    "unknown turns": "stops with an IndexError; here they are left out",
    "turns counted from the end": "reads -1 as the last turn, as Python does; so do we",
    "repeated dialogues": "scores each; repeated turns among them count again",
    "repeated turns": "scores each again; the corrected measures take the first",
    "missing turns": "does not notice them; the corrected measures count them as wrong",
    "missing dialogues": "does not notice them; the corrected measures count them as wrong",
    "malformed entries": "stops with a KeyError, TypeError or AttributeError; the corrected "
    "measures count them as wrong",
}
"""What the official scripts do about faults that any of the three tasks may have."""


SINGLE_ROUND = "single-round"
MODES = {SINGLE_ROUND: "Only the last turn of each dialogue is scored."}
"""How the official scripts score beside the usual way, as the challenge ranked its entries."""


Number = int | str
"""The number of a dialogue; of target lines that have none, their split and place (``dev#0``)."""


class GoldFile(msgspec.Struct, frozen=True):
    """Right answers of a released file.

    Attributes:
        domain: ``fashion`` or ``furniture``; None where the file does not say.
        dialogues: the turns' right answers by number of the dialogue.
        split: the split it is of; None where its name does not say.
        elsewhere: splits of dialogues that are taken from other files, by number.
    """

    domain: str | None
    dialogues: Mapping[Number, Sequence[Any]]
    split: str | None = None
    elsewhere: Mapping[Number, str | None] = {}

    def dialogue_id(self, number: Any) -> str:
        """Returns the id of a dialogue."""
        return f"{self.domain or 'simmc'}-{number}"

    def split_of(self, number: Number) -> str | None:
        """Returns the split of a dialogue; None where nothing says."""
        return self.elsewhere.get(number, self.split)


ReadRecord = Callable[[ReleasedDialogue], Sequence[Any]]
"""Gives the right answers of a dialogue's turns; empty where the record has none."""


class Format(msgspec.Struct, frozen=True):
    """How a file of predictions looks, and where its right answers are.

    Attributes:
        items: name of the list of turns in each dialogue.
        fields: what each turn must have, with its type.
        example: a short example, for messages.
        official: what the official script does about faults of this task, by kind.
        whole: reads a record, by the format of its file.
        lines: reads a dialogue of target lines, see ``read_line_records``; None where these have
            no right answers.
        check: takes right answer and prediction of a turn, and gives the kind of fault that keeps
            it from being scored, or None; None where nothing does.
    """

    items: str
    fields: Mapping[str, type | tuple[type, ...]]
    example: str
    official: Mapping[str, str]
    whole: Mapping[str, ReadRecord]
    lines: ReadRecord | None = None
    check: Callable[[Any, dict[str, Any]], str | None] | None = None


def read_pairs(
    form: Format,
    path: Path,
    gold: Gold,
    *,
    mode: str | None = None,
    settings: Mapping[str, str] = {},
) -> Predictions:
    """Reads a file of predictions, and pairs them with right answers.

    Args:
        mode: ``single-round`` to score last turns only; None for all.
        settings: as in :class:`~commonground.task.Scoring`.

    Raises:
        TaskError: nothing in it can be scored.
        SourceError: a file cannot be read.
    """
    entries = _read_entries(path, form)
    if not entries:
        return _predict_nothing(path)
    faults = Tally(OFFICIAL)
    files = _read_gold(gold, entries, form, faults)
    pairing = _Pairing(_choose_gold(files, entries, path, form), form, mode)
    return Predictions(
        found=pairing.pairs(entries),
        tally=pairing.tally,
        problems=faults.problems(),
        settings=dict(settings),
    )


def _read_entries(path: Path, form: Format) -> list[Any]:
    try:
        value = decode_json(read_predictions(path))
    except ValueError as error:
        advice = f"It may be cut off; the official script stops, too. Expected: {form.example}"
        raise TaskError(f"{path} is not JSON: {error}.", advice) from error
    fits = isinstance(value, list) and any(_has_items(each, form) for each in value)
    if not fits and value != []:
        wanted = " and ".join(map(repr, form.fields))
        raise TaskError(
            f"{path} has no dialogue whose {form.items!r} have {wanted}; found {_describe(value)}.",
            "It may be the file of another task; the official script stops with a KeyError or "
            f"TypeError. Expected: {form.example}",
        )
    listed: list[Any] = value
    return listed


def _predict_nothing(path: Path) -> Predictions:
    """Returns what an empty list of predictions says: all three official scripts print NaN."""
    tally = Tally()
    tally.add(
        "no predictions",
        f"{path} is an empty list",
        "prints NaN for every number; ours are undefined",
    )
    return Predictions(found=(), tally=tally, is_undefined=True)


def _has_items(value: Any, form: Format) -> bool:
    if not isinstance(value, dict) or "dialog_id" not in value:
        return False
    items = value.get(form.items)
    if not isinstance(items, list):
        return False
    # A dialogue without turns fits any task.
    return not items or any(
        isinstance(each, dict) and each.keys() >= form.fields.keys() for each in items
    )


def _describe(value: Any) -> str:
    kind = "a list" if isinstance(value, list) else "a single value"
    kind = "an object" if isinstance(value, dict) else kind
    inner = value[0] if isinstance(value, list) and value else value
    return f"{kind} with {', '.join(map(repr, inner))[:80]}" if isinstance(inner, dict) else kind


def _choose_gold(
    files: Iterable[GoldFile], predictions: Sequence[Any], path: Path, form: Format
) -> GoldFile:
    """Returns the file that has most of the predicted dialogues, least besides, and most answers.

    Dialogues of both domains may have the same number, so those as long as predicted come next.

    Predicted dialogues that it lacks are taken from the other files of its domain, as a split may
    be spread over several, some of which hide answers. With them comes the rest of their splits.
    """
    turns = _count_turns(predictions, form)
    wanted = set(turns)
    # By content, since files of predictions carry neither domain nor split in their form.
    best, *others = sorted(files, key=lambda file: _fit(file, turns), reverse=True)
    if not wanted & best.dialogues.keys():
        known = min(best.dialogues, default=None, key=str)
        raise TaskError(
            f"No dialogue of {path} is among the {len(best.dialogues):,} right answers: found "
            f"`dialog_id` such as {_show(predictions[0])}, expected such as {known}.",
            "Name the right answers of the same domain and split; the official script stops with "
            "a KeyError.",
        )
    alike = [each for each in others if each.domain == best.domain]
    lacking = wanted - best.dialogues.keys()
    # Predictions may cover two splits: of each all dialogues are expected, so that those left out
    # count as missing.
    for file in alike:
        if file.split not in (None, best.split) and lacking & file.dialogues.keys():
            wanted = wanted | file.dialogues.keys()
    found, splits = _collect(alike, wanted - best.dialogues.keys())
    return GoldFile(best.domain, {**found, **best.dialogues}, best.split, splits)


def _collect(
    files: Iterable[GoldFile], wanted: set[Number | None]
) -> tuple[dict[Number, Sequence[Any]], dict[Number, str | None]]:
    """Returns the wanted dialogues, each from the file that hides fewest answers, and splits."""
    found: dict[Number, Sequence[Any]] = {}
    splits: dict[Number, str | None] = {}
    for file in files:
        for number in wanted & file.dialogues.keys():
            if number is not None:
                turns = file.dialogues[number]
                # Public forms of a test set have the same dialogues without some answers.
                found[number] = max(found.get(number, ()), turns, key=_count_answers)
                splits[number] = splits.get(number) or file.split
    return found, splits


def _count_answers(turns: Sequence[Any]) -> int:
    return sum(map(bool, turns))


def _count_turns(predictions: Sequence[Any], form: Format) -> dict[Number | None, int]:
    """Returns the number of predicted turns by number of the dialogue."""
    turns: dict[Number | None, int] = {}
    for each in predictions:
        if isinstance(each, dict):
            number, items = _number(each.get("dialog_id")), each.get(form.items)
            turns[number] = turns.get(number, 0) + (len(items) if isinstance(items, list) else 0)
    return turns


def _fit(file: GoldFile, turns: Mapping[Number | None, int]) -> tuple[int, int, int, int]:
    common = turns.keys() & file.dialogues.keys()
    alike = sum(turns[n] == len(file.dialogues[n]) for n in common if n is not None)
    answers = sum(map(_count_answers, file.dialogues.values()))
    # Compared from left to right: a file that shares more dialogues wins whatever comes after.
    return len(common), alike, -len(file.dialogues), answers


def _number(value: Any) -> Number | None:
    """Returns a dialogue's number, also of ``1.0``, which the official scripts find as 1.

    A text is one where it names target lines; None for what is none.
    """
    if isinstance(value, str) and not is_numbered(value):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() else None
    # ``true`` is 1 to the scripts, as to Python; ``int`` has it shown so.
    return int(value) if isinstance(value, int) else None


def make_instance(instance_id: str, dialogue_id: str, right: Any) -> Instance:
    """Returns a turn as far as scoring looks at it: its right answer, and no inputs."""
    return Instance(instance_id=instance_id, dialogue_id=dialogue_id, inputs={}, right=right)


def is_last_turn(turn: int, turns: int) -> bool:
    """Says whether the mode ``single-round`` scores a turn: only a dialogue's last one is."""
    return turn == turns - 1


class _Pairing:
    """Pairs predictions with right answers, and counts what is wrong with them."""

    def __init__(self, gold: GoldFile, form: Format, mode: str | None) -> None:
        self.tally = Tally({**OFFICIAL, **form.official})
        self._gold = gold
        self._form = form
        self._single = mode == SINGLE_ROUND
        self._seen: dict[tuple[Number, int], int] = {}
        self._unread: set[tuple[Number, int]] = set()

    def pairs(self, predictions: Sequence[Any]) -> Iterator[Prediction]:
        """Yields predicted turns in the order of the file, then those that are missing."""
        dialogues = set[Number]()
        for entry in predictions:
            number = _number(entry.get("dialog_id")) if isinstance(entry, dict) else None
            items = entry.get(self._form.items) if isinstance(entry, dict) else None
            listed = items if isinstance(items, list) else []
            if number not in self._gold.dialogues:
                place = f"dialog_id {_show(entry)}"
                self.tally.add("unknown dialogues", place, skipped=len(listed))
                continue
            assert number is not None  # noqa: S101 - null is no number of a dialogue
            if number in dialogues:
                self.tally.add("repeated dialogues", f"dialog_id {number}")
            dialogues.add(number)
            if not isinstance(items, list):
                place = f"dialog_id {number}: expected a list {self._form.items!r}"
                self.tally.add("malformed entries", place)
            for item in listed:
                yield from self._pair(number, item)
        yield from self._missing(dialogues)

    def _pair(self, number: Number, item: Any) -> Iterator[Prediction]:
        turns = self._gold.dialogues[number]
        turn = item.get("turn_id") if isinstance(item, dict) else None
        if self._single and turn is not None and not is_last_turn(turn, len(turns)):
            return
        place = f"dialog_id {number}, turn_id {turn!r:.40}"
        if not isinstance(turn, int):
            self.tally.add("malformed entries", f"{place}: expected a number", skipped=1)
            return
        # A list in the script's hands: what Python's index takes is a turn to it, -1 included.
        if not -len(turns) <= turn < len(turns):
            self.tally.add("unknown turns", place, skipped=1)
            return
        if turn < 0:
            self.tally.add("turns counted from the end", place)
        turn = range(len(turns))[turn]  # true is turn 1, too
        lacking = [k for k, kind in self._form.fields.items() if not isinstance(item.get(k), kind)]
        odd = f": {lacking[0]!r} is missing or of another form" if lacking else ""
        check = self._form.check
        fault = "malformed entries" if odd else check(turns[turn], item) if check else None
        if fault is not None:
            self.tally.add(fault, place + odd, skipped=1)
            self._unread.add((number, turn))
            return
        yield self._name(number, turn, item, place)

    def _name(self, number: Number, turn: int, item: dict[str, Any], place: str) -> Prediction:
        times = self._seen[number, turn] = self._seen.get((number, turn), 0) + 1
        if times > 1:
            self.tally.add("repeated turns", place)
        dialogue_id = self._gold.dialogue_id(number)
        # Ids of results must differ, and the script scores a repetition too.
        mark = f"~{times}" if times > 1 else ""
        right = self._gold.dialogues[number][turn]
        return Prediction(
            instance=make_instance(name_instance(dialogue_id, turn) + mark, dialogue_id, right),
            value=item,
            split=self._gold.split_of(number),
            is_named=True,
            is_repeated=times > 1,
        )

    def _missing(self, dialogues: set[Number]) -> Iterator[Prediction]:
        for number, turns in self._gold.dialogues.items():
            if number not in dialogues:
                self.tally.add("missing dialogues", f"dialog_id {number}")
            for turn, gold in enumerate(turns):
                if (number, turn) in self._seen:
                    continue
                if self._single and not is_last_turn(turn, len(turns)):
                    continue
                is_missing = (number, turn) not in self._unread
                place = f"dialog_id {number}, turn_id {turn}"
                self.tally.add("missing turns", place, count=is_missing)
                dialogue_id = self._gold.dialogue_id(number)
                yield Prediction(
                    instance=make_instance(name_instance(dialogue_id, turn), dialogue_id, gold),
                    split=self._gold.split_of(number),
                    is_missing=is_missing,
                    is_ignored=True,
                    is_named=number in dialogues,
                )


def _show(entry: Any) -> str:
    return repr(entry.get("dialog_id") if isinstance(entry, dict) else entry)[:40]


def _read_gold(gold: Gold, entries: Sequence[Any], form: Format, faults: Tally) -> list[GoldFile]:
    """Reads the right answers, one object for each file that has any.

    The predictions may tell the numbers of dialogues in target lines.
    """
    whole, lines = form.whole, form.lines
    if lines is None:
        sources = read_released(gold, (*whole,), faults=faults)
        return [_read_whole(each, whole[each.format]) for each in sources]
    formats = (*whole, "targets")
    beside = [each for each in TITLES if each not in formats]
    sources = read_released(gold, formats, beside, faults)
    files = [_read_whole(each, whole[each.format]) for each in sources if each.format in whole]
    predicted = _count_predicted(entries, form)
    targets = choose_targets(sources)
    # A store has names of its own for dialogues without a number.
    named = not gold.files
    files += [_read_lines(each, sources, predicted, lines, named=named) for each in targets]
    found = [_keep_dialogues(each, gold.dialogues) for each in files if each.dialogues]
    if not found:
        wanted = " or ".join(TITLES[each] for each in whole)
        raise TaskError(
            f"There are no right answers with numbers of their dialogues in {describe_gold(gold)}.",
            f"Name a file of {wanted} of the same domain and split; target lines that have right "
            "answers get numbers from it, or from predictions of every turn in their order.",
        )
    return found


def _read_whole(released: Released, read: ReadRecord) -> GoldFile:
    dialogues = {each.number: read(each) for each in released.dialogues()}
    return GoldFile(released.domain, dialogues, released.split)


def _read_lines(
    source: Released,
    others: Sequence[Released],
    predicted: Mapping[int, int],
    read: ReadRecord,
    *,
    named: bool,
) -> GoldFile:
    """Reads target lines; without their numbers only where dialogues are known by name."""
    said: dict[Number, Sequence[Any]] = {
        record.get("dialogue_idx", name): read(ReleasedDialogue(record, source))
        for name, record in read_line_records(source, others, predicted)
        if named or "dialogue_idx" in record
    }
    turned = {number: turns for number, turns in said.items() if turns}
    return GoldFile(source.domain, turned, source.split)


def _count_predicted(entries: Sequence[Any], form: Format) -> dict[int, int]:
    """Returns the number of predicted turns by dialogue, in the order of the predictions."""
    listed = [each for each in entries if isinstance(each, dict)]
    return {
        each["dialog_id"]: len(each[form.items])
        for each in listed
        if isinstance(each.get("dialog_id"), int) and isinstance(each.get(form.items), list)
    }


def _keep_dialogues(file: GoldFile, dialogues: frozenset[str] | None) -> GoldFile:
    if dialogues is None:
        return file
    kept = {n: turns for n, turns in file.dialogues.items() if file.dialogue_id(n) in dialogues}
    return GoldFile(file.domain, kept, file.split)
