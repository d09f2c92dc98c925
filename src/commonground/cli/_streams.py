"""Standard output and error as they may come: closed, full, cut off, of another encoding.

All that commands print passes here, so that no text of data acts on a terminal. What is for
machines passes untouched, unless a terminal is where it goes.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterable
from typing import Any, BinaryIO, TextIO

from commonground.printing import make_visible


class VisibleStream:
    """A stream that makes visible what a terminal would obey.

    It has no ``buffer``: code that bypasses it has to say so, with :func:`underlying`.
    """

    def __init__(self, stream: TextIO) -> None:
        self.underlying = stream

    def write(self, text: str | bytes) -> int:
        """Writes text, or bytes that are text as click writes completions; returns how much."""
        said = text if isinstance(text, str) else text.decode("utf-8", "replace")
        self.underlying.write(make_visible(said))
        return len(text)

    def writelines(self, lines: Iterable[str]) -> None:
        """Writes one text after another."""
        for line in lines:
            self.write(line)

    def __getattr__(self, name: str) -> Any:
        # click and others look for them to write bytes, which would go round what makes text
        # visible.
        if name in ("buffer", "detach"):
            raise AttributeError(name)
        return getattr(self.underlying, name)


def prepare_streams() -> None:
    """Makes both streams take any text and show all of it; what goes to no terminal is UTF-8.

    A character that a terminal's encoding lacks becomes a question mark.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(stream, VisibleStream):
            continue
        if stream is None:
            stream = io.TextIOWrapper(io.FileIO(os.devnull, "w"), encoding="utf-8")
        if isinstance(stream, io.TextIOWrapper):
            # A terminal has an encoding of its own; files and pipes are for programs elsewhere.
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="replace")
        setattr(sys, name, VisibleStream(stream))


def underlying(stream: TextIO) -> TextIO:
    """Returns the stream that takes text as it is, for what draws with escape sequences of ours."""
    return stream.underlying if isinstance(stream, VisibleStream) else stream


def machine_output() -> TextIO:
    """Returns standard output for JSON and the like: untouched, but made visible on a terminal."""
    return sys.stdout if sys.stdout.isatty() else underlying(sys.stdout)


def binary_output() -> BinaryIO:
    """Returns standard output for bytes."""
    return underlying(sys.stdout).buffer


def drop_output() -> None:
    """Lets what is still to be written go nowhere, so that Python does not complain at its end."""
    # The descriptor itself is changed: what stands in the buffer is flushed by Python at its end.
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
