"""A session without a server: played by players in simulated time, or again from its acts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from random import Random
from typing import Any, Generic

import msgspec

from commonground.errors import CommongroundError
from commonground.play.outcomes import ENDLESS, FAULT, REFUSED_ACTS, SILENT
from commonground.play.player import Moment, Move, Player, Wait
from commonground.play.scenario import Act, M, Refusal, Rules, S
from commonground.printing import count_of


class Rejected(msgspec.Struct, frozen=True):
    """An act that was refused, and why."""

    act: Act
    refusal: Refusal


class Session(msgspec.Struct, Generic[S], frozen=True):
    """A session that was played.

    Attributes:
        state: after the last act.
        acts: those that were accepted, in order; with material and seed they give the state.
        rejected: those that were not.
    """

    state: S
    acts: list[Act]
    rejected: list[Rejected]


class StuckError(CommongroundError):
    """A session goes on no more although it is not over: a player is at fault.

    Args:
        message: what happened.
        advice: what to do about it; empty where there is nothing to add.
        cause: why, in a few words by which games are counted.

    Attributes:
        session: as far as it was played; None where it was not played but read from a log.
        cause: why, in a few words by which games are counted: see
            :mod:`commonground.play.outcomes`.
    """

    session: Session[Any] | None = None

    def __init__(self, message: str, advice: str = "", *, cause: str = FAULT) -> None:
        super().__init__(message, advice)
        self.cause = cause


MOST_REFUSALS = 25
"""Refused moves of one role in a row after which a session counts as stuck."""

MOST_ACTS = 50_000
"""Acts after which it does."""

LONGEST_SILENCE_US = 6 * 3600 * 1_000_000
"""Simulated time without an act after which it does: two players may wait for each other."""


def replay_acts(scenario: Rules[S, M], material: M, seed: int, acts: Iterable[Act]) -> S:
    """Returns the state that accepted acts lead to: what a log says.

    Args:
        scenario: the rules.
        material: what was played with.
        seed: that the session was started with.
        acts: those that were accepted, in order.

    Raises:
        StuckError: the rules refuse one of them, so that it is not a log by these rules.
    """
    state = scenario.start(material, seed)
    for number, act in enumerate(acts):
        result = scenario.apply(state, act)
        if isinstance(result, Refusal):
            raise StuckError(
                f"Act {number} ({act.type}) is refused: {result.code}.",
                "It was accepted under other rules, material or seed.",
            )
        state = result
    return state


def play(
    scenario: Rules[S, M],
    material: M,
    seed: int,
    players: Mapping[str, Player],
    *,
    start_us: int = 0,
) -> Session[S]:
    """Plays a session from its start to its end without waiting: the clock is simulated.

    Args:
        scenario: the rules.
        material: what is played with.
        seed: decides the start and what each player draws; the same seed and players give the
            same session.
        players: one for each role.
        start_us: the time at the start, in microseconds since 1970.

    Raises:
        StuckError: nobody acts, a player makes refused moves only, or it never ends.
    """
    return _Table(scenario, material, seed, players, start_us).run()


class _Table(Generic[S, M]):
    """A session being played: the state, the time, and what each player is about to do."""

    def __init__(
        self,
        scenario: Rules[S, M],
        material: M,
        seed: int,
        players: Mapping[str, Player],
        start_us: int,
    ) -> None:
        self._scenario = scenario
        self._state = scenario.start(material, seed)
        self._players = players
        # Each role draws from numbers of its own: what one player draws changes nothing for the
        # others.
        self._chances = {role: Random(f"{seed}:player:{role}") for role in scenario.roles}
        self._now_us = self._acted_us = start_us
        self._pending: dict[str, Move | Wait] = {}
        self._due_us: dict[str, int] = {}
        self._decided_in: dict[str, int | None] = {}
        self._refused = dict.fromkeys(scenario.roles, 0)
        self._acts: list[Act] = []
        self._rejected: list[Rejected] = []

    def run(self) -> Session[S]:
        """Plays the session until its rules say that it is over."""
        scenario = self._scenario
        try:
            self._ask(scenario.roles)
            while not scenario.is_over(self._state):
                self._step()
        except StuckError as error:
            error.session = Session(self._state, self._acts, self._rejected)
            raise
        return Session(self._state, self._acts, self._rejected)

    def _step(self) -> None:
        """Lets the next thing happen: a move, the end of a wait, or a timer."""
        # Of two that are due at once the role that comes first in the alphabet, so that a seed
        # gives one session and no other.
        due_us, role = min(((at, role) for role, at in self._due_us.items()), default=(None, ""))
        timer = min(self._scenario.timers(self._state), key=lambda each: each.at_us, default=None)
        # A timer goes before a move of the same moment, which comes too late then.
        if timer is not None and (due_us is None or timer.at_us <= due_us):
            self._advance(timer.at_us)
            self._try(msgspec.structs.replace(timer.act, at_us=self._now_us))
        elif due_us is None:
            raise self._fall_silent()
        else:
            self._advance(due_us)
            pending = self._pending.pop(role)
            del self._due_us[role]
            if isinstance(pending, Wait):
                self._ask((role,))
                return
            number = self._decided_in[role]
            self._try(Act(pending.type, role, pending.payload, self._now_us, number))

    def _fall_silent(self) -> StuckError:
        after = count_of(len(self._acts), "act")
        return StuckError(f"Nobody acts after {after}.", cause=SILENT)

    def _advance(self, at_us: int) -> None:
        # Two things that are due at once, or a delay of nothing, still get times of their own.
        self._now_us = max(at_us, self._now_us + 1)
        if self._now_us - self._acted_us > LONGEST_SILENCE_US:
            raise self._fall_silent()

    def _try(self, act: Act) -> None:
        result = self._scenario.apply(self._state, act)
        if not isinstance(result, Refusal):
            self._state = result
            self._acts.append(act)
            self._acted_us = self._now_us
            if len(self._acts) >= MOST_ACTS:
                raise StuckError(f"It does not end: {MOST_ACTS:,} acts were made.", cause=ENDLESS)
            if act.role is not None:
                self._refused[act.role] = 0
            # Everybody anew: whatever happens may change what the others had in mind.
            self._ask(self._scenario.roles)
            return
        self._rejected.append(Rejected(act, result))
        if act.role is None:
            raise StuckError(f"The rules refuse an act of their own timer: {result.code}.")
        self._refused[act.role] += 1
        if self._refused[act.role] >= MOST_REFUSALS:
            player = f"Player {act.role} made {MOST_REFUSALS} refused moves in a row"
            last = f"the last ({act.type}) for {result.code}"
            raise StuckError(f"{player}, {last}.", cause=REFUSED_ACTS)
        # For all others nothing has happened, and their time goes on running.
        self._ask((act.role,), result)

    def _ask(self, roles: Sequence[str], refusal: Refusal | None = None) -> None:
        if self._scenario.is_over(self._state):
            return
        for role in roles:
            before = self._pending.get(role)
            moment = Moment(
                role=role,
                view=self._scenario.view(self._state, role),
                allowed=self._scenario.allowed(self._state, role),
                at_us=self._now_us,
                pending=before,
                refusal=refusal,
            )
            after = self._players[role].next_move(moment, self._chances[role])
            # The very same move again: the player keeps to it, and its time goes on running.
            if after is not before:
                self._pending[role] = after
                # The round that the player saw, by which the rules tell a move that comes too late.
                self._decided_in[role] = moment.view["round"]
                if after.delay_s is None:
                    self._due_us.pop(role, None)
                else:
                    self._due_us[role] = self._now_us + round(after.delay_s * 1_000_000)
