"""The store and its corpora as Python objects."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from commonground.errors import StoreError, unknown_name
from commonground.model import Dialogue
from commonground.schema import get_table
from commonground.store.manifest import (
    StoreManifest,
    default_store,
    load_manifest,
    load_manifests,
    part_files,
)

if TYPE_CHECKING:
    import pandas
    import polars

    from commonground.store.query import Database


class Store:
    """A store that is open for reading.

    It stays at the imports that were there when it was opened; open it again to see later ones.
    """

    def __init__(self, path: Path, manifests: Mapping[str, StoreManifest]) -> None:
        self.path = path
        self.manifests = dict(manifests)

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
            raise StoreError(
                f"{name!r} is not in the store {self.path}, which has {known}.",
                f"Import it: commonground import {name} PATH",
            )
        return Corpus(self, self.manifests[name])

    def sql(self, query: str) -> Any:
        """Runs one SQL query over all corpora and returns an Arrow table.

        Raises:
            StoreError: the query is wrong, or is none.
        """
        return self.database.arrow(query)


class Corpus:
    """An imported corpus.

    Dialogues are read from disk when asked for; nothing is kept.

    Attributes:
        name: name of the corpus.
        manifest: what was imported.
    """

    def __init__(self, store: Store, manifest: StoreManifest) -> None:
        self._store = store
        self.name = manifest.corpus
        self.manifest = manifest

    def __repr__(self) -> str:
        counts = self.manifest.counts
        return f"<Corpus {self.name}: {len(self):,} dialogues, {counts.get('events', 0):,} events>"

    def __len__(self) -> int:
        return self.manifest.counts.get("dialogues", 0)

    def splits(self) -> dict[str, int]:
        """Returns the number of dialogues of each released split; "" are those in none."""
        return dict(self.manifest.splits)

    def ids(self, split: str | None = None, domain: str | None = None) -> list[str]:
        """Returns dialogue ids, in the order of the files.

        Raises:
            UsageError: no dialogue is in that split.
        """
        if split is not None and split not in self.manifest.splits:
            raise unknown_name("split", split, filter(None, self.manifest.splits))
        query = "SELECT dialogue_id FROM dialogues WHERE corpus = ?"
        parameters = [self.name]
        for column, value in (("split", split), ("domain", domain)):
            if value is not None:
                query += f" AND {column} = ?"
                parameters.append(value)
        return [row[0] for row in self._store.database.rows(query, parameters)]

    def dialogues(self, split: str | None = None, domain: str | None = None) -> Iterator[Dialogue]:
        """Yields dialogues with everything in them, in the order of the files.

        Raises:
            UsageError: no dialogue is in that split.
        """
        from commonground.store.rebuild import load_dialogues

        return load_dialogues(self._store.database, self.name, self.ids(split, domain))

    def dialogue(self, dialogue_id: str) -> Dialogue:
        """Returns one dialogue.

        Raises:
            UsageError: there is none of that id.
        """
        from commonground.store.rebuild import load_dialogues

        found = list(load_dialogues(self._store.database, self.name, [dialogue_id]))
        if not found:
            raise unknown_name(f"dialogue in {self.name}", dialogue_id, self.ids())
        return found[0]

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one SQL query over the store and returns its rows, without loading pyarrow.

        Raises:
            StoreError: the query is wrong, or is none.
        """
        return self._store.database.rows(query, parameters)

    def native(self, dialogue_id: str) -> list[str]:
        """Returns the released records of a dialogue, as JSON text, byte for byte."""
        query = "SELECT json FROM native WHERE corpus = ? AND dialogue_id = ?"
        return [row[0] for row in self._store.database.rows(query, [self.name, dialogue_id])]

    def table(self, name: str) -> Any:
        """Returns one table of the corpus as an Arrow table.

        Raises:
            UsageError: there is no such table.
        """
        from commonground.store.arrow import pa, pq
        from commonground.store.columns import arrow_schema

        schema = arrow_schema(get_table(name).name)
        files = part_files(self._store.path, self.manifest, name)
        if not files:
            return schema.empty_table()
        return pa.concat_tables([pq.read_table(file, schema=schema) for file in files])

    def to_pandas(self, name: str = "events") -> pandas.DataFrame:
        """Returns one table as a pandas dataframe.

        Raises:
            UsageError: there is no such table.
            ImportError: pandas is not installed (``pip install commonground[pandas]``).
        """
        frame: pandas.DataFrame = self.table(name).to_pandas()
        return frame

    def to_polars(self, name: str = "events") -> polars.DataFrame:
        """Returns one table as a polars dataframe.

        Raises:
            UsageError: there is no such table.
            ImportError: polars is not installed (``pip install commonground[polars]``).
        """
        import polars

        frame = polars.from_arrow(self.table(name))
        assert isinstance(frame, polars.DataFrame)  # noqa: S101 - a table gives a frame
        return frame


def open_store(path: str | Path | None = None) -> Store:
    """Opens a store for reading.

    Args:
        path: its folder; null means ``$COMMONGROUND_STORE`` or ``./commonground-store``.

    Raises:
        StoreError: there is none, or it is damaged.
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
    """
    folder = Path(store) if store is not None else default_store()
    manifest = load_manifest(folder, name)
    manifests = load_manifests(folder) if manifest is None else {name: manifest}
    if not manifests:
        advice = f"Import it: commonground import {name} PATH"
        raise StoreError(f"There is no store in {folder}.", advice)
    return Store(folder, manifests).corpus(name)
