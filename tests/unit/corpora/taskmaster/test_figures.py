"""The figures of one dialogue of each generation, and of the released files where they are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.released import import_released
from tests.unit.corpora.taskmaster.samples import COFFEE, PLAIN, TICKETS

from commonground.corpora import get_corpus
from commonground.figures.figure_files import find_figures, get_figure
from commonground.figures.tables import StoreData
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

PLACE = os.environ.get("COMMONGROUND_DATA")


def reward(number: float, generation: dict[str, Any]) -> dict[str, Any]:
    return {
        "conversation_id": "dlg-r",
        "context": "[]",
        "generation": json.dumps({"role": "agent"} | generation),
        "reward": number,
    }


CALL: dict[str, Any] = {"api": {"show_menu": {}}}
FILES: dict[str, dict[str, list[dict[str, Any]]]] = {
    "taskmaster1": {
        "self-dialogs.json": [PLAIN],
        "woz-dialogs.json": [PLAIN | {"conversation_id": "dlg-woz"}],
    },
    "taskmaster2": {"data/music.json": [PLAIN]},
    "taskmaster3": {"data/data_00.json": [TICKETS]},
    "taskmaster4": {
        "data/data_00.json": [
            COFFEE,
            COFFEE | {"conversation_id": "dlg-told", "instructions": "Order."},
        ],
        "reward/reward_00.json": [
            reward(1.0, CALL),
            reward(0.0, CALL),
            reward(1.0, {"text": "Sure."}),
        ],
    },
}


def open_data(corpus: str, place: Path, store: Path) -> StoreData:
    import_corpus(get_corpus(corpus), [place], store=store, jobs=1)
    return StoreData(open_store(store), corpus)


@pytest.fixture
def data(request: pytest.FixtureRequest, tmp_path: Path) -> StoreData:
    """The invented dialogues of the generation that the test names."""
    corpus = request.param
    for name, records in FILES[corpus].items():
        path = tmp_path / corpus / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(records), encoding="utf-8")
    return open_data(corpus, tmp_path / corpus, tmp_path / "store")


def of(corpus: str) -> pytest.MarkDecorator:
    return pytest.mark.parametrize("data", [corpus], indirect=True)


def run(data: StoreData, name: str, *columns: str) -> list[list[Any]]:
    """Returns the rows of a figure; of some columns where they are named."""
    table = data.run(get_figure(data.corpus, name))
    names = [each.name for each in table.figure.columns]
    places = [names.index(each) for each in columns or names]
    return [[row[place] for place in places] for row in table.rows]


def find_row_dialogues(data: StoreData, name: str) -> dict[str, list[str]]:
    found = data.find_row_dialogues(get_figure(data.corpus, name))
    return {row: sorted(set(dialogues)) for row, dialogues in found.items()}


@pytest.mark.parametrize("data", list(FILES), indirect=True)
def test_every_figure_of_a_generation_runs(data: StoreData) -> None:
    names = {figure.name for figure in find_figures(data.corpus)}
    for name in names:
        run(data, name)
    assert ("apis" in names) == (data.corpus in ("taskmaster3", "taskmaster4"))
    assert ("collections" in names) == (data.corpus == "taskmaster1")


@of("taskmaster1")
def test_collections_go_by_file(data: StoreData) -> None:
    assert run(data, "collections") == [
        ["self-dialogs", 1, 2, 2.0, None, None],  # one dialogue has no interval
        ["woz-dialogs", 1, 2, 2.0, None, None],
    ]
    assert find_row_dialogues(data, "collections") == {
        "collections/self-dialogs": ["dlg-plain"],
        "collections/woz-dialogs": ["dlg-woz"],
    }
    assert run(data, "domains") == [["pizza-ordering-7", 2, 4, 2.0, 2.0, 2.0]]
    assert run(data, "lengths") == [[2, 2, 100.0]]


@of("taskmaster1")
def test_labels_tell_what_was_accepted(data: StoreData) -> None:
    # Three labels in each of two dialogues, one of them of an accepted value.
    labels = {label: counts for label, *counts in run(data, "labels")}
    assert labels["pizza_ordering.name.store.accept"] == [2, 2, pytest.approx(100 / 3)]
    assert [row[:2] for row in run(data, "transactions")] == [["accept", 2], ["neither", 4]]
    # "Café Noir, two big ones" has three spans' labels; "Hello?" has none.
    assert run(data, "labelled-utterances", "speaker", "utterances", "labelled", "spans") == [
        ["USER", 2, 100.0, 3.0],
        ["ASSISTANT", 2, 0.0, 0.0],
    ]
    # The assistant's bar is empty: it has no dialogues, and no link.
    assert find_row_dialogues(data, "labelled-utterances") == {
        "labelled-utterances/USER": ["dlg-plain", "dlg-woz"]
    }
    table = data.run(get_figure("taskmaster1", "labelled-utterances"))
    assert table.links() == ["figure:labelled-utterances/USER", None]


@of("taskmaster2")
def test_domains_of_the_second_generation_are_files(data: StoreData) -> None:
    table = data.run(get_figure("taskmaster2", "domains"))
    # One dialogue tells nothing of how far the mean may be off.
    assert table.rows == [["music", 1, 2, 2.0, None, None]]
    assert table.links() == ["domain:music"]


@of("taskmaster3")
def test_tickets_count_calls_and_turns(data: StoreData) -> None:
    # The user begins; the assistant has two utterances in succession and the last word.
    columns = ("speaker", "utterances", "words", "begun", "ended", "again")
    assert run(data, "speakers", *columns) == [
        ["user", 1, 4.0, 1, 0, 0],
        ["assistant", 2, 1.0, 0, 1, 1],
    ]
    assert run(data, "apis") == [["find_movies", 1, 100.0, 1, 0, 0]]
    assert run(data, "arguments") == [["location", "find_movies", 1, 100.0]]
    assert run(data, "instructions") == [["released", 1, 100.0, 1]]


@of("taskmaster4")
def test_coffees_count_calls_that_cannot_be_read(data: StoreData) -> None:
    # Three calls in each of two dialogues: one has no request, another neither side readable.
    third = pytest.approx(100 / 3)
    assert run(data, "apis") == [
        ["get_addons", 2, third, 2, 2, 2],
        ["get_menu_items", 2, third, 2, 0, 0],
        ["show_menu", 2, third, 2, 2, 0],
    ]
    assert run(data, "arguments") == [["query", "get_menu_items", 2, 100.0]]
    assert run(data, "calls-of-a-dialogue") == [[3, 2, 100.0]]


@of("taskmaster4")
def test_scenarios_and_their_instructions(data: StoreData) -> None:
    # Two dialogues of one scenario; one of them has the text.
    assert run(data, "scenarios") == [["Plain", 2, 50.0, 1, 2.0]]
    assert run(data, "instructions") == [["released", 1, 50.0, 1], ["absent", 1, 50.0, 1]]
    assert find_row_dialogues(data, "instructions") == {
        "instructions/released": ["dlg-told"],
        "instructions/absent": ["dlg-coffee"],
    }
    overview = {name: number for name, number, _unit in run(data, "overview")}
    assert overview["dialogues with instructions"] == 50.0
    # Each dialogue has "a té with ice" and "OK": five words in two utterances.
    assert overview["words per utterance"] == 2.5


@of("taskmaster4")
def test_rewards_go_by_what_was_generated(data: StoreData) -> None:
    assert run(data, "rewards") == [
        ["API call", "0", 1, 50.0],
        ["API call", "1", 1, 50.0],
        ["text", "1", 1, 100.0],
    ]
    # The conversation they are of is no dialogue of the corpus.
    assert data.run(get_figure("taskmaster4", "rewards")).links() == [None, None, None]


def test_the_released_coffees_have_the_counted_numbers(
    tmp_path_factory: pytest.TempPathFactory,
) -> None:
    store = import_released(tmp_path_factory, "taskmaster4")
    data = StoreData(open_store(store), "taskmaster4")
    overview = {name: number for name, number, _unit in run(data, "overview")}
    assert (overview["dialogues"], overview["utterances"]) == (3_710, 13_915)
    assert (overview["scenarios"], overview["calls"]) == (32, 15_395)
    assert run(data, "instructions")[1][:2] == ["absent", 575]
    calls = {row[0]: row[1:] for row in run(data, "apis")}
    assert calls["show_menu"][0] == 450
    assert calls["show_menu"][3] == 75
    # 28 requests and 44 responses cannot be read.
    assert sum(row[3] for row in calls.values()) - 75 == 28
    assert sum(row[4] for row in calls.values()) == 44


@of("taskmaster4")
def test_missing_reward_files_are_the_reason_of_their_number_only(data: StoreData) -> None:
    table = data.run(get_figure("taskmaster4", "overview"))
    why = {each.name: each.why for each in table.comparisons()}
    told = "1 of 7 released files of Taskmaster-4 reward examples were imported."
    assert why["reward examples"] == told
    assert why["dialogs"] == "2 of 3,710 released dialogues were imported."


def test_missing_dialogues_are_no_reason_where_all_reward_files_are_there(tmp_path: Path) -> None:
    place = tmp_path / "whole"
    for name, records in FILES["taskmaster4"].items():
        folder, _, base = name.rpartition("/")
        (place / folder).mkdir(parents=True, exist_ok=True)
        (place / folder / base).write_text(json.dumps(records))
    for number in range(1, 7):
        (place / f"reward/reward_0{number}.json").write_text(json.dumps([reward(1.0, CALL)]))
    table = open_data("taskmaster4", place, tmp_path / "other").run(
        get_figure("taskmaster4", "overview")
    )
    why = {each.name: each.why for each in table.comparisons()}
    assert why["reward examples"].startswith("The seven reward files that were released hold")
