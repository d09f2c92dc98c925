"""Games that fork: a session that was played goes on from one of its acts with others in its seats.

Up to that act everything stands as it stood. A seat in which nobody new sits is ``people``: it does
what was done in it then, as long as that still fits, and the log says why it no longer does. An act
fits where the rules allow it now. Words fit only where the chat reads, text for text, as it did
when they were written: somebody who writes has read what was said before, and answers that.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import accumulate
from random import Random
from typing import Any, Literal

import msgspec

from commonground.errors import UsageError, close_names
from commonground.play.player import Moment, Move, Player, PlayerKind, Seat, Wait
from commonground.play.scenario import CHAT, Act, Allowed, Recorded, Refusal, Timer
from commonground.play.scenarios import ScenarioEntry
from commonground.play.session import Session, StuckError
from commonground.play.sessions.session_logs import BorrowedEnd, ForkedFrom, SessionLog

PEOPLE = "people"
"""Name of the player that does what was done in its seat, as long as it fits."""

ALL = "all"
"""In place of an act: each act of the game in turn."""

PATIENCE_S = 600.0
"""Seconds without any act after which one that is not allowed yet is given up."""

_SOONEST_S = 0.2
"""Seconds before an act that should have been done already."""

EndReason = Literal["other words", "not allowed", "refused", "page over", "no more"]
"""Why a person's own acts end in a fork: something was said that the person had not read before
writing on; the next act was not allowed, and nothing happened for ten minutes; the rules refuse it;
its page is over; there is none."""


class Course(msgspec.Struct, frozen=True, eq=False):
    """A session that was played, from any act of which others may go on."""

    scenario: ScenarioEntry
    recorded: Recorded

    def states(self) -> list[Any]:
        """Returns the state before the first act, and that after each.

        Raises:
            StuckError: the rules refuse an act, and it is not known what became of it then.
        """
        return _trace(self)


@lru_cache(maxsize=4)
def _trace(course: Course) -> list[Any]:
    recorded = course.recorded
    start = course.scenario.rules.start(recorded.material, recorded.seed)
    return list(accumulate(recorded.acts, partial(follow, course.scenario), initial=start))


def follow(scenario: ScenarioEntry, state: Any, act: Act) -> Any:
    """Returns the state after an act that was recorded, one that the rules refuse included.

    Raises:
        StuckError: the rules refuse it, and it is not known what became of it then.
    """
    replayer = scenario.replayer()
    result = (scenario.rules.apply if replayer is None else replayer.follow)(state, act)
    if isinstance(result, Refusal):
        raise StuckError(
            f"A recorded act ({act.type}) is refused: {result.code}.",
            "It was accepted under other rules, material or seed.",
        )
    return result


def replay_log(scenario: ScenarioEntry, log: SessionLog, material: Any) -> Any:
    """Returns the state that the acts of a log lead to, those of a fork included.

    Args:
        material: as the rules know it.

    Raises:
        StuckError: the rules refuse an act.
    """
    state, same = scenario.rules.start(material, log.seed), 0 if log.fork is None else log.fork.same
    for act in log.acts[:same]:
        state = follow(scenario, state, act)
    for number, act in enumerate(log.acts[same:], same):
        state = scenario.rules.apply(state, act)
        if isinstance(state, Refusal):
            raise StuckError(f"Act {number} ({act.type}) is refused: {state.code}.")
    return state


class ForkPoint(msgspec.Struct, frozen=True):
    """Where a game goes on with others in its seats.

    Attributes:
        act: how many of its acts stand as they were: the number, from 0, of the first that may be
            another one.
        people: the roles that do what was done in them.
    """

    course: Course
    act: int
    people: frozenset[str]

    @property
    def game(self) -> str:
        """Name of the game's record."""
        return self.course.recorded.name

    def find_start(self) -> int:
        """Returns the time at which the game goes on, in microseconds since 1970."""
        acts = self.course.recorded.acts
        before = [each.at_us for each in acts[: self.act]]
        return max(before, default=acts[0].at_us - 1_000_000 if acts else 0)


class ForkState(msgspec.Struct, frozen=True):
    """A fork between two acts.

    Attributes:
        at: how many of the recorded acts were made again, in their order.
        is_same: whether nothing else happened.
    """

    state: Any
    at: int
    is_same: bool = True


PLACE = "recorded"
"""Part of the view of a seat that does what was done in it: how far that is."""


class ForkRules:
    """The rules of a game that goes on from one of its acts.

    As long as nothing happens that did not happen then, an act that was recorded counts as it did
    when it was made, whether or not the rules would allow it.
    """

    def __init__(self, fork: ForkPoint) -> None:
        self._fork = fork
        self._scenario = fork.course.scenario
        self._rules = self._scenario.rules
        self._acts = fork.course.recorded.acts
        self.roles = self._rules.roles

    def start(self, _material: Any, _seed: int) -> ForkState:
        """Returns the state of the game before the act at which it forks."""
        return ForkState(self._fork.course.states()[self._fork.act], self._fork.act)

    def apply(self, state: ForkState, act: Act) -> ForkState | Refusal:
        """Returns the state after an act, or why it is refused."""
        due = self._find_due(state)
        if due is not None and _is_same(due, act):
            return ForkState(follow(self._scenario, state.state, due), state.at + 1)
        result = self._rules.apply(state.state, act)
        return result if isinstance(result, Refusal) else ForkState(result, state.at, False)

    def _find_due(self, state: ForkState) -> Act | None:
        """Returns the next act that was recorded; None where the fork has gone another way."""
        return self._acts[state.at] if state.is_same and state.at < len(self._acts) else None

    def view(self, state: ForkState, role: str) -> dict[str, Any]:
        """Returns what a role sees; one that does what was done is told how far that is."""
        view = self._rules.view(state.state, role)
        return view | {PLACE: state} if role in self._fork.people else view

    def allowed(self, state: ForkState, role: str) -> Sequence[Allowed]:
        """Returns what a role may do now."""
        return self._rules.allowed(state.state, role)

    def timers(self, state: ForkState) -> Sequence[Timer]:
        """Returns what happens by itself: first whatever the server or a moderator did then."""
        due = self._find_due(state)
        if due is not None and due.role is None:
            return (Timer(PLACE, due.at_us, due),)
        # Until a person's next act nothing else happened then, such as the end of the time.
        if due is not None and due.role in self._fork.people:
            return ()
        return self._rules.timers(state.state)

    def is_over(self, state: ForkState) -> bool:
        """Says whether the game is over, or everything happened that happened then."""
        if not state.is_same:
            return self._rules.is_over(state.state)
        due = self._find_due(state)
        if due is None:
            return True
        # People went on clicking after the end of some games.
        return self._rules.is_over(state.state) and due.role not in {None, *self._fork.people}

    def close(self, session: Session[ForkState]) -> Session[Any]:
        """Returns a session of the fork as one of the game: its acts from the very first."""
        at = session.state.at
        acts = [*self._acts[:at], *session.acts[at - self._fork.act :]]
        return Session(session.state.state, acts, session.rejected)


def _is_same(one: Act, other: Act) -> bool:
    return (one.type, one.role, one.payload) == (other.type, other.role, other.payload)


def make_people_kind(
    courses: Sequence[Course], people: frozenset[str], then: PlayerKind
) -> PlayerKind:
    """Returns the kind of player that does what was done in its seat, as long as it fits.

    It plays the material of these courses only, the very same objects. When nothing fits any
    more, ``then`` goes on in the seat.
    """
    # By identity: two sessions may have been played with equal material.
    found = {id(each.recorded.material): each for each in courses}

    def enter(seat: Seat) -> Player:
        return BorrowingPlayer(seat.role, found[id(seat.material)], people, then.enter(seat))

    return msgspec.structs.replace(
        then,
        name=f"{PEOPLE},{then.name}",
        title=f"Repeats what was done in its seat, as long as it fits; then: {then.title}",
        enter=enter,
    )


class BorrowingPlayer:
    """Does what somebody did, in that order and at those times, as long as it fits.

    Args:
        people: the roles that are played so.
        then: who goes on when nothing fits any more.

    Attributes:
        ended: why nothing fitted any more; None as long as it does.
    """

    def __init__(self, role: str, course: Course, people: frozenset[str], then: Player) -> None:
        self.ended: BorrowedEnd | None = None
        self._role = role
        self._course = course
        self._acts = course.recorded.acts
        self._people = people
        self._then = then
        self._next = 0
        self._move: Move | None = None
        self._waits = False

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Returns the next act of the record while it fits, then what the other one does."""
        place: ForkState = moment.view[PLACE]
        view = {name: value for name, value in moment.view.items() if name != PLACE}
        moment = msgspec.structs.replace(moment, view=view)
        if self.ended is None:
            found = self._borrow(moment, place)
            if not isinstance(found, BorrowedEnd):
                return found
            self.ended = found
            moment = msgspec.structs.replace(moment, pending=None, refusal=None)
        return self._then.next_move(moment, rng)

    def _borrow(self, moment: Moment, place: ForkState) -> Move | Wait | BorrowedEnd:
        if self._move is not None and moment.pending is not self._move:
            if moment.refusal is not None:
                return self._end("refused", moment.refusal.code)
            self._next, self._move = self._next + 1, None
        if place.is_same:
            self._next = max(self._next, place.at)
        self._next = self._find_next(self._people if place.is_same else {self._role})
        if self._next == len(self._acts):
            return Wait() if place.is_same and place.at < self._next else self._end("no more")
        act = self._acts[self._next]
        if act.role != self._role:
            return Wait()  # another person's turn, as it was then
        is_due = place.is_same and self._next == place.at
        found = None if is_due else self._find_obstacle(act, moment)
        if found is not None:
            return found
        self._waits = False
        if self._move is None:
            soonest_s = 0.0 if is_due else _SOONEST_S
            delay_s = max(soonest_s, (act.at_us - moment.at_us) / 1_000_000)
            self._move = Move(act.type, act.payload, delay_s)
        return self._move

    def _find_next(self, roles: frozenset[str] | set[str]) -> int:
        """Returns the number of the next act of these roles; that after the last for none."""
        numbers = range(self._next, len(self._acts))
        return next((n for n in numbers if self._acts[n].role in roles), len(self._acts))

    def _find_obstacle(self, act: Act, moment: Moment) -> Wait | BorrowedEnd | None:
        """Returns what keeps an act from fitting now; None where nothing does."""
        now = moment.view["round"]
        if now is not None and act.round is not None and act.round < now:
            return self._end("page over")
        is_allowed = any(each.type == act.type for each in moment.allowed)
        if act.type == CHAT:
            read, heard = self._list_read(), _list_texts(moment.view)
            if heard != read[: len(heard)]:
                return self._end("other words")
            is_allowed = is_allowed and len(heard) == len(read)
        in_time = now is None or act.round is None or act.round == now
        if is_allowed and in_time:
            return None
        self._move = None
        # Nothing is pending any more: what was waited for did not come.
        if self._waits and moment.pending is None:
            return self._end("not allowed")
        self._waits = True
        return moment.pending if isinstance(moment.pending, Wait) else Wait(PATIENCE_S)

    def _list_read(self) -> list[tuple[str, str]]:
        """Returns the chat as it stood when the next act was made."""
        state = self._course.states()[self._next]
        return _list_texts(self._course.scenario.rules.view(state, self._role))

    def _end(self, reason: EndReason, code: str = "") -> BorrowedEnd:
        return BorrowedEnd(act=self._next, reason=reason, code=code)


def _list_texts(view: Mapping[str, Any]) -> list[tuple[str, str]]:
    return [(each["role"], each["text"]) for each in view["chat"]]


def describe_fork(
    fork: ForkPoint, session: Session[ForkState], players: Mapping[str, Player]
) -> ForkedFrom:
    """Returns what the log of a fork says of where it came from."""
    ended = {
        role: each.ended
        for role, each in players.items()
        if isinstance(each, BorrowingPlayer) and each.ended is not None
    }
    return ForkedFrom(game=fork.game, act=fork.act, same=session.state.at, ended=ended)


_POINT = re.compile(r"(?P<game>.+)@(?P<act>[^@]+)")


def find_forks(
    scenario: ScenarioEntry,
    schedule: Sequence[Recorded],
    points: Sequence[str],
    people: frozenset[str],
) -> list[ForkPoint]:
    """Reads where games are to fork: ``GAME@ACT``, ``GAME@all`` or ``GAME@NAME``.

    A NAME is one of the scenario's own fork points.

    Raises:
        UsageError: a point has another form, or names no game or act.
    """
    courses = {each.name: Course(scenario, each) for each in reversed(schedule)}
    found: list[ForkPoint] = []
    for point in points:
        parts = _POINT.fullmatch(point)
        if parts is None:
            raise UsageError(f"{point!r} names no act of a game.", "Such as --fork 12@40.")
        course = courses.get(parts["game"])
        if course is None:
            advice = close_names(parts["game"], courses)
            raise UsageError(f"The schedule has no {scenario.unit} {parts['game']}.", advice)
        found += [
            ForkPoint(course, act, people) for act in _list_acts(course, parts["act"], people)
        ]
    return found


def _list_acts(course: Course, word: str, people: frozenset[str]) -> Sequence[int]:
    """Returns the acts of a game that a word stands for; those of new players, if it has some."""
    number, names = len(course.recorded.acts), course.scenario.fork_points()
    if word == ALL:
        return range(number)
    if word in names:
        types = names[word]
        acts = [n for n, each in enumerate(course.recorded.acts) if each.type in types]
        if acts:
            return [n for n in acts if course.recorded.acts[n].role not in people] or acts
    elif word.isdecimal() and word.isascii() and int(word) < number:
        return [int(word)]
    known = "".join(f", or {name}" for name in (ALL, *names) if name != word)
    raise UsageError(
        f"{course.scenario.unit.capitalize()} {course.recorded.name} has no act {word}.",
        f"It has acts 0 to {number - 1}{known}.",
    )


def draw_forks(
    scenario: ScenarioEntry,
    schedule: Sequence[Recorded],
    number: int,
    seed: int,
    people: frozenset[str],
) -> list[ForkPoint]:
    """Draws acts of many games at which to fork, as evenly over the games as can be.

    Raises:
        UsageError: no game has an act.
    """
    courses = [Course(scenario, each) for each in schedule if each.acts]
    if not courses:
        raise UsageError("No game of the schedule has an act to fork at.")
    rng = Random(f"{seed}:forks")
    rounds = -(-number // len(courses))
    order = [at for _ in range(rounds) for at in rng.sample(range(len(courses)), len(courses))]
    drawn = [(at, rng.randrange(len(courses[at].recorded.acts))) for at in order[:number]]
    # Those of one game after another, whose states are computed once then.
    return [ForkPoint(courses[at], act, people) for at, act in sorted(drawn)]
