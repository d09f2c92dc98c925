"""Parquet, one file per table and corpus."""

from __future__ import annotations

from pathlib import Path

from commonground.export.base import Export, Options
from commonground.export.loss import Loss
from commonground.export.selection import Selection
from commonground.export.tables import carries_all, write_tables


def write(selection: Selection, out: Path, _options: Options) -> Loss:
    """Writes ``CORPUS/TABLE.parquet`` for each table that has rows."""
    from commonground.store.writing import open_parquet

    return write_tables(selection, out, ".parquet", open_parquet)


EXPORT = Export(
    name="parquet",
    title="Parquet, a file per table",
    summary="A folder per corpus with one Parquet file (zstd) per table of the store, for pandas, "
    "polars, DuckDB and Spark. Columns of type json hold JSON text.",
    carries=carries_all,
    write=write,
    example="parquet OUT --corpus photobook --split train",
)
