"""Scripted people who label events: of invented ones they know what is right."""

from __future__ import annotations

from commonground.labelling.layers import LabelledUnit
from commonground.labelling.people import Script
from commonground.scenario import PlayerKind

_NOTES = {"unclear": ("", "I cannot tell."), "picture_missing": ("",)}


def _enter(_role: str, material: LabelledUnit, seed: int) -> Script:
    return Script("labelling", material.known, _NOTES, seed)


PLAYER = PlayerKind(
    name="script",
    title="Answers as a careful reader would, by shared words, or by chance; errs at times.",
    enter=_enter,
)
