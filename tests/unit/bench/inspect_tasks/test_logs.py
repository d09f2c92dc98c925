"""Logs as results: beside others in a report, and compared with each other."""

from __future__ import annotations

import json
import shutil
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from click.testing import CliRunner
from inspect_ai.dataset import Sample
from inspect_ai.log import EvalLog, read_eval_log, write_eval_log
from inspect_ai.model import ModelOutput, StopDetails, StopReason
from tests.thorough import a_few
from tests.unit.bench.inspect_tasks.saying import run, say_target, say_texts

from commonground.bench.evaluation.comparing import compare_evaluations
from commonground.bench.evaluation.overlaps import find_dialogue_overlap
from commonground.bench.evaluation.rendering import render_html, render_markdown
from commonground.bench.evaluation.reporting import TaskReport, is_log, list_logs, make_reports
from commonground.bench.inspect_tasks import TASKS
from commonground.bench.inspect_tasks.logs.results import keep_common, read_logs
from commonground.cli import group
from commonground.errors import SourceError, TaskError
from commonground.reply_outcomes import OUTCOMES, UNJUDGED
from commonground.store.opening import load
from commonground.store.shared import describe_overlaps


@pytest.fixture(scope="module")
def logs(store: Path, tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Two logs of one task: of right answers, and of ones that are wrong for half the dialogues."""
    folder = tmp_path_factory.mktemp("logs")
    options = {"store": str(store), "split": "all", "limit": 2}
    task = TASKS["photobook_reference"](**options)
    names = sorted({str((each.metadata or {})["dialogue_id"]) for each in task.dataset})
    bad = set(names[::2])
    right = run(task, say_target, folder)
    again = TASKS["photobook_reference"](**options)
    wrong = run(
        again, lambda s: "[]" if s.metadata["dialogue_id"] in bad else s.target.text, folder
    )
    return [find_file(right), find_file(wrong)]


def find_file(log: EvalLog) -> Path:
    return Path(log.location.removeprefix("file://"))


def test_a_log_is_known_by_its_name_or_its_beginning(tmp_path: Path, logs: list[Path]) -> None:
    assert is_log(logs[0])
    other = tmp_path / "result.json"
    other.write_text('{"task": "frames/nlu"}')
    assert not is_log(other)


def test_a_log_is_a_line_of_the_report(logs: list[Path]) -> None:
    done = CliRunner().invoke(group, ["report", str(logs[0]), "--json"])
    assert done.exit_code == 0, done.output
    (report,) = json.loads(done.stdout)
    row = report["rows"][0]
    assert row["system"] == "mockllm/model, pictures"
    assert row["numbers"]["f1"]["value"] == 1
    assert "prompt 2 (" in row["source"]
    assert row["comparable"].startswith("no: ")
    assert row["comparable"].endswith("; on all splits")
    assert any(each["is_published"] for each in report["rows"])


def test_a_log_of_one_part_says_so(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_dst"](store=str(store), split="devtest", part="furniture")
    (logged,) = read_logs([find_file(run(task, say_target, tmp_path))])
    assert logged.as_result().system == "mockllm/model, furniture/devtest, pictures"


def test_a_log_says_how_its_split_leaks(store: Path, tmp_path: Path) -> None:
    task = TASKS["simmc_actions"](store=str(store), split="devtest")
    runs = read_logs([find_file(run(task, say_target, tmp_path))])
    corpus = load("simmc", store)
    for each in runs:
        dialogues = {scored.dialogue_id for scored in each.evaluation.instances}
        found = each.as_result().overlap
        assert found == find_dialogue_overlap(corpus, dialogues) != []
        (report,) = make_reports([each.as_result()])
        assert describe_overlaps(found) in report.rows[0].source
    assert len({msgspec.json.encode(each.as_result().overlap) for each in runs}) == 2


def test_two_logs_are_compared(logs: list[Path]) -> None:
    done = CliRunner().invoke(group, ["report", *map(str, logs)])
    assert done.exit_code == 0, done.output
    # However wide the terminal is that another test may have set.
    words = done.stdout.split()
    assert "approximate randomisation over dialogues" in " ".join(words)
    assert ["1", "mockllm/model"] in [[one, other] for one, other in pairwise(words)]
    assert "f1" in words


def test_a_folder_is_the_logs_in_it(logs: list[Path], tmp_path: Path) -> None:
    (tmp_path / "small").mkdir()
    for log in logs:
        shutil.copy(log, tmp_path / "small")
    failed = read_eval_log(str(logs[0]))
    failed.results, failed.status = None, "error"
    write_eval_log(failed, str(tmp_path / "failed.eval"))
    (tmp_path / "eval-set.json").write_text("{}")
    done = CliRunner().invoke(group, ["report", str(tmp_path), "--json"])
    assert done.exit_code == 0, done.output
    named = CliRunner().invoke(group, ["report", *map(str, sorted(logs)), "--json"])
    assert json.loads(done.stdout) == json.loads(named.stdout)
    assert "failed.eval has no numbers: it ended with 'error'" in done.stderr


def test_a_folder_without_numbers_is_refused_in_words(logs: list[Path], tmp_path: Path) -> None:
    """Published results of every task would say nothing of it."""
    failed = read_eval_log(str(logs[0]))
    failed.results, failed.status = None, "error"
    write_eval_log(failed, str(tmp_path / "failed.eval"))
    done = CliRunner().invoke(group, ["report", str(tmp_path)])
    assert isinstance(done.exception, TaskError)
    assert f"No log in {tmp_path} has numbers" in done.exception.message


def test_a_reply_is_explained_by_numbers_of_different_names(logs: list[Path]) -> None:
    samples = read_eval_log(str(logs[0])).samples or []
    told = [(each.scores or {})["official"].explanation or "" for each in samples]
    assert any("mrr 1, mrr (later) 1" in each for each in told)


def test_a_log_that_is_not_there_is_said_to_be(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match=r"one\.eval is not there"):
        read_logs([tmp_path / "one.eval"])


def test_a_folder_without_a_log_is_refused_in_words(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="has no log of inspect_ai"):
        list_logs(tmp_path)


def test_instances_that_one_log_lacks_are_left_out(
    store: Path, tmp_path: Path, logs: list[Path]
) -> None:
    task = TASKS["photobook_reference"](store=str(store), split="all", limit=1)
    (few,) = read_logs([find_file(run(task, say_target, tmp_path))])
    (whole,) = read_logs(logs[:1])
    _, one, other, left_out = keep_common(few, whole)
    assert len(one.instances) == len(other.instances) == len(task.dataset)
    assert left_out == len(whole.evaluation.instances) - len(task.dataset)


def test_a_refusal_loses_against_an_answer(store: Path, tmp_path: Path) -> None:
    """Compared are all that were asked, and not those that both models answered."""
    dataset = TASKS["mpchat_nrp"](store=str(store), split="val").dataset
    texts = {str(each.id): "I cannot." for each in dataset}
    texts |= {str(each.id): str(each.target) for each in dataset[:1]}
    found = []
    for say in (say_texts(texts), say_target):
        task = TASKS["mpchat_nrp"](store=str(store), split="val")
        found += read_logs([find_file(run(task, say, tmp_path))])
    refusing, answering = found
    asked = answering.evaluation.result.n
    assert (refusing.evaluation.result.n, refusing.evaluation.result.n_read) == (asked, 1)
    found_task, one, other, left_out = keep_common(refusing, answering)
    compared = compare_evaluations(found_task, one, other)
    assert (compared.instances, left_out) == (asked, 0)
    recall = next(each for each in compared.numbers if each.name == "recall@1")
    assert (recall.first, recall.second, recall.better) == (1 / asked, 1, "second")


def end(text: str, reason: StopReason, kind: str | None = None) -> ModelOutput:
    """Returns what a provider says of a text that it did not let end."""
    output = ModelOutput.from_content("said", text, stop_reason=reason)
    if kind is not None:
        output.choices[0].stop_details = StopDetails(type=kind, explanation="no")
    return output


def test_what_became_of_each_question_stands_in_a_report(store: Path, tmp_path: Path) -> None:
    """The right answer is none where a provider says that it stopped it."""
    task = TASKS["photobook_reference"](store=str(store), split="all", limit=1)
    targets = {str(each.id): str(each.target) for each in task.dataset}
    names = list(targets)
    said: dict[str, str | ModelOutput] = dict(targets)
    said |= {
        names[0]: end(targets[names[0]], "model_length"),
        names[1]: end(targets[names[1]], "max_tokens"),
        names[2]: end(targets[names[2]], "content_filter"),
        names[3]: end(targets[names[3]], "content_filter", "refusal"),
        names[4]: " ",
        names[5]: "The red one.",
        names[6]: '["nonesuch.jpg"]',
    }
    log = run(task, lambda state: said[str(state.sample_id)], tmp_path)
    (logged,) = read_logs([find_file(log)])
    assert logged.asked.outcomes == dict.fromkeys(OUTCOMES, 1) | {UNJUDGED: 0}
    result = logged.evaluation.result
    # Six cannot be read; one was, and names what is not there.
    assert (result.n, result.n_read) == (len(names), len(names) - 6)
    scores = {str(each.id): (each.scores or {})["official"] for each in log.samples or ()}
    assert [scores[name].reason for name in names[:8]] == [
        "context_overflow",
        "cut_off",
        "refusal",
        "refusal",
        "no_response",
        "invalid_response_format",
        None,
        None,
    ]
    assert [scores[name].value for name in names[:8]] == [0] * 7 + [1]
    reports = make_reports([logged.as_result()])
    assert "| context overflow | 1 |" in render_markdown(reports)
    assert "<tr><td>grader failed</td>" in render_html(reports)
    done = CliRunner().invoke(group, ["report", str(find_file(log))])
    assert "unknown name" in done.stdout


def report_dst(store: Path, logs: Path, asked: dict[str, Any], **options: Any) -> TaskReport:
    """Asks for the belief states of furniture, and reports the log."""
    task = TASKS["simmc_dst"](**{"store": str(store), "part": "furniture", **asked})
    (logged,) = read_logs([find_file(run(task, say_target, logs, **options))])
    (report,) = make_reports([logged.as_result()])
    return report


@pytest.fixture(scope="module")
def furniture(store: Path) -> list[Sample]:
    task = TASKS["simmc_dst"](store=str(store), split="devtest", part="furniture")
    return list(task.dataset)


def test_a_whole_split_is_comparable_by_its_domain(
    store: Path, tmp_path: Path, furniture: list[Sample]
) -> None:
    report = report_dst(store, tmp_path, {"split": "devtest"})
    row = report.rows[0]
    assert row.comparable == "on the same split of furniture"
    assert (row.n, row.of) == (len(furniture), len(furniture))
    assert f"| {row.n} of {row.of} |" in render_markdown([report])


@pytest.mark.parametrize("option", a_few(["limit", "sample_id"], ["sample_id"]))
def test_what_inspect_ai_left_out_is_named(
    option: str, store: Path, tmp_path: Path, furniture: list[Sample]
) -> None:
    first = str(furniture[0].id)
    value, flag = {"limit": (1, "--limit 1"), "sample_id": (first, f"--sample-id {first}")}[option]
    row = report_dst(store, tmp_path, {"split": "devtest"}, **{option: value}).rows[0]
    of = len(furniture)
    assert row.comparable == f"no: 1 of {of} instances were asked about ({flag})"
    assert (row.n, row.of) == (1, of)


@pytest.mark.parametrize("option", a_few(["limit", "where"], ["where"]))
def test_what_was_asked_in_part_is_named(option: str, store: Path, tmp_path: Path) -> None:
    whole = TASKS["photobook_reference"](store=str(store), split="all").dataset
    first = (whole[0].metadata or {})["dialogue_id"]
    asked: dict[str, Any] = (
        {"limit": 1} if option == "limit" else {"where": f"dialogue_id = '{first}'"}
    )
    task = TASKS["photobook_reference"](store=str(store), split="all", **asked)
    (logged,) = read_logs([find_file(run(task, say_target, tmp_path))])
    row = make_reports([logged.as_result()])[0].rows[0]
    assert (row.n, row.of) == (len(task.dataset), len(whole))
    told = f"{row.n} of {row.of} instances were asked about (-T {option}={asked[option]})"
    assert row.comparable == f"no: {told}; on all splits"


def test_logs_of_other_tasks_are_not_compared(
    store: Path, tmp_path: Path, logs: list[Path]
) -> None:
    task = TASKS["photobook_segments"](store=str(store), split="all", limit=1)
    (other,) = read_logs([find_file(run(task, say_target, tmp_path))])
    (one,) = read_logs(logs[:1])
    with pytest.raises(TaskError, match="different tasks: photobook/reference, photobook/segments"):
        keep_common(one, other)


def test_a_log_that_is_cut_off_is_said_to_be(tmp_path: Path, logs: list[Path]) -> None:
    cut = tmp_path / "cut.eval"
    cut.write_bytes(logs[0].read_bytes()[:500])
    with pytest.raises(SourceError, match=r"cut\.eval is not a log of inspect_ai, or was cut off"):
        read_logs([cut])


@pytest.mark.parametrize("is_folder", a_few([True, False], [True]), ids=["folder", "named"])
def test_damaged_logs_cost_no_report(tmp_path: Path, logs: list[Path], *, is_folder: bool) -> None:
    whole = logs[0].read_bytes()
    for name, data in (("whole", whole), ("cut", whole[:3000]), ("empty", b"")):
        (tmp_path / f"{name}.eval").write_bytes(data)
    named = [tmp_path] if is_folder else sorted(tmp_path.iterdir())
    done = CliRunner().invoke(group, ["report", *map(str, named), "--json"])
    alone = CliRunner().invoke(group, ["report", str(tmp_path / "whole.eval"), "--json"])
    assert (done.exit_code, done.stdout) == (1, alone.stdout)
    for name in ("cut", "empty"):
        assert f"Left out: {tmp_path / name}.eval is not a log" in done.stderr.replace("\n", " ")


def test_where_all_logs_are_damaged_that_is_the_error(tmp_path: Path) -> None:
    (tmp_path / "empty.eval").write_bytes(b"")
    done = CliRunner().invoke(group, ["report", str(tmp_path)])
    assert isinstance(done.exception, SourceError)
    assert "empty.eval is not a log" in str(done.exception)
