"""Which colour a corpus and a speaker have, on every page alike; ``static/base.css`` has them.

A colour is a number there, so that no page needs a style of its own.
"""

from __future__ import annotations

from functools import cache

from commonground.corpora import iterate_corpora

HUES = 9
"""Colours of corpora; where there are more of those, colours come again."""

TONES = 6
"""Colours of speakers; further speakers begin again."""


@cache
def _numbers() -> dict[str, int]:
    # Of all corpora there are, not of a store's: one corpus has its colour in every store.
    names = sorted(each.name for each in iterate_corpora())
    return {name: number % HUES for number, name in enumerate(names)}


def corpus_hue(name: str) -> int:
    """Returns the number of a corpus's colour; 0 for a name that is not known."""
    return _numbers().get(name, 0)


def speaker_tone(role: str | None, number: int) -> int:
    """Returns the number of a speaker's colour: users and assistants always have the same.

    Args:
        role: ``user``, ``assistant`` or ``peer``; None where the corpus does not say.
        number: place of the speaker in the dialogue, from 0.
    """
    if role in ("user", "assistant"):
        return int(role == "assistant")
    return number % TONES
