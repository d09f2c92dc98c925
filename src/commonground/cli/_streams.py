"""Standard output and error as they may come: closed, full, cut off, of another encoding."""

from __future__ import annotations

import io
import os
import sys


def prepare_streams() -> None:
    """Makes both streams take any text; what goes to no terminal is UTF-8.

    A character that a terminal's encoding lacks becomes a question mark.
    """
    if sys.stdout is None:
        sys.stdout = _open_nothing()
    if sys.stderr is None:
        sys.stderr = _open_nothing()
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")


def drop_output() -> None:
    """Lets what is still to be written go nowhere, so that Python does not complain at its end."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _open_nothing() -> io.TextIOWrapper:
    return io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")
