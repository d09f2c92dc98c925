"""A judge is asked only where it is named, and stands beside the official metric."""

from __future__ import annotations

from pathlib import Path

import pytest
from inspect_ai import eval as run_tasks
from inspect_ai import score as score_again
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, ModelOutput, ModelUsage, get_model
from inspect_ai.solver import TaskState
from tests.unit.bench.inspect_tasks.saying import Say, list_values, run, says

from commonground.bench.evaluation.reporting import Used, report_task
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.logs.results import count_used, read_logs
from commonground.bench.inspect_tasks.scoring.judging import judged, read_points

WORDS = "Bananas grow in the sun."


def make_grader(texts: list[str]) -> Model:
    outputs = [ModelOutput.from_content("grader", text) for text in texts]
    for each in outputs:
        each.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return get_model("mockllm/model", custom_outputs=outputs, memoize=False)


def judge(store: Path, logs: Path, texts: list[str], say: Say) -> EvalLog:
    """Runs a task with a judge that says these texts one after another."""
    task = TASKS["simmc_generation"](
        store=str(store), limit=3, part="furniture", variant="text", judge=True
    )
    (log,) = run_tasks(
        task,
        model="mockllm/model",
        model_roles={"grader": make_grader(texts)},
        solver=says(say),
        display="none",
        log_dir=str(logs),
        max_samples=1,
    )
    return log


def say_some(state: TaskState) -> str:
    number = int(str(state.sample_id).rpartition(":")[2])
    return state.target.text if number % 2 else "Bananas grow in the sun"


def test_a_judge_stands_beside_the_metric(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_generation"](store=str(store), limit=3, part="furniture", variant="text")
    # In the order of the samples, as one is asked at a time.
    told = ["5" if int(str(s.id).rpartition(":")[2]) % 2 else "2" for s in task.dataset]
    texts = [f'{{"points": {each}, "why": "so"}}' for each in told]
    log = judge(store, tmp_path, texts, say_some)
    assert log.status == "success", log.error
    values = list_values(log)
    assert values["judged"] == pytest.approx(sum(map(int, told)) / len(told))
    assert values["judged_low"] <= values["judged"] <= values["judged_high"]
    # The metric puts the same replies first.
    assert values["agreement"] > 0.8
    (found,) = read_logs([Path(log.location.removeprefix("file://"))])
    row = report_task(get_task("simmc/generation"), [found.as_result()]).rows[0]
    assert row.numbers["judged (1 to 5)"].value == pytest.approx(values["judged"])
    assert row.numbers["judge's agreement"].low == pytest.approx(values["agreement_low"])
    assert "judged by mockllm/model, rubric 1 (" in row.source


def test_what_a_judge_takes_is_not_the_models(store: Path, tmp_path: Path) -> None:
    log = judge(store, tmp_path, ['{"points": 3}'] * 40, say_some)
    (found,) = read_logs([Path(log.location.removeprefix("file://"))])
    n = len(log.samples or ())
    assert found.asked.used == Used(input_tokens=0, output_tokens=0)
    assert found.judged is not None
    assert found.judged.used == Used(input_tokens=n, output_tokens=n)
    assert found.judged.describe().endswith(f"{n:,} + {n:,} tokens")
    assert found.asked.describe().endswith(", 0 + 0 tokens")


def test_the_price_of_a_judge_is_not_the_models() -> None:
    both = ModelUsage(input_tokens=110, input_tokens_cache_read=5, output_tokens=11, total_cost=0.3)
    judge = ModelUsage(input_tokens=10, output_tokens=1, total_cost=0.1)
    told = count_used([both], [judge]).describe()
    assert told == "105 + 10 tokens, $ 0.20"
    unknown = ModelUsage(input_tokens=100, output_tokens=10)
    assert count_used([unknown, judge], [judge]).cost is None


def test_what_the_judge_says_may_be_unreadable(store: Path, tmp_path: Path) -> None:
    log = judge(store, tmp_path, ["No idea."] * 40, lambda _state: WORDS)
    assert "judged" not in list_values(log)
    (found,) = read_logs([Path(log.location.removeprefix("file://"))])
    assert found.judged is not None
    assert found.judged.n == 0
    assert found.judged.unjudged == len(log.samples or ())
    assert "unjudged" in found.judged.describe()


def test_nobody_judges_without_the_role(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_generation"](store=str(store), limit=1, judge=True)
    (log,) = run_tasks(
        task,
        model="mockllm/model",
        solver=says(lambda _state: WORDS),
        display="none",
        log_dir=str(tmp_path),
    )
    assert log.status == "error"
    assert log.error is not None
    assert "--model-role grader=MODEL" in log.error.message


def test_a_judge_is_missed_before_the_model_is_asked(store: Path, tmp_path: Path) -> None:
    """Where inspect_ai makes the task, it knows by then who has which role."""
    options = {"store": str(store), "limit": 1, "judge": True}
    with pytest.raises(PrerequisiteError, match="--model-role grader=MODEL"):
        run_tasks(
            "commonground/simmc_generation",
            model="mockllm/model",
            task_args=options,
            display="none",
            log_dir=str(tmp_path),
        )
    assert not list(tmp_path.iterdir())


def test_without_the_option_nobody_is_asked(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_generation"](store=str(store), limit=1)
    log = run(task, lambda _state: WORDS, tmp_path, model_roles={"grader": make_grader([])})
    assert "judged" not in list_values(log)
    # Nobody was asked for these very words, so no reply is right.
    assert list_values(log)["accuracy"] == 0
    assert all(list(each.scores or ()) == ["official"] for each in log.samples or ())


def test_a_log_gets_a_judge_afterwards(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_generation"](store=str(store), limit=1, part="furniture", variant="text")
    log = run(task, lambda _state: WORDS, tmp_path)
    grader = make_grader(['{"points": 3, "why": "so"}'] * 20)
    again = score_again(
        log, judged(), action="append", model_roles={"grader": grader}, display="none"
    )
    assert list_values(again)["judged"] == 3
    first = (again.samples or [])[0]
    assert list(first.scores or ()) == ["official", "judged"]
    assert (first.scores or {})["judged"].metadata["official"] is not None  # type: ignore[index]


def test_only_words_are_judged(store: Path) -> None:
    with pytest.raises(PrerequisiteError, match="simmc/dst has no words to judge"):
        TASKS["simmc_dst"](store=str(store), judge=True)


@pytest.mark.parametrize("text", ['{"points": 6}', '{"points": 2.5}', '{"why": "x"}', "[3]", "5"])
def test_points_are_whole_and_from_1_to_5(text: str) -> None:
    with pytest.raises((ValueError, TypeError, LookupError)):
        read_points(text)
    assert read_points('```json\n{"points": "4", "why": "so"}\n```') == (4, "so")
