from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest

from commonground.bench.evaluation.baselines.jobs import plan_baselines
from commonground.bench.evaluation.baselines.run import run_baseline
from commonground.bench.evaluation.rendering import render_html, render_markdown
from commonground.bench.evaluation.reporting import (
    ResultFile,
    list_main,
    make_reports,
    read_results,
    report_task,
    short_name,
)
from commonground.bench.evaluation.scoring import MeasureResult, Value, evaluate_predictions
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import SourceError, TaskError, UsageError
from commonground.store.corpus import Corpus
from commonground.task import Gold, Published

MakeCorpus = Callable[..., Corpus]


@pytest.fixture
def results(make_corpus: MakeCorpus, tmp_path: Path) -> list[ResultFile]:
    corpus = make_corpus(train={"a": "glad"}, test={"b": "glad", "c": "sad"})
    for job in plan_baselines("toy/mood", corpus=corpus, out=tmp_path / "out"):
        run_baseline(job)
    return read_results(sorted((tmp_path / "out").glob("result-*.json")))


PUBLISHED = Published(
    system="<best>",
    split="test",
    values={"accuracy": 0.9, "f1": 0.8},
    source="paper, table 1",
    comparable="no: other | data",
)


def test_results_stand_before_published_ones(results: list[ResultFile]) -> None:
    task = msgspec.structs.replace(get_task("toy/mood"), published=(PUBLISHED,))
    report = report_task(task, results)
    assert report.names == ["accuracy", "f1"]
    assert [(row.system, row.n, row.is_published) for row in report.rows] == [
        ("majority", 2, False),
        ("words", 2, False),
        ("<best>", None, True),
    ]
    assert report.rows[0].numbers["accuracy"].value == 0.5
    learned = "commonground, toy: trained on train, tested on test"
    assert report.rows[0].source.startswith(learned)
    assert report.rows[2].comparable == "no: other | data"
    markdown, page = render_markdown([report]), render_html([report])
    assert "| <best> (published) | test | 0.900 | 0.800 | – | 2 |" in markdown
    assert "\n2. paper, table 1. Not comparable: other | data.\n" in markdown
    assert "&lt;best&gt; (published)" in page
    assert '<td class="number">0.900</td>' in page
    assert "<li>paper, table 1. Not comparable: other | data.</li></ol>" in page


def test_published_deviations_and_marks_stand_behind_numbers(results: list[ResultFile]) -> None:
    published = msgspec.structs.replace(
        PUBLISHED, deviations={"accuracy": 0.012}, marks={"accuracy": "**", "f1": "*"}
    )
    task = msgspec.structs.replace(
        get_task("toy/mood"), published=(published,), unlisted="A & B is in no file."
    )
    report = report_task(task, results)
    assert render_markdown([report]).endswith("\nA & B is in no file.\n")
    assert "<p>A &amp; B is in no file.</p>" in render_html([report])
    assert "| 0.900 ± 0.0120 \\*\\* | 0.800 \\* |" in render_markdown([report])
    assert '<td class="number">0.900 ± 0.0120 **</td>' in render_html([report])


def test_results_of_parts_limits_and_holdouts_say_so(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(odd={f"t{i}": "glad" for i in range(10)})
    (job, _other) = plan_baselines("toy/mood", corpus=corpus)
    encoded = msgspec.json.encode(run_baseline(job))
    (report,) = make_reports([msgspec.json.decode(encoded, type=ResultFile)])
    assert report.rows[0].split == "derived_holdout"
    assert report.rows[0].comparable == "no: on our hold-out"


def test_lists_of_results_are_read_too(results: list[ResultFile], tmp_path: Path) -> None:
    path = tmp_path / "both.json"
    path.write_bytes(msgspec.json.encode(results))
    assert read_results([path]) == results


def test_other_files_are_told(tmp_path: Path) -> None:
    path = tmp_path / "other.json"
    path.write_text(json.dumps({"task": "toy/mood"}))
    with pytest.raises(TaskError, match=r"holds no result: .*missing required field"):
        read_results([path])
    with pytest.raises(SourceError, match="cannot be read"):
        read_results([tmp_path / "none.json"])


def test_without_results_all_that_is_published_is_shown() -> None:
    reports = make_reports([])
    assert "simmc/dst" in [report.task for report in reports]
    assert all(row.is_published for report in reports for row in report.rows)
    with pytest.raises(UsageError, match="There is no task"):
        make_reports([], ["simmc/dts"])


def test_main_values_are_named_apart(results: list[ResultFile]) -> None:
    value = Value(name="f1", value=0.5, std_err=None, low=None, high=None)
    measures = [
        MeasureResult(name=name, version="1", title="", matches=None, values=[value])
        for name in ("all", "late")
    ]
    task = msgspec.structs.replace(get_task("toy/mood"), main=("all:f1", "late:f1", "none:f1"))
    assert [each.name for each in list_main(task, measures)] == ["f1", "f1 (late)"]


def test_a_rule_of_its_own_is_named_by_what_sets_it_apart() -> None:
    task = get_task("simmc/retrieval")
    assert [short_name(task, each) for each in task.main] == ["r1", "r5", "r10", "mean", "mrr"]
    others = ("retrieval_ranks:r1", "retrieval_ranks_pessimistic:r1")
    with_rules = msgspec.structs.replace(task, main=(*task.main, *others))
    named = [short_name(with_rules, each) for each in others]
    assert named == ["r1 (official)", "r1 (pessimistic)"]


@pytest.mark.parametrize(
    ("moods", "split", "comparable"),
    [
        ({"b": "glad", "c": "sad"}, "test", "on the same split"),
        ({"b": "glad"}, "test", "no: 1 of 2 instances are missing"),
        ({"a": "glad", "b": "glad", "c": "sad"}, "train, test", "no: on several splits"),
    ],
)
def test_what_predictions_cover_decides_what_they_compare_with(
    make_corpus: MakeCorpus, tmp_path: Path, moods: dict[str, str], split: str, comparable: str
) -> None:
    corpus = make_corpus(train={"a": "glad"}, test={"b": "glad", "c": "sad"})
    path = tmp_path / "predicted.json"
    path.write_text(json.dumps({f"{name}:0": mood for name, mood in moods.items()}))
    result = evaluate_predictions(get_task("toy/mood"), path, Gold(corpus=corpus)).result
    (report,) = make_reports([msgspec.json.decode(msgspec.json.encode(result), type=ResultFile)])
    assert (report.rows[0].split, report.rows[0].comparable) == (split, comparable)


@pytest.mark.parametrize(
    ("train", "comparable"),
    [
        ("train", "on the same split"),
        ("dev", "on the same split, but trained on 1 dialogue of dev, not on train"),
    ],
)
def test_another_training_split_is_said(
    make_corpus: MakeCorpus, train: str, comparable: str
) -> None:
    corpus = make_corpus(train={"a": "glad", "d": "sad"}, dev={"e": "sad"}, test={"b": "glad"})
    (job,) = plan_baselines("toy/mood", "majority", corpus=corpus, train=train, test="test")
    result = run_baseline(job)
    (report,) = make_reports([msgspec.json.decode(msgspec.json.encode(result), type=ResultFile)])
    assert report.rows[0].comparable == comparable


def test_what_was_read_stands_in_a_second_column(
    make_corpus: MakeCorpus, tmp_path: Path, results: list[ResultFile]
) -> None:
    corpus = make_corpus(test={"b": "glad", "c": "sad"})
    path = tmp_path / "predicted.json"
    path.write_text(json.dumps({"b:0": "glad", "c:0": None}))
    result = evaluate_predictions(get_task("toy/mood"), path, Gold(corpus=corpus)).result
    found = msgspec.json.decode(msgspec.json.encode(result), type=ResultFile)
    (report,) = make_reports([found, *results[:1]])
    row = report.rows[0]
    assert (row.n, row.n_read) == (2, 1)
    assert row.numbers["accuracy"].value == 0.5
    assert row.read["accuracy"].value == 1
    markdown = render_markdown([report])
    assert "| system | split | accuracy | n | n read | accuracy (read) | note |" in markdown
    assert "| 0.500 (0.000–1.000) | 2 of 2 | 1 | 1.000 |" in markdown
    # Of a system all of whose answers were read, the column says the same again.
    assert "| 0.500 (0.000–1.000) | 2 of 2 | 2 | 0.500 (0.000–1.000) |" in markdown


def test_a_report_of_what_was_read_has_no_second_column(results: list[ResultFile]) -> None:
    assert "(read)" not in render_markdown(make_reports(results))


def test_a_dash_says_why(results: list[ResultFile]) -> None:
    value = Value(name="f1", value=None, std_err=None, low=None, high=None)
    measure = MeasureResult(
        name="all", version="1", title="", matches=None, values=[value], undefined={"f1": "n is 0"}
    )
    task = msgspec.structs.replace(get_task("toy/mood"), main=("all:f1",))
    report = report_task(task, [msgspec.structs.replace(results[0], measures=[measure])])
    assert "- majority: f1 is undefined: n is 0" in render_markdown([report])


def test_other_measures_and_modes_are_not_compared(results: list[ResultFile]) -> None:
    task = msgspec.structs.replace(get_task("toy/mood"), main=("accuracy:accuracy",))
    older = msgspec.structs.replace(results[0].measures[0], version="0")
    found = msgspec.structs.replace(results[0], measures=[older], mode="single")
    (row,) = report_task(task, [found]).rows
    expected = "no: mode single; measured by accuracy 0, which is 1 now"
    assert row.comparable == expected


def test_settings_are_named_with_the_source(results: list[ResultFile]) -> None:
    results[0].settings = {"tokenizer": "nltk 3.4.5 word_tokenize"}
    report = report_task(get_task("toy/mood"), results)
    assert "tested on test; tokenizer nltk 3.4.5 word_tokenize;" in report.rows[0].source


def test_published_results_without_a_split_say_so() -> None:
    (report,) = make_reports([], ["simmc/actions"])
    named = {row.split: row.comparable for row in report.rows}
    assert named["not named"].startswith("perhaps: ")
