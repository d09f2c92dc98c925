"""What games will take is known before models play them."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from commonground.bench.inspect_tasks.estimating import Price
from commonground.bench.inspect_tasks.estimating_games import estimate_games
from commonground.bench.inspect_tasks.games import Options
from commonground.cli import group
from commonground.errors import UsageError
from commonground.play.rooms.players.models import MOST_CALLS
from commonground.play.scenarios import get_scenario

MODEL = "openai/model"


def test_calls_are_those_of_the_models_seats_and_in_proportion_to_games() -> None:
    scenario = get_scenario("photobook")
    one = Options(games=1, seats="b=script")
    alone = estimate_games(scenario, one, MODEL, price=Price(2, 8))
    together = estimate_games(scenario, Options(games=1), MODEL, epochs=3)
    assert (alone.seats, together.seats) == (["A"], ["A", "B"])
    # Ten marks at least, on five pages, are one call each.
    assert 15 < alone.calls < together.calls / 3 < MOST_CALLS
    assert together.games == 3
    assert together.calls == 3 * together.calls_a_game
    # The six pictures of a page are in every call.
    assert alone.pictures == 6 * alone.calls
    assert alone.picture_tokens < alone.input_tokens
    price = (2 * alone.input_tokens + 8 * alone.output_tokens) / 1e6
    assert alone.price == pytest.approx(price)
    assert "the player script does" in alone.assumptions[0]


def test_the_command_says_what_games_take_and_how_to_limit_them() -> None:
    command = ["tasks", "estimate", "mpchat_game", "--model", MODEL, "-T", "games=7"]
    done = CliRunner().invoke(group, command)
    assert done.exit_code == 0, done.output
    told = " ".join(done.output.split())
    found = json.loads(CliRunner().invoke(group, [*command, "--json"]).stdout)
    # Nobody labels a thread twice, so that there may be fewer games than asked for.
    assert 5 < found["games"] <= 7
    assert f"In {found['games']} games: about" in told
    assert found["tried"] == 5
    assert f"--max-calls {2 * found['calls']} --max-tokens" in told


@pytest.mark.parametrize(
    ("words", "complaint"),
    [
        (("photobok_game",), "Did you mean photobook"),
        (("photobook_game", "-T", "gmes=2"), "Did you mean games"),
        (("photobook_game", "-T", "games=few"), "cannot be used"),
        (("photobook_game", "-T", "seats=a=script,b=script"), "No model plays"),
        (("photobook_game", "--like", "x.eval"), "--like is for tasks"),
        (("frames_agent", "--like", "x.eval"), "--like is for tasks"),
        (("frames/agent", "-T", "lmit=2"), "Did you mean limit"),
    ],
)
def test_what_cannot_be_estimated_is_said(words: tuple[str, ...], complaint: str) -> None:
    done = CliRunner().invoke(group, ["tasks", "estimate", *words, "--model", MODEL])
    assert isinstance(done.exception, UsageError | SystemExit)
    assert complaint in done.output + str(done.exception)
