"""SIMMC in the terminal: the assistant's actions in one line, and what came into sight."""

from __future__ import annotations

from commonground.model import Action, Dialogue
from commonground.view import Piece, TerminalLine, get_fact


def describe_action(dialogue: Dialogue, event: int) -> list[TerminalLine]:
    """Writes an action with its arguments as ``name(key=value, ...)``."""
    action = dialogue.events[event]
    if not isinstance(action, Action):
        return []
    given = action.arguments if isinstance(action.arguments, dict) else {}
    inside = ", ".join(f"{key}={_show(value)}" for key, value in given.items())
    return [(Piece(action.name, "strong"), Piece(f"({inside})", "soft"))]


def describe_state(dialogue: Dialogue, event: int) -> list[TerminalLine]:
    """Says what is shown from this event on, where that is not what was shown before."""
    now = _shown(dialogue, event)
    starts = [each.event for each in dialogue.displays if each.event is not None]
    before = _shown(dialogue, max((each for each in starts if each < event), default=-1))
    return [(Piece(f"shown: {', '.join(now)}", "soft"),)] if now and now != before else []


def _shown(dialogue: Dialogue, event: int) -> list[str]:
    titles = {each.object_id: each.title for each in dialogue.objects}
    return [
        " ".join(
            filter(
                None,
                [
                    get_fact(each.attributes, "name", str),
                    titles.get(each.object_id) or each.object_id,
                ],
            )
        )
        for each in dialogue.displays
        if each.event == event
    ]


def _show(value: object) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)
