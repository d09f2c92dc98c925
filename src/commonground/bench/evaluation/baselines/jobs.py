"""From what a user asks for to baselines that are ready to run."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

import msgspec

from commonground.bench.encoders.encoder import Encoder, load_encoder
from commonground.bench.encoders.pictures import load_pictures
from commonground.bench.evaluation.baselines.methods import (
    choose_methods,
    explain_extra,
    get_baselines,
)
from commonground.bench.evaluation.baselines.models import SavedModel, open_model
from commonground.bench.evaluation.baselines.protocols import (
    Plan,
    TrainingRound,
    load_instances,
    make_plans,
    name_gold,
)
from commonground.bench.evaluation.baselines.results import Protocol
from commonground.bench.evaluation.baselines.run import Job
from commonground.bench.evaluation.baselines.selecting import (
    cut_dialogues,
    hide_gold,
    hold_out,
    keep_answered,
)
from commonground.bench.evaluation.scoring import describe_store
from commonground.bench.evaluation.tasks import get_task, require_corpus
from commonground.errors import SourceError, TaskError, UsageError
from commonground.method import Baseline, Baselines
from commonground.store.corpus import Corpus
from commonground.store.opening import load
from commonground.task import Gold, Task

USUAL_ENCODER = "minilm"
"""Sentence encoder where none is named."""

USUAL_VECTORS = "efficientnet-lite0"
"""What gives the vectors of pictures where nothing is named."""


def plan_baselines(
    task: str,
    *methods: str,
    corpus: str | Corpus | None = None,
    part: str | None = None,
    train: str | None = None,
    test: str | None = None,
    seed: int = 1,
    limit: int | None = None,
    model: str | Path | SavedModel | None = None,
    out: str | Path | None = None,
    encoder: str | Path | None = None,
    vectors: str | Path | None = None,
    store: str | Path | None = None,
) -> list[Job]:
    """Lists the baselines of a task, part by part of the corpus, simplest first; runs none of them.

    Args:
        methods: names of the methods; none for all, with those that need a sentence encoder or
            vectors of pictures only where one is named.
        corpus: imported corpus, where a task has several, by name or open; None for its first, or
            for that which a saved model learned from.
        part: part of it, such as SIMMC's ``fashion``; None for each by itself.
        train: split to learn from; None for the released one.
        test: split to answer; None for the released one.
        limit: number of dialogues to cut both splits to; None for no limit.
        model: file of a saved model to answer with, or one that is open; None to learn.
        out: folder for models, predictions and results, made where it is not there; None to keep
            none.
        encoder: sentence encoder for the methods that need one, by name or folder; None for the
            usual one, or that of a saved model.
        vectors: vectors of pictures for the methods that look at them, by name or file; None for
            the usual ones, or those of a saved model.
        store: folder of the store; None for the usual one.

    Raises:
        UsageError: a name is unknown, or a saved model is asked to learn.
        TaskError: there is nothing to learn from or to answer, or the model is of another task, it
            learned from the split that is named, from other splits of the corpus or with another
            encoder.
        SourceError: the folder cannot be made.
    """
    found = get_task(task)
    if model is not None:
        if methods or part or train or limit:
            raise UsageError(
                "A saved model is already trained.",
                "Leave out the methods, the part, the split to train on and the limit.",
            )
        saved = model if isinstance(model, SavedModel) else open_model(Path(model))
        imported = _open_corpus(corpus, saved.header.corpus, store)
        return [_plan_model(found, imported, saved, test, out, encoder, vectors)]
    imported = _open_corpus(corpus, found.corpora[0], store)
    baselines = get_baselines(task)
    require_corpus(found, imported)
    chosen = choose_methods(
        baselines, methods, encodes=encoder is not None, sees=vectors is not None
    )
    encoders = _open_encoders(chosen, encoder, vectors, imported)
    with explain_extra():
        plans = make_plans(
            found, baselines, imported, train=train, test=test, part=part, limit=limit
        )
    folder = _make_folder(out)
    return [
        Job(
            task=found,
            baselines=baselines,
            method=method,
            plan=plan,
            seed=seed,
            out=folder,
            encoder=encoders.get(method.name),
        )
        for plan in plans
        for method in chosen
    ]


def _open_corpus(corpus: str | Corpus | None, usual: str, store: str | Path | None) -> Corpus:
    return corpus if isinstance(corpus, Corpus) else load(corpus or usual, store)


def _plan_model(
    task: Task,
    corpus: Corpus,
    saved: SavedModel,
    test: str | None,
    out: str | Path | None,
    encoder: str | Path | None,
    vectors: str | Path | None,
) -> Job:
    header = saved.header
    if header.task != task.name:
        problem = f"{saved.path} is a model for {header.task}, not for {task.name}."
        command = f"commonground baseline {header.task} --model {shlex.quote(str(saved.path))}"
        raise TaskError(problem, f"Use it so: {command}")
    baselines = get_baselines(task.name)
    require_corpus(task, corpus)
    _refuse_other_splits(saved, corpus)
    # One name gives exactly one method; a model of one that is no more is a UsageError.
    (method,) = choose_methods(baselines, [header.method])
    plan = plan_answers(task, baselines, corpus, header.protocol, fold=header.fold, test=test)
    used = header.encoder.name if header.encoder else None
    named = encoder or (used if method.encodes else None)
    seen = vectors or (used if method.sees else None)
    reader = _open_encoders([method], named, seen, corpus).get(method.name)
    if reader is not None:
        _refuse_other_encoder(saved, reader)
    return Job(
        task=task,
        baselines=baselines,
        method=method,
        plan=plan,
        saved=saved,
        out=_make_folder(out),
        encoder=reader,
    )


def _open_encoders(
    methods: Sequence[Baseline],
    encoder: str | Path | None,
    vectors: str | Path | None,
    corpus: Corpus,
) -> dict[str, Encoder]:
    """Opens what reads texts or pictures for the methods that need it, by their names."""
    names, store = " and ".join(each.name for each in methods), corpus.store.path
    reading = [each.name for each in methods if each.encodes]
    looking = [each.name for each in methods if each.sees]
    if encoder is not None and not reading:
        raise UsageError(f"{names} needs no sentence encoder.", "Leave out --encoder.")
    if vectors is not None and not looking:
        raise UsageError(f"{names} does not use pictures.", "Leave out --vectors.")
    found: dict[str, Encoder] = {}
    if looking:
        seen = load_pictures(vectors or USUAL_VECTORS, corpus.pictures, store=store)
        found |= dict.fromkeys(looking, seen)
    if reading:
        found |= dict.fromkeys(reading, load_encoder(encoder or USUAL_ENCODER, store=store))
    return found


def _refuse_other_encoder(saved: SavedModel, encoder: Encoder) -> None:
    """Refuses to read texts or pictures in another way than those that were learned from."""
    learned = saved.header.encoder
    if learned is None or learned.sha256 != encoder.sha256:
        told = f"{learned.name} ({learned.sha256[:12]})" if learned else "none that it names"
        raise TaskError(
            f"{saved.path} was trained with another encoder: {told}, not with {encoder.name} "
            f"({encoder.sha256[:12]}).",
            "Name that one with --encoder or --vectors, or train again.",
        )


def _refuse_other_splits(saved: SavedModel, corpus: Corpus) -> None:
    """Refuses a model of the same corpus in other splits: it may have learned what it is asked."""
    learned, now = saved.header.data or {}, describe_store(Gold(corpus=corpus)) or {}
    if learned.get("corpus") == corpus.name and learned.get("splits") != now.get("splits"):
        released = "the released ones"
        raise TaskError(
            f"{saved.path} was trained on other splits of {corpus.name} than the store has now: "
            f"{learned.get('splits') or released}. Now they are {now.get('splits') or released}.",
            "Train again, without --model, or import those splits.",
        )
    data = "sha256_of_hashes"
    if learned.get("corpus") == corpus.name and now.get("splits") and learned[data] != now[data]:
        raise TaskError(
            f"{saved.path} was trained on other files of {corpus.name} than the store has now, in "
            f"splits of the same description: {now['splits']}. It may have been "
            f"trained on the test data.",
            "Train again, without --model, or import those files.",
        )


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
        protocol: how the model learned.
        fold: the fold that it was kept from; None where it did not learn from folds.
        test: split to answer; None for what it was kept from.

    Raises:
        TaskError: there is nothing to answer, or the model learned from the named split or fold.
        UsageError: a split is not there.
    """
    # The user's wish, else the fold that the model has not seen, else where it was tested before.
    split = test or fold or protocol.test
    # A split that is not in the store gets an error of its own below.
    if fold is not None and split != fold and split in corpus.splits():
        raise TaskError(
            f"This model was trained on all but {fold}, so it has seen {split}.",
            f"Leave out --test, or name the model that was trained without {split}.",
        )
    if protocol.kind == "splits" and split is not None and split == protocol.train:
        raise TaskError(
            f"This model was trained on {split}: a score there says nothing about unseen data.",
            f"Leave out --test, which stands for {protocol.test}, or name an unseen split.",
        )
    found = load_instances(task, baselines, corpus, split, is_named=True).get(protocol.part, [])
    protocol = _describe(protocol, split)
    # From the split that the model learned from, only what was held out of it; ids alone decide.
    if protocol.kind == "derived_holdout":
        held_out = hold_out(keep_answered(found))
        found = [each for each in found if each.dialogue_id in held_out]
    tested = hide_gold(cut_dialogues(keep_answered(found), protocol.limit))
    if not tested:
        where = "all splits" if split is None else f"split {split!r}"
        raise TaskError(
            f"Nothing of {where} is left to test this model on.", "Name a split with --test."
        )
    return Plan(protocol, [TrainingRound(fold, [], tested)], name_gold(protocol, corpus, tested))


def _describe(protocol: Protocol, split: str | None) -> Protocol:
    """Says how a split is answered; one that no hold-out was cut from is answered whole."""
    is_elsewhere = protocol.train is not None and split != protocol.train
    if protocol.kind == "derived_holdout" and is_elsewhere:
        return msgspec.structs.replace(protocol, kind="splits", test=split)
    return msgspec.structs.replace(protocol, test=split)


def _make_folder(out: str | Path | None) -> Path | None:
    if out is None:
        return None
    try:
        Path(out).mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise SourceError(f"{out} cannot be made: {error.strerror}.") from error
    return Path(out)
