"""A task of inspect_ai for each scenario: models play its game, by its rules.

A sample is a game: a piece of material and a seed. Who sits where is up to the options and to
inspect_ai's model roles; the player is that of ``commonground play``, so both tell models the same.
"""

from __future__ import annotations

import atexit
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import Any

import anyio.from_thread
import anyio.to_thread
import msgspec
from inspect_ai import Task as InspectTask
from inspect_ai.dataset import MemoryDataset, Sample
from inspect_ai.model import (
    ChatMessage,
    ChatMessageAssistant,
    ChatMessageUser,
    GenerateConfig,
    Model,
    ModelOutput,
    get_model,
)
from inspect_ai.model._model import active_model
from inspect_ai.scorer import Metric, SampleScore, Score, Scorer, Target, metric, scorer
from inspect_ai.solver import Generate, Solver, TaskState, solver
from inspect_ai.util import LimitExceededError

from commonground import __version__
from commonground.bench.evaluation.prompts import inspect_game_name
from commonground.bench.inspect_tasks.refusals import (
    refuse_unreachable,
    register_task,
)
from commonground.bench.inspect_tasks.scoring.rates import name_ends
from commonground.errors import UsageError, unknown_name
from commonground.files.work_folders import temporary_folder
from commonground.play.outcomes import LIMIT, GameResult, count_causes, summarise_games
from commonground.play.player import PlayerKind
from commonground.play.rooms.players.model_answers import AnswerForm, ReplyFormat, read_form
from commonground.play.rooms.players.models import (
    PROMPT_VERSION,
    Tally,
    count_bad,
    has_pictures,
    hash_prompts,
    make_kind,
    refuse_blind_model,
    require_pictures,
)
from commonground.play.scenarios import ScenarioEntry, iterate_scenarios
from commonground.play.session import StuckError
from commonground.play.sessions import Dealer, Setup, play_session, seat_players
from commonground.play.sessions.schedules import REPLAY, make_replay_kind, read_schedule
from commonground.play.sessions.session_logs import SessionLog

MODEL = "model"
"""Player of a seat that inspect_ai has a model for: that of the role, or the one of all."""

CHAT = "chat.message"

GAME, RESULT, PLAYERS, TALLIES = "game", "result", "players", "answers"
"""What the store of a sample holds: the log, what it came to, and by role who played and how."""

ANSWERS, ABORTED = "answers: ", "aborted: "
"""How the names of numbers begin that count reasons: of answers that are no acts, and of games."""


class Options(msgspec.Struct, frozen=True):
    """The options of a task, as ``-T NAME=VALUE`` gives them.

    Attributes:
        games: how many.
        seed: of what is drawn.
        seats: who plays other than a model, such as `b=script`, or `a=replay` of a schedule;
            several are divided by commas. In every other seat is the model of its role
            (`--model-role b=...`), or that of `--model`.
        material: folder of what is played with; None to invent it.
        schedule: a `sessions.jsonl` or released files, whose material and seeds are taken.
        answers: how models say what they do: `tools` to call one, or `json` for an object.
    """

    games: int = 20
    seed: int = 0
    seats: str | list[str] | None = None
    material: str | None = None
    schedule: str | None = None
    answers: str = "tools"


class GameTable:
    """Where the games of a task are played.

    Attributes:
        answers: how models say what they do.
        players: who plays, by role or by name of those who share a seat.
        setups: what each game is played with, by number.
        invented: whether that was invented, and neither given nor taken from a schedule.
        pictures: the folder in which the pictures are.

    Raises:
        CommongroundError: the material or the schedule cannot be read.
        UsageError: there is no such role or player, or no such way to answer.
    """

    def __init__(self, scenario: ScenarioEntry, options: Options) -> None:
        self.scenario = scenario
        # inspect_ai makes a list of what has commas in it.
        seats = parse_seats(scenario, options.seats or "")
        self.answers: AnswerForm = read_form(options.answers)
        if REPLAY in seats.values() and options.schedule is None:
            raise UsageError("Replaying people needs a schedule.", "Name it: -T schedule=FILE.")
        self.players = {role: seats.get(role, MODEL) for role in scenario.list_places(seats)}
        material = None if options.material is None else Path(options.material)
        path = None if options.schedule is None else Path(options.schedule)
        schedule = None if path is None else read_schedule(scenario, path)
        self._replay = None if schedule is None else make_replay_kind(schedule)
        # Only to have a wrong name said now, and not by the first sample.
        self.seat_others()
        deal = Dealer(scenario, options.games, options.seed, material=material, schedule=schedule)
        self.setups: dict[int, Setup] = {}
        for number in range(options.games):
            setup = deal.give(number)
            # A schedule may have fewer games than were asked for.
            if setup is None:
                break
            self.setups[number] = setup
        self.invented = material is None and path is None
        self.pictures = material or path or _draw(scenario, deal.materials, options.seed)
        if schedule is not None and MODEL in self.players.values():
            require_pictures(schedule[0].material, self.pictures)

    def refuse_blind(self) -> None:
        """Makes sure that the model can be shown the pictures of the games, if there are any.

        Models of roles are not known yet: the first game that one of them sits in says it.

        Raises:
            UsageError: it cannot.
        """
        model, first = active_model(), next(iter(self.setups.values()), None)
        if model is not None and first is not None and has_pictures(first.material, self.pictures):
            refuse_blind_model(model, "To play with it,")

    def seat_others(self) -> dict[str, PlayerKind]:
        """Returns who plays, by role; in seats of models sit the usual players for now."""
        # Replays and models are no kinds of the scenario: its usual players keep their seats.
        usual = self.scenario.usual_player().name
        named = {r: usual if n in (REPLAY, MODEL) else n for r, n in self.players.items()}
        seats = seat_players(self.scenario, named)
        for role, name in self.players.items():
            if name == REPLAY and self._replay is not None:
                seats[role] = self._replay
        return seats

    def seat(self, tallies: Mapping[str, Tally], asking: _Asking) -> dict[str, PlayerKind]:
        """Returns who plays, by role; models count into their tallies."""
        seats = self.seat_others()
        for role, name in self.players.items():
            if name == MODEL:
                seats[role] = make_kind(
                    self.scenario,
                    get_model(role=role.lower()),
                    pictures=self.pictures,
                    tally=tallies[role],
                    generate=asking.ask,
                    form=self.answers,
                    voice=role,
                )
        return seats


def _draw(scenario: ScenarioEntry, materials: Any, seed: int) -> Path:
    """Draws the pictures of invented material, for as long as the process runs."""
    # Samples are played after this returns, in an order that inspect_ai decides: the pictures go
    # when Python ends.
    process = ExitStack()
    atexit.register(process.close)
    folder = process.enter_context(temporary_folder())
    scenario.material_source().write(materials, folder, seed)
    return folder


class _Asking:
    """Asks models in inspect_ai's loop, with its limits, cache and retries.

    A limit of inspect_ai breaks the game off, which is kept as far as it went; errors go through.

    Attributes:
        limit: that was passed; None where none was.
    """

    def __init__(self) -> None:
        self.limit: LimitExceededError | None = None

    def ask(self, model: Model, messages: list[ChatMessage], offer: ReplyFormat) -> ModelOutput:
        """Asks a model, in the thread of a game.

        Raises:
            StuckError: a limit of inspect_ai was passed.
        """
        try:
            # A game runs in a thread of its own; models are asked in the loop that started it.
            config = offer.configure(GenerateConfig())
            asked = partial(model.generate, messages, offer.tools, offer.choice, config)
            return anyio.from_thread.run(asked)
        except LimitExceededError as error:
            self.limit = error
            message = f"A limit of inspect_ai was exceeded: {error.message}"
            raise StuckError(message, cause=LIMIT) from error


@solver
def play_game(table: GameTable) -> Solver:
    """Plays the game of a sample."""

    async def solve(state: TaskState, generate: Generate) -> TaskState:  # noqa: ARG001
        setup = table.setups[state.metadata["number"]]
        tallies = {role: Tally() for role in table.players}
        asking = _Asking()
        seats = table.seat(tallies, asking)
        play = partial(play_session, table.scenario, seats, setup)
        # Rules and players are plain functions that take their time; the loop goes on meanwhile.
        made = await anyio.to_thread.run_sync(play)
        asked = {role: tally for role, tally in tallies.items() if seats[role].model}
        # The store becomes JSON, whose keys are texts.
        state.store.set(GAME, msgspec.to_builtins(made.log, str_keys=True))
        state.store.set(RESULT, msgspec.to_builtins(made.result))
        state.store.set(PLAYERS, {role: kind.name for role, kind in seats.items()})
        state.store.set(TALLIES, msgspec.to_builtins(asked))
        state.output = ModelOutput.from_content(str(state.model), describe_result(made.result))
        if made.log is not None:
            state.messages += write_course(made.log)
        state.completed = True
        if asking.limit is not None:
            # Only now: what was played until then is in the store, and goes into the log.
            raise asking.limit
        return state

    return solve


def write_course(log: SessionLog) -> list[ChatMessage]:
    """Returns a game as messages, for anyone who reads the log: texts as such, other acts by type.

    The first role speaks as the user, so that a viewer shows two sides.
    """
    first = next(iter(log.agents), None)
    messages: list[ChatMessage] = []
    for act in log.acts:
        if act.role is None:
            continue
        fields = dict(act.payload)
        said = fields.pop("text", "") if act.type == CHAT else ""
        done = said or f"[{act.type}] {msgspec.json.encode(fields).decode()}"
        kind = (
            ChatMessageUser if act.role == first and len(log.agents) > 1 else ChatMessageAssistant
        )
        messages.append(kind(content=f"{act.role}: {done}"))
    return messages


def describe_result(result: GameResult) -> str:
    """Returns what a game came to, in a line."""
    points = "" if result.score is None else f", {result.score:g} of {result.best:g}"
    reason = f": {result.reason}" if result.reason else ""
    return f"{result.fate} after {result.acts} acts{points}{reason}"


@metric(scores="unreduced")
def fates() -> Metric:
    """The share of games that were played, aborted and lost, and the mean of their points.

    Each has the ends of its 95 % interval after it; games of several epochs count one by one. What
    games were aborted for, and what answers were no acts for, is counted behind them.
    """

    def compute(scores: list[SampleScore]) -> dict[str, float]:
        details = [each.score.metadata or {} for each in scores]
        stored = (each.get(RESULT) for each in details)
        results = [msgspec.convert(each, GameResult) for each in stored if each is not None]
        rates: dict[str, float] = {}
        # The viewer shows the first number of a log in its list of logs.
        listed = sorted(summarise_games(results).items(), key=lambda named: named[0] != "score")
        for name, rate in listed:
            rates |= name_ends(name, rate.value, rate.low, rate.high)
        asked = [tally for each in details for tally in (each.get(TALLIES) or {}).values()]
        return rates | _count_reasons(results, asked)

    return compute


def _count_reasons(results: Sequence[GameResult], tallies: Sequence[Any]) -> dict[str, float]:
    """Counts why answers were no acts and why games were aborted; nothing where all went well."""
    bad: Counter[str] = Counter()
    for each in tallies:
        bad.update(count_bad(each["outcomes"], each["refused"]))
    counted = {f"{ANSWERS}{name}": float(count) for name, count in bad.items()}
    return counted | {f"{ABORTED}{name}": n for name, n in count_causes(results).items()}


@scorer(metrics=[fates()])
def outcome() -> Scorer:
    """Scores a game by its own points, as a share of the most that there are.

    A game that did not come to its end has 0, and one in which nothing can be won has 1 at its end.
    """

    async def score(state: TaskState, target: Target) -> Score:  # noqa: ARG001 - inspect_ai's
        stored = state.store.get(RESULT)
        result = msgspec.convert(stored, GameResult)
        share = 0.0
        if result.is_played:
            share = 1.0 if result.score is None else result.score / (result.best or 1.0)
        return Score(
            value=share,
            answer=result.fate,
            explanation=describe_result(result),
            metadata={RESULT: stored, TALLIES: state.store.get(TALLIES)},
        )

    return score


def register_games() -> dict[str, Callable[..., InspectTask]]:
    """Makes the game of every scenario known to inspect_ai, and returns them by name."""
    # A scenario without a room has no pages, and so no instructions to play by.
    found = [each for each in iterate_scenarios() if each.room.is_dir()]
    return {inspect_game_name(each.name): _register(each) for each in found}


def _register(scenario: ScenarioEntry) -> Callable[..., InspectTask]:
    name, title = scenario.name, f"The game of {scenario.name}, played by models."
    return register_task(
        inspect_game_name(name), Options, partial(make_game_task, scenario), title=title
    )


def parse_seats(scenario: ScenarioEntry, described: str | Sequence[str]) -> dict[str, str]:
    """Reads who sits where, such as ``b=script``.

    Args:
        scenario: whose roles they are, in any case.
        described: roles and players, divided by commas or one by one.

    Raises:
        UsageError: there is no such role.
    """
    parts = described.split(",") if isinstance(described, str) else described
    named = [[each.strip() for each in part.partition("=")] for part in parts if part.strip()]
    roles = {role.lower(): role for role in scenario.list_places(role for role, *_ in named)}
    seats: dict[str, str] = {}
    for role, sign, name in named:
        if not sign or not name:
            raise UsageError(
                f"{role + sign + name!r} names no seat with a player.", "Such as b=script."
            )
        if role.lower() not in roles:
            raise unknown_name("role", role, roles.values())
        seats[roles[role.lower()]] = name
    return seats


def make_game_task(scenario: ScenarioEntry, options: Options) -> InspectTask:
    """Makes what inspect_ai runs of what is to be played.

    Raises:
        CommongroundError: a name is unknown, or the material cannot be read.
    """
    table = GameTable(scenario, options)
    if MODEL in table.players.values():
        refuse_unreachable()
        table.refuse_blind()
    who = ", ".join(f"{role}={name}" for role, name in table.players.items())
    hashes = {
        role: hash_prompts(scenario, table.answers, role)
        for role, name in table.players.items()
        if name == MODEL
    }
    samples = [
        Sample(
            input=f"{scenario.unit.capitalize()} {number} of {scenario.name}: {who}.",
            id=number,
            metadata={"number": number, "seed": setup.seed, "piece": setup.piece},
        )
        for number, setup in table.setups.items()
    ]
    facts = {
        "scenario": scenario.name,
        "version": scenario.rules.version,
        "games": len(samples),
        "seed": options.seed,
        "invented": table.invented,
        "seats": table.players,
        "prompt_version": PROMPT_VERSION,
        # One for all seats, unless two models share one and are told different things.
        "prompt_hash": "+".join(dict.fromkeys(hashes.values()))
        or hash_prompts(scenario, table.answers),
        "answers": table.answers,
        "commonground": __version__,
    }
    return InspectTask(
        dataset=MemoryDataset(samples, name=scenario.name),
        solver=play_game(table),
        scorer=outcome(),
        version=f"{scenario.rules.version}-{PROMPT_VERSION}",
        metadata=facts,
        tags=["commonground", "game"],
        display_name=f"The game of {scenario.name}",
    )
