"""Which colour a corpus and a speaker have, on every page alike; ``static/base.css`` has them.

A colour is a number there, so that no page needs a style of its own.
"""

from __future__ import annotations

from commonground.figures.drawing.palette import CORPORA, SPEAKERS, corpus_numbers

HUES = len(CORPORA)
"""Colours of corpora; where there are more of those, colours come again."""

TONES = len(SPEAKERS)
"""Colours of speakers; further speakers begin again."""


def corpus_hue(name: str) -> int:
    """Returns the number of a corpus's colour; 0 for a name that is not known."""
    return corpus_numbers().get(name, 0)


def speaker_tone(role: str | None, number: int) -> int:
    """Returns the number of a speaker's colour: users and assistants always have the same.

    Args:
        role: ``user``, ``assistant`` or ``peer``; None where the corpus does not say.
        number: place of the speaker in the dialogue, from 0.
    """
    if role in ("user", "assistant"):
        return int(role == "assistant")
    return number % TONES
