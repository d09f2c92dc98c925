"""Which instances a baseline learns from, and which it answers."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import msgspec

from commonground.bench.evaluation.baselines.results import Protocol, Size
from commonground.bench.evaluation.baselines.selecting import (
    Instances,
    allow_inputs,
    cut_dialogues,
    hide_gold,
    hold_out,
    keep_answered,
    keep_learnable,
    measure_size,
)
from commonground.bench.evaluation.instances import list_instances
from commonground.bench.evaluation.overlaps import are_folds
from commonground.corpora import get_corpus
from commonground.errors import CommongroundError, TaskError, UsageError, unknown_name
from commonground.method import Baselines
from commonground.store.corpus import Corpus
from commonground.store.shared import Overlap, count_overlaps
from commonground.task import Gold, Instance, Task

Load = Callable[[str | None], dict[str | None, Instances]]
"""Gives the instances of a split by part; None means all splits."""


class TrainingRound(msgspec.Struct):
    """One model's share of the work.

    Attributes:
        name: the fold that it answers; None where there is one round only.
        train: instances to learn from, those with a right answer.
        test: instances to answer, right answers removed.
    """

    name: str | None
    train: Instances
    test: Instances


class Plan(msgspec.Struct):
    """All rounds, one per trained model, and the gold source that answers are scored against."""

    protocol: Protocol
    rounds: list[TrainingRound]
    gold: Gold

    def learned_from(self) -> Size:
        """Returns how much is learned from, all rounds together."""
        return measure_size(each for one in self.rounds for each in one.train)

    def answered(self) -> Size:
        """Returns how much is answered."""
        return measure_size(each for one in self.rounds for each in one.test)


def make_plans(
    task: Task,
    baselines: Baselines,
    corpus: Corpus,
    *,
    train: str | None = None,
    test: str | None = None,
    part: str | None = None,
    limit: int | None = None,
) -> list[Plan]:
    """Plans how the baselines of a task learn and are tested, part by part of the corpus.

    Splits that are named are taken; else those that the baselines name, where both are there
    (another released split is learned from where only the one to learn from is lacking); else
    folds, where every split is one; else a derived hold-out.

    Args:
        part: part of the corpus; None for each.
        limit: number of dialogues to cut both to; None for no limit.

    Raises:
        TaskError: there is nothing to learn from or to answer.
        UsageError: a split or part that was named is not there.
    """
    wanted = _name_splits(baselines, corpus, train, test)
    loaded: dict[str | None, dict[str | None, Instances]] = {}

    # Loaded once each: planning tries several splits for each part of the corpus.
    def load(split: str | None) -> dict[str | None, Instances]:
        if split not in loaded:
            loaded[split] = load_instances(
                task, baselines, corpus, split, is_named=split in (train, test)
            )
        return loaded[split]

    parts = _list_parts(load, wanted)
    if part is not None:
        if part not in parts:
            raise unknown_name("part", part, filter(None, parts))
        parts = [part]
    if train or test:
        # A part that lacks a named split, as it may be released without, does not stop the others.
        splits = [load(split) for split in wanted if split is not None]
        parts = [each for each in parts if all(found.get(each) for found in splits)] or parts
    plans = [_plan_part(each, load, corpus, wanted, bool(train or test)) for each in parts]
    return [_finish(plan, corpus, limit) for plan in plans]


def _name_splits(
    baselines: Baselines, corpus: Corpus, train: str | None, test: str | None
) -> tuple[str | None, str | None]:
    wanted = train or baselines.train_split, test or baselines.test_split
    if wanted[0] is not None and wanted[0] == wanted[1]:
        raise UsageError(
            f"Split {wanted[0]!r} cannot be used both for training and for testing.",
            "Name two splits.",
        )
    if (train or test) and None in wanted and not (test and _are_folds(corpus)):
        raise UsageError(
            f"The baselines of {baselines.task} name no usual splits.",
            "Name both --train and --test, or, of folds, --test alone.",
        )
    return wanted


def load_instances(
    task: Task, baselines: Baselines, corpus: Corpus, split: str | None, *, is_named: bool
) -> dict[str | None, Instances]:
    """Loads instances with their allowed inputs, by part.

    Empty where the corpus has no such split, unless the user named it or no split is meant.

    Args:
        baselines: its baselines, which say what the parts are.
        split: split to load; None for all.

    Raises:
        UsageError: there is no split of the name that the user gave.
        TaskError: there is nothing to take instances from.
    """
    groups: dict[str | None, Instances] = {}
    try:
        for each in list_instances(task, Gold(corpus=corpus, split=split)):
            part = baselines.part(each) if baselines.part else None
            groups.setdefault(part, []).append(allow_inputs(task, each))
    # A split that nobody named is one of several that a protocol tries: a corpus may lack it.
    except CommongroundError:
        if split is None or is_named:
            raise
        return {}
    return {part: group for part, group in groups.items() if keep_learnable(group)}


def _list_parts(load: Load, wanted: tuple[str | None, str | None]) -> list[str | None]:
    found = {part for split in wanted if split is not None for part in load(split)}
    parts = found or set(load(None))
    if not parts:
        raise TaskError(
            "No instance has a right answer to train on or to score against.",
            "Import files with annotations.",
        )
    return sorted(parts, key=lambda part: part or "")


def _plan_part(
    part: str | None,
    load: Load,
    corpus: Corpus,
    wanted: tuple[str | None, str | None],
    is_named: bool,
) -> Plan:
    def get(split: str | None) -> Instances:
        return load(split).get(part, [])

    train, test = wanted
    tested = get(test) if test is not None else []
    # Another released split to learn from will do, but only where the user named none.
    # Of the corpus's other splits, "" stands for dialogues in none.
    if tested and train is not None:
        others = [] if is_named else [each for each in corpus.splits() if each not in ("", *wanted)]
        for split in (train, *others):
            if get(split):
                protocol = Protocol(kind="splits", train=split, test=test, part=part)
                # The gold is filled in by `_finish`, once it is known what is left to be tested.
                return Plan(protocol, [TrainingRound(None, get(split), tested)], Gold())
    if tested and _are_folds(corpus):
        return _plan_folds(part, get, corpus, only=test)
    # From here on splits are not as asked for, so none of these is tried against the user's word.
    if is_named:
        raise TaskError(
            f"Of splits {train!r} and {test!r}, one has no right answers here.",
            f"The store has: {', '.join(name or '(no split)' for name in corpus.splits())}.",
        )
    if _are_folds(corpus):
        return _plan_folds(part, get, corpus)
    return _plan_holdout(part, get, test, train)


def _are_folds(corpus: Corpus) -> bool:
    return are_folds(list(filter(None, corpus.splits())))


def _plan_folds(
    part: str | None,
    get: Callable[[str | None], Instances],
    corpus: Corpus,
    only: str | None = None,
) -> Plan:
    """Plans a round for each fold, or for one of them only."""
    # Numbered folds in order of their numbers, so that fold-10 does not come second.
    names = sorted(filter(None, corpus.splits()), key=lambda name: (len(name), name))
    groups = {name: found for name in names if (found := get(name))}
    rounds = [
        TrainingRound(
            name, [each for other in groups if other != name for each in groups[other]], test
        )
        for name, test in groups.items()
        if only in (None, name)
    ]
    return Plan(Protocol(kind="folds", test=only, part=part), rounds, Gold())


def _plan_holdout(
    part: str | None,
    get: Callable[[str | None], Instances],
    test: str | None,
    train: str | None,
) -> Plan:
    """Cuts a hold-out from the split to be tested, else the one to learn from, else from all."""
    there = [split for split in (test, train) if split is not None and get(split)]
    origin = there[0] if there else None
    found = get(origin)
    held_out = hold_out(keep_answered(found))
    tested = [each for each in found if each.dialogue_id in held_out]
    learned = [each for each in found if each.dialogue_id not in held_out]
    protocol = Protocol(kind="derived_holdout", train=origin, test=origin, part=part)
    return Plan(protocol, [TrainingRound(None, learned, tested)], Gold())


def _finish(plan: Plan, corpus: Corpus, limit: int | None) -> Plan:
    """Cuts a plan to the limit, hides right answers, and narrows the gold source to the rest."""
    rounds = [
        TrainingRound(
            one.name,
            # To learn from, instances with gold alone are of use. What is answered are whole
            # dialogues: official scripts want every turn of one, and methods may look back at turns
            # before.
            keep_learnable(cut_dialogues(one.train, limit)),
            hide_gold(cut_dialogues(keep_answered(one.test), limit)),
        )
        for one in plan.rounds
    ]
    for one in rounds:
        if not (one.train and one.test):
            raise TaskError(
                "There are too few dialogues with right answers: "
                f"{measure_size(one.train).dialogues:,} to learn from and "
                f"{measure_size(one.test).dialogues:,} to test on ({plan.protocol.describe()}).",
                "Import more, or name two splits that have them with --train and --test.",
            )
    protocol = msgspec.structs.replace(plan.protocol, limit=limit)
    gold = name_gold(protocol, corpus, (each for one in rounds for each in one.test))
    return Plan(protocol, rounds, gold)


def find_plan_overlap(plan: Plan) -> list[Overlap]:
    """Counts how much of what the answered dialogues show also occurs in those learned from.

    Nothing is counted where the store does not know all of these dialogues.
    """
    corpus, protocol = plan.gold.corpus.whole, plan.protocol
    sides = [
        ({each.dialogue_id for each in one.train}, {each.dialogue_id for each in one.test})
        for one in plan.rounds
    ]
    # Target lines of SIMMC that no other file has are dialogues without an id of the store.
    known = frozenset(corpus.ids())
    if not all(learned | tested <= known for learned, tested in sides):
        return []
    test, train = protocol.test or "the hold-out", protocol.train or "the rest"
    if protocol.kind == "folds":
        test, train = protocol.test or "each fold", "the other folds"
    elif protocol.kind == "derived_holdout":
        test, train = "the hold-out", "the rest"
    about = get_corpus(corpus.name).manifest
    return count_overlaps(corpus.database, about, sides, train=train, test=test)


def name_gold(protocol: Protocol, corpus: Corpus, tested: Iterable[Instance]) -> Gold:
    """Returns the gold source of tested instances, narrowed unless they are a whole split."""
    whole = protocol.kind == "splits" and protocol.part is None and protocol.limit is None
    dialogues = None if whole else frozenset(each.dialogue_id for each in tested)
    return Gold(corpus=corpus, split=protocol.test, dialogues=dialogues)
