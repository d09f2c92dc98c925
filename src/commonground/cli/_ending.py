"""What ends a command from outside is treated as Ctrl-C, so that it tidies up behind itself."""

from __future__ import annotations

import os
import signal
import socket
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from types import FrameType, TracebackType

from commonground.files.connecting import told_before_connecting
from commonground.printing import make_visible

PATIENCE_S = 1.5
"""Seconds that a command has to tidy up when it is stopped while an object store may hang."""

_holding: list[str] = []
"""What holds if the command is stopped now, the latest last."""


class Ending:
    """Turns SIGTERM into ``KeyboardInterrupt`` within a ``with`` block.

    Where an object store was spoken to, a command that has not ended soon after Ctrl-C or SIGTERM
    is ended where it stands: it waits for an answer that may never come. What it leaves is what it
    would if it were killed, and the next command tidies up.

    Attributes:
        signal: the signal that came; None while none did.
        told: whether the user was told that the command was stopped.
    """

    def __init__(self) -> None:
        self.signal: int | None = None
        self.told = False
        self._is_watching = False
        self._connecting = ExitStack()
        # Forked processes inherit the handler, and must be told from the one that set it.
        self._process = os.getpid()
        self._before: signal._HANDLER = signal.SIG_DFL

    def __enter__(self) -> Ending:
        if _can_handle():
            self._before = signal.signal(signal.SIGTERM, self._end)
            self._connecting.enter_context(told_before_connecting(self._watch))
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _at: TracebackType | None,
    ) -> None:
        if _can_handle():
            signal.signal(signal.SIGTERM, self._before)
            self._connecting.close()

    def _watch(self) -> None:
        """Starts a thread that learns of signals from the system, whatever this one waits for."""
        if self._is_watching or not _can_handle():
            return
        heard, told = socket.socketpair()
        told.setblocking(False)
        signal.set_wakeup_fd(told.fileno(), warn_on_full_buffer=False)
        self._connecting.callback(told.close)
        self._connecting.callback(signal.set_wakeup_fd, -1)
        self._is_watching = True
        # A forked process would tell its parent of its own signals.
        os.register_at_fork(after_in_child=lambda: signal.set_wakeup_fd(-1))
        threading.Thread(target=self._listen, args=(heard,), daemon=True).start()

    def _listen(self, heard: socket.socket) -> None:
        with heard:
            number = 0
            while not self._is_ours(number):
                told = heard.recv(1)
                if not told:  # the command has ended
                    return
                number = told[0]
        time.sleep(PATIENCE_S)
        if not self.told:
            cursor = "\x1b[?25h" if sys.stderr.isatty() else ""  # a bar of progress hides it
            text = make_visible(" ".join(["Stopped.", *reversed(_holding)]))
            os.write(2, f"{cursor}\n{text}\n".encode(errors="replace"))
        _end_children()
        os._exit(128 + number)

    def _is_ours(self, number: int) -> bool:
        """Says whether a signal ends the command; a server has handlers of its own."""
        ours = (self._end, signal.SIG_IGN, signal.default_int_handler)
        return number in (signal.SIGINT, signal.SIGTERM) and signal.getsignal(number) in ours

    def _end(self, number: int, _frame: FrameType | None) -> None:
        if os.getpid() != self._process:  # a process of a pool; tidying up is for its parent
            # 128 plus the signal, as in shells; `sys.exit` would run the parent's exit handlers.
            os._exit(128 + number)
        self.signal = number
        # Whoever sends it again must not interrupt the tidying up.
        signal.signal(number, signal.SIG_IGN)
        _end_children()
        raise KeyboardInterrupt


@contextmanager
def told_when_stopped(what: str) -> Iterator[None]:
    """Has a command that is stopped within a ``with`` block say what holds then.

    Args:
        what: a sentence that goes behind "Stopped.", such as on what was there before.
    """
    _holding.append(what)
    try:
        yield
    except (KeyboardInterrupt, RuntimeError) as stopped:  # DuckDB raises the second kind
        stopped.add_note(what)
        raise
    finally:
        _holding.remove(what)


def _can_handle() -> bool:
    # Python refuses to set handlers of signals anywhere else.
    return threading.current_thread() is threading.main_thread()


def _end_children() -> None:
    """Ends the processes of a pool, whose work nobody will want."""
    # What was never loaded has started nobody, and loading it now would take time.
    if "multiprocessing" in sys.modules:
        import multiprocessing

        for child in multiprocessing.active_children():
            child.terminate()
