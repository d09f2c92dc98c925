"""A study in which scripted people stand at every stage of the work, for anyone who looks at it."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from itertools import count
from pathlib import Path
from typing import Any

import msgspec

from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.live.outbox import Effects
from commonground.play.collect.live.standing import restore_hall
from commonground.play.collect.setup.plan import read_plan
from commonground.play.collect.setup.study import SETTINGS, open_study
from commonground.play.player import Seat
from commonground.play.rooms.rendering import list_folders
from commonground.play.scenario import Act, Refusal
from commonground.play.scenarios import ScenarioEntry, get_scenario
from commonground.play.session import play

MOST_STAGES = 7
_BETWEEN_US = 1_000


class Stage(msgspec.Struct, frozen=True):
    """A session that stands still.

    Attributes:
        sid: its id.
        phase: of the first role.
        tokens: of its people, by role.
    """

    sid: str
    phase: str
    tokens: dict[str, str]


class Seats(msgspec.Struct, frozen=True):
    """A session that begins.

    Attributes:
        sid: its id.
        seed: decides what chance decides in it.
        tokens: of its people, by role.
        lines: their connections, by role.
    """

    sid: str
    seed: int
    tokens: dict[str, str]
    lines: dict[str, int]


class Crowd:
    """People of a study that nobody serves yet; what they do is in its log.

    Args:
        folder: of the study, which must be fresh. It gets a seed that is not drawn, so that they do
            the same each time.
    """

    def __init__(self, folder: Path) -> None:
        settings = folder / SETTINGS
        drawn = settings.read_text(encoding="utf-8")
        fixed, changed = re.subn(r"^seed = .*$", "seed = 1", drawn, flags=re.MULTILINE)
        assert changed == 1
        # Their games begin when all are there.
        begun = fixed.replace("ready_click = true", "ready_click = false")
        settings.write_text(begun, encoding="utf-8")
        study = open_study(folder)
        self.stock = study.stock
        self.entry: ScenarioEntry = get_scenario(study.settings.scenario)
        self.folders = list_folders(self.entry.room, read_plan(self.entry.room))
        self.now_us = time.time_ns() // 1000
        self._log = study.open_log(write=True)
        self._identities = Identities(study.identities_path)
        self._hall = restore_hall(study, self._log, self._identities.receipt)
        self._numbers = count(1)

    def close(self) -> None:
        self._log.close()
        self._identities.close()

    def do(self, method: Any, *args: Any, **options: Any) -> Effects:
        """Has something happen in the hall, and keeps its events."""
        self.now_us += _BETWEEN_US
        effects: Effects = self._hall.do(self.now_us, method, *args, **options)
        self._log.append(effects.events)
        return effects

    def arrive(self, steps: int, language: str = "en") -> tuple[str, str]:
        """Lets somebody new come and go so many steps; returns pseudonym and token."""
        identity = Identity("plain", f"person {next(self._numbers)}")
        pid = self._identities.pseudonym(identity)
        self._identities.remember(pid, identity)
        hall = self._hall
        way: list[tuple[Any, dict[str, Any]]] = [
            (hall.arrive, {"language": language, "platform": "plain"}),
            (hall.consent, {"version": "1", "digest": "d"}),
            (hall.answer_quiz, {"answers": [1], "right": True}),
            (hall.get_ready, {}),
        ]
        for method, options in way[:steps]:
            self.do(method, pid, **options)
        return pid, self._identities.token(pid)

    def seat(self, language: str = "en") -> Seats:
        """Seats new people, one in each role."""
        people = dict(self.arrive(4, language) for _ in self.entry.rules.roles)
        lines = {pid: next(self._numbers) for pid in people}
        for pid, line in lines.items():
            self.do(self._hall.presence.connect, pid, line)
        self.do(self._hall.tick)
        sid = max(self._hall.ledger.sessions)
        session = self._hall.ledger.sessions[sid]
        for pid, line in lines.items():
            # Anyone who waited has another page now.
            self.do(self._hall.presence.connect, pid, line + 500)
        created = next(e for e in self._log.read() if e.session == sid)
        return Seats(
            sid,
            created.payload["seed"],
            tokens={role: people[seat.pid] for role, seat in session.seats.items()},
            lines={role: lines[seat.pid] + 500 for role, seat in session.seats.items()},
        )

    def stop_at(self, number: int) -> Stage | None:
        """Plays a new session to its stage of a number; null where it has no more stages."""
        seats = self.seat()
        piece = self._piece(seats.sid)
        acts = script(self.entry, piece, seats.seed)
        stages = [*find_stages(self.entry.rules, piece, seats.seed, acts)]
        if number >= len(stages):
            return None
        self._act(seats, acts[: stages[number]])
        session = self._hall.ledger.sessions[seats.sid]
        view = self.entry.rules.view(session.state, self.entry.rules.roles[0])
        return Stage(seats.sid, view["phase"], seats.tokens)

    def stop_when(self, is_there: Callable[[dict[str, Any]], bool], language: str = "en") -> Seats:
        """Plays a new session until something holds of what its first role sees."""
        seats = self.seat(language)
        rules, piece = self.entry.rules, self._piece(seats.sid)
        state, acts = rules.start(piece, seats.seed), script(self.entry, piece, seats.seed)
        done = 0
        while not is_there(rules.view(state, rules.roles[0])):
            state = rules.apply(state, acts[done])
            assert not isinstance(state, Refusal)
            done += 1
        self._act(seats, acts[:done])
        return seats

    def play_through(self) -> None:
        """Plays a new session to its end."""
        seats = self.seat()
        self._act(seats, script(self.entry, self._piece(seats.sid), seats.seed))
        assert seats.sid not in self._hall.ledger.sessions

    def _piece(self, sid: str) -> Any:
        return self.stock.pieces[self._hall.ledger.sessions[sid].piece]

    def _act(self, seats: Seats, acts: list[Act]) -> None:
        for at, act in enumerate(acts):
            message = {
                "client_msg_id": f"{seats.sid}-{at}",
                "type": act.type,
                "payload": act.payload,
                "round": act.round,
            }
            effects = self.do(self._hall.acting.act, seats.lines[act.role or ""], message)
            assert not any("reject" in frame.body["type"] for frame in effects.frames), act


def script(entry: ScenarioEntry, piece: Any, seed: int) -> list[Act]:
    """Returns what scripted players do with a piece, as far as they do it themselves."""
    kind = entry.player_kinds()["script"]
    players = {role: kind.enter(Seat(role, piece, seed)) for role in entry.rules.roles}
    acts = play(entry.rules, piece, seed, players).acts
    own = next((at for at, act in enumerate(acts) if act.role is None), len(acts))
    return acts[:own]


def find_stages(rules: Any, piece: Any, seed: int, acts: list[Act]) -> Iterator[int]:
    """Yields after how many acts there is for the first time something else to do."""
    known: set[Any] = set()
    state = rules.start(piece, seed)
    for at, act in enumerate([*acts, None]):
        if rules.is_over(state):
            return
        looks = tuple(
            (rules.view(state, role)["phase"], *sorted(e.type for e in rules.allowed(state, role)))
            for role in rules.roles
        )
        if looks not in known:
            known.add(looks)
            yield at
        if act is not None:
            state = rules.apply(state, act)
            assert not isinstance(state, Refusal)


def stand_everywhere(folder: Path) -> list[Stage]:
    """Fills a study with a session at each stage; all of them go on when it is served."""
    crowd = Crowd(folder)
    try:
        stages = (crowd.stop_at(number) for number in range(MOST_STAGES))
        return [each for each in stages if each is not None]
    finally:
        crowd.close()
