"""Customer and assistant as two players: what each knows, and what it may do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from commonground.errors import UsageError
from commonground.play.player import PlayerKind
from commonground.play.rooms.players.models import hash_prompts, write_briefing
from commonground.play.scenario import Allowed
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.taskmaster.players.voices import ASSISTANT, CUSTOMER, narrow
from commonground.play.sessions import Played, play_sessions, seat_players
from commonground.store.access import import_files

SCENARIOS = ("taskmaster1", "taskmaster3", "taskmaster4")


def bubble(number: int, speaker: str, hint: str | None, text: str | None) -> dict[str, Any]:
    is_open = text is None and hint is not None
    fields = {"number": number, "speaker": speaker, "hint": hint, "text": text}
    return {**fields, "must": [], "open": is_open, "fixed": hint is None}


VIEW: dict[str, Any] = {
    "phase": "dialogue",
    "page": [
        {"kind": "text", "text": "Somebody orders a drink."},
        {"kind": "field", "name": "drink", "prompt": "Which?", "value": "Mint Tea"},
        {"kind": "field", "name": "name", "prompt": "Whose?", "value": "Noor"},
        {"kind": "check", "name": "confirm"},
    ],
    "bubbles": [
        bubble(0, "user", "(Order a drink.)", "A mint tea, please."),
        bubble(1, "assistant", "(Ask for the name.)", None),
        bubble(2, "user", "(Say your name.)", None),
        bubble(3, "assistant", None, "Your drink is on its way."),
    ],
    **{each: ["something"] for each in ("checks", "spans", "labels", "likely")},
}
TURNS = Allowed("taskmaster.turn", {"properties": {"turn": {"enum": [0, 1]}, "text": {}}})
SUBMIT = Allowed("taskmaster.submit", {})


def test_a_customer_knows_its_own_hints_and_what_was_said() -> None:
    shown, allowed = narrow(CUSTOMER, VIEW, [TURNS])
    assert [(each["number"], each["hint"]) for each in shown["bubbles"]] == [
        (0, "(Order a drink.)"),
        (2, "(Say your name.)"),
    ]
    assert allowed == []
    assert not any(shown[each] for each in ("checks", "spans", "labels", "likely"))


def test_an_assistant_knows_the_wishes_that_were_named() -> None:
    shown, allowed = narrow(ASSISTANT, VIEW, [TURNS])
    fields = {part["name"]: part["value"] for part in shown["page"] if part["kind"] == "field"}
    assert fields == {"drink": "Mint Tea", "name": None}
    assert [each["number"] for each in shown["bubbles"]] == [0, 1, 3]
    assert shown["bubbles"][0]["hint"] is None
    assert [each.payload["properties"]["turn"]["enum"] for each in allowed] == [[1]]


def test_only_the_assistant_ends_a_dialogue() -> None:
    """In free form the customer may say more, when all is written that must be."""
    view = {**VIEW, "phase": "review", "bubbles": [bubble(0, "user", "", None)]}
    turns = Allowed("taskmaster.turn", {"properties": {"turn": {"enum": [0]}, "text": {}}})
    shown, allowed = narrow(CUSTOMER, view, [turns, SUBMIT])
    assert shown["phase"] == "dialogue"
    assert [each.type for each in allowed] == ["taskmaster.turn"]
    shown, allowed = narrow(ASSISTANT, view, [turns, SUBMIT])
    assert shown["phase"] == "review"
    assert allowed == [SUBMIT]


def test_only_the_customer_fills_in_what_it_wants() -> None:
    enter = Allowed("taskmaster.enter", {})
    view = {**VIEW, "phase": "forms", "bubbles": []}
    assert narrow(CUSTOMER, view, [enter])[1] == [enter]
    assert narrow(ASSISTANT, view, [enter])[1] == []


def play(name: str, folder: Path, seats: dict[str, PlayerKind]) -> Played:
    folder.mkdir()
    return play_sessions(get_scenario(name), seats, folder, sessions=3, seed=5)


@pytest.mark.parametrize("name", SCENARIOS)
def test_two_scripts_write_what_is_released(name: str, tmp_path: Path) -> None:
    seats = seat_players(get_scenario(name), {"customer": "script"})
    played = play(name, tmp_path / "out", seats)
    assert (played.complete, played.stuck, played.rejected) == (3, [], {})
    corpus = import_files(name, tmp_path / "out", store=tmp_path / "store")
    assert list(corpus.rows("SELECT code FROM findings WHERE severity <> 'note'")) == []


def test_models_are_told_of_their_own_part() -> None:
    scenario = get_scenario("taskmaster3")
    told = {write_briefing(scenario, each) for each in ("", "customer", "assistant")}
    assert len(told) == 3
    hashes = {hash_prompts(scenario, voice=each) for each in ("", "customer", "assistant")}
    assert len(hashes) == 3


def test_a_seat_is_shared_or_is_not() -> None:
    with pytest.raises(UsageError, match="worker"):
        seat_players(get_scenario("taskmaster3"), {"customer": "script", "worker": "script"})
    with pytest.raises(UsageError, match="customer"):
        seat_players(get_scenario("frames"), {"customer": "script"})
