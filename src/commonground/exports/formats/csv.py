"""Comma-separated values, one file per table and corpus."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commonground.exports.files import write_tables
from commonground.exports.format import Export, Option
from commonground.exports.loss import Carried, Feature, Loss, carry_all
from commonground.exports.selection import Selection
from commonground.files.spreadsheets import ARMED, MARK

_FORMULAS = "texts like formulas"
_FEATURES = {_FORMULAS: Feature("A ' is put before each, so that no spreadsheet runs it.")}


class _Disarming:
    """Writes a byte-order mark and batches, texts that a spreadsheet would run after a ``'``."""

    def __init__(self, path: Path, schema: Any, loss: Loss) -> None:
        self._file = path.open("wb")
        self._file.write(MARK.encode())
        self._writer = _open(self._file, schema, loss)
        self._place = f"{path.parent.name} {path.stem}"
        self._loss = loss

    def write_batch(self, batch: Any) -> None:
        """Writes a batch, and counts what it changes."""
        columns = [
            self._disarm(name, column)
            for name, column in zip(batch.schema.names, batch.columns, strict=True)
        ]
        self._writer.write_batch(type(batch).from_arrays(columns, schema=batch.schema))

    def _disarm(self, name: str, column: Any) -> Any:
        import pyarrow.compute as pc

        from commonground.store.arrow import pa

        if not pa.types.is_string(column.type):
            return column
        armed = pc.match_substring_regex(column, ARMED)
        count = pc.sum(armed).as_py() or 0
        self._loss.add(_FORMULAS, f"{self._place} {name}", count)
        # The last argument is what Arrow joins by: nothing.
        quoted = pc.binary_join_element_wise(pa.scalar("'"), column, "")
        return pc.if_else(armed, quoted, column) if count else column

    def close(self) -> None:
        """Closes the file; what was written before is complete only then."""
        self._writer.close()
        self._file.close()


def write(selection: Selection, out: Path, *, for_spreadsheets: bool) -> Loss:
    """Writes ``CORPUS/TABLE.csv`` for each table."""
    open_writer = _Disarming if for_spreadsheets else _open
    return write_tables(selection, out, ".csv", open_writer, Loss(_FEATURES))


def _open(file: Any, schema: Any, _loss: Loss) -> Any:
    from pyarrow.csv import CSVWriter

    return CSVWriter(file, schema)


EXPORT = Export(
    name="csv",
    title="Comma-separated values, a file per table",
    summary="A folder per corpus with one CSV file (UTF-8, header, RFC 4180) per table of the "
    'store. Texts are quoted; an empty field without quotes is null, `""` is an empty text, so '
    "that both survive. Columns of type json hold JSON text. pandas reads the words `None`, `NA` "
    "and `null` as missing values unless you pass `keep_default_na=False, na_values=['']`. "
    "Spreadsheets run cells that begin with =, +, - or @, and garble letters beyond ASCII; "
    "`--for-spreadsheets` puts a `'` before texts of this kind and begins each file with "
    "a byte-order mark.",
    carries=Carried(columns=carry_all()),
    write=write,
    features=_FEATURES,
    options=(
        Option(
            name="for_spreadsheets",
            help="Begin with a byte-order mark, and put ' before texts that spreadsheets would "
            "run: = + - @ tab.",
            default=False,
        ),
    ),
    example="csv OUT --corpus frames --where \"split = 'fold-1'\"",
)
