"""The index of an imported corpus: what makes it quick to browse, made once from its tables.

It lies in the folder of the import that it was made from and goes with it. Where that folder
cannot be written to, it lies in the user's cache instead.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import uuid
from pathlib import Path

from commonground.errors import StoreError
from commonground.store.blocks import BlockReader
from commonground.store.corpus import Corpus
from commonground.store.digest import Digest
from commonground.store.full_text import FullText
from commonground.store.indexing import Progress, build_index
from commonground.store.postings import Postings

__all__ = ["CorpusIndex", "Progress", "has_index", "make_index", "open_index"]

INDEX_VERSION = 1
"""Raised when an index of before can no longer be read."""


class CorpusIndex:
    """An index that is open for reading.

    Attributes:
        folder: where it is.
        blocks: the dialogues.
        postings: which dialogues and events have a value.
        full_text: which have a word.
        digest: what lists show of them.
    """

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.blocks = BlockReader(folder)
        self.postings = Postings(folder)
        self.full_text = FullText(folder / "text")
        self.digest = Digest(folder)


def open_index(corpus: Corpus, progress: Progress | None = None) -> CorpusIndex:
    """Opens the index of a corpus; makes it first where there is none.

    Args:
        corpus: a whole corpus; that of a part is made with :func:`make_index`.
        progress: told how far it is.

    Raises:
        StoreError: there is none, and it can be written nowhere.
    """
    places = _places(corpus)
    for place in places:
        if place.is_dir():
            return CorpusIndex(place)
    errors = []
    for place in places:
        try:
            return CorpusIndex(make_index(corpus, place, progress))
        except OSError as error:
            errors.append(f"{place}: {error.strerror or error}")
    raise StoreError(
        f"The index of {corpus.name} cannot be written ({'; '.join(errors)}).",
        "Free some space, or make one of these folders writable.",
    )


def has_index(corpus: Corpus) -> bool:
    """Tells whether the index of a corpus is made."""
    return any(place.is_dir() for place in _places(corpus))


def _places(corpus: Corpus) -> list[Path]:
    data = (corpus.store.path / corpus.name / corpus.manifest.data).resolve()
    return [data / f"index-{INDEX_VERSION}", _cache_folder(data)]


def _cache_folder(data: Path) -> Path:
    base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    name = hashlib.sha256(str(data).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    return base / "commonground" / f"index-{INDEX_VERSION}-{name}"


def _say_nothing(_done: int, _total: int) -> None:
    pass


def make_index(corpus: Corpus, place: Path, progress: Progress | None = None) -> Path:
    """Writes the index beside its place, moves it there in one step, and returns the place.

    Raises:
        OSError: it cannot be written.
    """
    beside = place.with_name(f"{place.name}.{uuid.uuid4().hex[:8]}")
    beside.mkdir(parents=True)
    try:
        build_index(corpus, beside, progress or _say_nothing)
        try:
            beside.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster, with the same result
                raise
    finally:
        shutil.rmtree(beside, ignore_errors=True)
    return place
