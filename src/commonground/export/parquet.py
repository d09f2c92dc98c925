"""Parquet, one file per table and corpus."""

from __future__ import annotations

from pathlib import Path

from commonground.export.base import Export, Options
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection
from commonground.schema import TABLES


def write(selection: Selection, out: Path, _options: Options) -> Loss:
    """Writes ``CORPUS/TABLE.parquet`` for each table that has rows."""
    from commonground.store.writing import open_parquet

    places = [(corpus, table) for corpus in selection.corpora for table in TABLES]
    for done, (corpus, table) in enumerate(places):
        selection.report(done, len(places))
        (out / corpus).mkdir(exist_ok=True)
        writer = None
        for batch in selection.batches(corpus, table.name):
            path = out / corpus / f"{table.name}.parquet"
            writer = writer or open_parquet(path, batch.schema)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()
    return Loss()


def carries(_options: Options) -> Carried:
    """Says that everything fits."""
    return Carried(columns=carry_all())


EXPORT = Export(
    name="parquet",
    title="Parquet, a file per table",
    summary="A folder per corpus with one Parquet file (zstd) per table of the store, for pandas, "
    "polars, DuckDB and Spark. Columns of type json hold JSON text.",
    carries=carries,
    write=write,
    example="parquet OUT --corpus photobook --split train",
)
