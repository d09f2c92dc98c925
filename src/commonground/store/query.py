"""SQL over a store, read-only and confined to it."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import duckdb
import msgspec

from commonground.errors import StoreError
from commonground.schema import TABLES, Column, Table
from commonground.store.manifest import StoreManifest, part_files

_SQL_TYPES = {
    "text": "VARCHAR",
    "json": "VARCHAR",
    "int": "INTEGER",
    "float": "DOUBLE",
    "bool": "BOOLEAN",
    "timestamp": "TIMESTAMP",
}
_READING = frozenset({"SELECT", "EXPLAIN"})
_PLAIN_EXPLAIN = re.compile(r"\s*explain\s+(analyze\s+)?(select|with|from)\b", re.IGNORECASE)


class Selection(msgspec.Struct, frozen=True):
    """The result of a query.

    Attributes:
        columns: names of the columns.
        types: their SQL types.
        rows: the rows.
    """

    columns: list[str]
    types: list[str]
    rows: list[tuple[Any, ...]]


class Database:
    """A connection that sees the tables of a store as views, and nothing else.

    Only queries are allowed: no statement that writes, attaches, installs or changes settings,
    and no function that reads a file outside the store.
    """

    def __init__(self, store: Path, manifests: Mapping[str, StoreManifest]) -> None:
        self._connection = duckdb.connect(":memory:")
        for table in TABLES:
            files = [
                path
                for manifest in manifests.values()
                for path in part_files(store, manifest, table.name)
            ]
            self._connection.execute(_view(table, files))
        self._connection.execute("SET preserve_insertion_order = true")
        self._connection.execute(f"SET allowed_directories = [{_quote(str(store.resolve()))}]")
        self._connection.execute("SET enable_external_access = false")
        self._connection.execute("SET lock_configuration = true")

    def run(self, query: str, parameters: Sequence[Any] = ()) -> duckdb.DuckDBPyRelation:
        """Prepares one query; the result runs when it is fetched from.

        Raises:
            StoreError: it is no query, asks for what is not there, or may not be run.
        """
        try:
            statements = self._connection.extract_statements(query)
            if len(statements) != 1:
                found = "none" if not statements else f"{len(statements)}"
                raise StoreError(f"One query is wanted, found {found}.", "Give them one by one.")
            kind = statements[0].type.name
            # EXPLAIN ANALYZE runs what it explains, so only that of a query is let through.
            if kind not in _READING or (kind == "EXPLAIN" and not _PLAIN_EXPLAIN.match(query)):
                raise StoreError(
                    f"The store is read-only: {kind} is not allowed.",
                    "Ask with SELECT; use --format parquet to keep a result.",
                )
            return self._connection.sql(query, params=list(parameters) or None)
        except duckdb.Error as error:
            raise StoreError(_explain(error), "`commonground sql --tables` lists them.") from error

    def arrow(self, query: str, parameters: Sequence[Any] = ()) -> Any:
        """Runs one query and returns an Arrow table.

        Raises:
            StoreError: as in :meth:`run`.
        """
        try:
            return self.run(query, parameters).to_arrow_table()
        except duckdb.Error as error:
            raise StoreError(_explain(error)) from error

    def select(self, query: str, parameters: Sequence[Any] = ()) -> Selection:
        """Runs one query and returns columns and rows, without loading pyarrow.

        Raises:
            StoreError: as in :meth:`run`.
        """
        try:
            relation = self.run(query, parameters)
            types = [str(kind) for kind in relation.types]
            return Selection(relation.columns, types, relation.fetchall())
        except duckdb.Error as error:
            raise StoreError(_explain(error)) from error

    def rows(self, query: str, parameters: Sequence[Any] = ()) -> list[tuple[Any, ...]]:
        """Runs one query and returns its rows.

        Raises:
            StoreError: as in :meth:`run`.
        """
        return self.select(query, parameters).rows


def _quote(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _view(table: Table, files: Sequence[Path]) -> str:
    if files:
        listed = ", ".join(_quote(str(path.resolve())) for path in files)
        return f"CREATE VIEW {table.name} AS SELECT * FROM read_parquet([{listed}])"
    columns = ", ".join(_empty_column(column) for column in table.columns)
    return f"CREATE VIEW {table.name} AS SELECT {columns} WHERE false"


def _empty_column(column: Column) -> str:
    return f"CAST(NULL AS {_SQL_TYPES[column.type]}) AS {column.name}"


def _explain(error: duckdb.Error) -> str:
    """Keeps what a user of SQL can act on: the message without advice about other engines."""
    text = str(error).strip()
    if isinstance(error, duckdb.PermissionException):
        return f"The query may only read the tables of the store: {text.splitlines()[0]}."
    return text if text.endswith((".", "^")) else text + "."
