"""The index of an imported corpus: what makes it quick to browse and search.

The import writes it from its tables, into its own folder, and lists its files in the manifest.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np

from commonground.errors import StoreError
from commonground.files.listings import hash_file
from commonground.files.outputs import sync_all
from commonground.files.work_folders import hidden_folder
from commonground.store.corpus import Corpus
from commonground.store.index.blocks import BlockReader
from commonground.store.index.dividing import Progress, Tables, build_index
from commonground.store.index.full_text import FullText
from commonground.store.index.postings import Postings
from commonground.store.index.summaries import Digest
from commonground.store.layout.integrity import require_whole_index
from commonground.store.layout.manifest import PartFile, StoreManifest, data_folder

NAME = "index-6"
"""Folder of an index; has another number where an earlier index cannot be read or lacks parts."""


class CorpusIndex:
    """An index that is open for reading.

    Attributes:
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
        self.full_text = FullText(folder, self.postings.event_starts[part_starts].tolist())
        self.digest = Digest(folder)


def open_index(corpus: Corpus) -> CorpusIndex:
    """Opens the index of a corpus; an import of an earlier version gets one first.

    Args:
        corpus: a whole corpus; that of a part is made with :func:`make_index`.

    Raises:
        StoreError: it is damaged; or there is none, and it cannot be written.
    """
    require_whole_index(corpus.store.path, corpus.manifest)
    place = data_folder(corpus.store.path, corpus.manifest) / NAME
    if not place.is_dir():
        try:
            make_index(corpus, place)
        except OSError as error:
            raise StoreError(
                f"The index of {corpus.name} cannot be written to {place}: "
                f"{error.strerror or error}.",
                f"Make the folder writable, or import {corpus.name} again.",
            ) from error
    return CorpusIndex(place)


def make_index(corpus: Corpus, place: Path) -> None:
    """Writes an index beside its place, and moves it there in one step.

    Args:
        corpus: an open import, or a part of one.
        place: folder that the index will be; nothing stands there, or an index of the same data.

    Raises:
        OSError: it cannot be written.
    """
    tables = Tables(corpus.store.path, corpus.manifest)
    only = None if corpus.whole is corpus else corpus.ids()
    with hidden_folder(place, "new") as hidden:
        staged = hidden / place.name
        staged.mkdir()
        build_index(tables, staged, _say_nothing, only=only)
        sync_all(staged)
        try:
            # In one step, and refused where a folder with files stands there: who is first wins.
            staged.rename(place)
        except OSError:
            if not place.is_dir():  # else another process was faster, with the same result
                raise


def write_index(
    store: Path, manifest: StoreManifest, progress: Progress | None = None, jobs: int = 1
) -> list[PartFile]:
    """Writes the index of an import that is not in force yet, into its data folder.

    Args:
        manifest: of the import, whose tables are written.
        jobs: processes that make it, if it is large.

    Returns:
        Its files, by name below the data folder.

    Raises:
        OSError: it cannot be written.
    """
    data = data_folder(store, manifest)
    folder = data / NAME
    folder.mkdir()
    build_index(Tables(store, manifest), folder, progress or _say_nothing, jobs)
    sync_all(folder)
    return [
        PartFile(path.relative_to(data).as_posix(), 0, path.stat().st_size, hash_file(path))
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    ]


def _say_nothing(_done: int, _total: int) -> None:
    pass
