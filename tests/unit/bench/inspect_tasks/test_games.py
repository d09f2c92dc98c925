"""Games as inspect_ai runs them: played by the rules, scored, and written as released."""

from __future__ import annotations

from collections.abc import Callable
from operator import attrgetter
from pathlib import Path
from typing import Any

import pytest
from inspect_ai import eval as run_tasks
from inspect_ai._util.config import parse_cli_args
from inspect_ai._util.error import PrerequisiteError
from inspect_ai.log import EvalLog
from inspect_ai.model import Model, get_model
from tests.thorough import a_few, thorough
from tests.unit.play.rooms.test_models import Mind, play_photobook

from commonground.bench.evaluation.prompts import inspect_game_name
from commonground.bench.evaluation.rendering import render_markdown
from commonground.bench.inspect_tasks import GAMES, games
from commonground.bench.inspect_tasks.games import parse_seats
from commonground.bench.inspect_tasks.logs.games import write_logged_games
from commonground.bench.inspect_tasks.logs.report_lines import sort_logs
from commonground.errors import SourceError, TaskError
from commonground.play.rooms.players.model_answers import WAIT
from commonground.play.rooms.players.models import hash_prompts
from commonground.play.scenarios import get_scenario, iterate_scenarios
from commonground.play.sessions import play_sessions, seat_players
from commonground.play.sessions.session_logs import read_sessions
from commonground.store.access import import_files

KINDS = ("frames", "mpchat", "photobook", "simmc-furniture", "taskmaster3")
"""A scenario of each corpus; contract tests play them all."""


def play(
    folder: Path,
    model: Model,
    options: dict[str, Any],
    name: str = "photobook",
    **more: Any,
) -> EvalLog:
    (log,) = run_tasks(
        GAMES[inspect_game_name(name)](**options),
        model=model,
        display="none",
        log_dir=str(folder / "logs"),
        log_realtime=False,
        **more,
    )
    assert log.status == "success", log.error
    return log


def list_values(log: EvalLog) -> dict[str, float]:
    assert log.results is not None
    return {name: each.value for name, each in log.results.scores[0].metrics.items()}


def be_silent(_view: dict[str, Any], _tools: list[str]) -> None:
    return None


def test_two_models_play_and_their_games_are_imported(tmp_path: Path) -> None:
    one, other = Mind(play_photobook), Mind(play_photobook)
    log = play(tmp_path, one.model, {"games": 2}, model_roles={"b": other.model})
    assert len(one.asked) > 20
    assert len(other.asked) > 20
    values = list_values(log)
    assert (values["played"], values["aborted"]) == (1, 0)
    assert log.samples is not None
    # Anyone who opens the log reads the game as a dialogue.
    told = [(each.role, each.text) for each in log.samples[0].messages]
    assert ("user", "A: do you have a red one too?") in told
    assert ("assistant", "B: do you have a red one too?") in told
    assert ("assistant", "B: [photobook.submit] {}") in told
    assert 0 < values["score_low"] <= values["score"] <= values["score_high"] < 30
    (tmp_path / "out").mkdir()
    played = write_logged_games(get_scenario("photobook"), Path(log.location), tmp_path / "out")
    assert (played.sessions, played.complete) == (2, 2)
    corpus = import_files("photobook", tmp_path / "out", store=tmp_path / "store")
    assert len(corpus) == 2


def test_a_partner_may_be_a_script(tmp_path: Path) -> None:
    mind = Mind(play_photobook)
    log = play(tmp_path, mind.model, {"games": 1, "seats": "b=script", "seed": 3})
    assert log.samples is not None
    assert log.samples[0].store["players"] == {"A": "mockllm/model", "B": "script"}
    assert log.eval.metadata is not None
    assert log.eval.metadata["prompt_hash"] == hash_prompts(get_scenario("photobook"))
    found = sort_logs([Path(log.location)])
    assert not found.tasks
    (report,) = found.others
    (row,) = report.rows
    assert report.task == "commonground/photobook_game"
    assert report.names[0] == "score"
    assert (row.system, row.n) == ("A: mockllm/model, B: script", 1)
    assert row.numbers["aborted"].value == 0
    assert row.numbers["aborted"].high is not None
    assert hash_prompts(get_scenario("photobook")) in row.source


def test_models_may_answer_with_json(tmp_path: Path) -> None:
    mind = Mind(play_photobook)
    log = play(tmp_path, mind.model, {"games": 1, "answers": "json"})
    assert list_values(log)["aborted"] == 0
    assert log.eval.metadata is not None
    expected = hash_prompts(get_scenario("photobook"), "json")
    assert log.eval.metadata["prompt_hash"] == expected
    assert "one JSON object" in mind.asked[0][0].text


def test_a_model_may_be_the_customer_of_a_dialogue(tmp_path: Path) -> None:
    scenario = get_scenario("taskmaster4")

    def order(view: dict[str, Any], tools: list[str]) -> tuple[str, dict[str, Any]]:
        (name,) = (each for each in tools if each != WAIT)
        if name == "taskmaster_enter":
            fields = [part["name"] for part in view["page"] if part["kind"] == "field"]
            return name, {"values": dict.fromkeys(fields, "two")}
        (bubble,) = (each for each in view["bubbles"] if each["open"])
        return name, {"turn": bubble["number"], "text": " ".join(("Well, ", *bubble["must"]))}

    mind = Mind(order)
    options = {"games": 1, "seats": "customer=model,assistant=script"}
    log = play(tmp_path, mind.model, options, "taskmaster4")
    assert "You are the customer" in mind.asked[0][0].text
    assert log.eval.metadata is not None
    assert log.eval.metadata["prompt_hash"] == hash_prompts(scenario, voice="customer")
    (tmp_path / "out").mkdir()
    played = write_logged_games(scenario, Path(log.location), tmp_path / "out")
    assert (played.sessions, played.complete) == (1, 1)
    (written,) = read_sessions(tmp_path / "out" / "sessions.jsonl")
    assert written.players == {"customer": "mockllm/model", "assistant": "script"}


def test_a_partner_may_be_replayed_and_epochs_are_games(tmp_path: Path) -> None:
    mind = Mind(play_photobook)
    first = play(tmp_path, mind.model, {"games": 1})
    (tmp_path / "out").mkdir()
    scenario = get_scenario("photobook")
    write_logged_games(scenario, Path(first.location), tmp_path / "out")
    options = {"games": 1, "seats": "b=replay", "schedule": str(tmp_path / "out")}
    log = play(tmp_path, mind.model, options, epochs=2)
    (tmp_path / "again").mkdir()
    played = write_logged_games(scenario, Path(log.location), tmp_path / "again")
    assert [each.number for each in played.results] == [0, 1]
    old = next(read_sessions(tmp_path / "out" / "sessions.jsonl"))
    for new in read_sessions(tmp_path / "again" / "sessions.jsonl"):
        assert new.players["B"] == "replay"
        assert new.material == old.material


@pytest.mark.parametrize("name", a_few(map(attrgetter("name"), iterate_scenarios()), KINDS))
def test_every_scenario_is_a_task_and_silence_is_malformed(name: str, tmp_path: Path) -> None:
    log = play(tmp_path, Mind(be_silent).model, {"games": 1}, name)
    values = list_values(log)
    assert (values["aborted"], values["aborted: malformed"]) == (1, 1)
    (report,) = sort_logs([Path(log.location)]).others
    assert report.rows[0].outcomes == {"answers: malformed": 3, "aborted: malformed": 1}
    assert "| answers: malformed | 3 |" in render_markdown([report])
    (tmp_path / "out").mkdir()
    played = write_logged_games(get_scenario(name), Path(log.location), tmp_path / "out")
    assert [(each.fate, each.cause) for each in played.results] == [("aborted", "malformed")]


@thorough
def test_a_provider_that_fails_is_an_error_of_its_sample(tmp_path: Path) -> None:
    def fail(_view: dict[str, Any], _tools: list[str]) -> None:
        raise RuntimeError("no more credit")

    (log,) = run_tasks(
        GAMES["photobook_game"](games=1, seats="b=script"),
        model=Mind(fail).model,
        display="none",
        log_dir=str(tmp_path),
    )
    assert log.status == "error"
    assert log.error is not None
    assert "no more credit" in log.error.message
    with pytest.raises(TaskError, match="has no game"):
        write_logged_games(get_scenario("photobook"), Path(log.location), tmp_path)
    with pytest.raises(SourceError, match=r"none\.eval is not there"):
        write_logged_games(get_scenario("photobook"), tmp_path / "none.eval", tmp_path)


def test_a_limit_of_tokens_breaks_a_game_off(tmp_path: Path) -> None:
    mind = Mind(play_photobook)
    log = play(tmp_path, mind.model, {"games": 1}, token_limit=500)
    assert log.samples is not None
    assert log.samples[0].limit is not None
    assert log.samples[0].limit.type == "token"
    assert list_values(log)["aborted"] == 1
    assert len(mind.asked) < 10


@thorough
def test_a_second_run_on_the_cache_asks_nobody(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("INSPECT_CACHE_DIR", str(tmp_path / "cache"))
    options = {"games": 1}
    mind = Mind(play_photobook)
    first = play(tmp_path, mind.model, options, cache=True)
    asked = len(mind.asked)
    second = play(tmp_path, mind.model, options, cache=True)
    assert len(mind.asked) == asked
    assert list_values(first) == list_values(second)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"seats": "c=script"}, "role"),
        ({"seats": "script"}, "names no seat with a player"),
        ({"seats": "b=scrip"}, "Did you mean script"),
        ({"seats": "b=replay"}, "needs a schedule"),
        ({"schedule": "nowhere"}, "nowhere"),
        ({"answers": "jsn"}, "Did you mean json"),
    ],
)
def test_what_is_wrong_is_said_in_words(options: dict[str, str], complaint: str) -> None:
    make: Callable[..., Any] = GAMES["photobook_game"]
    with pytest.raises(PrerequisiteError, match=complaint):
        make(**options)


def test_a_model_that_sees_no_pictures_is_refused_before_a_game(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(games, "active_model", lambda: "hf/models/small")
    with pytest.raises(PrerequisiteError, match=r"sends texts only\. To play with it, serve"):
        GAMES["photobook_game"](games=1, seats="b=script")
    assert GAMES["photobook_game"](games=1, seats="a=script,b=script")
    assert GAMES["frames_game"](games=1)


def test_a_schedule_without_its_pictures_is_refused(tmp_path: Path) -> None:
    folder, scenario = tmp_path / "played", get_scenario("photobook")
    folder.mkdir()
    play_sessions(scenario, seat_players(scenario, {}), folder, sessions=1, seed=1)
    (folder / "images").rename(tmp_path / "elsewhere")
    with pytest.raises(PrerequisiteError, match="models are to see are not in"):
        GAMES["photobook_game"](games=1, schedule=str(folder))
    found = {"schedule": str(folder), "material": str(tmp_path / "elsewhere")}
    assert GAMES["photobook_game"](games=1, **found)


def test_seats_are_read_in_any_case() -> None:
    expected = {"A": "script", "B": "replay"}
    assert parse_seats(get_scenario("photobook"), "a = script, B=replay") == expected
    # As the command line of inspect_ai reads it.
    told = parse_cli_args(["seats=a=script,B=replay"])["seats"]
    assert parse_seats(get_scenario("photobook"), told) == expected


@thorough
def test_models_are_asked_at_the_same_model_when_no_role_is_named(tmp_path: Path) -> None:
    mind = Mind(play_photobook)
    log = play(tmp_path, mind.model, {"games": 1})
    assert log.samples is not None
    assert set(log.samples[0].store["players"].values()) == {str(get_model("mockllm/model"))}
