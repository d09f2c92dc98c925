"""Scripted people who label events: of invented ones they know what is right."""

from __future__ import annotations

from commonground.play.labelling.script import ScriptedLabeller
from commonground.play.player import PlayerKind
from commonground.play.scenarios.labelling.material import load_phrases

PLAYER = PlayerKind(
    name="script",
    title="Answers as a careful reader would, by shared words, or by lot; errs at times.",
    enter=lambda seat: ScriptedLabeller(
        "labelling", seat.material.known, load_phrases().skip, seat.seed
    ),
)
