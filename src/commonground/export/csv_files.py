"""Comma-separated values, one file per table and corpus."""

from __future__ import annotations

from pathlib import Path

from commonground.export.base import Export, Options
from commonground.export.loss import Loss
from commonground.export.selection import Selection
from commonground.export.tables import carries_all, write_tables


def write(selection: Selection, out: Path, _options: Options) -> Loss:
    """Writes ``CORPUS/TABLE.csv`` for each table that has rows; null is an empty, bare field."""
    from pyarrow.csv import CSVWriter

    return write_tables(selection, out, ".csv", CSVWriter)


EXPORT = Export(
    name="csv",
    title="Comma-separated values, a file per table",
    summary="A folder per corpus with one CSV file (UTF-8, header, RFC 4180) per table of the "
    'store. Texts are quoted; an empty field without quotes is null, `""` is an empty text, so '
    "that both survive. Columns of type json hold JSON text.",
    carries=carries_all,
    write=write,
    example="csv OUT --corpus frames --where \"split = 'fold-1'\"",
)
