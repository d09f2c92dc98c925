"""The speaker whose side a format takes: the assistant, the system, or whom ``--as`` names."""

from __future__ import annotations

from collections.abc import Sequence

from commonground.errors import UsageError
from commonground.export.selection import Selection
from commonground.model import Speaker

_NAMED = 20
"""Speakers that an error lists; where they are people there may be thousands."""


def choose_speaker(speakers: Sequence[Speaker], wanted: str | None) -> Speaker | None:
    """Returns whose point of view is taken; None where the wanted one is not there.

    Without a wish it is the one whose role is ``assistant``, else the first.
    """
    if wanted is not None:
        return next((each for each in speakers if each.speaker == wanted), None)
    helpers = [each for each in speakers if each.role == "assistant"]
    return next(iter([*helpers, *speakers]), None)


def refuse_speaker(selection: Selection, wanted: str) -> UsageError:
    """Returns the error of a speaker whom no chosen dialogue has; it lists some who are there."""
    speakers = selection.rows(f"SELECT DISTINCT speaker FROM {selection.source('speakers')}")
    names = ", ".join(sorted(row[0] for row in speakers)[:_NAMED])
    return UsageError(f"No dialogue has a speaker {wanted!r}.", f"There are: {names}.")
