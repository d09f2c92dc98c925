"""An imported corpus, or a part of it, as a Python object."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property
from operator import index
from pathlib import Path
from typing import TYPE_CHECKING, Any, SupportsIndex, overload

from commonground.errors import NEAR, unknown_name
from commonground.files.dividing import RawRecord
from commonground.files.formats import FileFormat
from commonground.files.gold import NativeRecord
from commonground.files.sources import find_path
from commonground.model import Candidate, Dialogue, Display, EventRow, Grounding, Object
from commonground.printing import count_of
from commonground.schema import TABLE_NAMES, VIEWS, Table
from commonground.store.layout.manifest import StoreManifest, part_files
from commonground.store.pictures import Picture, PictureFolder, find_picture, keep_folder

if TYPE_CHECKING:
    import pandas
    import polars

    from commonground.store.opening import Store
    from commonground.store.sql.answer import Answer
    from commonground.store.sql.query import Database

_NATIVE = "SELECT source_file, source_path, format, dialogue_id, json"


class Corpus:
    """An imported corpus.

    Behaves like a read-only sequence of dialogues: ``len(corpus)``, ``corpus[0]``,
    ``corpus["17"]``, ``corpus[:100]`` (a part, nothing is read yet), ``for dialogue in corpus``.
    Dialogues are read from disk when asked for; nothing is kept.

    Attributes:
        store: the store that it is in.
        name: name of the corpus.
        manifest: what was imported.

    Example:
        >>> import commonground as cg
        >>> corpus = cg.load("frames")
        >>> len(corpus), corpus[0].events[0].speaker, len(corpus.select(split="fold-1"))
        (20, 'user', 2)
    """

    def __init__(self, store: Store, manifest: StoreManifest) -> None:
        self.store = store
        self.name = manifest.corpus
        self.manifest = manifest

    def __repr__(self) -> str:
        counts = self.manifest.counts
        events = count_of(counts.get("events", 0), "event")
        return f"<Corpus {self.name}: {count_of(len(self), 'dialogue')}, {events}>"

    def __len__(self) -> int:
        return self.manifest.counts.get("dialogues", 0)

    def __iter__(self) -> Iterator[Dialogue]:
        return self.dialogues()

    def __contains__(self, dialogue_id: object) -> bool:
        return dialogue_id in self._all_ids

    @overload
    def __getitem__(self, key: SupportsIndex | str) -> Dialogue: ...

    @overload
    def __getitem__(self, key: slice) -> Corpus: ...

    def __getitem__(self, key: SupportsIndex | str | slice) -> Dialogue | Corpus:
        """Returns the dialogue at a place or of an id, or the part at a slice.

        Raises:
            IndexError: there is no such place.
            TypeError: it is neither a place nor an id nor a slice.
            UnknownNameError: there is no such id; it is a ``KeyError``, too.
        """
        if isinstance(key, slice):
            return CorpusPart(self, self._all_ids[key])
        if isinstance(key, str):
            return self.dialogue(key)
        place = index(key)  # numpy's whole numbers are places, too
        if not -len(self) <= place < len(self):
            count = count_of(len(self), "dialogue")
            raise IndexError(f"{self.name} has {count}, none at {place}.")
        return self.dialogue(self._all_ids[place])

    @cached_property
    def database(self) -> Database:
        """What SQL is asked: the rows of this corpus, as if no other had been imported."""
        return self.store.database_of(self.name)

    @property
    def images(self) -> Path | None:
        """The image folder named at import; None where none was."""
        return None if self.manifest.images is None else find_path(self.manifest.images)

    @cached_property
    def _all_ids(self) -> list[str]:
        return self.ids()

    @property
    def whole(self) -> Corpus:
        """The corpus itself; of a part, what it is a part of."""
        return self

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
        # The names of columns are ours; what a user gives goes in as a parameter only.
        for column, value in (("split", split), ("domain", domain)):
            if value is not None:
                query += f" AND {column} = ?"
                parameters.append(value)
        return [row[0] for row in self.database.rows(query, parameters)]

    def select(
        self,
        *,
        split: str | None = None,
        domain: str | None = None,
        where: str | None = None,
        ids: Collection[str] | None = None,
    ) -> Corpus:
        """Returns a part of the corpus, which behaves as if nothing else had been imported.

        Args:
            split: released split.
            domain: domain.
            where: SQL condition over the columns of ``dialogues``: ``"n_utterances > 100"``.
            ids: ids of dialogues.

        Raises:
            StoreError: the condition is wrong.
            UsageError: no dialogue is in that split, or an id is unknown.
        """
        kept = self.ids(split, domain)
        if where is not None:
            # On lines of its own: a comment that ends the condition must not swallow the
            # parenthesis.
            query = f"SELECT dialogue_id FROM dialogues WHERE corpus = ? AND (\n{where}\n)"
            found = {row[0] for row in self.database.rows(query, [self.name])}
            # The query says which ones; the order stays that of the files.
            kept = [each for each in kept if each in found]
        if ids is not None:
            wanted = set(ids)
            for each in wanted.difference(self._all_ids):
                raise unknown_name("dialogue", each, self._all_ids, f"in {self.name}", most=NEAR)
            kept = [each for each in kept if each in wanted]
        return CorpusPart(self, kept)

    def iter_events(self) -> Iterator[EventRow]:
        """Yields every event in order, with the id and split of its dialogue and its role.

        A few thousand are in memory at a time.
        """
        from commonground.store.tables.rows import read_events

        own = "FROM {} WHERE corpus = ? AND dialogue_id IS NOT NULL"
        splits = self.database.rows(
            f"SELECT dialogue_id, split {own.format('dialogues')}", [self.name]
        )
        roles = self.database.rows(
            f"SELECT dialogue_id, speaker, role {own.format('speakers')}", [self.name]
        )
        return read_events(
            part_files(self.store.path, self.manifest, "events"),
            dict(splits),
            {(dialogue, speaker): role for dialogue, speaker, role in roles},
        )

    def iter_utterances(self) -> Iterator[EventRow]:
        """Yields every utterance in order, with the id and split of its dialogue and its role.

        Example:
            >>> import commonground as cg
            >>> for row in cg.load("frames").iter_utterances():
            ...     print(row.dialogue_id, row.split, row.role, row.text)
            ...     break
            ...
        """
        return (row for row in self.iter_events() if row.kind == "utterance")

    def dialogues(self, split: str | None = None, domain: str | None = None) -> Iterator[Dialogue]:
        """Yields dialogues with everything in them, in the order of the files.

        Raises:
            UsageError: no dialogue is in that split.
        """
        from commonground.store.tables.rebuild import load_dialogues

        found = load_dialogues(self.database, self.name, self.ids(split, domain))
        return map(self._with_pictures, found)

    def _with_pictures(self, dialogue: Dialogue) -> Dialogue:
        """Has a notebook find the pictures of a dialogue."""
        if self.manifest.images is not None:
            keep_folder(dialogue, self.pictures)
        return dialogue

    def dialogue(self, dialogue_id: str) -> Dialogue:
        """Returns one dialogue.

        Raises:
            UnknownNameError: there is none of that id.
        """
        from commonground.store.tables.rebuild import load_dialogues

        found = list(load_dialogues(self.database, self.name, [dialogue_id]))
        if not found:
            raise unknown_name("dialogue", dialogue_id, self.ids(), f"in {self.name}", most=NEAR)
        return self._with_pictures(found[0])

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one SQL query over the rows of the corpus, without loading pyarrow.

        No other corpus is seen; :meth:`Store.rows <commonground.store.opening.Store.rows>` asks
        all. The limits are those of ``Store.sql``.

        Args:
            query: the query.
            parameters: values for its question marks.

        Raises:
            StoreError: the query is wrong, or is none, or takes more than it may.
        """
        from commonground.store.sql.limits import user_limits

        return self.database.rows(query, parameters, limits=user_limits())

    def sql(self, query: str) -> Answer:
        """Runs one SQL query over the rows of the corpus and returns an Arrow table that prints.

        It sees and may take what :meth:`rows` does; ``cg.sql`` asks all corpora.

        Raises:
            StoreError: the query is wrong, or is none, or takes more than it may.

        Example:
            >>> import commonground as cg
            >>> cg.load("frames").sql("select count(*) as n from acts").to_pylist()
            [{'n': 1149}]
        """
        from commonground.store.sql.answer import Answer
        from commonground.store.sql.limits import user_limits

        return Answer(self.database.arrow(query, limits=user_limits()))

    @cached_property
    def pictures(self) -> PictureFolder:
        """The picture files of the image folder; there are none where none was named at import."""
        return PictureFolder(self.images)

    def image(self, shown: str | Object | Display | Grounding | Candidate) -> Picture:
        """Returns the picture of an object: a path, which opens as an image of PIL.

        Args:
            shown: id of the object, or what has one: an object, a display, a grounding, a
                candidate.

        Raises:
            UnknownNameError: there is no such object.
            SourceError: it has no picture, or the file is not at hand.

        Example:
            >>> import commonground as cg
            >>> corpus = cg.load("photobook")
            >>> picture = corpus.image(corpus[0].displays[0])
            >>> picture.path.name, picture.open().size
            (...)
        """
        object_id = shown if isinstance(shown, str) else shown.object_id
        query = "SELECT object_id, uri FROM objects WHERE corpus = ?"
        found = self.database.rows(f"{query} AND object_id = ?", [self.name, object_id])
        if not found:
            known = [row[0] for row in self.database.rows(query, [self.name])]
            raise unknown_name("object", str(object_id), known, f"in {self.name}", most=NEAR)
        return find_picture(self.pictures, str(object_id), found[0][1])

    def native(self, dialogue_id: str) -> list[str]:
        """Returns the released records of a dialogue, as JSON text, byte for byte."""
        query = "SELECT json FROM native WHERE corpus = ? AND dialogue_id = ?"
        return [row[0] for row in self.database.rows(query, [self.name, dialogue_id])]

    def native_records(
        self, formats: Sequence[FileFormat], names: Collection[str]
    ) -> Iterator[NativeRecord]:
        """Yields the released records of some formats, in the order of the files.

        Args:
            formats: formats that the corpus has.
            names: names of those wanted.
        """
        layouts = {fmt.name: fmt.layout for fmt in formats}
        splits = dict(
            self.database.rows(
                "SELECT dialogue_id, split FROM dialogues WHERE corpus = ?", [self.name]
            )
        )
        for name, path, kind, dialogue_id, text in self._native_rows(list(names)):
            # What is kept of a whole file, or of one of its lists, has no number in its path.
            is_envelope = layouts[kind] in ("envelope", "splits") and not path.endswith("]")
            raw = RawRecord(path, text.encode(), is_envelope=is_envelope)
            known = dialogue_id if dialogue_id in splits else ""
            yield NativeRecord(name, kind, raw, known, splits.get(dialogue_id))

    def _native_rows(self, formats: list[str]) -> list[tuple[Any, ...]]:
        query = f"{_NATIVE} FROM native WHERE corpus = ? AND list_contains(?, format)"
        return self.database.rows(query, [self.name, formats])

    def table(self, name: str, columns: Sequence[str] | None = None) -> Any:
        """Returns one table of the corpus as an Arrow table, its rows in the order of the files.

        Args:
            name: of the table, or of a view: ``utterances`` has those of ``events`` with their
                role, split and domain, ``marks`` has PhotoBook's marks and whether each is right.
            columns: names of those wanted, in this order; None for all.

        Raises:
            UnknownNameError: there is no such table.
        """
        views = {view.name: view for view in VIEWS}
        if name in views:
            joined = self._read_view(views[name])
            return joined if columns is None else joined.select(list(columns))
        tables = [*TABLE_NAMES, *views]
        if name not in tables:
            raise unknown_name("table", name, tables)
        return self._read(name, columns)

    def _read_view(self, view: Table) -> Any:
        """Returns the rows of a view of SQL."""
        from commonground.store.arrow import pa
        from commonground.store.tables.columns import arrow_type

        query = f"SELECT {', '.join(view.names)} FROM {view.name} WHERE corpus = ? ORDER BY ALL"
        found = self.database.arrow(query, [self.name])
        # Dialogues stand in the order of the files, and their rows as the columns sort them.
        places = {each: place for place, each in enumerate(self.ids())}
        keys = [places[each] for each in found["dialogue_id"].to_pylist()]
        order = sorted(range(len(keys)), key=keys.__getitem__)
        schema = pa.schema([(each.name, arrow_type(each)) for each in view.columns])
        return found.take(pa.array(order, pa.int64())).cast(schema)

    def _read(self, name: str, columns: Sequence[str] | None = None) -> Any:
        """Returns a table of the store, or some columns of it."""
        from commonground.store.arrow import pa
        from commonground.store.layout.integrity import open_part
        from commonground.store.tables.columns import arrow_schema

        schema = arrow_schema(name, columns)
        tables = []
        for path in part_files(self.store.path, self.manifest, name):
            with open_part(path) as file:
                # Ids and labels are dictionaries in some parts and plain text in others; only
                # parts of one type can be concatenated.
                tables.append(file.read(schema.names).select(schema.names).cast(schema))
        return pa.concat_tables(tables) if tables else schema.empty_table()

    def to_pandas(self, name: str = "events") -> pandas.DataFrame:
        """Returns one table as a pandas dataframe.

        Raises:
            UsageError: there is no such table.
            MissingExtraError: pandas is not installed.
        """
        from commonground.store.sql.answer import Answer

        return Answer(self.table(name)).to_pandas()

    def to_polars(self, name: str = "events") -> polars.DataFrame:
        """Returns one table as a polars dataframe.

        Raises:
            UsageError: there is no such table.
            MissingExtraError: polars is not installed.
        """
        from commonground.store.sql.answer import Answer

        return Answer(self.table(name)).to_polars()


class CorpusPart(Corpus):
    """Some dialogues of a corpus, as if no others had been imported.

    Rows that are of no dialogue, such as those of catalogues, stay. The manifest is the whole
    corpus's.

    Args:
        corpus: the corpus, or a part of it.
        keep: ids of the dialogues.
    """

    def __init__(self, corpus: Corpus, keep: Collection[str]) -> None:
        super().__init__(corpus.store, corpus.manifest)
        self._whole = corpus
        self._keep = frozenset(keep)

    def __repr__(self) -> str:
        return f"<Part of {self.name}: {count_of(len(self), 'dialogue')}>"

    def __len__(self) -> int:
        return len(self._all_ids)

    @property
    def whole(self) -> Corpus:
        """What it is a part of."""
        return self._whole

    @cached_property
    def database(self) -> Database:
        """What SQL is asked: a store that shows these dialogues only."""
        from commonground.store.sql.query import Database

        return Database(self.store.path, {self.name: self.manifest}, keep=self._keep)

    def splits(self) -> dict[str, int]:
        """Returns the number of kept dialogues of each split; "" are those in none."""
        query = "SELECT coalesce(split, '') FROM dialogues WHERE corpus = ?"
        return dict(Counter(row[0] for row in self.rows(query, [self.name])))

    def ids(self, split: str | None = None, domain: str | None = None) -> list[str]:
        """Returns the kept dialogue ids, in the order of the files.

        Raises:
            UsageError: no dialogue of the whole corpus is in that split.
        """
        # The whole is asked, since a join does not keep the order of the files.
        return [each for each in self._whole.ids(split, domain) if each in self._keep]

    def iter_events(self) -> Iterator[EventRow]:
        """Yields every event of the part with the id of its dialogue, in order."""
        return (row for row in super().iter_events() if row.dialogue_id in self._keep)

    def _native_rows(self, formats: list[str]) -> list[tuple[Any, ...]]:
        # The whole is asked and numbered, since a join does not keep the order of the files.
        query = (
            f"{_NATIVE} FROM (SELECT *, row_number() OVER () AS place FROM native "
            "WHERE corpus = ? AND list_contains(?, format)) "
            "WHERE dialogue_id IS NULL OR dialogue_id IN (SELECT unnest(?)) ORDER BY place"
        )
        parameters = [self.name, formats, list(self._keep)]
        return self._whole.database.rows(query, parameters)

    def _read(self, name: str, columns: Sequence[str] | None = None) -> Any:
        import pyarrow.compute as pc

        from commonground.store.arrow import pa

        whole = super()._read(name, columns)
        if "dialogue_id" not in whole.column_names:
            return whole
        # With null among them, since `is_in` finds a null only where the set has one.
        kept = pa.array([None, *self._all_ids], pa.string())
        return whole.filter(pc.is_in(whole["dialogue_id"].cast("string"), value_set=kept))
