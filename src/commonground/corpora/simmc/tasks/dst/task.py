"""Task ``simmc/dst``: the belief state after each of the user's turns (sub-task 3)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import replace

from commonground.bench.metrics import simmc_dst
from commonground.bench.metrics.simmc_dst import SIMMC_DST, SIMMC_DST_ALL_FRAMES
from commonground.corpora.simmc.tasks.answers import MODES, SINGLE_ROUND, make_instance
from commonground.corpora.simmc.tasks.beliefs import (
    BELIEF_STARTS,
    BeliefTurn,
    Frames,
    is_other_context,
    read_by_line,
    read_json_turns,
    read_line_turns,
    split_lines,
)
from commonground.corpora.simmc.tasks.inputs import ALLOWED, TurnView, list_instances, name_instance
from commonground.corpora.simmc.tasks.released import Released, read_released
from commonground.corpora.simmc.tasks.target_lines import (
    group_turns,
    is_numbered,
    number_dialogues,
)
from commonground.errors import TaskError
from commonground.files.predictions import decode_json, read_predictions, require_share
from commonground.statistics.counts import sum_counts
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

_PROBLEMS = {
    "unreadable records": "stops; here they are left out",
    "missing turns": f"stops with an IndexError; here {MISSING} they count as empty",
    "extra turns": "ignores what comes after the last right answer",
    "unparsed turns": "counts such lines as empty; a JSON turn without a list stops it",
    "lines without an act": "finds no act between both marks and counts them as empty, as here",
    "malformed acts or slots": "stops with a ValueError or TypeError; here they are ignored",
    "empty lines": "counts them as empty, so that every later turn keeps its place",
    "other contexts": "does not look at contexts and compares by position",
    "other order": "compares dialogues by position; simmc_dst_all_frames goes by dialogue_idx",
    "unknown dialogues": "does not look at dialogue_idx and compares by position",
    "repeated dialogues": "does not look at dialogue_idx and compares by position",
    "divisions by zero": "stops with a ZeroDivisionError and prints no number, also where its "
    "standard error divides by a recall of 0",
    "extra frames": "ignores them, also in precision; simmc_dst_all_frames counts them as wrong",
}


class _Answers(msgspec.Struct):
    """Predicted turns in the order of the file, and whether it is JSON."""

    turns: list[BeliefTurn]
    is_json: bool


class _Right(msgspec.Struct):
    """Right answers, of one released file or of several of one domain.

    Attributes:
        domain: ``fashion`` or ``furniture``; None where the file does not say.
        turns: the turns in order.
        splits: split of each dialogue, as the name of its file says it.
    """

    domain: str | None
    format: str
    turns: list[BeliefTurn]
    splits: dict[str, str | None]


class Belief(msgspec.Struct, frozen=True):
    """A predicted belief state; None where there is none.

    Attributes:
        by_place: the one that stands in the turn's place, which the official script compares.
        by_name: the one that names the turn's dialogue, which the corrected measure compares.
    """

    by_place: Frames | None
    by_name: Frames | None


def read(predictions: Path, gold: Gold, *, mode: str | None = None) -> Predictions:
    """Reads lines or a JSON file; gold may be either, too.

    Raises:
        TaskError: the file holds no belief state.
        SourceError: a file cannot be read.
    """
    data = read_predictions(predictions)
    tally = Tally(_PROBLEMS)
    sources = read_released(gold, ("targets", "dials", "api_calls"), faults=tally)
    raw = _read_predictions(predictions, data)
    right, answers = _choose(raw, sources, gold)
    placed, matched = _pair(right.turns, answers, tally)
    pairs = [
        _make_prediction(right, turn, by_place, by_name)
        for turn, by_place, by_name in zip(right.turns, placed, matched, strict=True)
        if mode != SINGLE_ROUND or turn.is_last
    ]
    return Predictions(found=pairs, tally=tally, check=partial(_note_divisions, tally))


def _make_prediction(
    right: _Right, turn: BeliefTurn, placed: BeliefTurn | None, matched: BeliefTurn | None
) -> Prediction:
    dialogue = _name_dialogue(right.domain, turn)
    is_missing = placed is None and matched is None
    return Prediction(
        instance=make_instance(name_instance(dialogue, turn.turn), dialogue, turn.frames or ()),
        value=None if is_missing else Belief(_list_frames(placed), _list_frames(matched)),
        split=right.splits[turn.dialogue],
        is_missing=is_missing,
    )


def _list_frames(turn: BeliefTurn | None) -> Frames | None:
    return None if turn is None else turn.frames or ()


def _note_divisions(tally: Tally, scored: Sequence[Scored]) -> None:
    """Counts the numbers of the official script for which it divides by zero."""
    sums = sum_counts(each.counts[SIMMC_DST.name] for each in scored)
    for place in simmc_dst.find_zero_divisions(sums):
        tally.add("divisions by zero", place)


def _read_predictions(path: Path, data: bytes) -> Released:
    try:
        value = decode_json(data)
    except ValueError:
        # The official scripts read either: lines of text, or the JSON of a released file.
        return Released(str(path), "targets", None, _read_lines(path, data))
    dialogues = value.get("dialogue_data") if isinstance(value, dict) else None
    if not isinstance(dialogues, list) or not all(
        isinstance(each, dict) and isinstance(each.get("dialogue"), list) for each in dialogues
    ):
        raise TaskError(
            f"{path} is JSON, but has no `dialogue_data` with a list `dialogue` in each entry.",
            "It may be the file of another task.",
        )
    return Released(str(path), "dials", None, dialogues)


def _read_lines(path: Path, data: bytes) -> list[str]:
    lines = split_lines(data.decode("utf-8", "replace"))
    if not any(BELIEF_STARTS in line for line in lines):
        raise TaskError(
            f"None of the {len(lines):,} lines of {path} holds {BELIEF_STARTS!r}.",
            "Expected one turn a line, or a whole JSON file; it may be cut off, or another task's. "
            "The official script takes such lines as empty and stops with a ZeroDivisionError.",
        )
    written = [line for line in lines if line.strip()]
    held = sum(BELIEF_STARTS in line for line in written)
    advice = "Expected one turn a line, or a whole JSON file."
    require_share(path, held, len(written), repr(BELIEF_STARTS), advice)
    return lines


def _choose(raw: Released, sources: Sequence[Released], gold: Gold) -> tuple[_Right, _Answers]:
    """Finds the released file that the predictions are for: the one with most in common."""
    # Of equal fit the first file stands.
    best: tuple[tuple[int, int, bool], _Right, _Answers] | None = None
    # The predictions as read by line and as read from JSON, each read once for all files.
    given: dict[bool, list[BeliefTurn]] = {}
    for group in _group_files(sources, gold):
        # Lines lose some of what JSON holds, such as spaces in names; both sides are read as the
        # poorer one.
        by_line = "targets" in (raw.format, group[0].format)
        if by_line not in given:
            given[by_line] = _read_turns(raw, by_line)
        turns, right = given[by_line], _join(group, sources, by_line, gold.dialogues)
        if not any(each.frames for each in right.turns):
            continue
        fit = (
            _count_common(right.turns, turns),
            # Of files with as many in common the one that is nearest in length.
            -abs(len(right.turns) - len(turns)),
            raw.format == right.format,
        )
        if best is None or fit > best[0]:
            best = fit, right, _Answers(turns, raw.format == "dials")
    if best is None:
        raise TaskError(
            "No belief state is annotated in the right answers.",
            "The public form of the files has none; name target lines or the full dialogues.",
        )
    return best[1:]


def _group_files(sources: Sequence[Released], gold: Gold) -> list[list[Released]]:
    """Groups files that right answers are taken from together: each by itself, or by domain.

    Dialogues that are chosen by their ids, as those of a split of one's own, may stand in the files
    of several released splits.
    """
    held = [each for each in sources if each.format != "api_calls"]
    if gold.dialogues is None or gold.split is not None:
        return [[each] for each in held]
    groups: dict[tuple[str, str | None], list[Released]] = {}
    for each in held:
        groups.setdefault((each.format, each.domain), []).append(each)
    return list(groups.values())


def _join(
    files: Sequence[Released],
    sources: Sequence[Released],
    by_line: bool,
    kept: frozenset[str] | None,
) -> _Right:
    right = _Right(files[0].domain, files[0].format, [], {})
    for file in files:
        turns = _read_right(file, sources, by_line, kept)
        # What two files have, such as target lines with calls and without, counts once.
        new = [each for each in turns if each.dialogue not in right.splits]
        right.turns += new
        right.splits.update((each.dialogue, file.split) for each in new)
    if len(files) > 1:
        right.turns.sort(key=_make_order(right.domain, sources))
    return right


def _make_order(domain: str | None, sources: Sequence[Released]) -> Callable[[BeliefTurn], int]:
    """Puts dialogues in the order of the instances: released ones, then those of lines alone."""
    records = (
        record
        for each in sources
        if each.format == "dials" and each.domain == domain
        for record in each.records
    )
    places = {str(each.get("dialogue_idx")): place for place, each in enumerate(records)}
    return lambda turn: places.get(turn.dialogue, len(places))


def _read_right(
    source: Released, sources: Sequence[Released], by_line: bool, kept: frozenset[str] | None
) -> list[BeliefTurn]:
    """Reads right answers of the dialogues to keep; lines get numbers where other files tell."""
    turns = _read_turns(source, by_line)
    names = number_dialogues(turns, source, sources)
    if names:
        turns = [replace(turn, dialogue=names[turn.dialogue]) for turn in turns]
    if kept is None:
        return turns
    return [turn for turn in turns if _name_dialogue(source.domain, turn) in kept]


def _name_dialogue(domain: str | None, turn: BeliefTurn) -> str:
    return f"{domain or 'simmc'}-{turn.dialogue}"


def _read_turns(source: Released, by_line: bool) -> list[BeliefTurn]:
    if source.format == "targets":
        return read_line_turns(source.records)
    return read_json_turns(source.records, by_line=by_line)


def _count_common(right: Sequence[BeliefTurn], turns: Sequence[BeliefTurn]) -> int:
    if not turns or right[0].context is None or turns[0].context is None:
        names = {each.dialogue for each in right} & {each.dialogue for each in turns}
        # Other names were made up by position, so that any two files would share them.
        return sum(map(is_numbered, names))
    return len({each.context for each in right} & {each.context for each in turns})


def _pair(
    right: Sequence[BeliefTurn], answers: _Answers, tally: Tally
) -> tuple[list[BeliefTurn | None], list[BeliefTurn | None]]:
    """Pairs right answers with predictions by position, as the script, and by dialogue."""
    if answers.is_json:
        # The first dialogue goes with the first and so on, and their turns likewise.
        groups = group_turns(answers.turns)
        placed: list[BeliefTurn | None] = []
        for place, group in enumerate(group_turns(right)):
            given = groups[place] if place < len(groups) else []
            pairs = zip_longest(group, given[: len(group)])
            placed += [answer for _turn, answer in pairs]
    else:
        # As the script does with lines: the first answers the first, whatever they speak of.
        placed = [*answers.turns[: len(right)]]
    placed += [None] * (len(right) - len(placed))
    matched = _match_dialogues(right, answers, placed, tally)
    _note_turns(right, answers.turns, tally)
    lost = [turn for turn, each in zip(right, placed, strict=True) if each is None]
    if lost:
        tally.add("missing turns", _tell(lost[0]), count=len(lost))
    used = sum(each is not None for each in placed)
    if len(answers.turns) > used:
        tally.add("extra turns", _tell(answers.turns[-1]), count=len(answers.turns) - used)
    return placed, matched


def _match_dialogues(
    right: Sequence[BeliefTurn],
    answers: _Answers,
    placed: list[BeliefTurn | None],
    tally: Tally,
) -> list[BeliefTurn | None]:
    known = {each.dialogue for each in right}
    named = [each for each in answers.turns if each.turn == 0]
    # Lines have no numbers of dialogues, so there is nothing to match them by but their place.
    if not answers.is_json or not all(map(is_numbered, known | {each.dialogue for each in named})):
        return placed
    seen: set[str] = set()
    for turn in named:
        if turn.dialogue not in known:
            tally.add("unknown dialogues", f"dialogue_idx {turn.dialogue}")
        if turn.dialogue in seen:
            tally.add("repeated dialogues", f"dialogue_idx {turn.dialogue}")
        seen.add(turn.dialogue)
    for turn, answer in zip(right, placed, strict=True):
        if answer is not None and answer.dialogue != turn.dialogue and turn.turn == 0:
            tally.add("other order", f"dialogue {answer.dialogue} stands for {turn.dialogue}")
    # Backwards, so that of a turn that is there twice the first one stands.
    found = {(each.dialogue, each.turn): each for each in reversed(answers.turns)}
    return [found.get((turn.dialogue, turn.turn)) for turn in right]


def _note_turns(right: Sequence[BeliefTurn], turns: Sequence[BeliefTurn], tally: Tally) -> None:
    for number, (turn, answer) in enumerate(zip(right, turns, strict=False), 1):
        place = _tell(answer) if answer.context is None else f"line {number}"
        if answer.frames is None:
            tally.add("empty lines" if answer.context == "" else "unparsed turns", place)
        elif turn.frames and not answer.frames and answer.context is not None:
            tally.add("lines without an act", place)
        tally.add("malformed acts or slots", place, count=answer.odd)
        if is_other_context(turn, answer):
            tally.add("other contexts", place)


def score(instance: Instance, belief: Belief | None, tally: Tally) -> Scored:
    """Scores a predicted belief state; None, where it cannot be read, counts as empty."""
    gold: Frames = instance.right
    predicted = (belief and belief.by_place) or ()
    other = (belief and belief.by_name) or ()
    counts = simmc_dst.score_turn(gold, predicted)
    # Mostly the very same answer, which need not be scored twice.
    corrected = counts if other is predicted else simmc_dst.score_turn(gold, other)
    if len(predicted) > len(gold):
        extra = len(predicted) - len(gold)
        tally.add("extra frames", instance.instance_id, count=extra)
    is_said = belief is not None and belief.by_place is not None
    return Scored(
        instance_id=instance.instance_id,
        dialogue_id=instance.dialogue_id,
        counts={SIMMC_DST.name: counts, SIMMC_DST_ALL_FRAMES.name: corrected},
        gold=gold,
        predicted=predicted,
        answer=predicted if is_said else None,
    )


def _tell(turn: BeliefTurn) -> str:
    return f"dialogue {turn.dialogue}, turn {turn.turn}"


def _read_turn(turn: TurnView) -> tuple[list[Any] | Frames | None, Frames | None]:
    state = turn.fields.get("belief_state") or None
    # Target lines have given frames already.
    return state, read_by_line(state) if isinstance(state, list) else state


TASK = Task(
    name="simmc/dst",
    title="belief state after each user turn",
    corpora=("simmc",),
    summary="One line per turn in the order of the target lines: `context => Belief State : ACT "
    "[ slot = value ] <EOB> ...`; or JSON as `*_dials.json`, with `belief_state` in each turn.",
    allowed={**ALLOWED, "context": "The two latest turns, as in a target line."},
    measures=(SIMMC_DST, SIMMC_DST_ALL_FRAMES),
    instances=partial(list_instances, "utterance", "user", _read_turn, context=True),
    read=read,
    score=score,
    modes=MODES,
    main=(
        "simmc_dst:joint_accuracy",
        "simmc_dst:act_f1",
        "simmc_dst:slot_f1",
    ),
)
