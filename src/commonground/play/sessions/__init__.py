"""Sessions played without a server, and released records played again by the same rules."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from commonground.errors import find_named, unknown_name
from commonground.files.simulated import Made, mark_simulated
from commonground.play.outcomes import EARLY, Fate, GameResult
from commonground.play.player import Player, PlayerKind, Seat
from commonground.play.scenario import Recorded, Sitting
from commonground.play.scenarios import ScenarioEntry
from commonground.play.session import Session, StuckError, play
from commonground.play.sessions.forking import ForkPoint, ForkRules, describe_fork
from commonground.play.sessions.keeping import KeptGames
from commonground.play.sessions.replaying import Progress
from commonground.play.sessions.schedules import REPLAY
from commonground.play.sessions.session_logs import (
    LOG_NAME,
    BorrowedWords,
    ForkedFrom,
    LogWriter,
    SessionLog,
)
from commonground.play.voices import SharedSeat

START_US = 1_709_542_800_000_000
"""When the first session starts: simulated time, so that a seed gives the same bytes on any day."""

BETWEEN_US = 900_000_000
"""From the start of one session to that of the next."""


class Stuck(msgspec.Struct, frozen=True):
    """A session that did not come to an end, and why."""

    number: int
    reason: str


class Played(msgspec.Struct):
    """What :func:`play_sessions` did.

    Attributes:
        complete: how many came to their end and are released.
        acts: how many acts were accepted.
        rejected: how many were refused, by code.
        stopped: why fewer were played than asked for; empty where all were.
        not_begun: how many were not begun then.
        borrowed: whose words of released dialogues players said, and why these ended.
    """

    sessions: int = 0
    complete: int = 0
    acts: int = 0
    rejected: Counter[str] = msgspec.field(default_factory=Counter)
    stuck: list[Stuck] = msgspec.field(default_factory=list)
    results: list[GameResult] = msgspec.field(default_factory=list)
    stopped: str = ""
    not_begun: int = 0
    borrowed: list[BorrowedWords] = msgspec.field(default_factory=list)


def seat_players(scenario: ScenarioEntry, wanted: Mapping[str, str]) -> dict[str, PlayerKind]:
    """Returns the kind of player of each role of a scenario, or of each who shares the only one.

    Args:
        wanted: names of kinds by role, in any case; a role that is missing gets the usual player.

    Raises:
        UsageError: there is no such role or kind.
    """
    roles = {role.lower(): role for role in scenario.list_places(wanted)}
    kinds = scenario.player_kinds()
    seats = dict.fromkeys(roles.values(), scenario.usual_player().name)
    for role, name in wanted.items():
        if role.lower() not in roles:
            raise unknown_name("role", role, roles.values())
        seats[roles[role.lower()]] = name
    return {role: find_named("player", name, kinds) for role, name in seats.items()}


def play_sessions(
    scenario: ScenarioEntry,
    seats: Mapping[str, PlayerKind],
    out: Path,
    *,
    sessions: int,
    seed: int,
    material: Path | None = None,
    schedule: Sequence[Recorded] | None = None,
    forks: Sequence[ForkPoint] | None = None,
    kept: KeptGames | None = None,
    stop: Callable[[], str] = str,
    progress: Progress | None = None,
    take: Callable[[PlayedSession], object] | None = None,
) -> Played:
    """Plays sessions and writes them in the released format, with a log of their acts.

    Args:
        out: an empty folder.
        sessions: how many to play; fewer are where nobody can be given material any more.
        seed: the same seed gives the same bytes.
        material: folder of what is played with; None to invent it.
        schedule: sessions whose material and seed are taken in their order, from the first again
            when they have run out; None to draw from the material.
        forks: where these sessions go on, one each; None to play them from their start.
        kept: where games that are finished are kept meanwhile, and taken from; None for nowhere.
        stop: asked before each session why it is not to be played; empty to play it.
        take: called with each session that was played.

    Raises:
        SourceError: the material cannot be read.
        FormatError: it is not what the scenario demands.
        OSError: the folder cannot be written.
    """
    source, invented = scenario.material_source(), schedule is None and material is None
    deal = Dealer(scenario, sessions, seed, material=material, schedule=schedule, forks=forks)
    if invented and any(kind.model for kind in seats.values()):
        source.write(deal.materials, out, seed)  # models are shown the pictures

    stopped, begun = "", 0

    def play_all() -> Iterator[PlayedSession]:
        nonlocal stopped, begun
        for number in range(sessions):
            if stopped := stop():
                break
            setup = deal.give(number)
            if setup is None:
                break
            begun += 1
            found = None if kept is None else kept.find(setup)
            if found is None:
                made = play_session(scenario, seats, setup)
            else:
                models = find_roles(scenario, (name for name, k in seats.items() if k.model))
                made = close_session(scenario, *found, models, piece=setup.piece)
            if kept is not None:
                kept.keep(made)
            deal.take(setup, made.records)
            if take is not None:
                take(made)
            yield made
            if progress is not None:
                progress(number + 1, sessions)

    played = write_sessions(
        scenario, play_all(), out, seed=seed if invented else None, forked=forks is not None
    )
    played.stopped, played.not_begun = stopped, sessions - begun if stopped else 0
    return played


class Setup(msgspec.Struct, frozen=True):
    """What a session is to be played with.

    Attributes:
        piece: number of the material.
        agents: who sits in each role.
        people: the seed of each player; one who comes again has the same.
        fork: where it goes on; None to begin at its start.
    """

    number: int
    seed: int
    piece: int
    material: Any
    agents: dict[str, int]
    people: dict[str, int]
    fork: ForkPoint | None = None


class Dealer:
    """Says what each session is played with, and by whom: as the assigner does, or by lot.

    Args:
        sessions: how many are played at most.
        material, schedule, forks: as in :func:`play_sessions`.

    Raises:
        SourceError: the material cannot be read.
        FormatError: it is not what the scenario demands.
    """

    def __init__(
        self,
        scenario: ScenarioEntry,
        sessions: int,
        seed: int,
        *,
        material: Path | None = None,
        schedule: Sequence[Recorded] | None = None,
        forks: Sequence[ForkPoint] | None = None,
    ) -> None:
        self.materials: Sequence[Any]
        if schedule is not None:
            self.materials = [each.material for each in schedule]
        elif material is not None:
            self.materials = scenario.material_source().read(material)
        else:
            self.materials = scenario.material_source().invent(sessions, seed)
        self._roles = scenario.rules.roles
        self._seed = seed
        self._schedule = schedule
        self._forks = forks
        self._places = {id(each): place for place, each in enumerate(schedule or ())}
        assigner = scenario.assigner() if schedule is None else None
        self._people = range(assigner.people(sessions)) if assigner else range(0)
        self._assignments = assigner.open(self.materials, seed) if assigner else None

    def give(self, number: int) -> Setup | None:
        """Returns what a session is played with; None where nobody can be given anything."""
        if self._assignments is None:
            return self._draw(number)
        # Of the session's number alone, so that it is the same however many come before it.
        rng = Random(f"{self._seed}:session:{number}")
        # In an order drawn anew, for the first one who can be given something.
        for person in rng.sample(self._people, len(self._people)):
            piece = self._assignments.choose(person)
            if piece is not None:
                self._assignments.begin(person, piece)
                [role] = self._roles
                # Of the person and not of the session: somebody keeps their habits in all that they
                # do.
                habits = Random(f"{self._seed}:person:{person}").getrandbits(32)
                return Setup(
                    number=number,
                    seed=rng.getrandbits(32),
                    piece=piece,
                    material=self.materials[piece],
                    agents={role: person},
                    people={role: habits},
                )
        return None

    def _draw(self, number: int) -> Setup:
        # Seeded by its number: a session is the same, however many are played beside it.
        piece = Random(f"{self._seed}:session:{number}").randrange(len(self.materials))
        rng = Random(f"{self._seed}:players:{number}")
        start = rng.getrandbits(32)
        if self._schedule is not None:
            piece = number % len(self._schedule)
            start = self._schedule[piece].seed
        fork = None if self._forks is None else self._forks[number]
        if fork is not None:
            piece, start = self._places[id(fork.course.recorded)], fork.course.recorded.seed
        return Setup(
            number=number,
            seed=start,
            piece=piece,
            material=self.materials[piece],
            # New people in every session: nobody plays twice where no assigner says it.
            agents={role: number * len(self._roles) + at for at, role in enumerate(self._roles)},
            people={role: rng.getrandbits(32) for role in self._roles},
            fork=fork,
        )

    def take(self, setup: Setup, records: Sequence[Any]) -> None:
        """Notes what came of a session."""
        if self._assignments is not None:
            [person] = setup.agents.values()
            self._assignments.end(person, setup.piece, records)


class PlayedSession(msgspec.Struct, frozen=True):
    """A session that was played.

    Attributes:
        log: all that it was; None where a player was stuck before it began.
        records: its native records; none where it did not come to its end.
        piece: number of the material.
        state: in which it ended; None where a player was stuck before it began.
        fork: where it went on; None where it began at its start.
    """

    log: SessionLog | None
    records: Sequence[Any]
    result: GameResult
    piece: int
    state: Any = None
    fork: ForkPoint | None = None


def play_session(
    scenario: ScenarioEntry, seats: Mapping[str, PlayerKind], setup: Setup
) -> PlayedSession:
    """Plays a session until it is over, or a player is stuck."""
    rules, stuck, forked = scenario.rules, None, None
    players = _enter(scenario, seats, setup)
    start_us = START_US + setup.number * BETWEEN_US
    try:
        if setup.fork is None:
            session = play(rules, setup.material, setup.seed, players, start_us=start_us)
        else:
            session, forked, stuck = _play_fork(setup, setup.fork, players)
            start_us = session.acts[0].at_us if session.acts else start_us
    except StuckError as error:
        stuck = error
        if error.session is None:
            result = GameResult(
                number=setup.number, fate="aborted", cause=error.cause, reason=error.message
            )
            return PlayedSession(None, (), result, setup.piece)
        session = error.session
    log = SessionLog(
        scenario=rules.name,
        version=rules.version,
        number=setup.number,
        seed=setup.seed,
        start_us=start_us,
        players={role: kind.name for role, kind in seats.items()},
        agents=setup.agents,
        complete=rules.is_complete(session.state),
        material=setup.material,
        acts=session.acts,
        rejected=session.rejected,
        prompts={role: kind.prompt for role, kind in seats.items() if kind.prompt},
        fork=forked,
        borrowed={
            role: said
            for role, each in players.items()
            if (said := getattr(each, "borrowed", None)) is not None
        },
    )
    models = find_roles(scenario, (name for name, kind in seats.items() if kind.model))
    made = close_session(scenario, log, session.state, models, stuck, piece=setup.piece)
    return msgspec.structs.replace(made, fork=setup.fork)


def _play_fork(
    setup: Setup, fork: ForkPoint, players: Mapping[str, Player]
) -> tuple[Session[Any], ForkedFrom, StuckError | None]:
    """Plays a session on from where it forks.

    Returns:
        the session from its very first act, what its log says of the fork, and why it went on no
        more, None where it came to its end.
    """
    rules, stuck = ForkRules(fork), None
    try:
        made = play(rules, setup.material, setup.seed, players, start_us=fork.find_start())
    except StuckError as error:
        if error.session is None:
            raise
        made, stuck = error.session, error
    return rules.close(made), describe_fork(fork, made, players), stuck


def _enter(
    scenario: ScenarioEntry, seats: Mapping[str, PlayerKind], setup: Setup
) -> dict[str, Player]:
    """Sits everybody down; those who share a seat are people of one seed, as one person was."""
    voices = scenario.voices()
    roles = {name: role for name in seats for role in find_roles(scenario, [name])}
    players = {
        name: kind.enter(Seat(roles[name], setup.material, setup.people[roles[name]]))
        for name, kind in seats.items()
    }
    if voices is not None and players.keys() == {*voices.names}:
        return {voices.role: SharedSeat(voices, players)}
    return players


def find_roles(scenario: ScenarioEntry, names: Iterable[str]) -> frozenset[str]:
    """Returns the roles of players: their own, or that of the seat which they share."""
    voices = scenario.voices()
    shared = {} if voices is None else dict.fromkeys(voices.names, voices.role)
    return frozenset(shared.get(each, each) for each in names)


def close_session(
    scenario: ScenarioEntry,
    log: SessionLog,
    state: Any,
    models: frozenset[str],
    stuck: StuckError | None = None,
    *,
    piece: int,
) -> PlayedSession:
    """Returns what came of a session that goes on no more.

    Args:
        models: roles in which a language model sat.
        stuck: why it went on no more; None where it came to its end.
    """
    outcome = scenario.outcome()
    score = None if outcome is None else outcome.score(state)
    best = None if outcome is None else outcome.best
    fate: Fate = "aborted"
    cause = (log.cause or EARLY) if stuck is None else stuck.cause
    if log.complete:
        fate, cause = "done" if score is None else "won" if score == best else "lost", ""
    log = msgspec.structs.replace(log, cause=cause)
    result = GameResult(
        number=log.number,
        fate=fate,
        score=score,
        best=best,
        acts=len(log.acts),
        cause=cause,
        reason="" if stuck is None else stuck.message,
    )
    sitting = Sitting(log.number, log.agents, models)
    records = scenario.rules.finish(state, sitting) if log.complete else ()
    return PlayedSession(log, records, result, piece, state)


def write_sessions(
    scenario: ScenarioEntry,
    played: Iterable[PlayedSession],
    beside: Path,
    *,
    seed: int | None,
    forked: bool = False,
) -> Played:
    """Writes sessions in the released format, with a log of their acts.

    Args:
        played: in order.
        beside: an empty folder, which takes the place of the output in the end; or one that
            holds what was invented.
        seed: that the material was invented with; None where it was read.

    Raises:
        OSError: the folder cannot be written.
    """
    done, used = Played(), dict[int, Any]()
    made: Made = "forked" if forked else "invented"
    with (beside / LOG_NAME).open("wb") as lines:
        writer = LogWriter(lines.write)

        def records() -> Iterator[Any]:
            nonlocal made
            for each in played:
                _count(done, each)
                if each.log is not None:
                    used[each.piece] = each.log.material
                    writer.add(each.log)
                    if not forked and _repeats(each.log):
                        made = "repeating"
                yield from each.records

        for file in scenario.rules.release(records()):
            path = beside / file.path
            path.parent.mkdir(parents=True, exist_ok=True)
            (beside / file.path).write_bytes(file.data)
    scenario.material_source().write([used[number] for number in sorted(used)], beside, seed)
    if scenario.has_corpus:
        mark_simulated(beside, scenario.corpus.name, scenario.corpus.manifest.title, made)
    return done


def _repeats(log: SessionLog) -> bool:
    """Says whether a player repeats what was said or done in an earlier dialogue."""
    return REPLAY in log.players.values() or any(each.turns for each in log.borrowed.values())


def _count(done: Played, each: PlayedSession) -> None:
    done.sessions += 1
    done.results.append(each.result)
    if each.result.reason:
        done.stuck.append(Stuck(each.result.number, each.result.reason))
    if each.log is not None:
        done.borrowed += each.log.borrowed.values()
        done.complete += each.log.complete
        done.acts += len(each.log.acts)
        done.rejected.update(refused.refusal.code for refused in each.log.rejected)
