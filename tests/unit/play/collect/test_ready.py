"""Whoever is paired says that they are there; who does not costs the other nothing."""

from __future__ import annotations

from tests.unit.play.collect.party import Browser, Party


def gather() -> tuple[Party, Browser, Browser]:
    party = Party(ready_click=True)
    ann = party.enter("ann")
    party.wait(40)
    bob = party.enter("bob")
    party.wait(1, step_s=1)
    return party, ann, bob


def accept(party: Party, browser: Browser) -> None:
    party.do(party.hall.acting.accept, browser.connection)


def test_a_game_begins_when_both_have_clicked() -> None:
    party, ann, bob = gather()
    (session,) = party.hall.ledger.sessions.values()
    for browser in (ann, bob):
        assert browser.view is not None
        assert browser.view["stage"] == "ready"
        assert "game" not in browser.view
    accept(party, ann)
    assert ann.view is not None
    assert ann.view["ready"]
    assert not session.started
    accept(party, bob)
    assert session.started
    assert [each.last("stage")["stage"] for each in (ann, bob)] == ["playing", "playing"]
    party.close(ann)
    again = party.open("ann")
    assert again.game["round"] == 1
    party.check()


def test_who_does_not_click_is_gone_and_the_other_waits_on_without_loss() -> None:
    party, ann, bob = gather()
    people = party.hall.ledger.people
    since_us = next(e.at_us for e in party.log if e.type == "participant.ready")
    accept(party, ann)
    party.wait(62)
    assert (people["bob"].stage, people["bob"].way_out) == ("out", "timed_out")
    assert people["ann"].stage == "waiting"
    assert people["ann"].since_us == since_us
    assert (people["ann"].sessions, people["ann"].partners) == (0, ())
    assert not people["ann"].seen
    assert ann.view is not None
    assert ann.view["stage"] == "waiting"
    assert bob.last("ended")["reason"] == "timed_out"
    party.check()
    # The next one is met with all pictures still new.
    cleo = party.enter("cleo")
    party.wait(1, step_s=1)
    accept(party, ann)
    accept(party, cleo)
    (session,) = party.hall.ledger.sessions.values()
    assert session.started


def test_a_click_counts_after_a_restart() -> None:
    party, ann, _ = gather()
    accept(party, ann)
    party.restart()
    ann, bob = party.open("ann"), party.open("bob")
    assert ann.view is not None
    assert ann.view["ready"]
    accept(party, bob)
    (session,) = party.hall.ledger.sessions.values()
    assert session.started
    party.check()


def test_whoever_leaves_before_the_start_sends_nobody_out() -> None:
    party, ann, bob = gather()
    accept(party, ann)
    party.do(party.hall.leave, "bob")
    assert party.hall.ledger.people["ann"].stage == "waiting"
    assert bob.last("ended")["reason"] == "withdrew"
    party.check()


def test_nothing_of_a_game_is_shown_before_it_begins() -> None:
    party, ann, _ = gather()
    assert not any(each.type == "page.shown" for each in party.log)
    assert party.act(ann, "chat.message", text="hello")["code"] == "not_started"


def test_studies_of_earlier_versions_do_not_ask() -> None:
    party = Party()
    a, b = party.pair()
    (session,) = party.hall.ledger.sessions.values()
    assert session.started
    assert a.game["round"] == b.game["round"] == 1
