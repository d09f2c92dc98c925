"""Which splits predictions are of, and how much of them they cover.

Predictions are scored on the splits that they name, be what they say readable or not. Of a split
that nobody asked for, what is not predicted is left out of the numbers; where a split is asked for,
it is scored whole, and what is missing counts as its task says.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec

from commonground.bench.evaluation.instances import narrow_gold
from commonground.errors import UsageError, unknown_name
from commonground.task import Gold, Scored, Scoring, Task


class Coverage(msgspec.Struct, frozen=True, kw_only=True):
    """How much of a split was predicted.

    Attributes:
        split: its name; None where the right answers name none.
        predicted: instances that have a prediction.
        of: instances there are.
    """

    split: str | None
    predicted: int
    of: int

    @property
    def missing(self) -> int:
        """How many instances of the split have no prediction."""
        return self.of - self.predicted


class Covered(msgspec.Struct):
    """A scoring, and what it is of.

    Attributes:
        scoring: the scored instances.
        gold: what they were scored against, narrowed to the splits that are named.
        coverage: how much of each split was predicted.
        is_inferred: whether the splits are those that the predictions name.
    """

    scoring: Scoring
    gold: Gold
    coverage: list[Coverage]
    is_inferred: bool


def score_covered(
    task: Task,
    predictions: Path,
    gold: Gold,
    *,
    mode: str | None = None,
) -> Covered:
    """Scores predictions on the splits that are asked for, or else on those that they name.

    Args:
        task: the task.
        predictions: the file.
        gold: where the right answers come from; unless it names a split, dialogues or all, the
            predictions tell.
        mode: one of the task's modes; None for the usual way.

    Raises:
        UsageError: the task has no such mode.
        TaskError: nothing in the file can be scored.
        SourceError: a file cannot be read.
    """
    _check_mode(task, mode)

    def score(source: Gold) -> Scoring:
        narrowed = narrow_gold(source)
        scoring = task.score_file(predictions, narrowed, mode=mode)
        # Released files, and lines that stand for no dialogue of the store, are only narrowed here.
        scoring.instances = [each for each in scoring.instances if narrowed.keeps(each.dialogue_id)]
        return scoring

    # Against all there is at first: only what comes of it tells which splits were predicted.
    scoring, find_split = score(gold), _split_finder(gold)
    is_inferred = gold.split is None and gold.dialogues is None and not gold.is_whole
    if is_inferred:
        scoring, gold = _infer(scoring, gold, find_split, score)
    coverage = _measure(scoring, find_split)
    if is_inferred and any(each.missing for each in coverage):
        scoring.instances = [_leave_out(each, task) for each in scoring.instances]
    return Covered(scoring, gold, coverage, is_inferred)


def _check_mode(task: Task, mode: str | None) -> None:
    """Refuses a mode that a task does not have."""
    if mode is None or mode in task.modes:
        return
    if not task.modes:
        raise UsageError(f"{task.name} has no mode {mode!r}.", "It has none; leave out --mode.")
    raise unknown_name("mode", mode, task.modes, f"of {task.name}")


def _split_finder(gold: Gold) -> Callable[[Scored], str | None]:
    """Returns what gives the split of an instance: as its task says, else as the store does.

    Of splits that are not the released ones, the store alone knows.
    """
    if gold.files or gold.corpus is None:
        return lambda scored: scored.split or gold.split
    query = "SELECT dialogue_id, split FROM dialogues WHERE corpus = ?"
    found = dict(gold.corpus.rows(query, [gold.corpus.name]))
    if gold.corpus.manifest.own_splits is not None:
        return lambda scored: found.get(scored.dialogue_id) or gold.split
    return lambda scored: scored.split or found.get(scored.dialogue_id) or gold.split


def _infer(
    scoring: Scoring,
    gold: Gold,
    find_split: Callable[[Scored], str | None],
    score: Callable[[Gold], Scoring],
) -> tuple[Scoring, Gold]:
    """Keeps to the splits of which the file names anything; scores anew where there are others."""
    splits = {find_split(each) for each in scoring.instances}
    named = {find_split(each) for each in scoring.instances if each.is_named or not each.is_missing}
    if not named or splits == named:
        return scoring, gold
    only = next(iter(named))
    # One split by its name, since tasks choose among released files by it; several by dialogues.
    if len(named) == 1 and only is not None:
        gold = msgspec.structs.replace(gold, split=only)
    else:
        kept = (each for each in scoring.instances if find_split(each) in named)
        gold = msgspec.structs.replace(gold, dialogues=frozenset(each.dialogue_id for each in kept))
    return score(gold), gold


def _measure(scoring: Scoring, find_split: Callable[[Scored], str | None]) -> list[Coverage]:
    of: Counter[str | None] = Counter()
    predicted: Counter[str | None] = Counter()
    for each in scoring.instances:
        if not each.is_repeated:
            split = find_split(each)
            of[split] += 1
            predicted[split] += not each.is_missing  # a truth value is 0 or 1
    return [Coverage(split=name, predicted=predicted[name], of=of[name]) for name in of]


def _leave_out(scored: Scored, task: Task) -> Scored:
    """Takes an instance without prediction out of the measures that are not about such."""
    if not scored.is_missing:
        return scored
    kept = {measure.name for measure in task.measures if measure.counts_missing}
    counts = {name: counts for name, counts in scored.counts.items() if name in kept}
    return msgspec.structs.replace(scored, counts=counts)
