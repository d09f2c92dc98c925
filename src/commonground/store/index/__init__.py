"""The index of an imported corpus: what makes it quick to browse, made once from its tables.

It lies in the folder of the import that it was made from and goes with it. Where that folder
cannot be written to, it lies in the user's cache instead, and where there is none, among the
temporary files.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path

import numpy as np

from commonground.errors import StoreError
from commonground.files.outputs import sync_all
from commonground.files.work_folders import hidden_folder
from commonground.store.corpus import Corpus
from commonground.store.index.blocks import BlockReader
from commonground.store.index.dividing import Progress, build_index
from commonground.store.index.full_text import FullText
from commonground.store.index.postings import Postings
from commonground.store.index.summaries import Digest
from commonground.store.layout.manifest import data_folder

INDEX_VERSION = 4
"""Raised when an index of before can no longer be read."""

_OF_NAME = "of"
"""File of an index that names the data folder that it was made from."""


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
        part_starts = np.load(folder / "part_starts.npy")
        self.blocks = BlockReader(folder, part_starts)
        self.postings = Postings(folder)
        self.full_text = FullText(folder / "text", self.postings, part_starts)
        self.digest = Digest(folder)


def open_index(corpus: Corpus, progress: Progress | None = None, jobs: int = 1) -> CorpusIndex:
    """Opens the index of a corpus; makes it first where there is none.

    Args:
        corpus: a whole corpus; that of a part is made with :func:`make_index`.
        progress: told how far it is.
        jobs: processes that make it, if it is large.

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
            _make_room(place)
            return CorpusIndex(make_index(corpus, place, progress, jobs))
        # The disk is full or read-only here; the next place may be on another one.
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
    """Lists where the index of a corpus may be: with its tables, in the cache, for a while."""
    data = data_folder(corpus.store.path, corpus.manifest).resolve()
    # A path has slashes and any length; its hash makes a file name.
    name = hashlib.sha256(str(data).encode("utf-8", "surrogateescape")).hexdigest()[:16]
    other = f"index-{INDEX_VERSION}-{name}"
    temporary = Path(tempfile.gettempdir()) / f"commonground-indexes-{os.getuid()}"
    return [
        data / f"index-{INDEX_VERSION}",
        *([cache / other] if (cache := _cache()) else []),
        *([temporary / other] if _is_own(temporary) else []),
    ]


def _cache() -> Path | None:
    """Returns the user's cache; None for a user without a home."""
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "commonground"
    # What `Path.home` raises where the system knows no such user, as in some containers.
    except RuntimeError:
        return None


def _is_own(folder: Path) -> bool:
    """Tells whether a folder that anybody could have made is the user's own, or not there yet."""
    try:
        # Not ``stat``: a link that somebody else laid there must not be followed.
        about = folder.lstat()
    except OSError:
        return True
    # No right for group or others: whoever may write there could plant an index of their own.
    return stat.S_ISDIR(about.st_mode) and about.st_uid == os.getuid() and not about.st_mode & 0o077


def _make_room(place: Path) -> None:
    """Makes the folder that an index goes to, and removes from it those of imports that are gone.

    Raises:
        OSError: it cannot be made.
    """
    if place.parent.name.startswith("data-"):
        return
    # For the user alone: an index has the texts of the corpus in it.
    place.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    for other in place.parent.glob("index-*"):
        with suppress(OSError):
            if not Path(os.fsdecode((other / _OF_NAME).read_bytes())).is_dir():
                shutil.rmtree(other, ignore_errors=True)


def _say_nothing(_done: int, _total: int) -> None:
    pass


def make_index(
    corpus: Corpus, place: Path, progress: Progress | None = None, jobs: int = 1
) -> Path:
    """Writes the index beside its place, moves it there in one step, and returns the place.

    Args:
        corpus: an open import.
        place: folder that the index will be; nothing stands there, or an index of the same data.
        progress: told rows done and rows in all, now and then; None for nobody.
        jobs: processes that make it, if it is large.

    Raises:
        OSError: it cannot be written.
    """
    data = data_folder(corpus.store.path, corpus.manifest).resolve()
    with hidden_folder(place, "new") as beside:
        build_index(corpus, beside, progress or _say_nothing, jobs)
        # As bytes: a path need not be UTF-8.
        (beside / _OF_NAME).write_bytes(os.fsencode(data))
        sync_all(beside)
        try:
            # In one step, and refused where a folder with files stands there: who is first wins.
            beside.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster, with the same result
                raise
    return place
