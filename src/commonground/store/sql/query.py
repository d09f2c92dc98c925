"""SQL over a store, read-only and confined to it."""

from __future__ import annotations

import json
import re
import shlex
import threading
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from commonground.errors import StoreError
from commonground.schema import (
    DIALOGUE_ACTS,
    LABEL_ACT,
    MARKS,
    TABLES,
    UTTERANCES,
    Table,
    list_joined,
    quote_sql,
)
from commonground.store.layout.manifest import StoreManifest, import_command, part_files
from commonground.store.layout.mirrors import name_store
from commonground.store.sql.limits import (
    UNLIMITED,
    Limits,
    read_memory,
    stop_in_time,
    too_much_memory,
)

_SQL_TYPES = {
    "text": "VARCHAR",
    "json": "VARCHAR",
    "int": "INTEGER",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp": "TIMESTAMP",
}
_WHOLE = ("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT")
NUMBERS = ("FLOAT", "DOUBLE", "DECIMAL", *_WHOLE, *(f"U{each}" for each in _WHOLE))
_MOMENTS = ("DATE", "TIME", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS", "INTERVAL")
_SHORT = frozenset((*NUMBERS, *_MOMENTS, "BOOLEAN", "UUID", '"NULL"'))
"""Types whose values are a few characters long."""

Parameters = Sequence[Any] | Mapping[str, Any]
"""Values of a query: in order, or by name."""

_READING_NODES = frozenset({"SELECT_NODE", "SET_OPERATION_NODE", "RECURSIVE_CTE_NODE", "CTE_NODE"})
_RUNNING = frozenset({"query", "json_execute_serialized_sql"})
"""Functions that run a text as a statement."""

# One parameter for all ids: a condition that lists them would be parsed again with each query.
_KEPT = "CREATE TABLE kept_dialogues AS SELECT unnest($1::VARCHAR[]) AS dialogue_id"
_ONLY_KEPT = " WHERE dialogue_id IS NULL OR dialogue_id IN (SELECT dialogue_id FROM kept_dialogues)"
_EXPLAINED = re.compile(r"\s*explain\s+(?:analyze\s+)?(.*)", re.IGNORECASE | re.DOTALL)

# A label that a damaged file gives two speakers of one dialogue must not double what they say.
_ONE_SPEAKER_A_LABEL = f"""
    SELECT DISTINCT ON (corpus, dialogue_id, speaker)
        corpus, dialogue_id, speaker, {", ".join(list_joined("speakers"))}
    FROM speakers
"""

_UTTERANCES = f"""
    CREATE VIEW utterances AS SELECT {", ".join(UTTERANCES.names)}
    FROM events
    JOIN (
        SELECT corpus, dialogue_id, {", ".join(list_joined("dialogues"))} FROM dialogues
    ) USING (corpus, dialogue_id)
    LEFT JOIN ({_ONE_SPEAKER_A_LABEL}) USING (corpus, dialogue_id, speaker)
    WHERE kind = 'utterance'
"""

_DIALOGUE_ACTS = f"""
    CREATE VIEW dialogue_acts AS SELECT {", ".join(DIALOGUE_ACTS.names)}
    FROM (
        SELECT corpus, dialogue_id, event, layer, act_index, act,
            count(DISTINCT slot)::INTEGER AS n_slots
        FROM acts GROUP BY ALL
    )
    JOIN (SELECT corpus, dialogue_id, event, speaker FROM events)
        USING (corpus, dialogue_id, event)
    JOIN (SELECT corpus, dialogue_id, split FROM dialogues) USING (corpus, dialogue_id)
    LEFT JOIN ({_ONE_SPEAKER_A_LABEL}) USING (corpus, dialogue_id, speaker)
"""

# An image is common if both players have it on their pages of the segment.
_MARKS = f"""
    CREATE VIEW marks AS
    SELECT {", ".join(name for name in MARKS.names if name != "correct")},
        CASE WHEN list_contains(viewers, speaker)
            THEN (len(viewers) > 1) = (label = 'common') END AS correct
    FROM (
        SELECT corpus, dialogue_id, event, segment, speaker, object_id, label,
            event = max(event) OVER (
                PARTITION BY corpus, dialogue_id, segment, speaker, object_id
            ) AS is_last
        FROM groundings JOIN events USING (corpus, dialogue_id, event)
        WHERE relation = 'selected' AND label IN ('common', 'different')
    )
    LEFT JOIN (
        SELECT corpus, dialogue_id, segment, object_id, list(DISTINCT viewer) AS viewers
        FROM displays GROUP BY ALL
    ) USING (corpus, dialogue_id, segment, object_id)
"""

_LABELS = f"""
    CREATE VIEW labels AS
    SELECT corpus, dialogue_id, event, layer, nullif(slot, 'event') AS candidate, value AS label,
        attributes ->> '$.question' AS question, attributes ->> '$.text' AS candidate_text,
        (attributes -> '$.votes')::VARCHAR AS votes,
        attributes ->> '$.decision.by' AS decided_by
    FROM acts WHERE act = '{LABEL_ACT}' AND json_exists(attributes, '$.votes')
"""

_JOINED = {
    "utterances": _UTTERANCES,
    "dialogue_acts": _DIALOGUE_ACTS,
    "marks": _MARKS,
    "labels": _LABELS,
}
"""Views that are made of tables, by name."""

_LISTING = ("show", "describe", "summarize", "pragma", "_schema", "duckdb_", "pg_", "sqlite_")
"""What stands in queries that list views, or may do so."""

_TABLES_ADVICE = "`commonground sql --tables` lists the tables and their columns."
# A part as DuckDB's messages name it: the folder above its generation is the corpus.
_PART = re.compile(r"[/\\]([^/\\\s]+)[/\\]data-[0-9a-f]+[/\\]\w+-\d+\.parquet")
_UNREADABLE = (duckdb.IOException, duckdb.SerializationException, duckdb.InternalException)


class QueryResult(msgspec.Struct, frozen=True):
    """The result of a query.

    Attributes:
        types: SQL types of the columns.
        is_cut: whether there were more rows than a limit allows.
    """

    columns: list[str]
    types: list[str]
    rows: list[tuple[Any, ...]]
    is_cut: bool = False


class Database:
    """A connection that sees the tables of a store as views, and nothing else.

    Only queries are allowed: no statement that writes, attaches, installs or changes settings,
    and no function that reads a file outside the store.

    Args:
        keep: ids of the dialogues to show; rows of no dialogue stay. None for all.
        memory: how much memory queries may use, such as ``4GB``; None for what the environment
            says, or 80 % of what there is.

    Raises:
        UsageError: that is no amount of memory.
    """

    def __init__(
        self,
        store: Path,
        manifests: Mapping[str, StoreManifest],
        *,
        keep: Collection[str] | None = None,
        memory: str | None = None,
    ) -> None:
        # A cursor for each thread: connections of DuckDB run one query at a time.
        self._local = threading.local()
        self._store = store
        self._connection = duckdb.connect(":memory:")
        if keep is not None:
            self._connection.execute(_KEPT, [sorted(keep)])
        folder = store.resolve()
        resolve = cache(Path.resolve)  # each folder once
        self._undefined: dict[str, str] = {}
        for table in TABLES:
            files = [
                # Where they really are: no link leads out of a store.
                path.resolve() if path.is_symlink() else resolve(path.parent) / path.name
                for manifest in manifests.values()
                for path in part_files(folder, manifest, table.name)
            ]
            self._undefined[table.name] = _view(table, files, part=keep is not None)
        self._undefined |= _JOINED
        self._defining = threading.Lock()
        # Rows come in the order of the files; much that is built on queries relies on it.
        self._connection.execute("SET preserve_insertion_order = true")
        amount = read_memory(memory)
        if amount is not None:
            self._connection.execute(f"SET memory_limit = {quote_sql(amount)}")
        # Else what does not fit into memory would fill a folder in the current one.
        self._connection.execute("SET temp_directory = ''")
        self._connection.execute(f"SET allowed_directories = [{quote_sql(str(folder))}]")
        # In this order: no folder can be allowed once access is closed, and nothing be set once all
        # is locked.
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def _error(self, error: duckdb.Error, advice: str = "") -> StoreError:
        """Makes an error of ours of DuckDB's, with the remedy where a part cannot be read."""
        if isinstance(error, duckdb.OutOfMemoryException):
            setting = "SELECT current_setting('memory_limit')"
            return too_much_memory(self._cursor().execute(setting).fetchall()[0][0])
        damaged = _PART.search(str(error))
        # An error of Parquet's own encoding has no class but the base of all.
        is_unreadable = isinstance(error, _UNREADABLE) or type(error) is duckdb.Error
        if damaged or (is_unreadable and not _needs_extension(error)):
            corpus = damaged[1] if damaged else "CORPUS"
            store = shlex.quote(name_store(self._store))
            advice = (
                f"`commonground check --integrity --store {store}` says what is damaged. To repair"
                f" it, import the same files again: {import_command(corpus, self._store)}"
            )
        return StoreError(_explain(error), advice)

    def _cursor(self) -> duckdb.DuckDBPyConnection:
        """Returns the thread's own cursor: each answers one query at a time."""
        if not hasattr(self._local, "cursor"):
            self._local.cursor = self._connection.cursor()
        cursor: duckdb.DuckDBPyConnection = self._local.cursor
        return cursor

    def _define(self, query: str) -> None:
        """Defines the views that a query may name: each takes as long as many a query does."""
        asked = query.lower()
        is_listing = any(word in asked for word in _LISTING)
        asked += "".join(view for name, view in _JOINED.items() if name in asked)
        with self._defining:
            for name in [each for each in self._undefined if is_listing or each in asked]:
                self._connection.execute(self._undefined[name])
                del self._undefined[name]

    def _bind(
        self, cursor: duckdb.DuckDBPyConnection, query: str, given: Any
    ) -> duckdb.DuckDBPyRelation:
        self._define(query)
        all_defined = not self._undefined
        try:
            return cursor.sql(query, params=given)
        except (duckdb.CatalogException, duckdb.BinderException):
            if all_defined:
                raise
            # A function may have been given a name, and DuckDB's advice goes by what there is.
            self._define(" ".join(self._undefined))
            return cursor.sql(query, params=given)

    def run(self, query: str, parameters: Parameters = ()) -> duckdb.DuckDBPyRelation:
        """Prepares one query; the result runs when it is fetched from.

        Args:
            parameters: values for its question marks, or by name for its ``$names``.

        Raises:
            StoreError: it is no query, asks for what is not there, or may not be run.
        """
        try:
            query.encode()
        except UnicodeEncodeError as error:
            raise StoreError("The query is not UTF-8.", "Write it in UTF-8.") from error
        try:
            cursor = self._cursor()
            # Parsed before anything runs: of several statements not even the first may have
            # happened.
            statements = cursor.extract_statements(query)
            if len(statements) != 1:
                found = "none" if not statements else f"{len(statements)}"
                raise StoreError(f"Expected one query, found {found}.", "Run them one by one.")
            kind = statements[0].type.name
            if not _is_reading(cursor, kind, query):
                raise StoreError(
                    f"The store is read-only: {kind} is not allowed.",
                    "Ask with SELECT; `commonground sql --format parquet` keeps what it gives.",
                )
            given = dict(parameters) if isinstance(parameters, Mapping) else list(parameters)
            return self._bind(cursor, query, given or None)
        except duckdb.Error as error:
            raise self._error(error, _TABLES_ADVICE) from error

    def arrow(self, query: str, parameters: Parameters = (), *, limits: Limits = UNLIMITED) -> Any:
        """Runs one query and returns an Arrow table.

        Raises:
            StoreError: as in :meth:`run`, or it takes more.
        """
        with self._limited(query, parameters, limits) as (relation, columns):
            found = relation.to_arrow_table()
        if limits.rows is not None and found.num_rows > limits.rows:
            raise limits.too_many_rows()
        return found.rename_columns(columns)

    def select(
        self,
        query: str,
        parameters: Parameters = (),
        *,
        limits: Limits = UNLIMITED,
        cut: bool = False,
        width: int | None = None,
    ) -> QueryResult:
        """Runs one query and returns columns and rows, without loading pyarrow.

        Args:
            cut: give the first rows of a result that has too many, and say so, instead of
                refusing it.
            width: characters of a text, list or object; longer ones are cut, and say how long
                they are. None for any number.

        Raises:
            StoreError: as in :meth:`run`, or it takes more.
        """
        with self._limited(query, parameters, limits) as (relation, columns):
            types = [str(kind) for kind in relation.types]
            # The same rows with cells that Python can take, of at most so many characters.
            plain = [f"#{place}" for place in range(1, len(types) + 1)]
            cells = [_cell(name, kind, width) for name, kind in zip(plain, types, strict=True)]
            rows = (relation if cells == plain else relation.project(", ".join(cells))).fetchall()
        is_cut = limits.rows is not None and len(rows) > limits.rows
        if is_cut and not cut:
            raise limits.too_many_rows()
        return QueryResult(columns, types, rows[: limits.rows] if is_cut else rows, is_cut)

    @contextmanager
    def _limited(
        self, query: str, parameters: Parameters, limits: Limits
    ) -> Iterator[tuple[duckdb.DuckDBPyRelation, list[str]]]:
        """Gives a query that ends with one row too many, and the columns as it names them."""
        try:
            with stop_in_time(self._cursor(), limits):
                relation = self.run(query, parameters)
                # Asked before the limit: a limited relation renames a column whose name is there
                # twice.
                columns = relation.columns
                # The engine knows the limit, and so need not make all the others first.
                yield relation if limits.rows is None else relation.limit(limits.rows + 1), columns
        except duckdb.Error as error:
            raise self._error(error) from error

    def rows(
        self, query: str, parameters: Parameters = (), *, limits: Limits = UNLIMITED
    ) -> list[tuple[Any, ...]]:
        """Runs one query and returns its rows; see :meth:`select`.

        Raises:
            StoreError: as in :meth:`select`.
        """
        return self.select(query, parameters, limits=limits).rows


def _cell(cell: str, kind: str, width: int | None) -> str:
    """Writes a column of a result so that Python can take it.

    Args:
        cell: the column, in SQL.
        kind: its SQL type.
        width: characters that a text may have; None for any number.
    """
    # Python would need a package for time zones, and fails in the midst of the rows without it.
    if "WITH TIME ZONE" in kind:
        return f"CAST({cell} AS VARCHAR)"
    if width is None or kind.partition("(")[0] in _SHORT:
        return cell
    text = f"CAST({cell} AS VARCHAR)"
    cut = f"left({text}, {width}) || '… (' || length({text}) || ' characters)'"
    return f"CASE WHEN length({text}) > {width} THEN {cut} ELSE {text} END"


def _view(table: Table, files: Sequence[Path], *, part: bool) -> str:
    if files:
        listed = ", ".join(quote_sql(str(path)) for path in files)
        view = f"CREATE VIEW {table.name} AS SELECT * FROM read_parquet([{listed}])"
        of_dialogues = any(column.name == "dialogue_id" for column in table.columns)
        return view + _ONLY_KEPT if part and of_dialogues else view
    columns = ", ".join(
        f"CAST(NULL AS {_SQL_TYPES[column.type]}) AS {column.name}" for column in table.columns
    )
    return f"CREATE VIEW {table.name} AS SELECT {columns} WHERE false"


def _needs_extension(error: duckdb.Error) -> bool:
    return "required extension" in str(error)


def _explain(error: duckdb.Error) -> str:
    """Keeps what a user of SQL can act on: the message without advice about other engines."""
    text = str(error).strip()
    if _needs_extension(error):
        return "The query may only read the tables of the store, without extensions of DuckDB."
    if isinstance(error, duckdb.PermissionException):
        return f"The query may only read the tables of the store: {text.splitlines()[0]}."
    return text if text.endswith((".", "^", "?")) else text + "."


def _is_reading(cursor: duckdb.DuckDBPyConnection, kind: str, query: str) -> bool:
    """Says whether a statement only reads, however deep something else may stand in it.

    Args:
        kind: DuckDB's name of the kind of statement.
    """
    if kind == "SELECT":
        return _only_reads(cursor, query)
    # EXPLAIN ANALYZE runs what it explains; DuckDB calls both EXPLAIN whatever stands after.
    found = _EXPLAINED.fullmatch(query) if kind == "EXPLAIN" else None
    return found is not None and _only_reads(cursor, found[1])


def _only_reads(cursor: duckdb.DuckDBPyConnection, query: str) -> bool:
    """Says whether a statement reads, which is the same for the same text; most come often."""
    found = _judged.get(query)
    if found is None:
        # Of a cursor of its own, since this one may have a result that is still to be read.
        asked = cursor.cursor().execute("SELECT json_serialize_sql(?)", [query]).fetchone()
        tree: Any = json.loads(asked[0]) if asked is not None else {"error": True}
        found = not tree["error"] and len(tree["statements"]) == 1 and _holds_reading(tree)
        if len(_judged) >= _MOST_JUDGED:
            _judged.clear()
        if len(query) <= _LONGEST_JUDGED:
            _judged[query] = found
    return found


_judged: dict[str, bool] = {}
"""Whether statements only read, by their text."""

_MOST_JUDGED, _LONGEST_JUDGED = 1_000, 4_000
"""Statements that are remembered, and characters of one: some megabytes in all."""


def _holds_reading(value: Any) -> bool:
    """Says whether all nodes of a tree of DuckDB's parser read; a CTE may also write."""
    if isinstance(value, list):
        return all(map(_holds_reading, value))
    if not isinstance(value, dict):
        return True
    kind, function = value.get("type"), value.get("function_name")
    if isinstance(kind, str) and kind.endswith("_NODE") and kind not in _READING_NODES:
        return False
    return function not in _RUNNING and all(map(_holds_reading, value.values()))
