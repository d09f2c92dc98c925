"""No game ends by a clock: steps of the machine's clock, pauses and starts are nobody's time."""

from __future__ import annotations

import re
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.play.collect.erasing import end_sessions, order_erasing
from commonground.play.collect.events import LOBBY
from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.live.standing import restore_hall
from commonground.play.collect.live.study_clock import LONGEST_STEP_US, StudyClock
from commonground.play.collect.setup.preparing import prepare_study
from commonground.play.rooms.desk import Desk
from tests.unit.play.collect.party import SECOND_US, Browser, StudyParty
from tests.unit.play.rooms.conftest import Line, Server, seat_people, serve, study, template

__all__ = ["serve", "study", "template"]  # fixtures

HOUR_US = 3600 * SECOND_US


class Served:
    """A game that is served, by clocks that are set by hand."""

    def __init__(self, folder: Path) -> None:
        study = prepare_study(folder / "clocks", "photobook", material=None, languages=("en",))
        self.study = study
        self.party = StudyParty(study, Identities(study.identities_path))
        self.wall_us = self.party.now_us
        self.steady_us = 5 * HOUR_US
        self.browsers: tuple[Browser, Browser] = self.party.pair()
        self.desk = self._open()

    def _open(self) -> Desk:
        clock = StudyClock(
            self.party.hall.ledger, lambda: self.wall_us * 1000, lambda: self.steady_us * 1000
        )
        return Desk(self.party.hall, self.party.file, clock)

    def live(self, seconds: float) -> None:
        """Lets the server tick, and browsers answer it."""
        for _ in range(round(seconds * 2)):
            self.wall_us += SECOND_US // 2
            self.steady_us += SECOND_US // 2
            for browser in self.browsers:
                self.party.hall.presence.hear(browser.connection, self.desk.clock())
            self.party.keep(self.desk.pass_time())
            self.party.now_us = self.desk.clock()

    def start_again(self) -> None:
        """Ends the server, and begins another on the same log."""
        party = self.party
        party.hall = restore_hall(self.study, party.file, party.identities.receipt)
        self.desk = self._open()
        party.now_us = self.desk.clock()
        party.do(party.hall.presence.recover)
        self.browsers = (party.open(self.browsers[0].pid), party.open(self.browsers[1].pid))

    def ends(self) -> dict[str | None, int]:
        people = self.party.hall.ledger.people.values()
        ways = [person.way_out for person in people]
        return {way: ways.count(way) for way in set(ways)}


@pytest.fixture
def served(tmp_path: Path) -> Served:
    return Served(tmp_path)


@pytest.mark.parametrize(
    ("wall_us", "steady_us"),
    [
        pytest.param(-HOUR_US, 0, id="an hour back"),
        pytest.param(25 * HOUR_US, 0, id="25 hours forward"),
        pytest.param(8 * HOUR_US, 0, id="the machine sleeps"),
        pytest.param(8 * HOUR_US, 8 * HOUR_US, id="the server is paused"),
    ],
)
def test_a_game_goes_on_after_any_step(served: Served, wall_us: int, steady_us: int) -> None:
    before_us, before = served.desk.clock(), len(served.party.log)
    for _ in range(3):
        served.live(10)
        served.wall_us += wall_us
        served.steady_us += steady_us
        served.live(10)
    kinds = {event.type for event in served.party.log[before:]}
    assert not kinds & {"participant.absent", "participant.disconnected", "session.ended"}
    assert 60 * SECOND_US <= served.desk.clock() - before_us < 80 * SECOND_US
    served.party.play_game(served.browsers)
    assert served.ends() == {"completed": 2}


def test_a_game_goes_on_when_the_server_starts_again_days_later(served: Served) -> None:
    served.live(10)
    served.wall_us += 72 * HOUR_US
    served.start_again()
    served.live(10)
    served.party.play_game(served.browsers)
    assert served.ends() == {"completed": 2}


def test_patience_ends_all_the_same(served: Served) -> None:
    served.live(served.study.settings.times.close_s + 1)
    assert served.ends() == {"timed_out": 2}


def test_nothing_passes_while_nothing_can_be_written(served: Served) -> None:
    served.desk.stuck = "The disk is full."
    before_us = served.desk.clock()
    served.live(3600)
    served.desk.stuck = None
    served.live(1)
    assert served.desk.clock() - before_us < 2 * SECOND_US + LONGEST_STEP_US
    assert served.ends() == {None: 2}


def test_the_clock_is_set_right_when_nobody_is_there(served: Served) -> None:
    served.wall_us += 25 * HOUR_US
    served.party.play_game(served.browsers)
    served.live(1)
    assert served.desk.clock() == served.wall_us
    served.wall_us -= HOUR_US
    before_us = served.desk.clock()
    served.live(1)
    assert before_us < served.desk.clock() < before_us + 2 * SECOND_US


def test_a_server_that_stands_still_ends_no_game(serve: Callable[..., Server], study: Path) -> None:
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8")
    for name, seconds in {"heartbeat": 1, "present": 3, "absent": 4, "grace": 0.5}.items():
        text, found = re.subn(rf"(?m)^{name}_s = .*", f"{name}_s = {seconds}", text)
        assert found == 1
    path.write_text(text, encoding="utf-8")
    tokens = seat_people(study, 1)
    server = serve()
    a, b = (Line(server, token) for token in tokens)
    for line in (a, b):
        line.hear("welcome")
    server.process.send_signal(signal.SIGSTOP)
    time.sleep(5)
    server.process.send_signal(signal.SIGCONT)
    # Both say something before anything is waited for: who says nothing for long is gone.
    act = {"type": "chat.message", "payload": {"text": "good morning"}, "round": 1}
    for line in (a, b):
        line.tell("act", client_msg_id="late", **act)
    for line in (a, b):
        assert line.hear("ack", "reject", "ended")["type"] == "ack"


def test_an_order_to_erase_ends_no_other_game_at_the_next_start(served: Served) -> None:
    party, before_us = served.party, served.desk.clock()
    identities = party.identities
    pid = identities.pseudonym(Identity("prolific", "zora"))
    identities.remember(pid, Identity("prolific", "zora"))
    party.enter(pid)
    order_erasing(served.study, pid, identities)
    served.wall_us += 72 * HOUR_US
    end_sessions(served.study, party.file)
    assert party.file.read(LOBBY)
    party.log = list(party.file.read())
    assert party.log[-1].at_us < before_us + 60 * SECOND_US
    served.start_again()
    served.live(10)
    assert set(served.party.hall.ledger.sessions) == {"s0001"}
