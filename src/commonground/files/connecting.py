"""What is done before this process first speaks to an object store.

Requests are made by libraries that wait in C. Python's handlers of signals run between two of its
own steps, and so not before the answer is there: whoever is to end a process sooner has to know.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_told: list[Callable[[], None]] = []


@contextmanager
def told_before_connecting(do: Callable[[], None]) -> Iterator[None]:
    """Has something done, within a ``with`` block, before an object store is first spoken to."""
    _told.append(do)
    try:
        yield
    finally:
        _told.remove(do)


def tell_connecting() -> None:
    """Does what is to be done before an object store is first spoken to."""
    for do in _told:
        do()


@contextmanager
def ended_at_once() -> Iterator[None]:
    """Has SIGTERM and Ctrl-C end the process without a word within a ``with`` block.

    For a call that lets no thread of Python run, which could say one.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # only the main thread may set handlers
        return
    before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    # What is ignored stays so, as Ctrl-C is by what a shell has started in the background.
    kept = {each: by for each, by in before.items() if by not in (signal.SIG_IGN, None)}
    for each in kept:
        signal.signal(each, signal.SIG_DFL)
    try:
        yield
    finally:
        for each, by in kept.items():
            signal.signal(each, by)
