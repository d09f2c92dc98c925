"""Vectors that a model of images and texts gives, which somebody else runs.

The model is large, and choosing one is part of a study; so none is run here. A folder holds what
needs a vector, one item a line, and beside it the vectors, a row for each line.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from commonground.errors import FormatError, SourceError, UsageError
from commonground.files.outputs import write_file
from commonground.games.measuring import Items
from commonground.printing import count_of

ITEMS, VECTORS = "items.jsonl", "vectors.npy"


class _Item(msgspec.Struct, omit_defaults=True):
    """A line of the list: a text, or the path of an image below the folder of images."""

    text: str | None = None
    image: str | None = None


class Vectors:
    """Vectors of texts and images, of length 1."""

    def __init__(self, items: Sequence[tuple[str, str]], rows: NDArray[np.float32]) -> None:
        """Takes them.

        Args:
            items: of each row, ``text`` or ``image``, and which.
            rows: the vectors.
        """
        self._places = {item: place for place, item in enumerate(items)}
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
        # A vector of zeros is like nothing, itself included.
        self._rows = (rows / np.maximum(lengths, np.finfo(np.float32).tiny)).astype(np.float32)

    def compare(self, text: str, images: Sequence[str]) -> list[float]:
        """Returns the cosines of a text with images.

        Raises:
            UsageError: the text or an image has no vector.
        """
        places = [self._find("image", image) for image in images]
        cosines: list[float] = (self._rows[places] @ self._rows[self._find("text", text)]).tolist()
        return cosines

    def rows(self, texts: Sequence[str]) -> NDArray[np.float32]:
        """Returns the vectors of texts, a row for each.

        Raises:
            UsageError: a text has no vector.
        """
        rows: NDArray[np.float32] = self._rows[[self._find("text", text) for text in texts]]
        return rows

    def _find(self, kind: str, item: str) -> int:
        place = self._places.get((kind, item))
        if place is None:
            raise UsageError(
                f"The {kind} {item!r} has no vector.",
                f"The games are others now: remove {VECTORS}, and run this again for a new list.",
            )
        return place


def write_items(folder: Path, items: Items) -> Path:
    """Writes the list of what needs a vector, and returns its path.

    Raises:
        SourceError: it cannot be written.
    """
    lines = [*(_Item(text=each) for each in items.texts), *(_Item(image=e) for e in items.images)]
    path = folder / ITEMS
    folder.mkdir(parents=True, exist_ok=True)
    write_file(path, msgspec.json.Encoder().encode_lines(lines))
    return path


def has_vectors(folder: Path) -> bool:
    """Returns whether somebody has put vectors there."""
    return (folder / VECTORS).is_file()


def read_vectors(folder: Path) -> Vectors:
    """Reads the list and its vectors.

    Raises:
        SourceError: a file cannot be read.
        FormatError: they are no vectors, or not one for each line.
    """
    path = folder / VECTORS
    try:
        lines = msgspec.json.Decoder(_Item).decode_lines((folder / ITEMS).read_bytes())
        rows = np.load(path, allow_pickle=False)
    except OSError as error:
        raise SourceError(f"{folder}: {error.strerror or error}") from error
    except (ValueError, EOFError, msgspec.DecodeError) as error:
        raise FormatError(f"{folder}: {error}") from error
    if rows.ndim != 2 or len(rows) != len(lines) or rows.dtype.kind != "f":
        raise FormatError(
            f"{path}: expected a row of numbers for each of {count_of(len(lines), 'line')} of"
            f" {ITEMS}; found {rows.dtype.name} of the shape {rows.shape}."
        )
    if not np.isfinite(rows).all():
        raise FormatError(f"{path}: a number in it is infinite, or none.")
    items = [("image", e.image or "") if e.text is None else ("text", e.text) for e in lines]
    return Vectors(items, rows.astype(np.float32))
