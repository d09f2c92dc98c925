"""PhotoBook: two people find out in chat which images both see; with the documented processor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from commonground.corpora.photobook.log import GameRound, Log, LogMessage, load_logs
    from commonground.corpora.photobook.view.transcript import print_transcript, render_transcript

__all__ = [
    "GameRound",
    "Log",
    "LogMessage",
    "load_logs",
    "print_transcript",
    "render_transcript",
]


def __getattr__(name: str) -> Any:
    """Imports the processor when one of its names is first asked for."""
    if name in ("GameRound", "Log", "LogMessage", "load_logs"):
        from commonground.corpora.photobook import log

        return getattr(log, name)
    if name in ("print_transcript", "render_transcript"):
        from commonground.corpora.photobook.view import transcript

        return getattr(transcript, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
