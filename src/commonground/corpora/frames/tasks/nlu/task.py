"""Language understanding: the acts, slots and values of a user turn. The measure is ours."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.metrics.act_slot_f1 import ACT_SLOT_F1, ActFrame, score_acts
from commonground.corpora.frames.convert.labels import render_value
from commonground.corpora.frames.tasks.gold import (
    UserTurn,
    list_history,
    list_user_turns,
    load_dialogues,
)
from commonground.files.predictions import Named, decode_lines, read_predictions
from commonground.task import (
    MISSING,
    Gold,
    Instance,
    Prediction,
    Predictions,
    Scored,
    Tally,
    Task,
)

_NONE = "none was released; here"
OFFICIAL = {
    "unreadable records": f"{_NONE} they are left out.",
    "unreadable lines": f"{_NONE} the turns that they name count as wrong.",
    "unknown turns": f"{_NONE} they are left out (of the wizard, other folds, unknown ids).",
    "repeated turns": f"{_NONE} the last of them counts.",
    "other capitals": f"{_NONE} names and values count as wrong where they differ in case.",
    "not a number": f"{_NONE} a value that is not a number is the text `nan`.",
    "missing turns": f"{_NONE} {MISSING} they count as turns without acts.",
}
_WIDE = 2**63
ADVICE = 'Write lines such as {"dialogue_id": "...", "turn": 0, "acts": [...]}.'


class PredictedSlot(msgspec.Struct):
    """A slot; the value is null or absent where the slot is asked for."""

    key: str
    val: str | bool | int | float | None = None


class PredictedAct(msgspec.Struct):
    """An act, in the form of the released ``acts_without_refs``."""

    name: str
    args: list[PredictedSlot] = []


class PredictedTurn(Named):
    """The acts of a turn, as predicted, in any order; empty where none is predicted."""

    acts: list[PredictedAct]


def read(path: Path, gold: Gold) -> Predictions:
    """Reads predicted acts, turn by turn; a turn without prediction is one without acts.

    Raises:
        TaskError: no line can be read.
    """
    tally = Tally(OFFICIAL)
    return Predictions(
        found=_pair(_read_answers(path, tally), gold, tally),
        tally=tally,
        advice="Check that dialogue ids and turn numbers are the released ones.",
    )


def _pair(answers: dict[str, Named], gold: Gold, tally: Tally) -> Iterator[Prediction]:
    for place in _list_turns(gold, tally):
        # Taken out, so that what is left in the end was predicted for nobody.
        answer = answers.pop(place.instance_id, None)
        if answer is None:
            tally.add("missing turns", place.instance_id)
        yield Prediction(
            # Scoring looks at no inputs.
            instance=_make_instance(place, {}),
            value=answer.acts if isinstance(answer, PredictedTurn) else None,
            split=place.split,
            is_missing=answer is None,
        )
    for instance_id in answers:
        tally.add("unknown turns", instance_id)


def _read_answers(path: Path, tally: Tally) -> dict[str, Named]:
    answers: dict[str, Named] = {}
    data, lacking = read_predictions(path), "line that predicts a turn"
    for answer in decode_lines(path, data, PredictedTurn, tally, lacking=lacking, advice=ADVICE):
        if answer.instance_id in answers:
            tally.add("repeated turns", answer.instance_id)
        answers[answer.instance_id] = answer
    return answers


def _list_turns(gold: Gold, tally: Tally) -> Iterator[UserTurn]:
    for dialogue in load_dialogues(gold, tally):
        yield from list_user_turns(dialogue)


def score(instance: Instance, acts: list[PredictedAct] | None, tally: Tally) -> Scored:
    """Scores the predicted acts of a turn.

    Args:
        instance: the turn.
        acts: the acts; None where they cannot be read.
        tally: counts its faults.
    """
    gold, given = instance.gold, acts or []
    counts = score_acts([_frame_gold(act) for act in gold], [_frame(act) for act in given])
    if acts is None:
        # What cannot be read is no right prediction of "no acts".
        counts["exact"] = 0
    _note_acts(instance, given, tally)
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts={ACT_SLOT_F1.name: counts},
        gold=gold,
        predicted=msgspec.to_builtins(given),
        answer=None if acts is None else [_answer(act) for act in acts],
    )


def _note_acts(instance: Instance, acts: list[PredictedAct], tally: Tally) -> None:
    """Counts what is right but for capitals, and values that are no numbers."""
    gold = _list_parts(_frame_gold(act) for act in instance.gold)
    given = _list_parts(map(_frame, acts))
    alike = _fold(gold - given) & _fold(given - gold)
    tally.add("other capitals", instance.instance_id, count=alike.total())
    odd = sum(arg.val != arg.val for act in acts for arg in act.args)  # only NaN does
    tally.add("not a number", instance.instance_id, count=odd)


def _list_parts(frames: Iterable[ActFrame]) -> Counter[tuple[str | None, ...]]:
    """Counts acts, and their slots with values."""
    parts: Counter[tuple[str | None, ...]] = Counter()
    for frame in frames:
        parts[(frame.act,)] += 1
        parts.update((frame.act, *slot) for slot in frame.slots)
    return parts


def _fold(parts: Counter[tuple[str | None, ...]]) -> Counter[tuple[str | None, ...]]:
    folded: Counter[tuple[str | None, ...]] = Counter()
    for part, count in parts.items():
        folded[tuple(each and each.casefold() for each in part)] += count
    return folded


def _frame_gold(act: Mapping[str, Any]) -> ActFrame:
    slots = ((arg["key"], render_value(arg.get("val"))) for arg in act["args"])
    return ActFrame(act["name"], tuple(slots))


def _frame(act: PredictedAct) -> ActFrame:
    # As gold is: true, 4 and "4" are texts, so that models need not know the released types.
    return ActFrame(act.name, tuple((arg.key, _render(arg.val)) for arg in act.args))


def _render(value: str | bool | int | float | None) -> str | None:
    # No JSON has what is not finite, and msgspec writes no whole number beyond 64 bits.
    is_odd = isinstance(value, int | float) and not -_WIDE < value < _WIDE
    return str(value) if is_odd else render_value(value)


def _answer(act: PredictedAct) -> dict[str, Any]:
    """Returns an act with its values as the texts that they are compared as."""
    args = [{"key": slot, "val": value} for slot, value in _frame(act).slots]
    return {"name": act.name, "args": args}


def instances(gold: Gold) -> Iterator[Instance]:
    """Gives the user turns.

    Raises:
        TaskError: there are none.
    """
    for place in _list_turns(gold, Tally(OFFICIAL)):
        yield _make_instance(place, {"text": place.turn.text, "history": list_history(place)})


def _make_instance(place: UserTurn, inputs: dict[str, Any]) -> Instance:
    return Instance(
        instance_id=place.instance_id,
        dialogue_id=place.dialogue.id,
        event=place.event,
        inputs=inputs,
        gold=place.acts_without_refs,
    )


TASK = Task(
    name="frames/nlu",
    title="acts, slots and values of a user turn",
    corpora=("frames",),
    summary=(
        "Predictions are JSON lines, one per user turn: `dialogue_id`, `turn` (its number among "
        "the turns, from 0) and `acts` in the form of the released `acts_without_refs`: each "
        "with `name` and `args`, each of these with `key` and `val`. Values are compared as "
        "text, letter by letter. Splits are the authors' ten folds."
    ),
    allowed={
        "text": "What the user says in the turn.",
        "history": "Author and text of each earlier turn.",
    },
    measures=(ACT_SLOT_F1,),
    instances=instances,
    read=read,
    score=score,
    main=(
        "act_slot_f1:act_f1",
        "act_slot_f1:slot_f1",
        "act_slot_f1:value_f1",
        "act_slot_f1:exact",
    ),
)
