"""Games that are finished while others are still to be played, kept whatever ends the play.

They stand in a file beside the output: a line each as in ``sessions.jsonl``, written when a game
is finished. The same play, begun again, takes them from there instead of playing them.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

import msgspec

from commonground.errors import SourceError, UsageError
from commonground.play.player import PlayerKind
from commonground.play.scenarios import ScenarioEntry
from commonground.play.session import StuckError
from commonground.play.sessions.forking import ForkPoint, replay_log
from commonground.play.sessions.session_logs import LogWriter, SessionLog, read_sessions

if TYPE_CHECKING:
    from commonground.play.sessions import PlayedSession, Setup

ENDING = ".unfinished.jsonl"
"""What the name of the file adds to that of the output."""


def name_kept(out: Path) -> Path:
    """Returns the file that keeps the finished games of a play."""
    return out.with_name(f"{out.name}{ENDING}")


class KeptGames:
    """Finished games of a play that was broken off, or may be.

    Raises:
        UsageError: the file has games of another play.
        FormatError: it cannot be read.
        SourceError: it cannot be written.
    """

    def __init__(
        self, path: Path, scenario: ScenarioEntry, seats: Mapping[str, PlayerKind]
    ) -> None:
        self.path = path
        self._scenario = scenario
        self._players = {role: kind.name for role, kind in seats.items()}
        self._prompts = {role: kind.prompt for role, kind in seats.items() if kind.prompt}
        self._found = {each.number: each for each in self._read()}
        self._taken: set[int] = set()
        try:
            self._file: BinaryIO = path.open("ab")
        except OSError as error:
            raise SourceError(f"{path} cannot be written: {error.strerror}.") from error
        self._writer = LogWriter(self._file.write)

    def __len__(self) -> int:
        return len(self._found)

    def count_left(self) -> int:
        """Returns how many games were found that no play has taken: those of a longer one."""
        return len(self._found) - len(self._taken)

    def _read(self) -> list[SessionLog]:
        if not self.path.is_file():
            return []
        # The last line may have been broken off in the middle.
        os.truncate(self.path, self.path.read_bytes().rfind(b"\n") + 1)
        found = list(read_sessions(self.path))
        for each in found:
            if (each.scenario, each.players, each.prompts) != (
                self._scenario.name,
                self._players,
                self._prompts,
            ):
                raise self._refuse(each.number)
        return found

    def find(self, setup: Setup) -> tuple[SessionLog, object] | None:
        """Returns a finished game and the state in which it ended; None where there is none.

        Raises:
            UsageError: the file has the game of another play.
        """
        found = self._found.get(setup.number)
        if found is None:
            return None
        rules = self._scenario.rules
        try:
            material = msgspec.convert(found.material, rules.material)
            if (
                (found.seed, found.version) != (setup.seed, rules.version)
                or msgspec.json.encode(material) != msgspec.json.encode(setup.material)
                or not _is_fork_of(found, setup.fork)
            ):
                raise self._refuse(setup.number)
            state = replay_log(self._scenario, found, setup.material)
        except (msgspec.ValidationError, StuckError) as error:
            raise self._refuse(setup.number) from error
        self._taken.add(setup.number)
        return msgspec.structs.replace(found, material=setup.material), state

    def keep(self, made: PlayedSession) -> None:
        """Writes a game down that came to its end."""
        if made.log is not None and made.log.complete and made.log.number not in self._found:
            self._writer.add(made.log)
            self._file.flush()

    def close(self) -> None:
        """Closes the file, and removes it where it has nothing."""
        self._file.close()
        if self.path.is_file() and not self.path.stat().st_size:
            self.path.unlink()

    def _refuse(self, number: int) -> UsageError:
        return UsageError(
            f"{self.path} has games of an interrupted command, and its game {number} is not "
            "of this one.",
            "Repeat that command to continue it, or move the file away.",
        )


def _is_fork_of(found: SessionLog, fork: ForkPoint | None) -> bool:
    if found.fork is None or fork is None:
        return found.fork is None and fork is None
    return (found.fork.game, found.fork.act) == (fork.game, fork.act)
