"""Schedules: sessions that were played once, given to others with the same material and seed.

A schedule is a ``sessions.jsonl`` of ``commonground play``, or released files of a corpus whose
records can be taken apart into acts. Who plays it may be anybody; ``replay`` in a seat does there
what was done in it then, so that a person of the released games plays with a model of today.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

import msgspec

from commonground.errors import FormatError, UsageError
from commonground.play.player import Moment, Move, Player, PlayerKind, Seat, Wait
from commonground.play.scenario import Act, Recorded
from commonground.play.scenarios import ScenarioEntry
from commonground.play.sessions.session_logs import LOG_NAME, read_sessions
from commonground.store.identify import identify_documents

REPLAY = "replay"
"""Name of the player that does what was done in its seat."""

_SOONEST_S = 0.2
"""Seconds before an act that should have been done already."""


def read_schedule(scenario: ScenarioEntry, path: Path) -> list[Recorded]:
    """Reads the sessions of a schedule, those last that repeat an earlier one.

    So the first sessions of a study with conditions are different ones, each of which was played
    in every condition.

    They are those of a ``sessions.jsonl``, of a folder that has one, or of released files.

    Raises:
        SourceError: it cannot be read.
        FormatError: it holds something else, or nothing.
        UsageError: it holds released files, and those of this scenario cannot be taken apart.
    """
    log = path / LOG_NAME if path.is_dir() else path
    is_log = log.suffix == ".jsonl" and log.is_file()
    found = list(_read_log(scenario, log) if is_log else _read_released(scenario, path))
    if not found:
        raise FormatError(f"{path} holds no session of {scenario.name}.")
    drawn = Counter(each.seed for each in found)
    digests: dict[int, bytes] = {}

    def digest(part: Any) -> bytes:
        # By identity: a whole database may be one object in the material of all sessions.
        if id(part) not in digests:
            digests[id(part)] = sha256(msgspec.json.encode(part)).digest()
        return digests[id(part)]

    seen: set[tuple[int, bytes]] = set()
    first: list[Recorded] = []
    repeats: list[Recorded] = []
    for each in found:
        # Material may be large; with a seed of its own, nothing repeats it.
        parts = msgspec.structs.astuple(each.material) if drawn[each.seed] > 1 else ()
        key = each.seed, b"".join(map(digest, parts))
        (repeats if key in seen else first).append(each)
        seen.add(key)
    return [*first, *repeats]


def _read_log(scenario: ScenarioEntry, path: Path) -> Iterator[Recorded]:
    for each in read_sessions(path):
        if each.scenario != scenario.name:
            raise FormatError(
                f"{path}: session {each.number} is of {each.scenario}, not of {scenario.name}."
            )
        try:
            material = msgspec.convert(each.material, scenario.rules.material)
        except msgspec.ValidationError as error:
            raise FormatError(f"{path}: session {each.number}: {error}.") from error
        yield Recorded(name=str(each.number), seed=each.seed, material=material, acts=each.acts)


def _read_released(scenario: ScenarioEntry, path: Path) -> Iterator[Recorded]:
    replayer = scenario.replayer()
    if replayer is None:
        raise UsageError(
            f"Released records of {scenario.name} cannot be a schedule.",
            f"Name a {LOG_NAME} that commonground play has written.",
        )
    for document, fmt in identify_documents(scenario.corpus, [path]).known:
        if fmt.role == "main":
            yield from replayer.record(document.name, document.read())


def make_replay_kind(schedule: Sequence[Recorded]) -> PlayerKind:
    """Returns the kind of player that does again what was done in its seat.

    It plays sessions with the material of a schedule only, the very same objects.
    """
    # By identity: two sessions may have been played with equal material.
    found = {id(each.material): each.acts for each in schedule}

    def enter(seat: Seat) -> Player:
        return ReplayPlayer(seat.role, found[id(seat.material)])

    return PlayerKind(REPLAY, "Repeats what was done in its seat when it was recorded.", enter)


class ReplayPlayer:
    """Does what was done in a seat, whatever the others do now.

    Each act comes at its time since the first one of its round, or as soon as the rules allow it.
    So a partner who is slow on one page does not make a rush of those after it. An act of a round
    that is over is passed over, and so is one that the rules refuse.

    Args:
        acts: of all seats, in order.
    """

    def __init__(self, role: str, acts: Sequence[Act]) -> None:
        self._left = [each for each in acts if each.role == role]
        # Where acts have no rounds, all are of one, which is None. The first of each stays.
        self._first_us = {each.round: each.at_us for each in reversed(acts)}
        self._begun_us: dict[int | None, int] = {}
        self._next: tuple[Act, Move] | None = None

    def next_move(self, moment: Moment, _rng: Random) -> Move | Wait:
        """Returns the first act of the record that is allowed now, or waits."""
        # By identity: the move that is still pending is the very one that was returned.
        if self._next is not None and moment.pending is not self._next[1]:
            self._left.remove(self._next[0])  # done, or refused
            self._next = None
        now = moment.view["round"]
        self._begun_us.setdefault(now, moment.at_us)
        if now is not None:
            self._left = [each for each in self._left if each.round is None or each.round >= now]
        act = next((each for each in self._left if _fits(each, moment)), None)
        if self._next is not None and act is self._next[0]:
            return self._next[1]
        self._next = None
        if act is None:
            return moment.pending if isinstance(moment.pending, Wait) else Wait()
        # When this round began here, and how long after its first act this one was done then.
        due_us = self._begun_us[now] + act.at_us - self._first_us[act.round]
        delay_s = max(_SOONEST_S, (due_us - moment.at_us) / 1_000_000)
        self._next = act, Move(act.type, act.payload, delay_s)
        return self._next[1]


def _fits(act: Act, moment: Moment) -> bool:
    """Says whether an act is of the round that is on, and allowed now."""
    now = moment.view["round"]
    in_round = now is None or act.round is None or act.round == now
    return in_round and any(each.type == act.type for each in moment.allowed)
