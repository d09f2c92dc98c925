"""Vectors that were made before, in the folder of a store: ``vectors/ENCODER.npz``.

A file holds hashes of texts and their vectors, and no text. It is only ever a saving of time: one
that cannot be read counts as empty, and where none can be written nothing is kept.
"""

from __future__ import annotations

import hashlib
import zipfile
from collections.abc import Iterable, Mapping
from contextlib import suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from commonground.errors import CommongroundError
from commonground.files.outputs import new_file

FOLDER = "vectors"
"""Name of the folder in that of a store."""

Vectors = dict[bytes, NDArray[np.float32]]


class VectorCache:
    """Keeps vectors in the folder of a store; the sha256 of an encoder stands for it."""

    def __init__(self, store: Path) -> None:
        self._folder = store / FOLDER

    def find(
        self, encoder: str, width: int, texts: Iterable[str]
    ) -> dict[str, NDArray[np.float32]]:
        """Returns the vectors of those texts that were kept."""
        kept = self._read(encoder, width)
        return {text: kept[key] for text in texts if (key := _hash(text)) in kept}

    def add(self, encoder: str, width: int, vectors: Mapping[str, NDArray[np.float32]]) -> None:
        """Keeps vectors by text; where two processes do so at once, those of one may be lost."""
        kept = self._read(encoder, width)
        kept |= {_hash(text): vector for text, vector in vectors.items()}
        # A store that is not to be written is as good as one without a cache.
        with suppress(OSError, CommongroundError):
            self._folder.mkdir(exist_ok=True)
            with new_file(self._path(encoder), in_store=True) as staged, staged.open("wb") as out:
                keys = np.frombuffer(b"".join(kept), np.uint8).reshape(len(kept), -1)
                np.savez(out, keys=keys, vectors=np.stack(list(kept.values())))

    def _path(self, encoder: str) -> Path:
        return self._folder / f"{encoder[:32]}.npz"

    def _read(self, encoder: str, width: int) -> Vectors:
        try:
            with np.load(self._path(encoder), allow_pickle=False) as file:
                keys, vectors = file["keys"], file["vectors"]
        except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
            return {}
        if vectors.dtype != np.float32 or vectors.shape != (len(keys), width):
            return {}
        return dict(zip((key.tobytes() for key in keys), vectors, strict=True))


def _hash(text: str) -> bytes:
    # Texts of released files may hold halves of surrogate pairs, which no UTF-8 has.
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).digest()
