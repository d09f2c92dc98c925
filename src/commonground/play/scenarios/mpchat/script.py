"""Scripted people who label responses.

Of invented units they know what everybody would see who reads with care.
"""

from __future__ import annotations

from commonground.play.labelling.script import ScriptedLabeller
from commonground.play.player import PlayerKind, Seat
from commonground.play.scenarios.mpchat.scenes import load_phrases


def _enter(seat: Seat) -> ScriptedLabeller:
    known = {name: "yes" if right else "no" for name, right in seat.material.known.items()}
    return ScriptedLabeller("mpchat", known, load_phrases().skip, seat.seed)


PLAYER = PlayerKind(
    name="script",
    title="Answers with what a careful reader would see, or by shared words, and errs at times.",
    enter=_enter,
)
