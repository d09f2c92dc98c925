"""A session by the rules of a scenario of three lines: two count to five in turns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any

import msgspec
import pytest

from commonground.play.player import Moment, Move, Player, Wait
from commonground.play.scenario import (
    Act,
    Allowed,
    Refusal,
    ReleasedFile,
    Scenario,
    Sitting,
    Timer,
)
from commonground.play.session import MOST_REFUSALS, StuckError, play, replay_acts


class Goal(msgspec.Struct, frozen=True):
    last: int = 5
    limit_us: int | None = None


class Count(msgspec.Struct, frozen=True):
    goal: Goal
    said: tuple[int, ...] = ()
    stopped: bool = False


class Counting:
    name, corpus, version = "counting", "toy", "1"
    roles = ("A", "B")
    act_types = frozenset({"counting.say", "session.ended"})
    refusals = frozenset({"not_your_turn"})
    material = Goal

    def start(self, material: Goal, _seed: int) -> Count:
        return Count(material)

    def apply(self, state: Count, act: Act) -> Count | Refusal:
        if act.type == "session.ended":
            return msgspec.structs.replace(state, stopped=True)
        if act.role != self.roles[len(state.said) % 2]:
            return Refusal("not_your_turn")
        return msgspec.structs.replace(state, said=(*state.said, act.payload["number"]))

    def view(self, state: Count, _role: str) -> dict[str, Any]:
        return {"round": None, "phase": "play", "chat": [], "said": list(state.said)}

    def allowed(self, state: Count, role: str) -> Sequence[Allowed]:
        mine = self.roles[len(state.said) % 2] == role
        return [Allowed("counting.say", {"type": "object"})] if mine else []

    def timers(self, state: Count) -> Sequence[Timer]:
        if state.goal.limit_us is None:
            return ()
        limit_us = state.goal.limit_us
        return (Timer("game", limit_us, Act("session.ended", None, {}, limit_us)),)

    def is_over(self, state: Count) -> bool:
        return state.stopped or self.is_complete(state)

    def is_complete(self, state: Count) -> bool:
        return len(state.said) == state.goal.last

    def finish(self, state: Count, sitting: Sitting) -> Sequence[Any]:
        return [{"id": sitting.number, "said": state.said}]

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        yield ReleasedFile("counts.json", msgspec.json.encode(list(records)))


class Polite:
    """Says the next number when it is allowed to, after one second."""

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:  # noqa: ARG002
        if not moment.allowed:
            return Wait()
        if isinstance(moment.pending, Move):
            return moment.pending
        return Move("counting.say", {"number": len(moment.view["said"])}, 1)


class Rude:
    """Speaks whenever it is asked."""

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        if isinstance(moment.pending, Move):
            return moment.pending
        return Move("counting.say", {"number": 0}, rng.random())


class Asleep:
    """Never does anything but look up now and then."""

    def __init__(self, wakes_s: float | None) -> None:
        self.wakes_s = wakes_s

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:  # noqa: ARG002
        return Wait(self.wakes_s)


RULES: Scenario[Count, Goal] = Counting()


def run(a: Player, b: Player, goal: Goal | None = None) -> Any:
    return play(RULES, goal or Goal(), 1, {"A": a, "B": b}, start_us=1_000)


def test_players_act_in_simulated_time() -> None:
    session = run(Polite(), Polite())
    assert session.state.said == (0, 1, 2, 3, 4)
    assert [act.role for act in session.acts] == list("ABABA")
    assert [act.at_us for act in session.acts] == [1_000 + n * 1_000_000 for n in range(1, 6)]
    assert session.rejected == []


def test_refused_acts_are_kept_apart_with_their_reason() -> None:
    session = run(Polite(), Rude())
    assert RULES.is_complete(session.state)
    assert {each.refusal.code for each in session.rejected} == {"not_your_turn"}
    assert {each.act.role for each in session.rejected} == {"B"}


def test_times_are_strictly_increasing() -> None:
    session = run(Rude(), Rude())
    times = [act.at_us for act in session.acts]
    assert times == sorted(set(times))


def test_the_acts_give_the_state_again_also_from_json() -> None:
    session = run(Polite(), Polite())
    acts = msgspec.json.decode(msgspec.json.encode(session.acts), type=list[Act])
    assert acts == session.acts
    assert replay_acts(RULES, Goal(), 1, acts) == session.state


def test_a_log_of_other_rules_is_refused() -> None:
    act = Act("counting.say", "B", {"number": 0}, 1)
    with pytest.raises(StuckError, match=r"Act 0 .* is refused: not_your_turn"):
        replay_acts(RULES, Goal(), 1, [act])


def test_a_timer_acts_when_its_time_comes() -> None:
    session = run(Polite(), Asleep(0.4), Goal(limit_us=2_500_000))
    assert session.acts[-1] == Act("session.ended", None, {}, 2_500_000)
    assert not RULES.is_complete(session.state)


def test_who_only_makes_refused_moves_is_named() -> None:
    with pytest.raises(StuckError, match=f"Player B made {MOST_REFUSALS} refused moves in a row"):
        run(Asleep(None), Rude())


@pytest.mark.parametrize("wakes_s", [None, 10.0])
def test_a_session_in_which_nobody_acts_ends_with_a_word(wakes_s: float | None) -> None:
    with pytest.raises(StuckError, match="Nobody acts after 1 act") as caught:
        run(Polite(), Asleep(wakes_s))
    session = caught.value.session
    assert session is not None
    assert [act.role for act in session.acts] == ["A"]


def test_a_session_without_an_end_is_ended(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonground.play.session.MOST_ACTS", 100)
    with pytest.raises(StuckError, match="It does not end: 100 acts"):
        run(Polite(), Polite(), Goal(last=1_000))
