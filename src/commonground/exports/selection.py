"""The dialogues that an export is made of."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import msgspec

from commonground.corpora import Manifest, find_corpus
from commonground.errors import StoreError, UsageError, unknown_name
from commonground.schema import NAMING_OBJECTS, get_table, quote_sql
from commonground.store.layout.integrity import open_part
from commonground.store.layout.manifest import part_files
from commonground.store.sql.limits import LimitError, user_limits

if TYPE_CHECKING:
    from commonground.model import Dialogue
    from commonground.store.opening import Store

T = TypeVar("T")

Progress = Callable[[int, int], None]
"""Called with how much is done, and of how much."""

_BATCH = {"native": 1024}
"""Rows of a batch, where one row alone may be long."""


class Selection:
    """The dialogues chosen from a store.

    Rows that belong to no dialogue in particular (side files, findings of a whole file, objects
    that no dialogue uses) are in it only where whole corpora are chosen.

    Args:
        store: an open store.
        corpora: names of corpora; empty means all that were imported.
        splits: released splits to keep; empty means all.
        where: SQL condition over the columns of ``dialogues``; None for none.
        progress: is called while a format writes, or dialogues are read.

    Attributes:
        store: the store.
        corpora: names of the corpora that dialogues are chosen from.
        splits: splits asked for.
        where: condition asked for.
        report: tells the progress; formats that do not go through dialogues call it themselves.

    Raises:
        StoreError: a corpus was not imported, or the condition is wrong.
        UsageError: no chosen corpus has such a split, or no dialogue is left.
    """

    def __init__(
        self,
        store: Store,
        corpora: Sequence[str] = (),
        splits: Sequence[str] = (),
        where: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        self.store = store
        chosen = [store.corpus(name).name for name in corpora] or store.all_corpora()
        self.splits = tuple(splits)
        self.where = where
        self.report = progress or (lambda _done, _total: None)
        known = {split for name in chosen for split in self.store.manifests[name].splits}
        for split in self.splits:
            if split not in known or not split:
                raise unknown_name("split", split, filter(None, known))
        if where is not None:
            self._check_where()
        self._ids: dict[str, list[str]] = {}
        self._ids = self._find_ids(chosen)
        if not self._ids:
            raise UsageError("No dialogue is chosen.", "Widen --corpus, --split or --where.")
        # Those that lost all their dialogues are no longer among them.
        self.corpora = tuple(self._ids)

    def __len__(self) -> int:
        return sum(map(len, self._ids.values()))

    @property
    def is_whole(self) -> bool:
        """Whether whole corpora are chosen."""
        return not self.splits and self.where is None

    @cached_property
    def manifests(self) -> dict[str, Manifest]:
        """What each corpus says of itself: title, licence, terms, citation, splits."""
        return {name: self._describe(name) for name in self.corpora}

    def _describe(self, name: str) -> Manifest:
        released, own = find_corpus(name).manifest, self.store.manifests[name].own_splits
        if own is None:
            return released
        return msgspec.structs.replace(released, splits_from=own.describe())

    def ids(self, corpus: str) -> list[str]:
        """Returns the chosen dialogue ids of a corpus, in the order of the files."""
        return self._ids[corpus]

    def dialogues(self, corpus: str) -> Iterator[Dialogue]:
        """Yields the chosen dialogues of a corpus with all that is in them, a few in memory."""
        from commonground.store.tables.rebuild import load_dialogues

        yield from self.track(corpus, load_dialogues(self.store.database, corpus, self.ids(corpus)))

    def track(self, corpus: str, dialogues: Iterable[T]) -> Iterator[T]:
        """Yields what there is of each chosen dialogue of a corpus, and reports how many are done.

        Args:
            corpus: name of the corpus; those before it are done.
            dialogues: one thing for each of its dialogues.
        """
        before = sum(len(self._ids[name]) for name in self.corpora[: self.corpora.index(corpus)])
        for number, dialogue in enumerate(dialogues, before + 1):
            yield dialogue
            self.report(number, len(self))

    def table(self, corpus: str, name: str, columns: Sequence[str] | None = None) -> Any:
        """Returns the chosen rows of a table of one corpus as an Arrow table, in file order.

        Args:
            corpus: name of the corpus.
            name: name of the table.
            columns: columns wanted, in this order; None means all.
        """
        from commonground.store.arrow import pa
        from commonground.store.tables.columns import arrow_schema

        batches = list(self.batches(corpus, name, columns))
        return pa.Table.from_batches(batches, schema=arrow_schema(name, columns))

    def batches(
        self,
        corpus: str,
        name: str,
        columns: Sequence[str] | None = None,
        *,
        shared: bool = False,
    ) -> Iterator[Any]:
        """Yields what :meth:`table` returns in Arrow record batches, one in memory at a time.

        Args:
            corpus: name of the corpus.
            name: name of the table.
            columns: columns wanted, in this order; None means all.
            shared: add the rows that belong to no dialogue, whatever is chosen.

        Raises:
            StoreError: a file of the store is missing or damaged.
        """
        from commonground.store.tables.columns import arrow_schema

        keep = self._row_filter(corpus, name, shared=shared)
        schema = arrow_schema(name, columns)
        # The column that is asked about is read even if it is not wanted.
        read = list(dict.fromkeys([*schema.names, *([keep[0]] if keep else [])]))
        # Read from the files and not by SQL: they keep the order, and need no memory beyond a
        # batch.
        for path in part_files(self.store.path, self.store.manifests[corpus], name):
            with open_part(path) as file:
                for batch in file.iter_batches(_BATCH.get(name, 65_536), columns=read):
                    kept = batch.filter(keep[1](batch.column(keep[0]))) if keep else batch
                    if kept.num_rows:
                        yield kept.select(schema.names).cast(schema)

    def iterate_rows(
        self, corpus: str, name: str, columns: Sequence[str], *, shared: bool = False
    ) -> Iterator[tuple[Any, ...]]:
        """Yields the chosen rows of a table of one corpus in file order, as Python values.

        Args:
            corpus: name of the corpus.
            name: name of the table.
            columns: columns wanted, in this order.
            shared: add the rows that belong to no dialogue, whatever is chosen.
        """
        for batch in self.batches(corpus, name, columns, shared=shared):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)

    def source(self, name: str) -> str:
        """Returns SQL for the chosen rows of a table, to stand after FROM."""
        corpora = ", ".join(map(quote_sql, self.corpora))
        query = f"SELECT * FROM {name} WHERE corpus IN ({corpora})"
        if not self.is_whole:
            query += self._sql_filter(name)
        return f"({query}) AS {name}"

    def rows(self, query: str) -> list[tuple[Any, ...]]:
        """Runs one SQL query over the whole store; :meth:`source` narrows it to what is chosen."""
        return self.store.database.rows(query)

    def _sql_filter(self, name: str) -> str:
        if name != "objects":
            return f" AND (corpus, dialogue_id) IN ({self._chosen()})"
        # A selection reaches an object through the dialogues that use it, since an object is of no
        # dialogue.
        pairs = " UNION ".join(
            f"SELECT corpus, object_id FROM {self.source(each)} WHERE object_id IS NOT NULL"
            for each in NAMING_OBJECTS
        )
        return f" AND (corpus, object_id) IN ({pairs})"

    def _row_filter(
        self, corpus: str, name: str, *, shared: bool
    ) -> tuple[str, Callable[[Any], Any]] | None:
        """Returns a column and what tells of its values whether their rows are chosen."""
        import pyarrow.compute as pc

        from commonground.store.arrow import pa

        if self.is_whole or not self._ids:  # these are found among all
            return None
        column = "dialogue_id"
        ids: list[str | None] = [*self._ids[corpus], *([None] if shared else [])]
        values: Any = pa.array(ids, pa.string())
        if name == "objects":
            column = "object_id"
            used = [self.table(corpus, each, ["object_id"]).column(0) for each in NAMING_OBJECTS]
            values = pa.chunked_array([chunk for each in used for chunk in each.chunks], "string")
            values = values.unique().drop_null()
        # Ids may be dictionary-encoded in a file, and `is_in` compares equal types only.
        return column, lambda found: pc.is_in(found.cast("string"), value_set=values)

    def _chosen(self) -> str:
        conditions = [f"corpus IN ({', '.join(map(quote_sql, self.corpora))})"]
        if self.splits:
            conditions.append(f"split IN ({', '.join(map(quote_sql, self.splits))})")
        if self.where is not None:
            # On a line of its own, so that a comment `--` at its end does not swallow the bracket.
            conditions.append(f"(\n{self.where}\n)")
        return f"SELECT corpus, dialogue_id FROM dialogues WHERE {' AND '.join(conditions)}"

    def _find_ids(self, corpora: Sequence[str]) -> dict[str, list[str]]:
        """Returns the chosen ids in the order of the files, which SQL does not promise."""
        # For `_chosen`, which is asked before it is known which of them keep a dialogue.
        self.corpora = tuple(corpora)
        chosen = None if self.is_whole else self._find_chosen()
        found = {}
        for corpus in corpora:
            batches = self.batches(corpus, "dialogues", ["dialogue_id"])
            ids = [each for batch in batches for each in batch.column(0).to_pylist()]
            found[corpus] = [one for one in ids if chosen is None or (corpus, one) in chosen]
        return {name: ids for name, ids in found.items() if ids}

    def _find_chosen(self) -> set[tuple[Any, ...]]:
        """Returns corpus and id of the dialogues that fit, where not all are wanted."""
        try:
            limits = user_limits(rows=0)  # any number of dialogues may be chosen
            return set(self.store.database.rows(self._chosen(), limits=limits))
        except StoreError as error:
            if self.where is None or isinstance(error, LimitError):
                raise
            raise self._no_condition(error) from error

    def _no_condition(self, error: StoreError) -> StoreError:
        columns = ", ".join(get_table("dialogues").names)
        return StoreError(
            f"--where {self.where!r} is not a condition: {error.message}",
            f"It may use the columns of dialogues: {columns}.",
        )

    def _check_where(self) -> None:
        """Refuses what is not a condition, such as one that closes our bracket or adds a query."""
        # Without brackets, too: `true) OR (true` is sound between two, and is no condition.
        for condition in (f"{self.where}", f"(\n{self.where}\n)"):
            try:
                self.rows(f"SELECT 1 FROM dialogues WHERE {condition}\nLIMIT 0")
            except StoreError as error:
                raise self._no_condition(error) from error
