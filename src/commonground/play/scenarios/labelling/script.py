"""Scripted people who label events: of invented ones they know what is right."""

from __future__ import annotations

from commonground.play.labelling.script import ScriptedLabeller
from commonground.play.player import PlayerKind, Seat
from commonground.play.scenarios.labelling.material import load_phrases


def _enter(seat: Seat) -> ScriptedLabeller:
    return ScriptedLabeller("labelling", seat.material.known, load_phrases().skip, seat.seed)


PLAYER = PlayerKind(
    name="script",
    title="Answers as a careful reader would, by shared words, or by lot; errs at times.",
    enter=_enter,
)
