"""Opens a store for reading."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonground.corpora import iterate_corpora
from commonground.errors import StoreError, close_names
from commonground.store.corpus import Corpus
from commonground.store.manifest import (
    StoreManifest,
    default_store,
    load_manifest,
    load_manifests,
)

if TYPE_CHECKING:
    from commonground.store.query import Database


class Store:
    """A store that is open for reading.

    It stays at the imports that were there when it was opened; open it again to see later ones.

    Attributes:
        path: its folder.
        manifests: what was imported, by corpus.

    Example:
        >>> import commonground as cg
        >>> store = cg.open_store()
        >>> store.corpora(), store.corpus("frames").table("acts").num_rows
        (['frames'], 1305)
    """

    def __init__(self, path: Path, manifests: Mapping[str, StoreManifest]) -> None:
        self.path = path
        self.manifests = dict(manifests)

    def __repr__(self) -> str:
        return f"<Store {self.path}: {', '.join(self.corpora()) or 'nothing'}>"

    @cached_property
    def database(self) -> Database:
        """The store as an SQL database; opened when first asked for."""
        from commonground.store.query import Database

        return Database(self.path, self.manifests)

    def corpora(self) -> list[str]:
        """Returns the names of the imported corpora."""
        return sorted(self.manifests)

    def corpus(self, name: str) -> Corpus:
        """Returns an imported corpus.

        Raises:
            StoreError: it was not imported.
        """
        if name not in self.manifests:
            known = ", ".join(self.corpora()) or "nothing"
            names = [entry.name for entry in iterate_corpora()]
            advice = f"Import it: commonground import {name} PATH"
            raise StoreError(
                f"{name!r} is not in the store {self.path}, which has {known}.",
                advice if name in names else close_names(name, names),
            )
        return Corpus(self, self.manifests[name])

    def sql(self, query: str) -> Any:
        """Runs one SQL query over all corpora and returns an Arrow table.

        Raises:
            StoreError: the query is wrong, or is none.
        """
        return self.database.arrow(query)


def open_store(path: str | Path | None = None) -> Store:
    """Opens a store for reading.

    Args:
        path: its folder; null means ``$COMMONGROUND_STORE`` or ``./commonground-store``.

    Raises:
        StoreError: there is none, or it is damaged.

    Example:
        >>> import commonground as cg
        >>> cg.open_store("commonground-store").corpora()
        ['frames']
    """
    folder = Path(path) if path is not None else default_store()
    manifests = load_manifests(folder)
    if not manifests:
        advice = "Import a corpus first: commonground import CORPUS PATH"
        raise StoreError(f"There is no store in {folder}.", advice)
    return Store(folder, manifests)


def load(name: str, store: str | Path | None = None) -> Corpus:
    """Opens one imported corpus.

    Args:
        name: name of the corpus, such as ``frames``.
        store: folder of the store; null means ``$COMMONGROUND_STORE`` or
            ``./commonground-store``.

    Raises:
        StoreError: it was not imported.

    Example:
        >>> import commonground as cg
        >>> for utterance in cg.load("frames").iter_utterances():
        ...     print(utterance.speaker, utterance.text)
        ...     break
        user ...
    """
    folder = Path(store) if store is not None else default_store()
    manifest = load_manifest(folder, name)
    manifests = load_manifests(folder) if manifest is None else {name: manifest}
    if not manifests:
        advice = f"Import it: commonground import {name} PATH"
        raise StoreError(f"There is no store in {folder}.", advice)
    return Store(folder, manifests).corpus(name)
