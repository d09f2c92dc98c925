"""Whose move it is where people take turns to write."""

from __future__ import annotations

from commonground.play.collect.events import ActTaken, Event, SessionPaired
from commonground.play.collect.live.sessions import LiveSession
from commonground.play.scenarios import get_scenario

US = 1_000_000


def test_who_alone_may_write_has_the_floor() -> None:
    found = get_scenario("simmc-fashion")
    (material, *_) = found.material_source().invent(1, 1)
    paired = SessionPaired(number=1, piece=0, seed=1, seats={"user": "u", "assistant": "a"})
    session = LiveSession("s1", paired, scenario=found.rules, material=material, at_us=US)
    silent = [seat.silent_us for seat in session.seats.values()]
    # Nothing but a text is the user's to do in the first round.
    assert silent == [US, None]
    act = ActTaken("chat.message", {"text": "hello"})
    session.follow(Event(what=act, at_us=2 * US, participant="u", role="user"))
    assert [seat.silent_us for seat in session.seats.values()] == [None, 2 * US]
