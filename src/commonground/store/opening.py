"""Opens a store for reading."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any
from weakref import WeakValueDictionary

import msgspec

from commonground.corpora import iterate_corpora
from commonground.errors import StoreError, close_names
from commonground.store.corpus import Corpus
from commonground.store.layout.generations import (
    HeldImport,
    hold_import,
    remove_all_stale,
    remove_stale,
)
from commonground.store.layout.manifest import (
    SourceFile,
    StoreManifest,
    default_store,
    import_command,
    list_imports,
)
from commonground.store.layout.mirrors import name_store
from commonground.store.layout.remote import bring_store
from commonground.store.layout.source_files import iterate_sources

if TYPE_CHECKING:
    from commonground.store.sql.answer import Answer
    from commonground.store.sql.query import Database


class Store:
    """A store that is open for reading; what is asked of it is asked of all its corpora.

    For one corpus ask that: ``store.corpus("frames").rows(...)`` sees rows of Frames only.

    It stays at the imports that were there when it was opened, and these stay on the disk for as
    long as it is in use, whatever is imported meanwhile; open it again to see later ones.

    Args:
        held: the imports that it reads, each kept on the disk until it is let go.

    Attributes:
        path: its folder.
        manifests: what was imported, by corpus.
        damaged: why a corpus that was imported could not be opened, by corpus.

    Example:
        >>> import commonground as cg
        >>> store = cg.open_store()
        >>> store.corpora(), store.corpus("frames").table("acts").num_rows
        (['frames'], 1198)
    """

    def __init__(
        self,
        path: Path,
        held: Mapping[str, HeldImport],
        damaged: Mapping[str, StoreError] | None = None,
    ) -> None:
        self.path = path
        self.manifests = {name: each.manifest for name, each in held.items()}
        self.damaged = dict(damaged or {})
        self._held = dict(held)
        self._databases: dict[str, Database] = {}

    def __repr__(self) -> str:
        return f"<Store {name_store(self.path)}: {', '.join(self.corpora()) or 'nothing'}>"

    @cached_property
    def database(self) -> Database:
        """The store as an SQL database; opened when first asked for.

        Raises:
            StoreError: a corpus is damaged, so that a count over all would be wrong.
        """
        # Asked for its error only.
        self.all_corpora()
        return _share_database(self.path, self.manifests)

    def database_of(self, corpus: str) -> Database:
        """Returns an SQL database that has the rows of one corpus and no others.

        It is opened when first asked for, and then kept.

        Args:
            corpus: name of a corpus that was imported and can be opened.
        """
        if corpus not in self._databases:
            self._databases[corpus] = _share_database(self.path, {corpus: self.manifests[corpus]})
        return self._databases[corpus]

    def only(self, corpora: Iterable[str]) -> Store:
        """Returns the same store with some of its corpora, as if no others had been imported.

        Args:
            corpora: their names.

        Raises:
            StoreError: one was not imported, or is damaged.
        """
        names = list(dict.fromkeys(corpora))
        for name in names:
            self.corpus(name)
        return Store(self.path, {name: self._held[name] for name in names})

    def sources(self, corpus: str) -> list[SourceFile]:
        """Lists the files that a corpus was imported from, in order of name.

        Args:
            corpus: name of a corpus that was imported and can be opened.

        Raises:
            StoreError: the part that lists them is damaged.
        """
        return list(iterate_sources(self.path, self.manifests[corpus]))

    def corpora(self) -> list[str]:
        """Returns the names of the imported corpora that can be opened."""
        return sorted(self.manifests)

    def all_corpora(self) -> list[str]:
        """Returns the names of all imported corpora, for what speaks of the whole store.

        Raises:
            StoreError: one is damaged, so that a result over all would be wrong.
        """
        for error in self.damaged.values():
            others = " ".join(f"--corpus {name}" for name in self.corpora())
            advice = f" To query only the others: {others}" if others else ""
            raise StoreError(error.message, f"{error.advice}{advice}")
        return self.corpora()

    def corpus(self, name: str) -> Corpus:
        """Returns an imported corpus.

        Raises:
            StoreError: it was not imported, or it is damaged.
        """
        if name in self.damaged:
            raise self.damaged[name]
        if name not in self.manifests:
            known = ", ".join(self.corpora()) or "nothing"
            names = [entry.name for entry in iterate_corpora()]
            advice = f"Import it: {import_command(name, self.path)}"
            raise StoreError(
                f"{name!r} is not in the store {name_store(self.path)}, which has {known}.",
                advice if name in names else close_names(name, names),
            )
        return Corpus(self, self.manifests[name])

    def sql(self, query: str) -> Answer:
        """Runs one SQL query over all corpora and returns an Arrow table that prints.

        It may take a minute and give a million rows; ``$COMMONGROUND_SQL_SECONDS`` and
        ``$COMMONGROUND_SQL_ROWS`` allow more, 0 anything.

        Raises:
            StoreError: the query is wrong, or is none, or takes more than it may, or a corpus is
                damaged.
        """
        from commonground.store.sql.answer import Answer
        from commonground.store.sql.limits import user_limits

        return Answer(self.database.arrow(query, limits=user_limits()))

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one SQL query over all corpora and returns its rows, without loading pyarrow.

        Args:
            query: the query; its limits are those of :meth:`sql`.
            parameters: values for its question marks.

        Raises:
            StoreError: as of :meth:`sql`.
        """
        from commonground.store.sql.limits import user_limits

        return self.database.rows(query, parameters, limits=user_limits())


_shared: WeakValueDictionary[tuple[object, ...], Database] = WeakValueDictionary()
"""Databases that a store of this process has open, by what they were made of."""


def _share_database(path: Path, manifests: Mapping[str, StoreManifest]) -> Database:
    """Returns the database of some imports: one that another store has open here, or a new one."""
    from commonground.store.sql.limits import read_memory
    from commonground.store.sql.query import Database

    # A process that was forked has none of the threads that databases of its parent work with.
    key = (os.getpid(), path.resolve(), msgspec.json.encode(manifests), read_memory(None))
    found = _shared.get(key)
    if found is None:
        found = _shared[key] = Database(path, manifests)
    return found


def open_store(path: str | Path | None = None) -> Store:
    """Opens a store for reading.

    Args:
        path: its folder, or its address such as ``s3://bucket/prefix``; None means
            ``$COMMONGROUND_STORE`` or ``./commonground-store``.

    Raises:
        StoreError: there is none.

    Example:
        >>> import commonground as cg
        >>> cg.open_store("commonground-store").corpora()
        ['frames']
    """
    folder = bring_store(Path(path) if path is not None else default_store())
    # Before anything is opened: what is in use, here or elsewhere, is held and stays.
    remove_all_stale(folder)
    store = _open(folder, list_imports(folder))
    if not store.manifests and not store.damaged:
        advice = "Import a corpus first: commonground import CORPUS PATH"
        raise StoreError(f"There is no store in {name_store(folder)}.", advice)
    return store


def _open(folder: Path, names: Iterable[str]) -> Store:
    held: dict[str, HeldImport] = {}
    damaged: dict[str, StoreError] = {}
    for name in names:
        try:
            # A damaged corpus must not keep the others from being opened; it is an error once it is
            # asked.
            found = hold_import(folder, name)
        except StoreError as error:
            damaged[name] = error
        else:
            if found is not None:
                held[name] = found
    return Store(folder, held, damaged)


def load(name: str, store: str | Path | None = None) -> Corpus:
    """Opens one imported corpus.

    Args:
        name: name of the corpus, such as ``frames``.
        store: folder of the store; None means ``$COMMONGROUND_STORE`` or
            ``./commonground-store``.

    Raises:
        StoreError: it was not imported, or it is damaged.

    Example:
        >>> import commonground as cg
        >>> for utterance in cg.load("frames").iter_utterances():
        ...     print(utterance.speaker, utterance.text)
        ...     break
        user ...
    """
    folder = bring_store(Path(store) if store is not None else default_store(), [name])
    remove_stale(folder, name)
    names = list_imports(folder)
    if not names:
        advice = f"Import it: {import_command(name, folder)}"
        raise StoreError(f"There is no store in {name_store(folder)}.", advice)
    # Where it is not there, all are opened: the error lists them.
    return _open(folder, [name] if name in names else names).corpus(name)
