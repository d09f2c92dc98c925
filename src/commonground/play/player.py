"""Who plays a scenario: what a player is shown at its turn, and what it may do."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from random import Random
from typing import Any, Protocol

import msgspec

from commonground.play.scenario import Allowed, Refusal


class Move(msgspec.Struct, frozen=True, gc=False):
    """What a player decides to do.

    Attributes:
        type: of the act.
        payload: of the act.
        delay_s: seconds from now until it is done: reading, thinking, typing.
    """

    type: str
    payload: dict[str, Any]
    delay_s: float


class Wait(msgspec.Struct, frozen=True, gc=False):
    """A player does nothing for now.

    Attributes:
        delay_s: seconds after which it is asked again if nothing happens before; None for as
            long as nothing happens.
    """

    delay_s: float | None = None


class Moment(msgspec.Struct, frozen=True, gc=False):
    """What a player has before it when it is asked.

    Attributes:
        role: its seat.
        view: what it sees.
        allowed: what it may do.
        at_us: what time it is.
        pending: what it decided earlier and has not done yet; return the very same object to
            leave it as it is, anything else to change one's mind; None for nothing.
        refusal: why its last move was not accepted; None where it was.
    """

    role: str
    view: dict[str, Any]
    allowed: Sequence[Allowed]
    at_us: int
    pending: Move | Wait | None = None
    refusal: Refusal | None = None


class Player(Protocol):
    """Somebody in a seat: scripted, replaying, a language model. One object plays one session.

    It knows what its views told it and nothing else; it may remember. It is asked at the start,
    whenever somebody's act was accepted, when its own was refused, and when a wait is over.
    """

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Returns what to do next.

        Args:
            moment: what it has before it.
            rng: its only source of chance, so that a seed gives the same session again.
        """


class Seat(msgspec.Struct, frozen=True):
    """Where a player sits down, for one session.

    Attributes:
        role: whose seat it is.
        material: what is played with. A player that would be unfair if it knew all of it takes
            only such things from it as people know of the world, like what an image shows.
        seed: who the player is; the same one plays the same.
    """

    role: str
    material: Any
    seed: int


class PlayerKind(msgspec.Struct, frozen=True):
    """A kind of player: the constant ``PLAYER`` of a module of a scenario.

    Attributes:
        name: as on the command line: ``script``.
        title: one sentence on how it plays.
        enter: makes a player for a seat.
        model: whether a language model plays, which records say.
        prompt: version and hash of what a language model is told; empty for others.
    """

    name: str
    title: str
    enter: Callable[[Seat], Player]
    model: bool = False
    prompt: str = ""

    @property
    def full_name(self) -> str:
        """The name by which results are told apart: of a language model with what it was told."""
        return f"{self.name}#{self.prompt}" if self.prompt else self.name
