"""Parquet, one file per table and corpus."""

from __future__ import annotations

from pathlib import Path

from commonground.export.files import write_tables
from commonground.export.format import Export
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection


def write(selection: Selection, out: Path) -> Loss:
    """Writes ``CORPUS/TABLE.parquet`` for each table that has rows."""
    from commonground.store.tables.writing import open_parquet

    return write_tables(selection, out, ".parquet", open_parquet)


EXPORT = Export(
    name="parquet",
    title="Parquet, a file per table",
    summary="A folder per corpus with one Parquet file (zstd) per table of the store, for pandas, "
    "polars, DuckDB and Spark. Columns of type json hold JSON text.",
    carries=Carried(columns=carry_all()),
    write=write,
    example="parquet OUT --corpus photobook --split train",
)
