"""Imports that are made while the explorer runs: noticed, and shown once they are ready."""

from __future__ import annotations

import threading
import time
from contextlib import suppress
from pathlib import Path

from commonground.errors import CommongroundError
from commonground.site.library import Library, Shelf
from commonground.store.index import has_index
from commonground.store.manifest import MANIFEST_NAME
from commonground.store.opening import Store, open_store

LOOK_S = 2.0
"""Seconds between two looks at the store."""

_Signs = dict[str, tuple[int, int]]


class Renewer:
    """Puts corpora that were imported again, or for the first time, into a library.

    Until the index of a new import is there, the pages go on with the one before.

    Args:
        library: the corpora.
        makes: whether to make the index of a new import; else another process does.
    """

    def __init__(self, library: Library, *, makes: bool) -> None:
        self._library = library
        self._makes = makes
        self._looked_at = time.monotonic()
        self._signs: _Signs = {}

    def look(self) -> None:
        """Looks at the store, unless that was done a moment ago."""
        if time.monotonic() - self._looked_at >= LOOK_S:
            self._looked_at = time.monotonic()
            self.renew()

    def renew(self) -> None:
        """Opens every import that is not the one shown; what is damaged is left as it is."""
        signs = _signs_of(self._library.store.path)
        if signs == self._signs:
            return
        with suppress(CommongroundError, OSError):
            store = open_store(self._library.store.path)
            shown = [self._renew(store, name) for name in store.corpora()]
            if all(shown):
                self._signs = signs

    def _renew(self, store: Store, name: str) -> bool:
        """Tells whether the import of a corpus that is in force is the one shown."""
        library = self._library
        shown = library.shelves.get(name)
        if shown is None and not library.shows_all:
            return True
        corpus = store.corpus(name)
        if shown is not None and shown.corpus.manifest == corpus.manifest:
            return True
        if not self._makes and not has_index(corpus):
            return False
        shelf = Shelf(corpus, library.images.get(name))
        shelf.warm_up()
        library.put(shelf)
        return True

    def watch(self, ended: threading.Event) -> None:
        """Looks again and again, until it is ended."""
        while not ended.wait(LOOK_S):
            self.renew()


def is_outdated(shelf: Shelf) -> bool:
    """Tells whether the import that is shown is no longer in the store."""
    corpus = shelf.corpus
    return not (corpus.store.path / corpus.name / corpus.manifest.data).is_dir()


def _signs_of(store: Path) -> _Signs:
    """Returns what changes with every import, without reading a file."""
    signs: _Signs = {}
    for path in store.glob(f"*/{MANIFEST_NAME}"):
        with suppress(OSError):
            about = path.stat()
            signs[path.parent.name] = about.st_mtime_ns, about.st_ino
    return signs
