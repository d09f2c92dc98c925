"""Scripted players: a user who wants what its card says, and a wizard who finds it.

They understand each other's phrases. Of other words the wizard makes what the rules suggest, and
the user answers questions that name what is asked for; so both can sit opposite a person.
"""

from __future__ import annotations

from commonground.play.player import Player, PlayerKind, Seat
from commonground.play.scenarios.frames.players.user import User
from commonground.play.scenarios.frames.players.wizard import Wizard


def enter(seat: Seat) -> Player:
    """Makes the player of a seat; it knows nothing of the material but what its view shows."""
    return User(seat.seed) if seat.role == "user" else Wizard(seat.seed)


PLAYER = PlayerKind(
    name="script",
    title="The user asks by ready phrases for what the card says; the wizard searches and offers.",
    enter=enter,
)
