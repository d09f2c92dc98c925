"""The researcher takes no more people; what is under way goes on to its end."""

from __future__ import annotations

from tests.unit.play.collect.party import Party


def test_games_go_on_and_nobody_else_begins() -> None:
    party = Party()
    browsers = party.pair()
    cleo = party.enter("cleo")
    party.do(party.hall.close, True)
    party.wait(2, step_s=1)
    people = party.hall.ledger.people
    assert cleo.last("ended")["reason"] == "quota_full"
    party.do(party.hall.arrive, "dan", language="en", platform="plain")
    assert people["dan"].way_out == "quota_full"
    party.play_game(browsers)
    assert {people[pid].way_out for pid in ("ann", "bob")} == {"completed"}
    party.check()


def test_it_holds_after_a_restart_until_people_may_begin_again() -> None:
    party = Party()
    party.do(party.hall.close, True)
    party.do(party.hall.close, True)
    assert [each.type for each in party.log] == ["moderator.closed"]
    party.restart()
    assert party.hall.limits.is_full()
    party.do(party.hall.close, False)
    party.pair("eve", "fay")
    assert party.hall.ledger.sessions
    party.check()
