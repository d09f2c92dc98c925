"""Work that is given out piece by piece: who gets what next, on the same page, and its pay."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any

import msgspec
import pytest

from commonground.play.collect.events import Event
from commonground.play.collect.exports.paying import reckon_pay
from commonground.play.collect.live.hall import Hall
from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.live.outbox import Effects
from commonground.play.collect.live.standing import describe_standing
from commonground.play.collect.setup.stock import Stock
from commonground.play.collect.setup.study import Payment, Settings
from commonground.play.scenarios import get_scenario

UNITS = 12


class Office:
    """A labelling study without files, sockets and clocks.

    Args:
        each: units that one person may label.
    """

    def __init__(self, *, units: int = UNITS, each: int = 40) -> None:
        found = get_scenario("mpchat")
        assigner = found.assigner()
        assert assigner is not None
        self.assigner = assigner
        self.rules = found.rules
        source = found.material_source()
        self.stock = Stock(source.invent(units * 3 + 3, 3)[:units], source)
        values = {"version": 1, "name": "office", "scenario": "mpchat", "seed": 7}
        self.settings = msgspec.convert({**values, "quotas": {"sessions_each": each}}, Settings)
        self.log: list[Event] = []
        self.sent: dict[int, list[dict[str, Any]]] = {}
        self.now_us = 1_700_000_000_000_000
        self.hall = self.open()

    def open(self) -> Hall:
        assignments = self.assigner.open(self.stock.pieces, self.settings.seed)
        ledger = Ledger(self.rules, self.stock, assignments)
        ledger.restore(self.log)
        return Hall(self.settings, ledger, lambda pid: f"receipt-{pid}")

    def do(self, effects: Effects) -> None:
        self.log += effects.events
        for frame in effects.frames:
            self.sent.setdefault(frame.connection, []).append(frame.body)

    def tick(self) -> int:
        self.now_us += 1_000_000
        return self.now_us

    def come(self, pid: str, connection: int) -> None:
        hall = self.hall
        self.do(hall.arrive(pid, self.tick(), language="en", platform="plain"))
        self.do(hall.consent(pid, self.tick(), version="1", digest="d"))
        self.do(hall.answer_quiz(pid, self.tick(), answers=[], right=True))
        self.do(hall.get_ready(pid, self.tick()))
        self.do(hall.presence.connect(pid, connection, self.tick()))

    def view(self, pid: str) -> dict[str, Any]:
        return self.hall.ledger.view(self.hall.ledger.person(pid))

    def act(self, connection: int, kind: str, msg_id: str, **payload: Any) -> None:
        message = {"client_msg_id": msg_id, "type": kind, "payload": payload, "round": None}
        self.do(self.hall.acting.act(connection, message, self.tick()))

    def label(self, pid: str, connection: int, answer: str = "yes") -> None:
        view = self.view(pid)
        for each in view["game"]["candidates"]:
            msg_id = f"{pid}-{view['number']}-{each['id']}"
            self.act(connection, "mpchat.label", msg_id, candidate=each["id"], answer=answer)
        self.act(connection, "mpchat.submit", f"{pid}-{view['number']}-submit")

    def kinds(self, connection: int) -> list[str]:
        return [each["type"] for each in self.sent[connection]]


def test_the_next_unit_comes_on_the_same_page() -> None:
    office = Office()
    office.come("ann", 1)
    first = office.view("ann")
    assert first["number"] == 1
    office.label("ann", 1)
    second = office.view("ann")
    assert (second["stage"], second["number"], second["started"]) == ("playing", 2, True)
    assert second["game"]["context"] != first["game"]["context"]
    # The page came by a welcome, not by a new page; what was sent before it was the answer.
    assert office.kinds(1)[-2:] == ["ack", "welcome"]
    assert office.sent[1][-1]["view"] == second


def test_everybody_labels_each_unit_once_and_three_label_each() -> None:
    office = Office()
    for number, pid in enumerate(("ann", "bob", "cai", "dee")):
        office.come(pid, number)
    rng, waiting = Random(1), {"ann": 0, "bob": 1, "cai": 2, "dee": 3}
    while waiting:
        pid = rng.choice(sorted(waiting))
        if office.view(pid)["stage"] == "playing":
            office.label(pid, waiting[pid])
        else:
            del waiting[pid]
    given: Counter[tuple[str, int]] = Counter()
    for event in office.log:
        if event.type == "session.paired":
            given[event.payload["seats"]["worker"], event.payload["piece"]] += 1
    assert set(given.values()) == {1}
    assert set(Counter(piece for _, piece in given).values()) == {3}
    measures = office.hall.ledger.assignments.measures()  # type: ignore[union-attr]
    assert (measures["units_done"], measures["units_left"]) == (UNITS, 0)
    assert {office.view(pid)["exit"] for pid in ("ann", "bob", "cai", "dee")} <= {
        "completed",
        "quota_full",
    }


def test_who_stops_is_paid_for_what_is_done() -> None:
    office = Office()
    office.come("ann", 1)
    office.come("bob", 2)
    for _ in range(3):
        office.label("ann", 1)
    office.do(office.hall.leave("ann", office.tick()))
    office.do(office.hall.leave("bob", office.tick()))
    assert office.view("ann")["exit"] == "stopped"
    assert office.view("bob")["exit"] == "withdrew"
    pay = reckon_pay(office.log, Payment(amounts={"full": 0.5}))
    assert (pay["ann"].completed, pay["ann"].amount) == (3, 1.5)
    assert (pay["bob"].completed, pay["bob"].amount) == (0, 0)
    assert office.hall.ledger.person("ann").completed == 3
    assert office.hall.limits.may_play_again(office.hall.ledger.person("ann"))


def test_the_last_of_ones_units_ends_with_completed() -> None:
    office = Office(each=2)
    office.come("ann", 1)
    office.label("ann", 1)
    office.label("ann", 1)
    assert office.view("ann")["exit"] == "completed"
    pay = reckon_pay(office.log, Payment(amounts={"full": 0.5}))
    assert (pay["ann"].completed, pay["ann"].amount) == (2, 1.0)


def test_an_act_of_the_last_unit_that_comes_again_is_not_one_of_this() -> None:
    office = Office()
    office.come("ann", 1)
    office.label("ann", 1)
    before = office.log.copy()
    office.act(1, "mpchat.submit", "ann-1-submit")
    assert office.sent[1][-1]["type"] == "ack"
    office.hall = office.open()
    office.do(office.hall.presence.connect("ann", 2, office.tick()))
    office.act(2, "mpchat.submit", "ann-1-submit")
    assert office.sent[2][-1]["type"] == "ack"
    added = [each.type for each in office.log[len(before) :]]
    assert added == ["participant.returned", "page.shown"]


def test_a_restart_knows_who_was_given_what() -> None:
    office = Office()
    for number, pid in enumerate(("ann", "bob")):
        office.come(pid, number)
        for _ in range(4):
            office.label(pid, number, "yes" if number else "no")
    here, again = office.hall.ledger, office.open().ledger
    assert here.assignments is not None
    assert again.assignments is not None
    for number in (1, 2, 3):
        assert again.assignments.choose(number) == here.assignments.choose(number)
    assert again.assignments.measures() == here.assignments.measures()
    assert {pid: each.completed for pid, each in again.people.items()} == {"ann": 4, "bob": 4}


@pytest.mark.parametrize("labelled", [0, 1, 5])
def test_the_units_of_somebody_erased_are_for_others(labelled: int) -> None:
    office = Office(units=6)
    office.come("ann", 1)
    for _ in range(labelled):
        office.label("ann", 1)
    office.do(office.hall.forget("ann", office.tick()))
    fresh = Office(units=6)
    for each in (office, fresh):
        each.come("bob", 2)
        while each.view("bob")["stage"] == "playing":
            each.label("bob", 2)
    assert office.hall.ledger.person("bob").completed == fresh.hall.ledger.person("bob").completed
    mine, theirs = office.hall.ledger.assignments, fresh.hall.ledger.assignments
    assert mine is not None
    assert theirs is not None
    assert mine.measures() == theirs.measures()


def test_who_should_be_looked_at_gets_no_more() -> None:
    office = Office()
    office.come("ann", 1)
    office.label("ann", 1)
    assignments = office.hall.ledger.assignments
    assert assignments is not None
    assignments.is_under_review = lambda _: True  # type: ignore[method-assign, assignment]
    assignments.choose = lambda _: None  # type: ignore[method-assign, assignment]
    office.label("ann", 1)
    assert office.view("ann")["exit"] == "completed"
    assert office.hall.ledger.person("ann").quota == "review"
    assert reckon_pay(office.log, Payment(amounts={"full": 0.5}))["ann"].amount == 1.0
    office.do(office.hall.get_ready("ann", office.tick()))
    assert office.hall.limits.may_play_again(office.hall.ledger.person("ann")) is False
    office.do(office.hall.arrive("bob", office.tick(), language="en", platform="plain"))
    assert office.hall.ledger.person("bob").quota == "review"


def test_the_monitor_tells_the_measures() -> None:
    office = Office()
    office.come("ann", 1)
    found = describe_standing(office.hall, office.now_us)["measures"]
    assert found["alpha"] is None
    assert found["units_left"] == UNITS
