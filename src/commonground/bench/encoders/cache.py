"""Vectors that were made before, in the folder of a store: ``vectors/ENCODER.npz``.

A file holds hashes of texts and their vectors, and no text. It is only ever a saving of time: one
that cannot be read counts as empty, and where none can be written nothing is kept.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from commonground.errors import CommongroundError
from commonground.files.outputs import new_file

FOLDER = "vectors"
"""Name of the folder in that of a store."""

Vector = NDArray[np.float32]


class VectorCache:
    """Keeps vectors in the folder of a store, or nowhere; the sha256 of an encoder stands for it.

    Args:
        store: None to make all vectors anew.
    """

    def __init__(self, store: Path | None) -> None:
        self._folder = None if store is None else store / FOLDER

    def complete(
        self, encoder: str, width: int, texts: Collection[str], make: Callable[[str], Vector]
    ) -> dict[str, Vector]:
        """Returns the vectors of texts; what was not kept is made, and kept from then on.

        Where two processes do so at once, vectors of one may be lost.
        """
        if self._folder is None:
            return {text: make(text) for text in texts}
        path = self._folder / f"{encoder[:32]}.npz"
        kept = _read(path, width)
        found = {text: kept[key] for text in texts if (key := _hash(text)) in kept}
        new = {text: make(text) for text in texts if text not in found}
        if new:
            self._add(path, width, new)
        return found | new

    def _add(self, path: Path, width: int, vectors: Mapping[str, Vector]) -> None:
        # Read again: making them took long enough for others to be kept meanwhile.
        kept = _read(path, width) | {_hash(text): vector for text, vector in vectors.items()}
        # A store that is not to be written is as good as one without a cache.
        with suppress(OSError, CommongroundError):
            path.parent.mkdir(exist_ok=True)
            with new_file(path, in_store=True) as staged, staged.open("wb") as out:
                keys = np.frombuffer(b"".join(kept), np.uint8).reshape(len(kept), -1)
                np.savez(out, keys=keys, vectors=np.stack(list(kept.values())))


def _read(path: Path, width: int) -> dict[bytes, Vector]:
    try:
        with np.load(path, allow_pickle=False) as file:
            keys, vectors = file["keys"], file["vectors"]
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return {}
    if vectors.dtype != np.float32 or vectors.shape != (len(keys), width):
        return {}
    return dict(zip((key.tobytes() for key in keys), vectors, strict=True))


def _hash(text: str) -> bytes:
    # Texts of released files may hold halves of surrogate pairs, which no UTF-8 has.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
