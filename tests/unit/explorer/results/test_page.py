"""The page of results: filters, orders, two runs, and the dialogue with both in the talk."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from starlette.testclient import TestClient
from tests.thorough import one_in

from commonground.bench.evaluation.instances import write_scored
from commonground.errors import UsageError
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.pages.results import ResultQuery, ResultsPage, build_results_page
from commonground.explorer.results.files import ResultFile
from commonground.explorer.results.runs import ResultFiles
from commonground.explorer.server.app import create_app
from commonground.metric import Counts
from commonground.task import Scored

Ask = Callable[..., ResultsPage]


@pytest.fixture
def ask(corpora: OpenCorpora, runs: ResultFiles) -> Ask:
    return lambda **asked: build_results_page(corpora, runs, ResultQuery(**asked))


def numbers(page: ResultsPage) -> list[str]:
    return [each.instance_id.rpartition(":")[2] for each in page.rows]


def test_filters_leave_what_they_say(ask: Ask) -> None:
    assert numbers(ask()) == ["0", "1", "2"]
    assert numbers(ask(only="wrong")) == ["1", "2"]
    assert numbers(ask(only="unscored")) == ["3"]
    assert numbers(ask(error="missed")) == ["1"]
    assert numbers(ask(measure="set_f1:recall", low="0.5")) == ["0"]
    assert numbers(ask(measure="set_f1:recall", high="0.5")) == ["1", "2"]
    # What is undefined lies between no bounds.
    assert numbers(ask(measure="set_f1:precision", low="0")) == ["0", "2"]


def test_kinds_are_counted_among_what_the_other_filters_leave(ask: Ask) -> None:
    page = ask(error="missed", only="wrong")
    assert [(each.name, each.count, each.chosen) for each in page.errors] == [
        ("value", 1, False),
        ("missed", 1, True),
    ]
    assert (page.n_right, page.n_wrong, page.n_unscored) == (1, 2, 1)


def test_orders_put_the_undefined_last(ask: Ask) -> None:
    assert numbers(ask(sort="set_f1:precision-up")) == ["2", "0", "1"]
    assert numbers(ask(sort="set_f1:precision-down")) == ["0", "2", "1"]
    column = ask(sort="set_f1:precision-up").columns[0]
    assert (column.order, column.next_sort) == ("up", "set_f1:precision-down")


def test_two_runs_say_what_changed(ask: Ask) -> None:
    page = ask(beside="second")
    assert {each.name: each.count for each in page.changes} == {
        "fixed": 1,
        "broken": 1,
        "other": 0,
        "alike": 1,
    }
    assert numbers(ask(beside="second", change="fixed")) == ["1"]
    assert numbers(ask(beside="second", change="broken")) == ["0"]
    (row,) = ask(beside="second", change="fixed").rows
    assert row.beside is not None
    assert (row.right, row.beside.right) == (False, True)
    # The third has no counterpart in what was left out, and all three are in both runs.
    assert page.columns[1].overall_beside == pytest.approx(1 / 3)


def test_a_run_is_not_put_beside_itself(ask: Ask) -> None:
    assert (ask(beside="first").beside, ask(run="second", beside="second").beside) == (None, None)
    assert ask(beside="first").changes == []


@pytest.fixture
def ask_with_another_task(corpora: OpenCorpora, runs: ResultFiles, tmp_path: Path) -> Ask:
    """As ``ask``, with a third run, which does not say of what task it is."""
    other = tmp_path / "other.parquet"
    counts: dict[str, Counts] = {"f1": {"n": 1}}
    row = Scored(instance_id="1", dialogue_id="1", counts=counts, gold="a", predicted="b")
    write_scored([row], other)
    files = ResultFiles([*runs.by_name.values(), ResultFile(other)])
    return lambda **asked: build_results_page(corpora, files, ResultQuery(**asked))


def test_only_runs_of_one_task_stand_side_by_side(ask_with_another_task: Ask) -> None:
    page = ask_with_another_task(beside="other")
    assert (page.beside, page.changes, page.can_be_beside) == (None, [], ["second"])
    assert page.by_task == {"photobook/reference": ["first", "second"], "": ["other"]}


def test_what_was_asked_of_another_task_is_dropped(ask_with_another_task: Ask) -> None:
    asked = {"measure": "set_f1:f1", "low": "0.5", "sort": "set_f1:f1-up"}
    page = ask_with_another_task(run="other", **asked)
    assert (page.measure, page.low, page.sort, len(page.rows)) == ("", None, "", 1)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ({"only": "wron"}, "wrong"),
        ({"error": "mised"}, "missed"),
        ({"change": "fixd"}, "fixed"),
        ({"run": "frst"}, "first"),
        ({"beside": "secnd"}, "second"),
        ({"sort": "set_f1:f1"}, "set_f1:f1-down"),
        ({"measure": "set_f1:f2", "low": "1"}, "set_f1:f1"),
        ({"measure": "set_f1:f1", "low": "nan"}, "like 0.5"),
    ],
)
def test_what_is_not_there_is_told(ask: Ask, asked: dict[str, str], told: str) -> None:
    with pytest.raises(UsageError, match=told):
        ask(**asked)


def test_files_of_one_name_are_told_apart(runs: ResultFiles) -> None:
    file = runs.by_name["first"]
    assert list(ResultFiles([file, file]).by_name) == ["first", "first (2)"]


@pytest.fixture
def served(corpora: OpenCorpora, runs: ResultFiles) -> TestClient:
    opened = OpenCorpora.of(corpora)
    opened.results = tuple(each.path for each in runs.by_name.values())
    return TestClient(create_app(opened))


def test_answers_are_shown_as_pictures_and_lead_to_the_event(
    served: TestClient, images: list[str], ask: Ask
) -> None:
    text = served.get("/results?beside=second&only=wrong").text
    row = ask(only="wrong").rows[0]
    assert f"answers=first&amp;beside=second#e{row.event}" in text
    assert text.count('class="piece is-missed"') == 2
    assert f'data-object="{images[0]}"' in text


@pytest.mark.parametrize(
    ("asked", "says"),
    one_in(
        3,
        [
            ("run=nosuch", "There are: first, second"),
            ("beside=nosuch", "There are: first, second"),
            ("only=nosuch", "There are: all"),
            ("error=nosuch", "There are: "),
            ("change=nosuch", "There are: "),
            ("measure=nosuch&low=1", "There are: "),
            ("measure=n&low=x", "Write it like 0.5"),
            ("sort=nosuch-up", "There are: "),
            ("sort=nosuch", "There are: "),
            ("page=9", "The last one is"),
        ],
    ),
)
def test_a_wrong_parameter_is_said_with_what_there_is(
    served: TestClient, asked: str, says: str
) -> None:
    answer = served.get(f"/results?{asked}")
    assert (answer.status_code, says in answer.text) == (400, True)


def test_a_dialogue_opens_with_both_in_the_talk(
    served: TestClient, corpora: OpenCorpora, ask: Ask
) -> None:
    row = ask().rows[0]
    address = f"/photobook/d/{row.dialogue_id}"
    plain, marked = served.get(address).text, served.get(f"{address}?answers=first").text
    assert "answered" not in plain
    assert marked.count('<div class="answered ') == 4
    told = served.get(f"{address}.json?answers=first&beside=second").json()["answered"]
    assert [each["right"] for each in told["rows"]] == [True, False, False, False]
    assert served.get(f"{address}?answers=third").status_code == 400
    alone = served.get(f"{address}.json?answers=first&beside=first").json()["answered"]
    assert (alone["file"], alone["beside"]) == ("first", None)
