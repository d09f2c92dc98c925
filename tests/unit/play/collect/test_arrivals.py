"""A thousand people come, and three in ten leave at any moment."""

from __future__ import annotations

from collections import Counter
from random import Random
from typing import Any, get_args

import pytest
from tests.unit.play.collect.party import Browser, Party, check_log

from commonground.play.collect.live.seating import SECOND_US
from commonground.play.collect.people import EXITS, Exit

ARRIVALS = 150
LEAVING = 0.3
MIN_STEP_S = 2


class Crowd:
    """People who come one after the other, play in their way, and sometimes leave.

    Args:
        seed: of everything that they do.
        arrivals: how many come.
    """

    def __init__(self, seed: int, arrivals: int) -> None:
        self.rng = Random(seed)
        self.party = Party(sets=14, scan=False, quotas={"sessions_each": 2})
        self.left: set[str] = set()
        self.tabs: dict[str, Browser] = {}
        self.plans: dict[str, float] = {}
        self.arrivals = arrivals
        self.come = 0

    def run(self) -> None:
        party, rng = self.party, self.rng
        while self.come < self.arrivals or self.tabs:
            if self.come < self.arrivals and rng.random() < 0.6:
                self.arrive()
            for pid in list(self.tabs):
                self.live(pid)
            party.wait(MIN_STEP_S, step_s=MIN_STEP_S)

    def arrive(self) -> None:
        pid = f"p{self.come}"
        self.come += 1
        leaves = self.rng.random() < LEAVING
        if leaves and self.rng.random() < 0.2:
            self.party.do(self.party.hall.arrive, pid, language="en", platform="plain")
            return  # looks at the consent text and closes the window
        self.tabs[pid] = self.party.enter(pid)
        if leaves:
            self.plans[pid] = self.party.now_us + self.rng.uniform(1, 120) * SECOND_US

    def live(self, pid: str) -> None:
        """Does what somebody does in two seconds."""
        party, tab = self.party, self.tabs[pid]
        person = party.hall.ledger.person(pid)
        if person.stage == "out":
            again = party.hall.limits.may_play_again(person) and self.rng.random() < 0.7
            tab.closed = True
            del self.tabs[pid]
            if again:
                party.do(party.hall.get_ready, pid)
                self.tabs[pid] = party.open(pid)
            return
        if pid in self.plans and party.now_us > self.plans[pid]:
            self.vanish(pid)
            return
        if tab.view is None or tab.view["stage"] != person.stage:
            party.close(tab)
            self.tabs[pid] = party.open(pid)  # the page loads anew
        elif person.stage == "playing" and tab.view["started"]:
            self.play(tab)
        elif person.stage == "waiting" and tab.view["offered"]:
            party.do(party.hall.leave, pid)

    def vanish(self, pid: str) -> None:
        """Leaves by the button, by closing the window, or by a line that goes dead."""
        party, tab = self.party, self.tabs.pop(pid)
        self.left.add(pid)
        how = self.rng.randrange(3)
        if how == 0:
            party.do(party.hall.leave, pid)
        elif how == 1:
            party.close(tab)
        tab.closed = True

    def play(self, tab: Browser) -> None:
        party, game = self.party, tab.game
        unmarked = [i for i in game["images"] if i["highlighted"] and i["mark"] is None]
        if game["phase"] == "play" and unmarked:
            for image in unmarked:
                party.act(tab, "photobook.mark", image=image["image"], label="common")
        elif game["phase"] == "play" and not game["submitted"]:
            party.act(tab, "photobook.submit")
        elif game["phase"] == "review" and not game["asked"]:
            party.act(tab, "photobook.next")
        elif game["phase"] == "questionnaire" and not game["answered"]:
            grades: dict[str, Any] = {"col": 5, "partner_u": 4, "self_u": 3}
            party.act(tab, "photobook.questionnaire", **grades, text="")


@pytest.fixture(scope="module")
def crowd() -> Crowd:
    crowd = Crowd(seed=11, arrivals=ARRIVALS)
    crowd.run()
    crowd.party.wait(4_000, step_s=60)
    return crowd


def test_nobody_meets_a_partner_or_pictures_twice(crowd: Crowd) -> None:
    ledger = crowd.party.hall.ledger
    met: Counter[frozenset[str]] = Counter()
    seen: Counter[tuple[str, str]] = Counter()
    for event in crowd.party.log:
        if event.type == "session.paired":
            people = event.payload["seats"].values()
            met[frozenset(people)] += 1
            for picture in ledger.stock.met[event.payload["piece"]]:
                seen.update((pid, picture) for pid in people)
    assert len(met) > ARRIVALS / 4
    assert set(met.values()) == {1}
    assert set(seen.values()) == {1}


def test_nobody_is_paired_with_somebody_gone(crowd: Crowd) -> None:
    # Who left by then had given a sign in the last 15 seconds, or was not paired.
    gone_at = dict(crowd.plans)
    for event in crowd.party.log:
        if event.type == "session.paired":
            for pid in event.payload["seats"].values():
                if pid in crowd.left and event.at_us > gone_at[pid]:
                    assert event.at_us - gone_at[pid] <= (15 + MIN_STEP_S) * SECOND_US


def test_everybody_gets_out_with_a_code_and_a_class(crowd: Crowd) -> None:
    people = crowd.party.hall.ledger.people.values()
    assert len(people) == ARRIVALS
    assert crowd.party.hall.ledger.sessions == {}
    assert {person.stage for person in people} == {"out"}
    for event in crowd.party.log:
        if event.type == "participant.coded":
            assert event.payload["exit"] in get_args(Exit)
            assert event.payload["class"] == EXITS[event.payload["exit"]]
            assert event.payload["code"]
    reasons = Counter(person.way_out for person in people)
    assert {"completed", "withdrew", "timed_out", "partner_left"} <= set(reasons)
    assert reasons["completed"] > ARRIVALS / 3


def test_who_stays_loses_nothing_by_who_leaves(crowd: Crowd) -> None:
    for person in crowd.party.hall.ledger.people.values():
        if person.pid not in crowd.left and person.sessions:
            assert person.way_out in ("completed", "partner_left", "waited_out"), person


def test_the_log_is_sound(crowd: Crowd) -> None:
    check_log(crowd.party.log)
    crowd.party.check()
