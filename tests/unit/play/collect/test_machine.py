"""People, partners, networks and moderators do what they like, in any order; one truth remains.

Each frame that is sent is scanned for what only the partner may see (``Party.do``).

``COMMONGROUND_STEPS`` makes the walk longer than it is here: 10000 for a thorough one.
"""

from __future__ import annotations

import os
from collections import Counter
from typing import Any

import msgspec
import pytest
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)
from tests.unit.play.collect.party import Browser, Party

from commonground.errors import UsageError
from commonground.play.collect.events import Erased, Event, ParticipantArrived, read_what
from commonground.play.collect.live.presence import Lost

STEPS = int(os.environ.get("COMMONGROUND_STEPS", "0"))
PEOPLE = [f"person-{number}" for number in range(6)]
HAPPENED: Counter[str] = Counter()
"""Everything that happened in all walks, by type."""

people = st.sampled_from(PEOPLE)
picks = st.integers(0, 40)


class Doings(RuleBasedStateMachine):
    """Every rule is something that somebody does; every invariant holds after each."""

    def __init__(self) -> None:
        super().__init__()
        self.party = Party(sets=3, quotas={"sessions_each": 3, "quiz_tries": 2})
        self.sent: list[tuple[int, dict[str, Any]]] = []
        self.acknowledged: dict[tuple[str, str, str], dict[str, Any]] = {}
        self.checked = 0
        self.paired = 0
        self.number = 0

    # People and their browsers

    @rule(pid=people)
    def come(self, pid: str) -> None:
        party = self.party
        known = party.hall.ledger.people
        if pid not in known:
            party.bring(pid)
        stage = party.hall.ledger.person(pid).stage
        if stage == "instructed" or stage == "out":
            party.do(party.hall.get_ready, pid)
        party.open(pid)

    @rule(pid=people, right=st.booleans())
    def answer(self, pid: str, right: bool) -> None:
        if pid in self.party.hall.ledger.people:
            party = self.party
            party.do(party.hall.answer_quiz, pid, answers=[0], right=right)

    @rule(pid=people, sure=st.integers(0, 3))
    def go(self, pid: str, sure: int) -> None:
        if sure == 0 and pid in self.party.hall.ledger.people:
            self.party.do(self.party.hall.leave, pid)

    def _browsers(self) -> list[Browser]:
        """Browsers whose connection counts, those in a game first."""
        found = [
            browser
            for browser in self.party.browsers.values()
            if self.party.hall.presence.person_at(browser.connection) and browser.view
        ]
        return sorted(found, key=lambda each: "game" not in (each.view or {}))

    @precondition(lambda self: self._browsers())
    @rule(pick=picks, deaf=st.booleans(), reason=st.sampled_from(["closed", "cut"]))
    def hang_up(self, pick: int, deaf: bool, reason: Lost) -> None:
        """A page is closed or its line cut; the server learns of it now, or by silence only."""
        browsers = self._browsers()
        browser = browsers[pick % len(browsers)]
        browser.closed = True
        if not deaf:
            disconnect = self.party.hall.presence.disconnect
            self.party.do(disconnect, browser.connection, reason)

    # Acts: new ones, and old ones that come again, late and through other tabs

    @precondition(lambda self: self._browsers())
    @rule(pick=picks, what=st.integers(0, 9), image=st.integers(0, 5), label=st.booleans())
    def act(self, pick: int, what: int, image: int, label: bool) -> None:
        browsers = self._browsers()
        browser = browsers[pick % len(browsers)]
        game = (browser.view or {}).get("game")
        if game is None:
            return
        shown = game["images"][image]["image"]
        kinds: list[tuple[str, dict[str, Any]]] = [
            ("chat.message", {"text": f"text {len(self.sent)}"}),
            ("photobook.submit", {}),
            ("photobook.next", {}),
            ("photobook.review", {}),
            ("photobook.questionnaire", {"col": 1, "partner_u": 5, "self_u": 3, "text": ""}),
        ]
        mark = {"image": shown, "label": "common" if label else "different"}
        kind, payload = kinds[what] if what < 5 else ("photobook.mark", mark)
        self.number += 1
        message = {
            "client_msg_id": f"n{self.number}",
            "type": kind,
            "payload": payload,
            "round": game["round"],
        }
        self._send(browser.connection, message)

    @precondition(lambda self: self.sent)
    @rule(pick=picks, elsewhere=st.booleans())
    def send_again(self, pick: int, elsewhere: bool) -> None:
        connection, message = self.sent[-1 - pick % len(self.sent)]
        if elsewhere:
            browser = self.party.browsers[connection]
            person = self.party.hall.ledger.people.get(browser.pid)
            if person is not None and person.connection is not None:
                connection = person.connection
        self._send(connection, message)

    def _send(self, connection: int, message: dict[str, Any]) -> None:
        browser = self.party.browsers[connection]
        before = len(browser.frames)
        self.party.now_us += 1
        self.party.do(self.party.hall.acting.act, connection, message)
        self.sent.append((connection, message))
        for frame in browser.frames[before:]:
            if frame["type"] in ("ack", "reject"):
                person = self.party.hall.ledger.person(browser.pid)
                if person.session:
                    key = (person.session, browser.pid, message["client_msg_id"])
                    assert self.acknowledged.setdefault(key, frame) == frame
                    self._find_in_log(person.session, message["client_msg_id"], frame)

    def _find_in_log(self, sid: str, msg_id: str, answer: dict[str, Any]) -> None:
        """What was answered is written down, under the number that was told."""
        kept = [e for e in self.party.log if e.session == sid and e.client_msg_id == msg_id]
        assert any(answer.get("seq", event.seq) == event.seq for event in kept), "an act was lost"

    @precondition(lambda self: len(self._browsers()) > 1)
    @rule()
    def finish_a_page(self) -> None:
        """Both do what the page asks for, so that walks get beyond the first one."""
        party = self.party
        for session in list(party.hall.ledger.sessions.values())[:1]:
            tabs = [
                party.hall.ledger.person(seat.pid).connection for seat in session.seats.values()
            ]
            if session.paused or not session.started or None in tabs:
                return
            browsers = [party.browsers[tab] for tab in tabs if tab is not None]
            if browsers[0].game["phase"] == "play":
                party.play_page((browsers[0], browsers[1]))

    # Moderators, time, the machine

    @precondition(lambda self: self.party.hall.ledger.sessions)
    @rule(pick=picks, what=st.sampled_from(["message", "pause", "resume", "end", "end"]))
    def moderate(self, pick: int, what: str) -> None:
        party, hall = self.party, self.party.hall
        sids = list(hall.ledger.sessions)
        sid = sids[pick % len(sids)]
        if what == "message":
            party.do(hall.message, sid, "a word", ["A"])
        elif what == "end" and pick % 4 == 0:
            party.do(hall.end, sid)
        else:
            party.do(hall.pause, sid, what == "pause")

    @rule(seconds=st.sampled_from([0.5, 2, 8, 8, 20, 70, 200]))
    def wait(self, seconds: float) -> None:
        self.party.wait(seconds)
        self._reload()

    @rule(pids=st.lists(people, min_size=2, max_size=4, unique=True))
    def come_together(self, pids: list[str]) -> None:
        for pid in pids:
            self.come(pid)
        self.party.wait(1, step_s=1)
        self._reload()

    def _reload(self) -> None:
        """Pages that show a stage that is over load anew, as their script has them do."""
        for browser in list(self.party.browsers.values()):
            person = self.party.hall.presence.person_at(browser.connection)
            if person is None or browser.view is None or browser.closed:
                continue
            if browser.view["stage"] != person.stage != "out":
                self.party.close(browser)
                self.party.open(browser.pid)

    @rule()
    def crash(self) -> None:
        self.party.restart()

    @rule(pid=people)
    def forget(self, pid: str) -> None:
        if pid in self.party.hall.ledger.people and self.number % 7 == 0:
            party = self.party
            party.do(party.hall.forget, pid)
            # What erasing does to the log.
            party.log = [_empty(event, pid) for event in party.log]

    def teardown(self) -> None:
        self.party.check()
        HAPPENED.update(event.type for event in self.party.log)
        HAPPENED.update(
            f"ended: {event.payload['reason']}"
            for event in self.party.log
            if event.type == "session.ended"
        )

    # What holds

    @invariant()
    def everything_is_one_truth(self) -> None:
        # Reading the whole log again takes long; what was wrong stays wrong.
        self.checked += 1
        if self.checked % 8 == 0:
            self.party.check()

    @invariant()
    def nobody_met_anybody_or_anything_twice(self) -> None:
        for person in self.party.hall.ledger.people.values():
            assert person.pid not in person.partners
        pairs = [
            frozenset(event.payload["seats"].values())
            for event in self.party.log
            if event.type == "session.paired" and "erased" not in event.payload["seats"].values()
        ]
        assert len(pairs) == len(set(pairs))

    @invariant()
    def nobody_is_paired_who_is_gone(self) -> None:
        paired = [event for event in self.party.log if event.type == "session.paired"]
        for event in paired[self.paired :]:
            for pid in event.payload["seats"].values():
                if pid in self.party.hall.ledger.people:
                    person = self.party.hall.ledger.person(pid)
                    unseen_s = (event.at_us - person.seen_us) / 1e6
                    assert person.way_out is not None or unseen_s <= 15
        self.paired = len(paired)

    @invariant()
    def nobody_who_is_out_can_act(self) -> None:
        for person in self.party.hall.ledger.people.values():
            if person.stage == "out":
                assert person.session is None
                assert person.code


def _empty(event: Event, pid: str) -> Event:
    if event.participant == pid:
        what = event.what
        kept = Erased(event.type, what.number if isinstance(what, ParticipantArrived) else None)
        return msgspec.structs.replace(event, what=kept, participant=None, client_msg_id=None)
    text = msgspec.json.encode(event.payload).decode()
    what = read_what(event.type, text.replace(pid, "erased"))
    return msgspec.structs.replace(event, what=what)


WALKS = settings(
    max_examples=max(1, STEPS // 100) if STEPS else 26,
    stateful_step_count=100 if STEPS else 70,
    deadline=None,
    suppress_health_check=list(HealthCheck),
    derandomize=not STEPS,
    phases=(Phase.explicit, Phase.generate),
)


def test_whatever_people_do_holds_and_the_walks_go_everywhere() -> None:
    run_state_machine_as_test(Doings, settings=WALKS)
    wanted = {
        "act.refused",
        "moderator.message",
        "moderator.pause",
        "participant.absent",
        "participant.nudged",
        "participant.returned",
        "photobook.mark",
        "photobook.next",
        "session.started",
        "ended: ended_by_moderator",
        "ended: withdrew",
    }
    assert wanted - set(HAPPENED) == set(), HAPPENED


def test_an_unknown_person_has_no_page() -> None:
    with pytest.raises(UsageError, match="not in use"):
        Party().hall.ledger.person("nobody")
