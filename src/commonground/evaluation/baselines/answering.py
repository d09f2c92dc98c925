"""Which instances a model that learned before answers."""

from __future__ import annotations

import msgspec

from commonground.errors import TaskError
from commonground.evaluation.baselines.protocols import Plan, Round, load_instances, name_gold
from commonground.evaluation.baselines.results import Protocol
from commonground.evaluation.baselines.selecting import (
    cut_dialogues,
    hide_gold,
    hold_out,
    keep_answered,
)
from commonground.method import Baselines
from commonground.store.corpus import Corpus
from commonground.task import Task


def plan_answers(
    task: Task,
    baselines: Baselines,
    corpus: Corpus,
    protocol: Protocol,
    *,
    fold: str | None,
    test: str | None,
) -> Plan:
    """Plans how a model that learned before answers: what it was kept from, or a named split.

    Args:
        task: the task.
        baselines: its baselines.
        corpus: the imported corpus.
        protocol: how the model learned.
        fold: the fold that it was kept from; None where it did not learn from folds.
        test: split to answer; None for what it was kept from.

    Raises:
        TaskError: there is nothing to answer, or the model learned from the named fold.
        UsageError: a split is not there.
    """
    split = test or fold or protocol.test
    if fold is not None and split != fold and split in corpus.splits():
        raise TaskError(
            f"This model was kept from {fold} only, so it learned from {split}.",
            f"Leave out --test, or name the model that was kept from {split}.",
        )
    found = load_instances(task, baselines, corpus, split, is_named=True).get(protocol.part, [])
    protocol = _describe(protocol, split)
    if protocol.kind == "derived_holdout":
        held_out = hold_out(keep_answered(found))
        found = [each for each in found if each.dialogue_id in held_out]
    tested = hide_gold(cut_dialogues(keep_answered(found), protocol.limit))
    if not tested:
        where = "all splits" if split is None else f"split {split!r}"
        raise TaskError(
            f"Nothing of {where} is left to answer for this model.", "Name a split with --test."
        )
    return Plan(protocol, [Round(fold, [], tested)], name_gold(protocol, corpus, tested))


def _describe(protocol: Protocol, split: str | None) -> Protocol:
    """Says how a split is answered; one that no hold-out was cut from is answered whole."""
    is_elsewhere = protocol.train is not None and split != protocol.train
    if protocol.kind == "derived_holdout" and is_elsewhere:
        return msgspec.structs.replace(protocol, kind="splits", test=split)
    return msgspec.structs.replace(protocol, test=split)
