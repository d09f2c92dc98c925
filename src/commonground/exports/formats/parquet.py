"""Parquet, one file per table and corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commonground.exports.files import write_tables
from commonground.exports.format import Export
from commonground.exports.loss import Carried, Loss, carry_all
from commonground.exports.selection import Selection


def write(selection: Selection, out: Path) -> Loss:
    """Writes ``CORPUS/TABLE.parquet`` for each table."""
    return write_tables(selection, out, ".parquet", _open)


def _open(path: Path, schema: Any, _loss: Loss) -> Any:
    from commonground.store.tables.writing import open_parquet

    return open_parquet(path, schema)


EXPORT = Export(
    name="parquet",
    title="Parquet, a file per table",
    summary="A folder per corpus with one Parquet file (zstd) per table of the store, for pandas, "
    "polars, DuckDB and Spark. Columns of type json hold JSON text.",
    carries=Carried(columns=carry_all()),
    write=write,
    example="parquet OUT --corpus photobook --split train",
)
