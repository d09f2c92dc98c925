"""Games in the terminal: marks with the number of their image, and whether they are right."""

from __future__ import annotations

from commonground.corpora.photobook.view.page import short_name
from commonground.model import Action, Dialogue
from commonground.view import Piece, TerminalLine

_WORDS = {"feedback": "submits", "next_round": "goes on to the next page"}


def describe_action(dialogue: Dialogue, event: int) -> list[TerminalLine]:
    """Writes a click as a sentence; nothing for what is none of the known ones."""
    action = dialogue.events[event]
    if not isinstance(action, Action):
        return []
    if action.name in _WORDS:
        return [(Piece(_WORDS[action.name], "soft"),)]
    if action.name == "usr_feedback":
        grades = f"collaboration {action.arguments['col']}, partner understood "
        grades += (
            f"{action.arguments['partner_u']}, understood partner {action.arguments['self_u']}"
        )
        comment = action.arguments["text"]
        return [(Piece(grades, "soft"), Piece(f"  “{comment}”" if comment else ""))]
    return [_mark(dialogue, action)] if action.name == "selection" else []


def _mark(dialogue: Dialogue, action: Action) -> TerminalLine:
    image, label = action.arguments["image"], action.arguments["label"]
    viewers = {
        each.viewer
        for each in dialogue.displays
        if each.segment == action.segment and each.object_id == image
    }
    words = (Piece("marks ", "soft"), Piece(short_name(image), "strong"), Piece(f" {label} "))
    if action.speaker not in viewers:
        return (*words, Piece("not on own page", "bad"))
    # Two viewers mean that both players have the image.
    if (len(viewers) > 1) == (label == "common"):
        return (*words, Piece("✓", "good"))
    return (*words, Piece("✗ wrong", "bad"))
