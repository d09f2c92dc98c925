"""Frames in the terminal: when the talk goes to another frame, and what searches found."""

from __future__ import annotations

from commonground.model import Action, Dialogue
from commonground.printing import count_of
from commonground.view import Piece, TerminalLine


def describe_action(dialogue: Dialogue, event: int) -> list[TerminalLine]:
    """Writes a search with its constraints, and how many packages came back."""
    action = dialogue.events[event]
    if not isinstance(action, Action):
        return []
    given = action.arguments if isinstance(action.arguments, dict) else {}
    asked = ", ".join(f"{key.lower()} {value}" for key, value in given.items())
    packages = count_of(len(action.result) if isinstance(action.result, list) else 0, "package")
    return [(Piece(f"{action.name} ", "strong"), Piece(asked, "soft"), Piece(f" ⇒ {packages}"))]


def describe_state(dialogue: Dialogue, event: int) -> list[TerminalLine]:
    """Says to which frame the talk goes at this event, and whether it was made here."""
    now = _active(dialogue, event)
    if now is None:
        return []
    earlier = [each for each in dialogue.states if each.event < event]
    before = _active(dialogue, max((each.event for each in earlier), default=-1))
    if now == before:
        return []
    is_new = all(each.frame != now for each in earlier)
    word = "new frame" if is_new else "frame"
    return [(Piece(f"▸ {word} {now}", "strong"),)]


def _active(dialogue: Dialogue, event: int) -> int | None:
    return next((s.frame for s in dialogue.states if s.event == event and s.active), None)
