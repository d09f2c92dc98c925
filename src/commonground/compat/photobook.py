"""PhotoBook's documented processor, as in ``dmg-photobook/photobook_dataset``.

::

    from commonground.compat.photobook import load_logs

    for log in load_logs("logs", "photobook_dataset"):
        print(log.game_id, log.total_score, len(log.rounds))

Names and attributes are those of its documentation; the code is ours.
"""

from __future__ import annotations

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
