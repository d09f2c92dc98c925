"""Two players who share a seat: whose decision it is, and what is remembered of it."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from commonground.play.player import Moment, Move, Wait
from commonground.play.scenario import Allowed, Refusal
from commonground.play.voices import Narrowed, SharedSeat, Voices

RNG = Random(1)
MAY = Allowed("toy.say", {})


def narrow(name: str, view: dict[str, Any], allowed: Sequence[Allowed]) -> Narrowed:
    return {**view, "for": name}, allowed if name in view["turn"] else ()


VOICES = Voices(role="worker", names=("ann", "bob"), narrow=narrow, briefings={})


class Recorder:
    """Does what it is told, and keeps what it was shown."""

    def __init__(self, *answers: Move | Wait) -> None:
        self.answers = list(answers)
        self.seen: list[Moment] = []

    def next_move(self, moment: Moment, _rng: Random) -> Move | Wait:
        self.seen.append(moment)
        return self.answers.pop(0)


def say(text: str) -> Move:
    return Move("toy.say", {"text": text}, 1.0)


def moment(*turn: str, **fields: Any) -> Moment:
    return Moment("worker", {"turn": turn}, [MAY], 1, **fields)


def test_who_has_the_turn_is_asked_in_its_own_name() -> None:
    ann, bob = Recorder(say("hi")), Recorder(say("hello"))
    seat = SharedSeat(VOICES, {"ann": ann, "bob": bob})
    assert seat.next_move(moment("bob"), RNG) == say("hello")
    assert (ann.seen, bob.seen[0].role, bob.seen[0].view["for"]) == ([], "bob", "bob")
    assert seat.next_move(moment("ann"), RNG) == say("hi")


def test_who_waits_leaves_it_to_the_other() -> None:
    seat = SharedSeat(VOICES, {"ann": Recorder(Wait(3.0)), "bob": Recorder(say("bye"))})
    assert seat.next_move(moment("ann", "bob"), RNG) == say("bye")


def test_both_wait_until_the_first_of_them_does_not() -> None:
    waits = {"ann": Recorder(Wait(3.0)), "bob": Recorder(Wait(2.0))}
    assert SharedSeat(VOICES, waits).next_move(moment("ann", "bob"), RNG) == Wait(2.0)
    idle = {"ann": Recorder(Wait()), "bob": Recorder(Wait())}
    assert SharedSeat(VOICES, idle).next_move(moment("ann", "bob"), RNG) == Wait()
    assert SharedSeat(VOICES, idle).next_move(moment(), RNG) == Wait()


def test_a_refusal_and_a_decision_are_of_whoever_made_it() -> None:
    ann, bob = Recorder(Wait(9.0), Wait(9.0), Wait(9.0)), Recorder(say("a"), say("b"), say("c"))
    seat = SharedSeat(VOICES, {"ann": ann, "bob": bob})
    first = seat.next_move(moment("ann", "bob"), RNG)
    second = seat.next_move(moment("ann", "bob", pending=first), RNG)
    assert (ann.seen[1].pending, bob.seen[1].pending) == (None, first)
    seat.next_move(moment("ann", "bob", refusal=Refusal("empty"), pending=None), RNG)
    assert (ann.seen[2].refusal, bob.seen[2].refusal) == (None, Refusal("empty"))
    assert second == say("b")


def test_a_wait_that_goes_on_is_shown_to_whoever_waits() -> None:
    ann, bob = Recorder(Wait(9.0), Wait(9.0)), Recorder(Wait(8.0), Wait(8.0))
    seat = SharedSeat(VOICES, {"ann": ann, "bob": bob})
    wait = seat.next_move(moment("ann", "bob"), RNG)
    seat.next_move(moment("ann", "bob", pending=wait), RNG)
    assert (ann.seen[1].pending, bob.seen[1].pending) == (Wait(9.0), Wait(8.0))
