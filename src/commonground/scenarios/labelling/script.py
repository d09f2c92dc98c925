"""Scripted people who label events: of invented ones they know what is right."""

from __future__ import annotations

from commonground.labelling.people import Script
from commonground.player import PlayerKind, Seat

_NOTES = {"unclear": ("", "I cannot tell."), "picture_missing": ("",)}


def _enter(seat: Seat) -> Script:
    return Script("labelling", seat.material.known, _NOTES, seat.seed)


PLAYER = PlayerKind(
    name="script",
    title="Answers as a careful reader would, by shared words, or by chance; errs at times.",
    enter=_enter,
)
