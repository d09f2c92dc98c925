"""Two players in one seat, in which people write both sides of a dialogue.

What comes of it is the same session by the same rules, with the acts of one role. Only whose turn
it is, and what each may know of the other's, is said here; so a simulated customer can stand beside
any assistant.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from commonground.play.player import Moment, Move, Player, Wait
from commonground.play.scenario import Allowed

Narrowed = tuple[dict[str, Any], Sequence[Allowed]]
"""What one of the two sees, and what it may do."""


class Voices(msgspec.Struct, frozen=True, kw_only=True):
    """Who may share a seat: the constant ``VOICES`` of a module of a scenario.

    Attributes:
        names: of the two, in the order in which they are asked; the simulated user first.
        narrow: what one of them sees and may do; nothing where the other has the next turn.
            Arguments: its name, what the seat sees, what it may do.
        briefings: what language models are told in place of what people are, by name.
    """

    role: str
    names: tuple[str, ...]
    narrow: Callable[[str, dict[str, Any], Sequence[Allowed]], Narrowed]
    briefings: dict[str, str]


class SharedSeat:
    """The players of one seat; see :class:`~commonground.play.player.Player`."""

    def __init__(self, voices: Voices, players: Mapping[str, Player]) -> None:
        self._voices = voices
        self._players = players
        self._last = ""
        self._waits: dict[str, Wait] = {}

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Returns what the first of them does that has something to do."""
        for name in self._voices.names:
            view, allowed = self._voices.narrow(name, moment.view, moment.allowed)
            if not allowed:
                continue
            decided = self._players[name].next_move(
                Moment(
                    role=name,
                    view=view,
                    allowed=allowed,
                    at_us=moment.at_us,
                    pending=self._find_pending(name, moment),
                    refusal=moment.refusal if name == self._last else None,
                ),
                rng,
            )
            if isinstance(decided, Move):
                self._last = name
                self._waits.clear()
                return decided
            self._waits[name] = decided
        waits = [each for each in self._waits.values() if each.delay_s is not None]
        return min(waits, key=lambda each: each.delay_s or 0.0, default=Wait())

    def _find_pending(self, name: str, moment: Moment) -> Move | Wait | None:
        """Returns what one of them had decided, of what the seat has not done yet."""
        if isinstance(moment.pending, Move):
            return moment.pending if name == self._last else None
        return None if moment.pending is None else self._waits.get(name)
