"""Calls of scripts that no response follows, answered by a world."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.play.scenarios.taskmaster.test_worker import write

from commonground.errors import FormatError
from commonground.play.scenario import Sitting
from commonground.play.scenarios import get_scenario
from commonground.play.worlds import get_world

COFFEE = """Order a drink.
{{ENTER drink name Which drink?}}
{{CONVERSATION
hint user (Order a var_drink.)
call get_menu_items request {"query": "var_drink"}
call add_order_item request {"menu_item_id": "tea-2", "quantity": "1"}
force assistant Sure.
hint user (Say that this is all.)
call get_order_details request {"order_id": "order-1"}
call finish_order request {"order_id": "order-1"}
response finish_order response {"success":  true}
call finish_order request {"order_id": "order-9"}
}}"""
BAR = {"items": [{"menu_item_id": "tea-2", "name": "Tea"}]}

TICKETS = """Book tickets.
{{CONVERSATION
hint user (Ask for comedies.)
call find_movies name.genre comedy
call book_tickets name.movie Orbit name.theater Rialto 9 num.tickets two
force assistant Done.
hint user (Say thanks.)
}}"""
CINEMAS = {
    "rows": [
        {"name.movie": "Orbit", "name.theater": "Rialto 9"},
        {"name.movie": "Big Fog", "name.theater": "Odeon"},
    ],
    "films": {"Orbit": {"name.genre": "comedy"}, "Big Fog": {"name.genre": "comedy"}},
}


def put(folder: Path, script: str, facts: Any) -> Path:
    folder.mkdir()
    (folder / "Mine.script").write_text(script, encoding="utf-8")
    if facts is not None:
        (folder / "world.json").write_text(json.dumps(facts), encoding="utf-8")
    return folder


def record(name: str, folder: Path) -> Any:
    entry = get_scenario(name)
    (material,) = entry.material_source().read(folder)
    session = write(name, material)
    (made,) = entry.rules.finish(session.state, Sitting(0, {}))
    return made


def test_a_bar_answers_with_what_was_ordered(tmp_path: Path) -> None:
    made = record("taskmaster4", put(tmp_path / "s", COFFEE.replace("var_drink", "tea"), BAR))
    calls: dict[str, dict[str, str]] = {}
    for note in (note for each in made.utterances for note in each.annotations):
        calls.setdefault(note.context, {})[note.name] = note.value
    answers = [each["response"] for name, each in calls.items() if "response" in name]
    ordered = {"order_item_id": "item-1", "menu_item_id": "tea-2", "menu_item_name": "Tea"}
    assert [json.loads(each) for each in answers[:3]] == [
        {"menu_items": [{"menu_item_id": "tea-2", "name": "Tea"}]},
        {"order_id": "order-1", "order_item_id": "item-1"},
        {"order_id": "order-1", "attributes": [], "menu_items": [ordered]},
    ]
    # What the script answers stays as written; what the world refuses is left out.
    assert answers[3:] == ['{"success":  true}']


def test_cinemas_answer_with_names_and_values(tmp_path: Path) -> None:
    made = record("taskmaster3", put(tmp_path / "s", TICKETS, CINEMAS))
    calls = [each for utterance in made.utterances for each in utterance.apis or ()]
    assert [(each.name, each.response) for each in calls] == [
        ("find_movies", {"name.movie_1": "Orbit", "name.movie_2": "Big Fog"}),
        ("book_tickets", {"status": "success"}),
    ]


def test_without_facts_of_ones_own_invented_ones_answer_and_that_is_said(tmp_path: Path) -> None:
    bare, full = put(tmp_path / "bare", TICKETS, None), put(tmp_path / "full", TICKETS, CINEMAS)
    calls = [each for turn in record("taskmaster3", bare).utterances for each in turn.apis or ()]
    invented = get_world("taskmaster3").invent(0)
    asked = {"name.genre": "comedy"}
    found = invented.call(invented.beginning, "find_movies", asked).result["name.movie"]
    assert [*calls[0].response.values()] == found
    assert calls[1].response == {"status": "success"}
    scripts = get_scenario("taskmaster3").scripting()
    assert scripts is not None
    said = [scripts.lint(each / "Mine.script") for each in (bare, full)]
    assert [(each.code, each.severity) for each in said[0]] == [("invented_response", "note")] * 2
    assert said[1] == []


def test_scripts_that_answer_all_their_calls_need_no_facts(tmp_path: Path) -> None:
    answered = """Order.
{{CONVERSATION
hint user (Order.)
call show_menu request {}
response show_menu response {"success": true}
}}"""
    for name in ("taskmaster3", "taskmaster4"):
        folder = put(tmp_path / name, answered, None)
        (material,) = get_scenario(name).material_source().read(folder)
        assert material.facts is None


def test_errands_have_no_world_and_their_calls_are_left_out(tmp_path: Path) -> None:
    folder = put(tmp_path / "s", TICKETS, None)
    (material,) = get_scenario("taskmaster1").material_source().read(folder)
    assert material.facts is None
    scripts = get_scenario("taskmaster1").scripting()
    assert scripts is not None
    codes = {each.code for each in scripts.lint(folder / "Mine.script")}
    assert "call_without_response" in codes


def test_facts_of_another_form_are_an_error(tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=r"^world\.json: "):
        record("taskmaster3", put(tmp_path / "s", TICKETS, {"rows": "none"}))
