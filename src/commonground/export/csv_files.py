"""Comma-separated values, one file per table and corpus."""

from __future__ import annotations

from pathlib import Path

from commonground.export.base import Export, Options
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection
from commonground.schema import TABLES


def write(selection: Selection, out: Path, _options: Options) -> Loss:
    """Writes ``CORPUS/TABLE.csv`` for each table that has rows; null is an empty, bare field."""
    from pyarrow.csv import CSVWriter

    places = [(corpus, table) for corpus in selection.corpora for table in TABLES]
    for done, (corpus, table) in enumerate(places):
        selection.report(done, len(places))
        (out / corpus).mkdir(exist_ok=True)
        writer = None
        for batch in selection.batches(corpus, table.name):
            writer = writer or CSVWriter(out / corpus / f"{table.name}.csv", batch.schema)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()
    return Loss()


def carries(_options: Options) -> Carried:
    """Says that everything fits."""
    return Carried(columns=carry_all())


EXPORT = Export(
    name="csv",
    title="Comma-separated values, a file per table",
    summary="A folder per corpus with one CSV file (UTF-8, header, RFC 4180) per table of the "
    'store. Texts are quoted; an empty field without quotes is null, `""` is an empty text, so '
    "that both survive. Columns of type json hold JSON text.",
    carries=carries,
    write=write,
    example="csv OUT --corpus frames --where \"split = 'fold-1'\"",
)
