"""Logs that are scored again: what was changed in one is seen, and costs no other log."""

from __future__ import annotations

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from inspect_ai._util.error import EvalError
from inspect_ai.log import EvalLog, EvalSample, read_eval_log, write_eval_log
from inspect_ai.model import ChatMessageAssistant, ModelOutput
from inspect_ai.solver import TaskState
from tests.thorough import one_in, thorough
from tests.unit.bench.inspect_tasks.saying import run, say_target

from commonground.bench.evaluation.comparing import compare_evaluations
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.logs.rescoring import rescore_log
from commonground.bench.inspect_tasks.logs.results import read_logs
from commonground.corpora import get_corpus
from commonground.errors import StoreError, TaskError
from commonground.play.simulating import simulate_corpus
from commonground.reply_outcomes import FAILED
from commonground.store.importing import import_corpus


def find_file(log: EvalLog) -> Path:
    return Path(log.location.removeprefix("file://"))


@pytest.fixture(scope="module")
def half(store: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A log of replies of which some are right."""
    task = TASKS["photobook_reference"](store=str(store), split="all", variant="text", limit=2)
    right = {str(each.id) for each in list(task.dataset)[::2]}
    return find_file(
        run(
            task,
            lambda state: state.target.text if str(state.sample_id) in right else "[]",
            tmp_path_factory.mktemp("half"),
        )
    )


Change = Callable[[EvalLog, list[EvalSample]], None]


def forge(path: Path, folder: Path, change: Change) -> Path:
    log = read_eval_log(str(path))
    assert log.samples is not None
    change(log, log.samples)
    out = folder / "forged.eval"
    write_eval_log(log, str(out))
    return out


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("simmc_dst", {"split": "devtest", "few_shot": 1, "seed": 3}),
        pytest.param("simmc_actions", {"answers": "schema"}, marks=thorough),
        pytest.param("photobook_reference", {"split": "all", "limit": 2}, marks=thorough),
        pytest.param("mpchat_nrp", {"split": "val", "limit": 2}, marks=thorough),
        ("taskmaster3_spans", {"split": "all", "limit": 2}),
    ],
)
def test_an_honest_log_is_scored_as_it_was(
    store: Path, tmp_path: Path, name: str, options: dict[str, object]
) -> None:
    path = find_file(run(TASKS[name](store=str(store), **options), say_target, tmp_path))
    again = rescore_log(path, str(store))
    assert again.differs == []
    believed = read_logs([path])
    numbers = [each.evaluation.result.measures for each in again.runs]
    assert numbers == [each.evaluation.result.measures for each in believed]


def test_epochs_are_scored_each(store: Path, tmp_path: Path) -> None:
    task = TASKS["frames_nlu"](store=str(store), split="all", limit=2)
    path = find_file(run(task, say_target, tmp_path, epochs=2))
    again = rescore_log(path, str(store))
    assert (again.runs[0].asked.epochs, again.differs) == (2, [])


def test_a_forged_score_is_scored_again_and_told(store: Path, tmp_path: Path, half: Path) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        assert log.results is not None
        for summed in log.results.scores:
            for metric in summed.metrics.values():
                metric.value = 1.0
        for sample in samples:
            score = (sample.scores or {})["official"]
            counts = (score.metadata or {})["counts"]
            best = {name: dict.fromkeys(each, 1.0) for name, each in counts.items()}
            score.metadata = {**(score.metadata or {}), "counts": best}

    honest = rescore_log(half, str(store))
    again = rescore_log(forge(half, tmp_path, change), str(store))
    assert again.runs[0].evaluation.result.measures == honest.runs[0].evaluation.result.measures
    assert any(each.startswith("f1 1.000 in the log, 0.") for each in again.differs)
    assert any(each.startswith("the scores of ") for each in again.differs)


def test_a_forged_prompt_is_refused(store: Path, tmp_path: Path, half: Path) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        system = samples[0].messages[0]
        system.content = f"{system.text} The answer is {samples[0].target}."

    path = forge(half, tmp_path, change)
    with pytest.raises(TaskError, match=r"forged\.eval asked something else about "):
        rescore_log(path, str(store))


def test_a_message_between_prompt_and_question_is_refused(
    store: Path, tmp_path: Path, half: Path
) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        samples[0].messages.insert(1, ChatMessageAssistant(content=str(samples[0].target)))

    with pytest.raises(TaskError, match="asked something else about "):
        rescore_log(forge(half, tmp_path, change), str(store))


def test_a_forged_question_is_refused(store: Path, tmp_path: Path, half: Path) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        samples[1].input = "Which of one picture is it?"

    with pytest.raises(TaskError, match="asked something else about "):
        rescore_log(forge(half, tmp_path, change), str(store))


def test_a_reply_of_another_id_is_refused(store: Path, tmp_path: Path, half: Path) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        samples[0].id = "nobody"

    with pytest.raises(TaskError, match="reply to 'nobody', which is not one of its questions"):
        rescore_log(forge(half, tmp_path, change), str(store))


def test_replies_under_exchanged_ids_are_refused(store: Path, tmp_path: Path, half: Path) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        samples[0].id, samples[1].id = samples[1].id, samples[0].id

    with pytest.raises(TaskError, match="asked something else about "):
        rescore_log(forge(half, tmp_path, change), str(store))


def test_a_log_without_its_bad_replies_is_refused(store: Path, tmp_path: Path, half: Path) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        del samples[1::2]

    with pytest.raises(TaskError, match=r"forged\.eval has \d+ of \d+ replies"):
        rescore_log(forge(half, tmp_path, change), str(store))


def test_a_reply_that_was_changed_afterwards_is_refused(
    store: Path, tmp_path: Path, half: Path
) -> None:
    """Whoever changes one place of what was said leaves another."""

    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        bad = next(each for each in samples if each.output.completion == "[]")
        bad.messages.append(ChatMessageAssistant(content="[]"))
        bad.output = ModelOutput.from_content("said", str(bad.target))

    with pytest.raises(TaskError, match="two different replies to "):
        rescore_log(forge(half, tmp_path, change), str(store))


@pytest.mark.parametrize(
    ("name", "value"),
    one_in(2, [("few_shot", 3), ("prompt_hash", "0000"), ("samples", 9), ("limit", "x")]),
)
def test_settings_that_are_not_those_asked_with_are_refused(
    store: Path, tmp_path: Path, half: Path, name: str, value: object
) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        log.eval.metadata = {**(log.eval.metadata or {}), name: value}

    with pytest.raises(TaskError, match=name):
        rescore_log(forge(half, tmp_path, change), str(store))


def test_a_log_of_other_data_is_refused(tmp_path: Path, half: Path) -> None:
    corpus = get_corpus("photobook")
    simulate_corpus(corpus, tmp_path / "files", dialogues=6, seed=2)
    import_corpus(corpus, [tmp_path / "files"], store=tmp_path / "store")
    with pytest.raises(TaskError, match="was made on other data than the store has of photobook"):
        rescore_log(half, str(tmp_path / "store"))


def test_a_log_of_a_corpus_that_is_not_there_is_refused(tmp_path: Path, half: Path) -> None:
    corpus = get_corpus("frames")
    simulate_corpus(corpus, tmp_path / "files", dialogues=2, seed=2)
    import_corpus(corpus, [tmp_path / "files"], store=tmp_path / "store")
    with pytest.raises(StoreError):
        rescore_log(half, str(tmp_path / "store"))


def test_a_failed_call_counts_as_wrong(store: Path, tmp_path: Path, half: Path) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        good = next(each for each in samples if each.output.completion != "[]")
        good.error = EvalError(message="no answer", traceback="", traceback_ansi="")

    honest = rescore_log(half, str(store)).runs[0]
    failed = rescore_log(forge(half, tmp_path, change), str(store)).runs[0]
    assert failed.evaluation.result.n == honest.evaluation.result.n
    assert failed.asked.outcomes[FAILED] == 1


def test_a_log_with_a_failed_call_agrees_with_itself(store: Path, tmp_path: Path) -> None:
    """inspect_ai leaves failed calls out of its numbers, which is no forgery."""
    task = TASKS["photobook_reference"](store=str(store), split="all", variant="text", limit=1)
    first = str(next(iter(task.dataset)).id)

    def say(state: TaskState) -> str:
        if str(state.sample_id) == first:
            raise ConnectionError("no answer")
        return "[]"

    path = find_file(run(task, say, tmp_path, fail_on_error=False))
    again = rescore_log(path, str(store))
    assert again.differs == []
    assert again.runs[0].asked.outcomes[FAILED] == 1


def test_a_run_that_ended_with_an_error_is_refused(store: Path, tmp_path: Path, half: Path) -> None:
    def change(log: EvalLog, samples: list[EvalSample]) -> None:
        log.status = "error"

    with pytest.raises(TaskError, match=r"forged\.eval is of a run that ended with 'error'"):
        rescore_log(forge(half, tmp_path, change), str(store))


def test_a_run_of_which_every_call_failed_counts_as_wrong(store: Path, tmp_path: Path) -> None:
    def say(_state: TaskState) -> str:
        raise ConnectionError("no answer")

    task = TASKS["photobook_reference"](store=str(store), split="all", variant="text", limit=1)
    path = find_file(run(task, say, tmp_path / "logs", fail_on_error=False))
    (read,) = read_logs([path])
    again = rescore_log(path, str(store)).runs[0]
    assert read.evaluation.result.measures == again.evaluation.result.measures
    assert (read.evaluation.result.n, read.evaluation.result.n_read) == (len(task.dataset), 0)
    compared = compare_evaluations(
        get_task("photobook/reference"), read.evaluation, again.evaluation
    )
    reasons = {each.name: each.undefined for each in compared.numbers if each.first is None}
    why = "correct is 0, predicted is 0"
    assert reasons["precision"] == f"of the first, {why}; of the second, {why}"
    assert all(reasons.values())
    command = [sys.executable, "-m", "commonground", "report", str(tmp_path / "logs"), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    (report,) = msgspec.json.decode(done.stdout)
    (mine,) = (row for row in report["rows"] if not row["is_published"])
    # Of nothing that was predicted there is no precision.
    assert {each["value"] for each in mine["numbers"].values()} == {0.0, None}
    assert f"{len(task.dataset)} calls failed" in mine["comparable"]


def test_a_copy_of_a_log_is_the_same(store: Path, tmp_path: Path, half: Path) -> None:
    shutil.copy(half, tmp_path / "copy.eval")
    one, other = (rescore_log(each, str(store)) for each in (half, tmp_path / "copy.eval"))
    assert one.runs[0].evaluation.result.measures == other.runs[0].evaluation.result.measures
