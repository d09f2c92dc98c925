"""Work that is given out piece by piece: who gets what next, on the same page, and its pay."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from random import Random
from typing import Any

import msgspec
import pytest

from commonground.errors import UsageError
from commonground.play.collect.events import Event, ModeratorDecided, is_act
from commonground.play.collect.exports.paying import reckon_pay
from commonground.play.collect.exports.replaying import list_played
from commonground.play.collect.live.disputes import describe_disputes
from commonground.play.collect.live.hall import Hall
from commonground.play.collect.live.ledger import Ledger
from commonground.play.collect.live.sessions import to_act
from commonground.play.collect.live.standing import describe_standing
from commonground.play.collect.setup.stock import Stock
from commonground.play.collect.setup.study import Payment, Settings
from commonground.play.labelling.assigning import LabellingAssignments
from commonground.play.labelling.units import Candidate, ContextLine, Unit
from commonground.play.scenario import Sitting
from commonground.play.scenarios import get_scenario
from commonground.play.session import replay_acts

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

    def do(self, act: Callable[..., None], *args: Any, **options: Any) -> None:
        self.now_us += 1_000_000
        effects = self.hall.do(self.now_us, act, *args, **options)
        self.log += effects.events
        for frame in effects.frames:
            self.sent.setdefault(frame.connection, []).append(frame.body)

    def come(self, pid: str, connection: int) -> None:
        hall = self.hall
        self.do(hall.arrive, pid, language="en", platform="plain")
        self.do(hall.consent, pid, version="1", digest="d")
        self.do(hall.answer_quiz, pid, answers=[], right=True)
        self.do(hall.get_ready, pid)
        self.do(hall.presence.connect, pid, connection)

    def view(self, pid: str) -> dict[str, Any]:
        return self.hall.ledger.view(self.hall.ledger.person(pid))

    def act(self, connection: int, kind: str, msg_id: str, **payload: Any) -> None:
        self.send(connection, {"client_msg_id": msg_id, "type": kind, "payload": payload})

    def go_back(self, pid: str, connection: int, msg_id: str, answer: str, to: int) -> None:
        """Changes the first answer of the unit before; ``to`` is its number among the person's."""
        before = self.view(pid)["previous"]
        payload = {"candidate": before["candidates"][0]["id"], "answer": answer}
        message = {"client_msg_id": msg_id, "type": "mpchat.label", "payload": payload, "back": to}
        self.send(connection, message)

    def send(self, connection: int, message: dict[str, Any]) -> None:
        message["round"] = None
        self.do(self.hall.acting.act, connection, message)

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
    office.do(office.hall.leave, "ann")
    office.do(office.hall.leave, "bob")
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
    office.do(office.hall.presence.connect, "ann", 2)
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
    office.do(office.hall.forget, "ann")
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
    office.do(office.hall.get_ready, "ann")
    assert office.hall.limits.may_play_again(office.hall.ledger.person("ann")) is False
    office.do(office.hall.arrive, "bob", language="en", platform="plain")
    assert office.hall.ledger.person("bob").quota == "review"


def test_the_monitor_tells_the_measures() -> None:
    office = Office()
    office.come("ann", 1)
    found = describe_standing(office.hall, office.now_us)["measures"]
    assert found["alpha"] is None
    assert found["units_left"] == UNITS


def test_one_unit_back_answers_can_be_changed() -> None:
    office = Office()
    office.come("ann", 1)
    assert "previous" not in office.view("ann")
    office.label("ann", 1)
    now = office.view("ann")["game"]
    office.go_back("ann", 1, "back-1", "no", 1)
    assert office.kinds(1)[-2:] == ["ack", "event"]
    assert office.sent[1][-1]["set"].keys() == {"previous.candidates"}
    view = office.view("ann")
    assert view["previous"]["candidates"][0]["answer"] == "no"
    assert (view["game"], view["number"], view["done"]) == (now, 2, 1)
    # Once: it is neither paid nor counted again, and the ballot is the changed one.
    pay = reckon_pay(office.log, Payment(amounts={"full": 0.5}))
    assert pay["ann"].completed == 1
    assert_restored(office)
    (played, *_) = list_played(office.log)
    assert (played.reason, played.is_released) == ("completed", True)
    acts = [to_act(each) for each in played.events if is_act(each.type, office.rules)]
    state = replay_acts(
        office.rules, office.stock.pieces[played.made.piece], played.made.seed, acts
    )
    (ballot,) = office.rules.finish(state, Sitting(0, {"worker": 1}))
    assert list(ballot.votes.values()).count(0) == 1


def assert_restored(office: Office) -> None:
    """A server that is started again stands where this one stands."""
    before = office.view("ann"), office.hall.ledger.assignments.measures()  # type: ignore[union-attr]
    office.hall = office.open()
    after = office.view("ann"), office.hall.ledger.assignments.measures()  # type: ignore[union-attr]
    assert after == before


def test_a_change_that_comes_late_changes_no_other_unit() -> None:
    office = Office()
    office.come("ann", 1)
    office.label("ann", 1)
    office.label("ann", 1)
    office.go_back("ann", 1, "late", "no", 1)
    assert office.sent[1][-1]["code"] == "over"
    office.go_back("ann", 1, "again", "no", 2)
    office.go_back("ann", 1, "again", "no", 2)
    assert office.kinds(1)[-1] == "ack"
    changed = [each for each in office.log if each.client_msg_id == "again"]
    assert [each.session for each in changed] == ["s0002"]


def test_agreement_is_that_of_changed_answers() -> None:
    office = Office(units=3)
    for number, pid in enumerate(("ann", "bob", "cai")):
        office.come(pid, number)
        while office.view(pid)["stage"] == "playing":
            office.label(pid, number, "no" if pid == "cai" else "yes")
            if pid == "cai" and office.view(pid)["stage"] == "playing":
                view = office.view(pid)
                for each in view["previous"]["candidates"]:
                    payload = {"candidate": each["id"], "answer": "yes"}
                    name = f"{view['number']}-{each['id']}"
                    message = {"client_msg_id": name, "type": "mpchat.label", "payload": payload}
                    office.send(number, message | {"back": view["number"] - 1})
    measures = office.hall.ledger.assignments.measures()  # type: ignore[union-attr]
    # Two of the three units were changed to what the others say.
    assert measures["unanimous"] == pytest.approx(2 / 3, abs=0.2)


def differ(office: Office) -> dict[str, Any]:
    """Three people label one unit, and one of them says no to everything."""
    for number, pid in enumerate(("ann", "bob", "cai")):
        office.come(pid, number)
        office.label(pid, number, "no" if pid == "cai" else "yes")
    return describe_disputes(office.hall.ledger)


def test_units_on_which_people_differ_are_decided_with_all_votes_known() -> None:
    office = Office(units=1)
    told = differ(office)
    (unit,) = told["units"]
    candidate = unit["candidates"][0]
    assert [(each["who"], each["answer"]) for each in candidate["votes"]] == [
        ("W0001", "yes"),
        ("W0002", "yes"),
        ("W0003", "no"),
    ]
    ended = [each.at_us for each in office.log if each.type == "session.ended"]
    assert [each["at_us"] for each in candidate["votes"]] == ended
    before = told["agreement"]
    assert before["before"] == before["after"]
    made = ModeratorDecided(unit["piece"], candidate["id"], "no", "Kim", "look again")
    office.do(office.hall.decide, made)
    for hall in (office.hall, office.open()):
        now = describe_disputes(hall.ledger)
        decided = now["units"][0]["candidates"][0]["decision"]
        assert (decided["answer"], decided["by"], decided["note"]) == ("no", "Kim", "look again")
        assert (now["agreement"]["settled"], now["agreement"]["upheld"]) == (1, 0)
        assert now["agreement"]["before"] == before["before"]
        assert now["agreement"]["after"]["agreeing"] < before["after"]["agreeing"]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"piece": 9}, "no unit 9"),
        ({"candidate": "x"}, "has no 'x'"),
        ({"answer": "perhaps"}, "none of yes, no"),
        ({"by": " "}, "Say who decides"),
    ],
)
def test_a_decision_names_what_there_is(change: dict[str, Any], message: str) -> None:
    office = Office(units=1)
    (unit,) = differ(office)["units"]
    made = ModeratorDecided(unit["piece"], unit["candidates"][0]["id"], "no", "Kim")
    with pytest.raises(UsageError, match=message):
        office.do(office.hall.decide, msgspec.structs.replace(made, **change))


def test_nobody_differs_before_all_votes_are_in() -> None:
    office = Office(units=1)
    for number, pid in enumerate(("ann", "bob")):
        office.come(pid, number)
        office.label(pid, number, "no" if pid == "bob" else "yes")
    assert describe_disputes(office.hall.ledger)["units"] == []


def test_totals_are_of_units_that_a_person_can_get() -> None:
    office = Office(units=5)
    office.come("ann", 1)
    for done in range(5):
        view = office.view("ann")
        assert (view["done"], view["left"]) == (done, 4 - done)
        assert_restored(office)
        office.do(office.hall.presence.connect, "ann", 1)
        office.label("ann", 1)
    assert office.view("ann")["exit"] == "completed"


def test_units_with_known_answers_are_in_the_totals() -> None:
    units = [unit_of(number, gold=None) for number in range(12)]
    known = [unit_of(number, gold={"event": "yes"}) for number in range(12, 20)]
    assignments = LabellingAssignments([*units, *known], 1)
    left, given = [], 0
    while (number := assignments.choose(1)) is not None:
        assignments.begin(1, number)
        given += 1
        left.append(assignments.count_left(1))
    # Twelve, and the tenth is a known one.
    assert given == 13
    assert left == list(range(12, -1, -1))


def unit_of(number: int, gold: dict[str, str] | None) -> Unit:
    line = ContextLine("ann", "is it?")
    candidates = (Candidate("event", ""),)
    return Unit(id=str(number), question="?", context=(line,), candidates=candidates, gold=gold)
