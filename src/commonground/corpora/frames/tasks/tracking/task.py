"""Frame tracking: which frame each slot and each bare reference of a user turn is about."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from commonground.bench.metrics.frames_tracking import (
    BARE,
    CHOSEN,
    FRAMES_TRACKING,
    FRAMES_TRACKING_CORRECTED,
    GoldTurn,
    choose_bare,
    choose_frame,
    list_references,
    score_turn,
    score_turn_corrected,
    score_unreadable_turn,
)
from commonground.corpora.frames.native import FramesDialogue
from commonground.corpora.frames.tasks.gold import (
    UserTurn,
    decode_frames,
    list_history,
    list_user_turns,
    load_dialogues,
    name_split,
)
from commonground.corpora.frames.tasks.tracking.metrics import (
    TRACKING_FOLDS,
    TRACKING_SUBTASKS,
    name_fold,
    name_subtasks,
)
from commonground.corpora.frames.tasks.tracking.places import IS_CHOICE, FrameProbabilities
from commonground.errors import TaskError
from commonground.files.predictions import decode_json, read_predictions
from commonground.metric import Counts
from commonground.task import Gold, Instance, Prediction, Predictions, Scored, Tally, Task

ADVICE = "Name a list of Frames dialogues whose user turns have `predictions`."


class AnswerTurn(msgspec.Struct):
    """A turn with its predictions, ``{"acts": [...]}``; None where there are none."""

    predictions: Any = None


class TrackedDialogue(msgspec.Struct):
    """A dialogue with predictions.

    Attributes:
        turns: as many as released, those of the wizard too.
        id: empty where the dialogue stands under its id as a key instead.
        user_id: as released; None where left out. It tells answers for other folds from unknown
            ones.
    """

    turns: list[AnswerTurn]
    id: str = ""
    user_id: str | None = None


class Unread(TrackedDialogue):
    """A dialogue of which nothing can be read but its id."""


_ANSWERS = msgspec.json.Decoder(list[TrackedDialogue])


def read_answers(path: Path, tally: Tally) -> dict[str, TrackedDialogue]:
    """Reads a file of predictions: a list of dialogues, or an object of dialogues by id.

    Of dialogues of the same id the last one counts, as in the official script.

    Raises:
        SourceError: the file cannot be read.
        TaskError: it has no dialogue.
    """
    answers: dict[str, TrackedDialogue] = {}
    for answer in _list_answers(path, tally):
        if answer.id in answers:
            tally.add("repeated dialogues", answer.id)
        answers[answer.id] = answer
    if all(isinstance(answer, Unread) for answer in answers.values()):
        raise TaskError(f"{path.name} has no dialogue: expected `id` and `turns` in each.", ADVICE)
    return answers


def _list_answers(path: Path, tally: Tally) -> Iterator[TrackedDialogue]:
    data = read_predictions(path)
    try:
        yield from _ANSWERS.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield from _list_odd_answers(path, data, tally)


def _list_odd_answers(path: Path, data: bytes, tally: Tally) -> Iterator[TrackedDialogue]:
    """Gives what can be read of a file that is no plain list, such as one with ``NaN``."""
    try:
        found = decode_json(data)
    except ValueError as error:
        problem = f"{path.name} is not JSON, or was cut off: {error}."
        raise TaskError(problem, "Write the file again; the official script stops, too.") from error
    if not isinstance(found, list | dict):
        kind = type(found).__name__
        raise TaskError(f"{path.name} has no dialogues: expected a list, found {kind}.", ADVICE)
    items = found.items() if isinstance(found, dict) else enumerate(found)
    for key, item in items:
        try:
            answer = msgspec.convert(item, TrackedDialogue)
        except (msgspec.ValidationError, RecursionError) as error:
            tally.add("not dialogues", f"{key}: {error}")
            name = item.get("id", key) if isinstance(item, dict) else key
            if not isinstance(name, str):
                continue
            answer = Unread([], name)
        # Of an object, where dialogues stand under their ids.
        if isinstance(key, str):
            answer.id = key
        yield answer


OFFICIAL = {
    "unreadable records": "Stops; here they are left out.",
    "not dialogues": "Stops: it looks for `id`, `user_id` and `turns` in each. Here the turns of "
    "those with an id count as wrong.",
    "repeated dialogues": "Takes the last of them, as here.",
    "unknown dialogues": "Ignores them, as here.",
    "missing dialogues": "Stops at the first.",
    "missing or extra turns": "Stops: it matches turns by position. Here they count as wrong.",
    "missing last turns of the wizard": "Stops; give it an empty turn there.",
    "turns without predictions": "Stops at the first.",
    "predictions without acts": "Stops: it looks for a list `acts` in each. Here they count as "
    "wrong.",
    "acts unlike the annotated": "Stops: it matches acts and slots by position. Here they count as "
    "wrong.",
    "not a number": "Takes it for the largest of its distribution, with a likelihood of 1e-6, as "
    "here; frames_tracking_corrected takes it for 0.",
    "not probabilities": "Takes them as they are, or stops where a slot follows.",
    "wrong number of probabilities": "Gives frames beyond the list a likelihood of 1e-6.",
    "sums above 1": "Warns and divides by the sum, as here.",
    "other values": "Warns and continues, as here.",
    "infinite log-likelihoods": "Prints `inf` or `nan`; see frames_tracking_corrected.",
}


def read(path: Path, gold: Gold) -> Predictions:
    """Reads predicted frames, turn by turn.

    Raises:
        TaskError: there is no dialogue in the file.
    """
    tally = Tally(OFFICIAL)
    return Predictions(
        found=_pair(read_answers(path, tally), gold, tally),
        tally=tally,
        advice="Check that it has predictions for the dialogues of the split.",
    )


def _pair(answers: Mapping[str, TrackedDialogue], gold: Gold, tally: Tally) -> Iterator[Prediction]:
    known = set()
    for dialogue in load_dialogues(gold, tally):
        known.add(dialogue.id)
        yield from _pair_dialogue(dialogue, answers.get(dialogue.id), tally)
    for dialogue_id, answer in answers.items():
        elsewhere = gold.split is not None and name_split(answer.user_id) not in (None, gold.split)
        if dialogue_id not in known and not elsewhere and not isinstance(answer, Unread):
            tally.add("unknown dialogues", dialogue_id)


def _pair_dialogue(
    dialogue: FramesDialogue, answer: TrackedDialogue | None, tally: Tally
) -> Iterator[Prediction]:
    turns = list(list_user_turns(dialogue))
    if answer is None:
        tally.add("missing dialogues", dialogue.id, skipped=len(turns))
        yield from map(_leave_out, turns)
    elif _fits(dialogue, answer, tally):
        for place in turns:
            yield _pair_turn(place, answer.turns[place.number].predictions, tally)
    else:
        yield from map(_say, turns)


def _fits(dialogue: FramesDialogue, answer: TrackedDialogue, tally: Tally) -> bool:
    """Says whether a predicted dialogue has the turns of the released one."""
    if isinstance(answer, Unread):
        return False
    last = dialogue.turns[-1] if dialogue.turns else None
    if last and last.author != "user" and len(answer.turns) == len(dialogue.turns) - 1:
        # Nothing is predicted there, and who reads user turns only cannot know of it.
        tally.add("missing last turns of the wizard", dialogue.id)
    elif len(answer.turns) != len(dialogue.turns):
        example = f"{dialogue.id}: expected {len(dialogue.turns)}, found {len(answer.turns)}"
        tally.add("missing or extra turns", example)
        return False
    return True


def _pair_turn(place: UserTurn, given: Any, tally: Tally) -> Prediction:
    acts = given.get("acts") if isinstance(given, dict) else None
    if given is None:
        tally.add("turns without predictions", place.instance_id, skipped=1)
        return msgspec.structs.replace(_leave_out(place), is_named=True)
    if not isinstance(acts, list):
        found = ", ".join(map(repr, given)) if isinstance(given, dict) else type(given).__name__
        tally.add("predictions without acts", f"{place.instance_id}: found {found[:80]}")
        return _say(place)
    return _say(place, acts)


def _say(place: UserTurn, acts: list[Any] | None = None) -> Prediction:
    return Prediction(instance=_make_instance(place), value=acts, split=place.split)


def _leave_out(place: UserTurn) -> Prediction:
    """Returns a turn that has no prediction: the official script stops there."""
    return msgspec.structs.replace(_say(place), is_missing=True, is_ignored=True)


def _score_unreadable(instance: Instance) -> Scored:
    """Returns a turn whose prediction cannot be read: all of it is wrong."""
    counts = score_unreadable_turn(_gold_turn(instance.right))
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts=_list_counts(instance.right, counts, counts),
        gold=instance.gold,
    )


def _gold_turn(place: UserTurn) -> GoldTurn:
    return GoldTurn(place.acts, place.turn.labels.active_frame, place.tags)


def _list_counts(place: UserTurn, official: Counts, corrected: Counts) -> dict[str, Counts]:
    return {
        FRAMES_TRACKING.name: official,
        FRAMES_TRACKING_CORRECTED.name: corrected,
        TRACKING_SUBTASKS.name: name_subtasks(place, official),
        TRACKING_FOLDS.name: name_fold(place.split, official),
    }


def score(instance: Instance, acts: list[Any] | None, tally: Tally) -> Scored:
    """Scores the predicted frames of a turn.

    Args:
        instance: the turn.
        acts: the acts with their frames; None where they cannot be read.
        tally: counts its faults.
    """
    if acts is None:
        return _score_unreadable(instance)
    place: UserTurn = instance.right
    gold = _gold_turn(place)
    try:
        official = score_turn(gold, acts)
        corrected = score_turn_corrected(gold, acts)
        shares = _list_shares(acts)
    except (TaskError, IndexError, TypeError, OverflowError) as error:
        # The official script would stop here; the other turns are scored.
        tally.add("acts unlike the annotated", f"{place.instance_id}: {error}")
        return _score_unreadable(instance)
    is_choice = any(act.get(IS_CHOICE) for act in acts)
    if is_choice:
        official, corrected = ({**each, CHOSEN: 1} for each in (official, corrected))
    _inspect_shares(place, shares, tally)
    _inspect_counts(place, official, tally)
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts=_list_counts(place, official, corrected),
        gold=instance.gold,
        predicted=acts,
        answer=FrameProbabilities(_list_given(acts), is_choice),
    )


def _list_shares(acts: Sequence[Mapping[str, Any]]) -> list[list[float]]:
    """Lists the probabilities that acts give, reference by reference."""
    lists = [
        each.frame if isinstance(each.frame, list) else [each.frame]
        for act in acts
        for each in list_references(act, None)
        if each.frame is not None
    ]
    for share in chain.from_iterable(lists):
        if not isinstance(share, int | float):
            raise TaskError(f"Expected a probability, found {type(share).__name__}.")
    return lists


def _list_given(acts: Sequence[Mapping[str, Any]]) -> list[list[float]]:
    """Lists the probabilities of each place: those of an act's slots, then its bare reference."""
    given: list[list[float]] = []
    for act in acts:
        found = list(list_references(act, None))
        given += [_listed(each.frame) for each in found if each.slot != BARE]
        # Of several bare references the script takes the last one.
        bare = [each.frame for each in found if each.slot == BARE and each.frame is not None]
        given.append(_listed(bare[-1] if bare else None))
    return given


def _listed(shares: Any) -> list[float]:
    if shares is None:
        return []
    return [*shares] if isinstance(shares, list) else [shares]


def _inspect_shares(place: UserTurn, lists: Sequence[Sequence[float]], tally: Tally) -> None:
    """Counts odd probabilities of a turn."""
    where = place.instance_id
    if any(share != share for shares in lists for share in shares):  # only nan differs from itself
        tally.add("not a number", where)
    if any(share < 0 or share > 1 for shares in lists for share in shares):
        tally.add("not probabilities", where)
    widths = _allowed_widths(place)
    if any(len(shares) not in widths for shares in lists):
        found = ", ".join(sorted({str(len(shares)) for shares in lists}))
        expected = " or ".join(map(str, widths))
        tally.add("wrong number of probabilities", f"{where}: expected {expected}, found {found}")


def _allowed_widths(place: UserTurn) -> tuple[int, ...]:
    """Returns how many frames may be chosen from: those there were, and a new one."""
    if place.before is None:
        # The first frame is there from the start, and new with the first turn: either is meant.
        return (1, 2)
    return (len(place.before.labels.frames or ()) + 1,)


def _inspect_counts(place: UserTurn, counts: Mapping[str, float], tally: Tally) -> None:
    for kind, name in (("sums above 1", "warned/sums"), ("other values", "warned/values")):
        if counts.get(name):
            tally.add(kind, place.instance_id, count=round(counts[name]))
    if any(not math.isfinite(count) for count in counts.values()):
        tally.add("infinite log-likelihoods", place.instance_id)


def instances(gold: Gold) -> Iterator[Instance]:
    """Gives the user turns, with what is known before their frames are.

    Raises:
        TaskError: there are none.
    """
    for dialogue in load_dialogues(gold, Tally(OFFICIAL)):
        yield from map(_make_instance, list_user_turns(dialogue))


def _make_instance(place: UserTurn) -> Instance:
    return Instance(
        instance_id=place.instance_id,
        dialogue_id=place.dialogue.id,
        event=place.event,
        inputs=_list_inputs(place),
        # The active frame is that of what stands outside a reference.
        gold={"acts": place.acts, "active_frame": place.turn.labels.active_frame},
        right=place,
    )


def _list_inputs(place: UserTurn) -> dict[str, Any]:
    before = place.before
    return {
        "text": place.turn.text,
        "acts": place.acts_without_refs,
        "frames": [] if before is None else decode_frames(before),
        "active_frame": 1 if before is None else before.labels.active_frame,
        "history": list_history(place),
    }


def show_frames(answer: dict[str, Any] | list[Any]) -> list[dict[str, Any]]:
    """Returns acts with the frame of each slot and bare reference.

    An answer is acts as predicted, or an object of those annotated and the active frame.
    """
    if isinstance(answer, dict):
        active = answer["active_frame"]
        return [_show_act(act, active) for act in answer["acts"]]
    return [_show_act(act, None) for act in answer]


def _show_act(act: Mapping[str, Any], active: int | None) -> dict[str, Any]:
    slots: list[tuple[str, str]] = []
    for each in list_references(act, active):
        is_gold, shares = active is not None, _listed(each.frame)
        if each.slot == BARE:
            frames = [each.frame] if is_gold else sorted(choose_bare(shares))
            slots += [("refers to", f"frame {number}") for number in frames]
        else:
            frame = each.frame if is_gold else choose_frame(shares or None)
            value = "" if each.value is None else f"{each.value} in "
            slots.append((each.slot, f"{value}frame {frame}"))
    return {"act": act["name"], "slots": slots}


ALLOWED = {
    "text": "What the user says in the turn.",
    "acts": "The acts of the turn with slots and values, without frames (`acts_without_refs`).",
    "frames": "The frames after the turn before; none at the first turn.",
    "active_frame": "The frame that is active after the turn before; 1 at the first turn.",
    "history": "Author and text of each earlier turn.",
}

TASK = Task(
    name="frames/tracking",
    title="the frame of every slot and reference of the user",
    corpora=("frames",),
    summary=(
        "Predictions are a JSON list of Frames dialogues, or an object of them by id, as the "
        "official script takes them. Each user turn has `predictions.acts`: the acts of "
        "`acts_without_refs` in order, each slot as an annotation of a `ref` whose `frame` "
        "lists the probabilities of the frames from 1 on, the last one being a new frame; a "
        "bare `ref` has the probability of each frame by itself. Splits are the authors' ten "
        "folds. Tables by tag need gold files that were tagged with the official tagger; the tags "
        "of its example script are found without it."
    ),
    allowed=ALLOWED,
    measures=(
        FRAMES_TRACKING,
        FRAMES_TRACKING_CORRECTED,
        TRACKING_FOLDS,
        TRACKING_SUBTASKS,
    ),
    instances=instances,
    read=read,
    score=score,
    show=show_frames,
    main=(
        "frames_tracking:total_accuracy",
        "frames_tracking:total_noanno_accuracy",
        "frames_tracking:total_loglik",
        "frames_tracking_folds:mean:total_accuracy",
        "frames_tracking_folds:fold-10:total_accuracy",
    ),
)
