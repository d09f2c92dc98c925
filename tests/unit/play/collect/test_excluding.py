"""The researcher excludes people, lets them go on, writes to them and notes bonuses."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.play.collect.party import Party
from tests.unit.play.collect.test_assigned import Office

from commonground.errors import UsageError
from commonground.play.collect.exports.paying import reckon_pay
from commonground.play.collect.live.people_table import describe_page, list_people, sort_people
from commonground.play.collect.live.standing import describe_standing


def exclude(party: Party, pid: str, *, on: bool = True) -> None:
    party.do(party.hall.exclude, pid, "pastes all", on=on)


def count(party: Party) -> tuple[Any, ...]:
    ledger = party.hall.ledger
    standing = describe_standing(party.hall, party.now_us)
    return standing["completed"], sum(ledger.material_use.uses), dict(ledger.filled)


def test_a_game_of_somebody_excluded_is_collected_again() -> None:
    party = Party(quotas={"sessions": 1})
    party.play_game(party.pair())
    assert (party.hall.limits.is_full(), count(party)) == (True, (1, 1, {}))
    exclude(party, "bob")
    assert (party.hall.limits.is_full(), count(party)) == (False, (0, 0, {}))
    party.restart()
    assert count(party) == (0, 0, {})
    exclude(party, "ann")
    exclude(party, "ann", on=False)
    assert count(party)[0] == 0, "the other one is still excluded"
    exclude(party, "bob", on=False)
    assert count(party) == (1, 1, {})
    assert party.log[-1].payload == {"on": False, "reason": "pastes all"}
    party.check()


def test_who_is_excluded_in_a_game_leaves_it_paid_and_does_not_come_back() -> None:
    party = Party(payment={"amounts": {"full": 5.0}}, quotas={"sessions_each": 3})
    party.pair()
    exclude(party, "ann")
    people = party.hall.ledger.people
    assert {people[pid].way_out for pid in ("ann", "bob")} == {"ended_by_moderator"}
    assert reckon_pay(party.log, party.settings.payment)["ann"].amount == 5
    assert not party.hall.limits.may_play_again(people["ann"])
    waiting = party.enter("cleo")
    exclude(party, "cleo")
    assert waiting.last("ended")["reason"] == "ended_by_moderator"
    party.check()


def test_excluding_needs_a_reason_and_a_person() -> None:
    party = Party()
    party.bring("ann")
    for pid, reason in (("ann", " "), ("nobody", "late")):
        with pytest.raises(UsageError):
            party.do(party.hall.exclude, pid, reason)
    assert "moderator.excluded" not in {each.type for each in party.log}


def test_units_of_somebody_excluded_are_given_out_again_also_after_a_restart() -> None:
    office = Office(units=2)
    for number, pid in enumerate(("ann", "bob", "cai")):
        office.come(pid, number)
        office.label(pid, number)
        office.label(pid, number)
    hall = office.hall
    assert hall.ledger.assignments is not None
    assert hall.ledger.assignments.measures()["units_done"] == 2
    office.do(hall.exclude, "bob", "answers at random")
    office.hall = office.open()
    assert office.hall.ledger.assignments is not None
    measures = office.hall.ledger.assignments.measures()
    assert (measures["units_done"], measures["units_done_of_all"]) == (0, 2)
    office.come("dee", 4)
    assert office.view("dee")["stage"] == "playing"
    office.do(office.hall.exclude, "dee", "changed my mind")
    assert office.hall.ledger.person("dee").way_out == "ended_by_moderator"


def test_who_was_stopped_and_let_go_on_may_come_back() -> None:
    office = Office(units=6, each=6)
    office.come("ann", 1)
    assignments: Any = office.hall.ledger.assignments
    assignments._under_review.add(office.hall.ledger.person("ann").number)
    office.label("ann", 1)
    person = office.hall.ledger.person("ann")
    assert (person.stage, person.quota) == ("out", "review")
    assert not office.hall.limits.may_play_again(person)
    office.do(office.hall.clear, "ann")
    office.do(office.hall.clear, "ann")
    assert [each.type for each in office.log].count("moderator.cleared") == 1
    office.do(office.hall.get_ready, "ann")
    office.do(office.hall.presence.connect, "ann", 2)
    assert office.view("ann")["stage"] == "playing"


def test_a_message_is_shown_wherever_its_reader_is() -> None:
    party = Party()
    ann, _ = party.pair()
    cleo = party.enter("cleo")
    for pid in (ann.pid, "cleo"):
        party.do(party.hall.tell, pid, " Thank you! ")
    assert ann.view is not None
    assert [each["text"] for each in ann.view["notices"]] == ["Thank you!"]
    assert cleo.frames[-1] == {"type": "stage", "stage": "waiting"}
    party.restart()
    assert party.hall.ledger.person("cleo").told == ("Thank you!",)
    with pytest.raises(UsageError):
        party.do(party.hall.tell, "ann", " ")


def test_a_bonus_is_noted_once_for_each_purpose_and_paid_beside() -> None:
    party = Party(payment={"amounts": {"full": 5.0}})
    party.play_game(party.pair())
    for purpose in ("fast", "fast", "kind"):
        party.do(party.hall.give_bonus, "ann", 150, purpose)
    with pytest.raises(UsageError, match=r"1\.50"):
        party.do(party.hall.give_bonus, "ann", 200, "fast")
    pay = reckon_pay(party.log, party.settings.payment)
    assert (pay["ann"].amount, pay["ann"].bonus, pay["bob"].bonus) == (5, 3, 0)
    row = list_people(party.hall)[0]
    assert (row.owed, row.bonus) == (5, 3)


def test_a_row_says_what_somebody_did() -> None:
    party = Party(words={"flag": ["secret"]})
    ann, bob = party.pair()
    for seconds, browser, text in ((4, ann, "a secret"), (2, bob, "yes"), (6, ann, "no, two")):
        party.now_us += seconds * 1_000_000
        party.act(browser, "chat.message", text=text)
    party.do(party.hall.acting.signal, ann.connection, "paste", {"length": 9})
    rows = {each.participant: each for each in list_people(party.hall)}
    mine = rows[ann.pid]
    assert (mine.sessions, mine.done, mine.pastes, mine.flags) == (1, 0, 1, 1)
    assert mine.seconds == pytest.approx(5, abs=0.01)
    assert rows[bob.pid].seconds == pytest.approx(2, abs=0.01)
    (record,) = party.hall.ledger.work.list_sessions(ann.pid)
    assert (record.messages, record.words, record.ended) == (3, 5, None)
    party.play_game((ann, bob))
    party.restart()
    again = {each.participant: each for each in list_people(party.hall)}[ann.pid]
    assert (again.done, again.pastes, again.flags) == (1, 1, 1)
    assert again.seconds == mine.seconds


def test_units_are_timed_whole_and_known_answers_counted() -> None:
    office = Office()
    office.come("ann", 1)
    office.label("ann", 1)
    office.label("ann", 1)
    (row,) = list_people(office.hall)
    assert (row.done, row.sessions) == (2, 3)
    # Each act takes a second here, and so did it to come.
    acts = [each.session for each in office.log if each.type.startswith("mpchat.")]
    assert row.seconds == pytest.approx((len(acts) + 1) / 2, abs=0.01)


def test_rows_are_sorted_by_any_column_with_what_is_unknown_last() -> None:
    party = Party()
    for pid in ("ann", "bob"):
        party.bring(pid)
    party.play_game(party.pair("cleo", "dan"))
    exclude(party, "bob")
    rows = list_people(party.hall)
    for column in rows[0].__struct_fields__:
        for down in (False, True):
            assert len(sort_people(rows, column, down=down)) == 4
    by_state = sort_people(rows, "state", down=True)
    assert next(each.participant for each in by_state) == "bob"
    page = describe_page(party.hall, by="done", down=True, page=9)
    assert (page["people"], page["page"], page["pages"]) == (4, 0, 1)
    assert [each["done"] for each in page["rows"]] == [1, 1, 0, 0]
