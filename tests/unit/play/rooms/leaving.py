"""A study that people have left by every way out there is."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from typing import Any

import msgspec
from tests.unit.play.collect.party import StudyParty

from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.live.hall import Hall
from commonground.play.collect.live.pairing import MaterialUse
from commonground.play.collect.setup.study import open_study

replace = msgspec.structs.replace


class Leavers(StudyParty):
    """People who are led to their ways out; who is who is remembered, as by the server.

    Args:
        folder: of the study, which must be fresh.
        identify: makes who somebody is to a platform from a number.
    """

    def __init__(self, folder: Path, identify: Callable[[int], Identity]) -> None:
        study = open_study(folder)
        super().__init__(study, Identities(study.identities_path))
        self._identify = identify
        self._numbers = count(1)

    def new(self) -> str:
        """Returns the pseudonym of somebody new."""
        identity = self._identify(next(self._numbers))
        pid = self.identities.pseudonym(identity)
        self.identities.remember(pid, identity)
        return pid

    def platform_of(self, pid: str) -> str:
        known = self.identities.find(pid)
        assert known is not None
        return known.platform

    @contextmanager
    def ruled(self, **changed: Any) -> Iterator[None]:
        """Has other settings for a while, at whose beginning and end everybody is disconnected."""
        receipt = self.identities.receipt
        self.hall = Hall(replace(self.settings, **changed), self.hall.ledger, receipt)
        yield
        self.hall = Hall(self.settings, self.hall.ledger, receipt)

    def arrive(self, **options: str) -> str:
        pid = self.new()
        platform = self.platform_of(pid)
        self.do(self.hall.arrive, pid, language="en", platform=platform, **options)
        return pid

    def complete(self) -> str:
        browsers = self.pair(self.new(), self.new())
        self.play_game(browsers)
        return browsers[0].pid

    def withdraw(self) -> tuple[str, str]:
        a, b = self.pair(self.new(), self.new())
        self.do(self.hall.leave, a.pid)
        return a.pid, b.pid

    def vanish(self) -> str:
        browser = self.enter(self.new())
        self.close(browser)
        self.wait(160, step_s=20)
        return browser.pid

    def lose_connection(self) -> str:
        browser, _ = self.pair(self.new(), self.new())
        self.close(browser, "cut")
        self.wait(160, step_s=20)
        return browser.pid

    def wait_in_vain(self) -> str:
        browser = self.enter(self.new())
        self.wait(310, step_s=10)
        self.do(self.hall.leave, browser.pid)
        return browser.pid

    def fail(self) -> str:
        pid = self.arrive()
        self.do(self.hall.consent, pid, version="1", digest="d")
        for _ in range(self.settings.quotas.quiz_tries):
            self.do(self.hall.answer_quiz, pid, answers=[0], right=False)
        return pid

    def bring_what_is_unfit(self) -> str:
        pid = self.arrive()
        self.do(self.hall.consent, pid, version="1", digest="d")
        self.do(self.hall.check_device, pid, failed=["width"], measured={})
        self.do(self.hall.leave, pid)
        return pid

    def be_ended(self) -> str:
        browsers = self.pair(self.new(), self.new())
        (sid,) = self.hall.ledger.sessions
        self.do(self.hall.end, sid)
        return browsers[0].pid

    def take_too_long(self) -> str:
        browsers = self.pair(self.new(), self.new())
        with self.ruled(times=replace(self.settings.times, session_s=5)):
            self.wait(10)
        return browsers[0].pid

    def see_everything(self) -> str:
        """Comes back from a table at which nobody sat down, when nothing else is left."""
        pids = [self.new(), self.new()]
        tabs = [self.enter(pid) for pid in pids]
        self.wait(1, step_s=1)
        (session,) = self.hall.ledger.sessions.values()
        for tab in tabs:
            self.close(tab)
        self.open(pids[0])
        use = self.hall.ledger.material_use
        self.hall.ledger.material_use = MaterialUse([use.met[session.piece]] * len(use.uses))
        self.wait(160, step_s=5)
        self.hall.ledger.material_use = use
        return pids[0]

    def come_for_a_full_role(self) -> str:
        with self.ruled(quotas=replace(self.settings.quotas, roles={"A": 1})):
            pids = [self.new(), self.new()]
            tabs = [self.enter(pids[0], role="A"), self.enter(pids[1])]
            self.wait(1, step_s=1)
            for tab in tabs:
                self.close(tab)
            a, b = (self.open(pid) for pid in pids)
            self.play_game((a, b))
            return self.arrive(role="A")

    def come_too_late(self) -> str:
        with self.ruled(quotas=replace(self.settings.quotas, sessions=1)):
            return self.arrive()


def see_everybody_out(
    folder: Path, identify: Callable[[int], Identity] = lambda n: Identity("plain", f"person {n}")
) -> dict[str, str]:
    """Has people leave by every way out.

    Returns:
        The token of somebody who left so, by the exit; for a full quota by what is full, too:
        ``quota_full.role``.
    """
    party = Leavers(folder, identify)
    withdrew, left = party.withdraw()
    pids = {
        "completed": party.complete(),
        "withdrew": withdrew,
        "partner_left": left,
        "timed_out": party.vanish(),
        "connection_lost": party.lose_connection(),
        "waited_out": party.wait_in_vain(),
        "screened_out": party.fail(),
        "unfit": party.bring_what_is_unfit(),
        "ended_by_moderator": party.be_ended(),
        "time_over": party.take_too_long(),
        "quota_full.material": party.see_everything(),
        "quota_full.role": party.come_for_a_full_role(),
        "quota_full.study": party.come_too_late(),
    }
    for name, pid in pids.items():
        person = party.hall.ledger.person(pid)
        assert name in (person.way_out, f"{person.way_out}.{person.quota}"), name
    tokens = {name: party.identities.token(pid) for name, pid in pids.items()}
    party.close_files()
    return tokens
