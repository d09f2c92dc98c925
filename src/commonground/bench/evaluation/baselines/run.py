"""Runs a baseline: learns, answers, writes the answers, and scores them like any others."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.bench.encoders.encoder import Encoder
from commonground.bench.evaluation.baselines.methods import explain_extra
from commonground.bench.evaluation.baselines.models import (
    ModelHeader,
    SavedModel,
    decode_model,
    save_model,
)
from commonground.bench.evaluation.baselines.protocols import (
    Plan,
    TrainingRound,
    find_plan_overlap,
)
from commonground.bench.evaluation.baselines.results import BaselineResult, BaselineRun, UsedEncoder
from commonground.bench.evaluation.scoring import describe_store, evaluate_predictions
from commonground.errors import TaskError
from commonground.files.outputs import new_file, write_file
from commonground.files.work_folders import temporary_folder
from commonground.method import (
    Baseline,
    Baselines,
    Encode,
    NothingToLearnError,
    TrainingSet,
    encode_nothing,
)
from commonground.printing import count_of
from commonground.task import Instance, Task

Progress = Callable[[int, int, str], None]
"""Called with steps done, their number, and what is done now, such as ``learning from fold-1``."""

Pairs = list[tuple[Instance, Any]]


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """A baseline to run.

    Attributes:
        baselines: all its baselines, which say how answers are written.
        saved: a model to answer with instead of learning; None to learn.
        out: folder for models, predictions and result; None to keep none.
        encoder: what reads texts or pictures for it; None where the method needs none.
    """

    task: Task
    baselines: Baselines
    method: Baseline
    plan: Plan
    seed: int = 1
    saved: SavedModel | None = None
    out: Path | None = None
    encoder: Encoder | None = None

    @property
    def encode(self) -> Encode:
        """What gives the method the vectors of texts or pictures."""
        return self.encoder.encode if self.encoder else encode_nothing

    def used_encoder(self) -> UsedEncoder | None:
        """Returns the encoder as results and models name it."""
        return UsedEncoder(self.encoder.name, self.encoder.sha256) if self.encoder else None

    def path(self, kind: str, ending: str, fold: str | None = None) -> Path:
        """Returns the path of a file to write, such as ``out/model-linear-fashion.msgpack``.

        Args:
            kind: ``model``, ``predictions`` or ``result``.
            ending: of the name, with its dot.
            fold: the fold that a model was kept from; None for none.
        """
        parts = (kind, self.method.name, self.plan.protocol.part, fold)
        name = "-".join(part for part in parts if part) + ending
        return (self.out or Path()) / name


class _Clock(msgspec.Struct):
    train_s: float = 0.0
    answer_s: float = 0.0


def run_baseline(job: Job, on_step: Progress | None = None) -> BaselineResult:
    """Runs a baseline and returns its result.

    Raises:
        TaskError: it has nothing to learn from, gives no answer to an instance, or its answers
            cannot be scored.
        SourceError: a file cannot be written.
        UsageError: it needs scikit-learn, which is not installed.
    """
    tell = on_step or (lambda _done, _total, _what: None)
    clock = _Clock()
    with explain_extra():
        pairs = _answer_all(job, clock, tell)
    name = job.path("predictions", job.baselines.ending)
    if job.out is None:
        with temporary_folder() as folder:
            return _score(job, pairs, folder / name.name, clock)
    result = _score(job, pairs, name, clock)
    formatted = msgspec.json.format(msgspec.json.encode(result), indent=1)
    write_file(job.path("result", ".json"), formatted + b"\n")
    return result


def list_answers(job: Job) -> Pairs:
    """Learns and answers, and returns each instance with its answer; nothing is scored.

    Raises:
        TaskError: it has nothing to learn from, or gives no answer to an instance.
        UsageError: it needs scikit-learn, which is not installed.
    """
    with explain_extra():
        return _answer_all(job, _Clock(), lambda _done, _total, _what: None)


def _answer_all(job: Job, clock: _Clock, tell: Progress) -> Pairs:
    pairs: Pairs = []
    # Learning and answering of each round, and scoring once.
    total = 2 * len(job.plan.rounds) + 1
    for number, one in enumerate(job.plan.rounds):
        fold = f" for {one.name}" if one.name else ""
        tell(2 * number, total, "reading the model" if job.saved else f"learning{fold}")
        model = _get_model(job, one, clock)
        tell(2 * number + 1, total, f"answering{fold}")
        pairs += _answer(job, model, one, clock)
    tell(total - 1, total, "scoring")
    return pairs


def _get_model(job: Job, one: TrainingRound, clock: _Clock) -> Any:
    if job.saved is not None:
        return decode_model(job.saved, job.method)
    began = time.perf_counter()
    try:
        model = job.method.learn(TrainingSet(one.train, job.seed, job.encode))
    except NothingToLearnError as error:
        raise TaskError(
            f"Method {job.method.name!r} of {job.task.name} has nothing to learn from: none of the "
            f"{len(one.train):,} instances that it was given ({job.plan.protocol.describe()}) has "
            "a right answer of the kind that it learns.",
            "Name another split with --train, or import more.",
        ) from error
    clock.train_s += time.perf_counter() - began
    if job.out is not None:
        save_model(job.path("model", ".msgpack", one.name), _head(job, one), model)
    return model


def _head(job: Job, one: TrainingRound) -> ModelHeader:
    return ModelHeader(
        task=job.task.name,
        method=job.method.name,
        corpus=job.plan.gold.corpus.name,
        data=describe_store(job.plan.gold),
        seed=job.seed,
        commonground=__version__,
        protocol=job.plan.protocol,
        learned_from=job.plan.learned_from(),
        fold=one.name,
        encoder=job.used_encoder(),
    )


def _answer(job: Job, model: Any, one: TrainingRound, clock: _Clock) -> Pairs:
    began = time.perf_counter()
    answers = list(job.method.answer(model, iter(one.test), job.encode))
    clock.answer_s += time.perf_counter() - began
    if len(answers) != len(one.test):
        raise TaskError(
            f"Method {job.method.name!r} gave {count_of(len(answers), 'answer')} to "
            f"{count_of(len(one.test), 'instance')}."
        )
    return list(zip(one.test, answers, strict=True))


def _score(job: Job, pairs: Pairs, path: Path, clock: _Clock) -> BaselineResult:
    with new_file(path) as beside:
        job.baselines.write(pairs, beside)
    # Of a saved model, only its header says what it learned from.
    overlap = find_plan_overlap(job.plan) if job.saved is None else None
    result = evaluate_predictions(job.task, path, job.plan.gold, overlap=overlap).result
    if job.out is None:
        # The file is gone when the result is read, so its folder would only mislead.
        result.predictions = msgspec.structs.replace(result.predictions, path=path.name)
    return BaselineResult(**msgspec.structs.asdict(result), baseline=_describe_run(job, clock))


def _describe_run(job: Job, clock: _Clock) -> BaselineRun:
    saved = job.saved
    return BaselineRun(
        method=job.method.name,
        title=job.method.title,
        corpus=job.plan.gold.corpus.name,
        protocol=job.plan.protocol,
        learned_from=job.plan.learned_from() if saved is None else saved.header.learned_from,
        answered=job.plan.answered(),
        seed=job.seed if saved is None else saved.header.seed,
        data=None if saved is None else saved.header.data,
        train_s=round(clock.train_s, 3) if saved is None else None,
        answer_s=round(clock.answer_s, 3),
        encoder=job.used_encoder(),
    )
