"""Every baseline: learned on a simulated corpus, saved, read, and alike every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonground.evaluation.baselines.jobs import list_jobs, list_model_jobs
from commonground.evaluation.baselines.methods import iterate_baselines
from commonground.evaluation.baselines.models import open_model
from commonground.evaluation.baselines.run import run_baseline
from commonground.evaluation.tasks import get_task
from tests.contract.conftest import simulate

CASES = [(each.task, method.name) for each in iterate_baselines() for method in each.methods]


@pytest.mark.parametrize(("task", "method"), CASES)
def test_a_baseline_is_alike_every_time(
    task: str, method: str, simulated_folder: Path, tmp_path: Path
) -> None:
    corpus = simulate(get_task(task).corpora[0], simulated_folder).corpus
    job = list_jobs(task, corpus, methods=[method], out=tmp_path / "first")[0]
    first = run_baseline(job)
    again = list_jobs(task, corpus, methods=[method], out=tmp_path / "again")[0]
    assert run_baseline(again).predictions.sha256 == first.predictions.sha256
    # Public forms hide some right answers, so a few instances may be left out.
    assert first.skipped < first.n, first.problems
    saved = open_model(job.path("model", ".msgpack", job.plan.rounds[0].name))
    (by_model,) = list_model_jobs(task, corpus, saved)
    result = run_baseline(by_model)
    if len(job.plan.rounds) == 1:
        assert result.predictions.sha256 == first.predictions.sha256
