"""What ends a command from outside is treated as Ctrl-C, so that it tidies up after itself."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType


class Ending:
    """Turns SIGTERM into ``KeyboardInterrupt``; ``signal`` is None while none came."""

    def __init__(self) -> None:
        self.signal: int | None = None
        # Forked processes inherit the handler, and are not the process that set it.
        self._process = os.getpid()

    @contextmanager
    def handled(self) -> Iterator[None]:
        """Does so within a ``with`` block."""
        # Python refuses to set handlers of signals anywhere else.
        if threading.current_thread() is not threading.main_thread():
            yield
            return
        before = signal.signal(signal.SIGTERM, self._end)
        try:
            yield
        finally:
            signal.signal(signal.SIGTERM, before)

    def _end(self, number: int, _frame: FrameType | None) -> None:
        if os.getpid() != self._process:  # a process of a pool; tidying up is for its parent
            # 128 plus the signal, as in shells; `sys.exit` would run the parent's exit handlers.
            os._exit(128 + number)
        self.signal = number
        # Anyone who sends it again must not interrupt the tidying up.
        signal.signal(number, signal.SIG_IGN)
        _end_children()
        raise KeyboardInterrupt


@contextmanager
def told_when_stopped(what: str) -> Iterator[None]:
    """Has a command that is stopped in a ``with`` block say what holds then, after "Stopped"."""
    try:
        yield
    except (KeyboardInterrupt, RuntimeError) as stopped:  # DuckDB raises the second kind
        stopped.add_note(what)
        raise


def _end_children() -> None:
    """Ends the processes of a pool, whose work nobody will want."""
    # What was never loaded has started nobody, and loading it now would take time.
    if "multiprocessing" in sys.modules:
        import multiprocessing

        for child in multiprocessing.active_children():
            child.terminate()
