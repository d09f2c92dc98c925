"""Every baseline: learned on a simulated corpus, saved, read, and alike every time."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from commonground.bench.evaluation.baselines.jobs import list_jobs, list_model_jobs
from commonground.bench.evaluation.baselines.methods import iterate_baselines
from commonground.bench.evaluation.baselines.models import open_model
from commonground.bench.evaluation.baselines.run import Job, run_baseline
from commonground.bench.evaluation.tasks import get_task
from commonground.store.corpus import Corpus
from tests.contract.conftest import Simulate
from tests.tiny_encoder import write_encoder

METHODS = {(each.task, m.name): m for each in iterate_baselines() for m in each.methods}


def find_encoder(task: str, method: str, folder: Path) -> Path | None:
    """Writes a small encoder for a method that needs one."""
    if not METHODS[task, method].encodes:
        return None
    for needed in ("onnxruntime", "tokenizers"):
        pytest.importorskip(needed, reason="needs the extra encoders")
    return write_encoder(folder)


def take_job(task: str, corpus: Corpus, method: str, out: Path, encoder: Path | None) -> Job:
    """Returns the job of a method, with two folds where a task has ten: each is one more model."""
    job = list_jobs(task, corpus, methods=[method], out=out, encoder=encoder)[0]
    if len(job.plan.rounds) > 2:
        del job.plan.rounds[2:]
        answered = frozenset(x.dialogue_id for each in job.plan.rounds for x in each.test)
        job.plan.gold = msgspec.structs.replace(job.plan.gold, dialogues=answered)
    return job


@pytest.mark.parametrize(("task", "method"), METHODS)
def test_a_baseline_is_alike_every_time(
    task: str, method: str, simulate: Simulate, tmp_path: Path
) -> None:
    corpus = simulate(get_task(task).corpora[0]).corpus
    encoder = find_encoder(task, method, tmp_path / "encoder")
    job = take_job(task, corpus, method, tmp_path / "first", encoder)
    first = run_baseline(job)
    again = take_job(task, corpus, method, tmp_path / "again", encoder)
    assert run_baseline(again).predictions.sha256 == first.predictions.sha256
    # Public forms hide some right answers, so a few instances may be left out.
    assert first.skipped < first.n, first.problems
    saved = open_model(job.path("model", ".msgpack", job.plan.rounds[0].name))
    (by_model,) = list_model_jobs(task, corpus, saved, encoder=encoder)
    result = run_baseline(by_model)
    if len(job.plan.rounds) == 1:
        assert result.predictions.sha256 == first.predictions.sha256
