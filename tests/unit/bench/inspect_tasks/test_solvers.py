"""Stored predictions, replayed as a model's answers, give what ``evaluate`` gives of their file."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import score as score_again
from tests.thorough import a_few
from tests.unit.bench.inspect_tasks.saying import list_rows, list_values, run_with, score_rows
from tests.unit.bench.inspect_tasks.test_truth import (
    choose_split,
    list_counts,
    list_numbers,
    read_all,
    shift_targets,
)

from commonground.bench.evaluation.baselines.jobs import plan_baselines
from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.baselines.run import list_answers
from commonground.bench.evaluation.prompts import find_prompts, inspect_name
from commonground.bench.evaluation.reply_scoring import ReplyScorer
from commonground.bench.evaluation.scoring import evaluate_predictions, measure_scored
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks import TASKS, baseline, official, people, predictions
from commonground.bench.inspect_tasks.logs.results import read_logs
from commonground.bench.inspect_tasks.scoring.logged_replies import (
    group_rows,
    merge_epochs,
    read_scored,
)
from commonground.errors import TaskError
from commonground.store.opening import load
from commonground.task import Gold, Scored

KINDS = ("mpchat/nrp", "simmc/dst")
"""A prompt of each corpus, and of each form of files; ``test_truth`` tries them all."""


def choose_method(task: str) -> str:
    """Returns the second baseline: its answers differ, and it learns in no time."""
    return get_baselines(task).methods[1].name


@pytest.mark.parametrize("name", a_few(sorted(find_prompts()), KINDS))
def test_predictions_said_by_a_model_score_the_same(name: str, store: Path, tmp_path: Path) -> None:
    method, corpus = choose_method(name), load(get_task(name).corpora[0], store)
    usual = get_baselines(name).test_split
    split = usual if usual in corpus.splits() else None
    jobs = plan_baselines(name, method, corpus=corpus)
    answered = [(job, list_answers(job)) for job in jobs]
    ids = sorted({each.dialogue_id for _job, pairs in answered for each, _said in pairs})
    where = f"dialogue_id IN ({', '.join(map(repr, ids))})"
    task = TASKS[inspect_name(name)](split=split or "all", where=where, store=str(store))
    rows = score_rows(task, baseline(method, str(store)))
    theirs: dict[str, dict[str, float]] = {}
    for job, pairs in answered:
        path = tmp_path / f"predictions{job.baselines.ending}"
        job.baselines.write(pairs, path)
        found = evaluate_predictions(job.task, path, job.plan.gold)
        theirs |= {each.instance_id: list_counts(each) for each in found.instances}
    for mine in group_rows(rows).values():
        for each in merge_epochs(filter(None, map(read_scored, mine))):
            wanted = theirs[each.instance_id]
            assert list_counts(each) == pytest.approx(wanted, abs=1e-9, nan_ok=True)
    assert all(row[1]["fault"] is None for row in rows)


@pytest.mark.parametrize("name", a_few(sorted(find_prompts()), KINDS))
def test_a_file_of_predictions_says_what_evaluate_says(
    name: str, store: Path, tmp_path: Path
) -> None:
    corpus, split = load(get_task(name).corpora[0], store), choose_split(name, store)
    scorer = ReplyScorer(name, corpus, split=split)
    texts = shift_targets(scorer)
    files: list[Path] = []
    theirs: dict[str, Scored] = {}
    for part in dict.fromkeys(line.part for line in scorer.lines.values()):
        lines = [line for line in scorer.lines.values() if line.part == part]
        files.append(tmp_path / f"{part}{get_baselines(name).ending}")
        get_baselines(name).write(read_all(scorer.prompt, lines, texts), files[-1])
        # Where dialogues are named, what is missing counts as where a split is asked for.
        whole = frozenset(line.instance.dialogue_id for line in lines)
        gold = Gold(corpus=corpus, split=split, dialogues=whole)
        found = evaluate_predictions(scorer.task, files[-1], gold)
        theirs |= {each.instance_id: each for each in found.instances}
    task = TASKS[inspect_name(name)](split=split or "all", store=str(store))
    solver = predictions([str(each) for each in files], str(store))
    for rows in group_rows(score_rows(task, solver)).values():
        # What a file lacks, some tasks leave out; a model that does not answer is wrong.
        read = [row for row in rows if not row[1]["fault"]]
        scored = [each for row in read if (each := read_scored(row)) is not None]
        same = [theirs[each.instance_id] for each in scored]
        for mine, wanted in zip(scored, same, strict=True):
            assert list_counts(mine) == pytest.approx(list_counts(wanted), abs=1e-9, nan_ok=True)
        assert list_numbers(measure_scored(scorer.task, scored)[0]) == pytest.approx(
            list_numbers(measure_scored(scorer.task, same)[0]), abs=1e-9, nan_ok=True
        )


def test_a_baseline_is_a_line_of_the_report_by_its_name(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_dst"](store=str(store))
    log = run_with(task, baseline("empty", str(store)), tmp_path)
    (named,) = {run.asked.model for run in read_logs([Path(log.location.removeprefix("file://"))])}
    assert named == "baseline empty"
    again = score_again(log, official(store=str(store)), action="overwrite", display="none")
    assert list_values(again) == pytest.approx(list_values(log), abs=1e-9, nan_ok=True)
    assert list_rows(again) == list_rows(log)


def test_what_a_file_lacks_or_has_too_much_is_said(store: Path, tmp_path: Path) -> None:
    task = TASKS["frames_nlu"](store=str(store), split="all", limit=2)
    first, *others = task.dataset
    dialogue, _colon, turn = str(first.id).rpartition(":")
    acts = f'"acts": {first.target}'
    file = tmp_path / "mine.jsonl"
    file.write_text(
        f'{{"dialogue_id": "{dialogue}", "turn": {turn}, {acts}}}\n'
        f'{{"dialogue_id": "nobody", "turn": 0, {acts}}}\n'
    )
    log = run_with(task, predictions(str(file), str(store)), tmp_path)
    (found,) = read_logs([Path(log.location.removeprefix("file://"))])
    problems = {each.kind: each for each in found.evaluation.result.problems}
    assert problems["unknown turns"].example == "nobody:0"
    assert problems["unread replies"].count == len(others)
    assert "missing turns" in problems
    assert found.asked.model == "mine.jsonl"


def test_people_are_measured_by_what_they_marked(store: Path) -> None:
    task = TASKS["photobook_marks"](split="all", store=str(store))
    scored = [read_scored(row) for row in score_rows(task, people(str(store)))]
    counts = [each.counts for each in scored if each is not None]
    assert len(counts) == len(task.dataset)
    assert all(each["truth"] == each["people"] for each in counts)
    assert all(each["player"]["correct"] == 1 for each in counts)


def test_a_task_without_answers_of_people_says_so(store: Path) -> None:
    task = TASKS["simmc_dst"](limit=1, store=str(store))
    with pytest.raises(TaskError, match="simmc/dst has no answers of people but the right ones"):
        score_rows(task, people(str(store)))
