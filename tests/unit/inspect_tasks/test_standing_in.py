"""Stored predictions, replayed as a model's answers, give what ``evaluate`` gives of their file."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import score as score_again

from commonground.evaluation.baselines.jobs import list_jobs
from commonground.evaluation.baselines.methods import get_baselines
from commonground.evaluation.baselines.run import list_answers
from commonground.evaluation.prompts import find_prompts, inspect_name
from commonground.evaluation.scoring import evaluate_predictions
from commonground.evaluation.tasks import get_task
from commonground.inspect_tasks import TASKS, baseline, official
from commonground.inspect_tasks.logged_replies import group_rows, merge_epochs, read_scored
from commonground.inspect_tasks.logs import read_logs
from commonground.store.opening import load
from tests.unit.inspect_tasks.saying import list_values, run_with
from tests.unit.inspect_tasks.test_truth import list_counts, list_rows


def choose_method(task: str) -> str:
    """Returns the second baseline: its answers differ, and it learns in no time."""
    return get_baselines(task).methods[1].name


@pytest.mark.parametrize("name", sorted(find_prompts()))
def test_predictions_said_by_a_model_score_the_same(name: str, store: Path, tmp_path: Path) -> None:
    method, corpus = choose_method(name), load(get_task(name).corpora[0], store)
    usual = get_baselines(name).test_split
    split = usual if usual in corpus.splits() else None
    jobs = list_jobs(name, corpus, methods=[method])
    answered = [(job, list_answers(job)) for job in jobs]
    ids = sorted({each.dialogue_id for _job, pairs in answered for each, _said in pairs})
    where = f"dialogue_id IN ({', '.join(map(repr, ids))})"
    task = TASKS[inspect_name(name)](split=split or "all", where=where, store=str(store))
    log = run_with(task, baseline(method, str(store)), tmp_path)
    theirs: dict[str, dict[str, float]] = {}
    for job, pairs in answered:
        path = tmp_path / f"predictions{job.baselines.ending}"
        job.baselines.write(pairs, path)
        found = evaluate_predictions(job.task, path, job.plan.gold)
        theirs |= {each.instance_id: list_counts(each) for each in found.instances}
    for rows in group_rows(list_rows(log)).values():
        for each in merge_epochs(filter(None, map(read_scored, rows))):
            wanted = theirs[each.instance_id]
            assert list_counts(each) == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    assert all(row[1]["fault"] is None for row in list_rows(log))
    again = score_again(log, official(store=str(store)), action="overwrite", display="none")
    assert list_values(again) == pytest.approx(list_values(log), abs=1e-9, nan_ok=True)


def test_a_baseline_is_a_line_of_the_report_by_its_name(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_dst"](store=str(store))
    log = run_with(task, baseline("empty", str(store)), tmp_path)
    (named,) = {run.asked.model for run in read_logs([Path(log.location.removeprefix("file://"))])}
    assert named == "baseline empty"
