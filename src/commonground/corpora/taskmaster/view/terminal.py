"""Taskmaster in the terminal: a call as a block, one line for each argument and result."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from commonground.model import Action, Dialogue
from commonground.view import Piece, TerminalLine


def describe_action(dialogue: Dialogue, event: int) -> list[TerminalLine]:
    """Writes a call with its arguments, and what came back."""
    action = dialogue.events[event]
    if not isinstance(action, Action):
        return []
    lines: list[TerminalLine] = [(Piece("calls ", "soft"), Piece(action.name, "strong"))]
    lines += _pairs("", action.arguments)
    lines += _pairs("⇒ ", action.result)
    return lines


def _pairs(sign: str, values: Any) -> Iterator[TerminalLine]:
    if isinstance(values, dict):
        for key, value in values.items():
            yield (Piece(f"  {sign}{key} ", "soft"), Piece(_show(value)))
    elif values is not None:
        yield (Piece(f"  {sign}", "soft"), Piece(_show(values)))


def _show(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
