"""What playing games will take: tokens and price, before a model is asked.

Scripted players play some of the very games, and whatever a model in their seat would be asked is
put together and counted.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

import msgspec
from inspect_ai.model import ChatMessage

from commonground.bench.inspect_tasks.counting import (
    SampleCount,
    choose_rule,
    count_sample,
    name_rule,
)
from commonground.bench.inspect_tasks.estimating import Price
from commonground.bench.inspect_tasks.games import MODEL, GameTable, Options
from commonground.errors import UsageError
from commonground.play.player import Moment, Move, Player, PlayerKind, Seat, Wait
from commonground.play.rooms.players.model_words import load_words
from commonground.play.rooms.players.models import (
    MOST_CALLS,
    ModelPictures,
    write_asking,
    write_briefing,
)
from commonground.play.scenarios import ScenarioEntry
from commonground.play.sessions import play_session

MOST_GAMES = 5
"""Games that are played to estimate; the others are taken to be like them."""

ASSUMPTIONS = (
    "Models decide as often as {players} in the same games, and write as much.",
    "Every answer is an act, and no call is repeated.",
    "Models write nothing but their acts: those that reason write much more.",
    f"A model that never stops is aborted after {MOST_CALLS:,} calls a game.",
)
"""What an estimate of games takes for granted."""


class GameEstimate(msgspec.Struct, frozen=True, kw_only=True):
    """What playing will take.

    :class:`~commonground.bench.inspect_tasks.estimating.Estimate` describes the other attributes.

    Attributes:
        seats: those that the model takes.
        games: how many, those of every epoch.
        tried: how many of them were played by scripts to count.
        calls: of all games.
        calls_a_game: the mean.
        most_calls: of one of the games that were tried.
        tokens_a_game: read and written, the mean.
    """

    task: str
    model: str
    rule: str
    seats: list[str]
    games: int
    tried: int
    calls: int
    calls_a_game: int
    most_calls: int
    pictures: int
    input_tokens: int
    picture_tokens: int
    output_tokens: int
    tokens_a_game: int
    price: float | None
    assumptions: list[str]


class _Shadow:
    """A scripted player, and what a model in its place would be asked, counted call by call."""

    def __init__(
        self,
        player: Player,
        table: GameTable,
        briefing: str,
        count: Callable[[list[ChatMessage], str, str], None],
    ) -> None:
        self._player, self._form = player, table.answers
        self._briefing, self._count = briefing, count
        self._words, self._pictures = load_words(table.scenario), ModelPictures(table.pictures)
        self._seen = b""

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Returns what the script does, and notes what a model would be asked there."""
        after = self._player.next_move(moment, rng)
        seen = msgspec.json.encode((moment.view, [each.type for each in moment.allowed]))
        keeps = isinstance(moment.pending, Move) and moment.refusal is None
        waits = isinstance(moment.pending, Wait) and seen == self._seen
        if moment.allowed and not keeps and not waits:
            self._note(moment, after)
        self._seen = seen
        return after

    def _note(self, moment: Moment, after: Move | Wait) -> None:
        asking = write_asking(self._briefing, self._pictures, moment, None, self._form, self._words)
        offer = asking.offer
        tools = [each.model_dump_json(exclude_none=True) for each in offer.tools]
        schema = [] if offer.schema is None else [msgspec.json.encode(offer.schema).decode()]
        name, arguments = (after.type, after.payload) if isinstance(after, Move) else ("wait", {})
        answer = msgspec.json.encode({"act": name, "arguments": arguments}).decode()
        self._count(asking.messages(), "".join([*tools, *schema]), answer)


def estimate_games(
    scenario: ScenarioEntry,
    options: Options,
    model: str,
    *,
    price: Price | None = None,
    epochs: int = 1,
) -> GameEstimate:
    """Estimates what playing takes.

    Raises:
        CommongroundError: the material or the schedule cannot be read.
        UsageError: no model plays.
    """
    table, (name, rule) = GameTable(scenario, options), choose_rule(model)
    seats = table.seat_others()
    models = [role for role, player in table.players.items() if player == MODEL]
    if not models:
        raise UsageError(
            "No model plays in these games.", "Leave a seat to a model: -T seats=b=script."
        )
    players = sorted({seats[role].name for role in models})
    counted: list[SampleCount] = []

    def count(messages: list[ChatMessage], beside: str, answer: str) -> None:
        counted.append(count_sample(messages, beside, answer, rule))

    for role in models:
        seats[role] = _shadow(seats[role], role, table, count)
    setups = list(table.setups.values())
    asked: list[int] = []
    for setup in setups[:MOST_GAMES]:
        before = len(counted)
        play_session(scenario, seats, setup)
        asked.append(len(counted) - before)
    games = len(setups) * epochs
    times, shown = games / len(asked), sum(each.picture_tokens for each in counted)
    tokens_in = round(times * (sum(each.text for each in counted) + shown))
    tokens_out = round(times * sum(each.answer for each in counted))
    does = f"the player {' and '.join(players)} does"
    return GameEstimate(
        task=f"{scenario.name}_game",
        model=model,
        rule=name_rule(name),
        seats=models,
        games=games,
        tried=len(asked),
        calls=round(times * len(counted)),
        calls_a_game=round(len(counted) / len(asked)),
        most_calls=max(asked),
        pictures=round(times * sum(each.pictures for each in counted)),
        input_tokens=tokens_in,
        picture_tokens=round(times * shown),
        output_tokens=tokens_out,
        tokens_a_game=round((tokens_in + tokens_out) / games),
        price=None if price is None else price.multiply(tokens_in, tokens_out),
        assumptions=[each.format(players=does) for each in ASSUMPTIONS],
    )


def _shadow(
    kind: PlayerKind,
    role: str,
    table: GameTable,
    count: Callable[[list[ChatMessage], str, str], None],
) -> PlayerKind:
    briefing = write_briefing(table.scenario, role)

    def enter(seat: Seat) -> Player:
        return _Shadow(kind.enter(seat), table, briefing, count)

    return PlayerKind(kind.name, kind.title, enter)
