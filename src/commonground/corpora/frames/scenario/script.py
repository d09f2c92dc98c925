"""Scripted players: a user who wants what its card says, and a wizard who finds it.

They understand each other's phrases. Of other words the wizard makes what the rules suggest, and
the user answers questions that name what is asked for; so both can sit opposite a person.
"""

from __future__ import annotations

from typing import Any

from commonground.corpora.frames.scenario.players.user import User
from commonground.corpora.frames.scenario.players.wizard import Wizard
from commonground.scenario import Player, PlayerKind


def enter(role: str, _material: Any, seed: int) -> Player:
    """Makes a player; it knows nothing of the material but what its view shows.

    Args:
        role: ``user`` or ``wizard``.
        _material: what the session plays with, which its wizard has to search for.
        seed: who the player is; the same one says the same.
    """
    return User(seed) if role == "user" else Wizard(seed)


PLAYER = PlayerKind(
    name="script",
    title="The user asks by ready phrases for what the card says; the wizard searches and offers.",
    enter=enter,
)
