"""Arrays of numbers in files: mapped when they are read, written a piece at a time."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

_AT_ONCE = 1 << 20
"""Numbers that are copied at a time."""


def map_array(path: Path) -> np.ndarray[Any, np.dtype[Any]]:
    """Opens an array for reading; of what lies in the file, only what is asked for is read."""
    # Without the type of a map, each slice of which costs several times that of an array.
    return np.asarray(np.load(path, mmap_mode="r"))


def write_array(path: Path, kind: Any, length: int, pieces: Iterator[Any]) -> None:
    """Writes an array that is never in memory as a whole.

    Args:
        kind: type of its numbers.
        pieces: arrays of them, in order.
    """
    kind = np.dtype(kind)
    with path.open("wb") as out:
        head = {"descr": kind.str, "fortran_order": False, "shape": (length,)}
        np.lib.format.write_array_header_1_0(out, head)
        for piece in pieces:
            for start in range(0, len(piece), _AT_ONCE):
                out.write(np.asarray(piece[start : start + _AT_ONCE], dtype=kind).tobytes())
