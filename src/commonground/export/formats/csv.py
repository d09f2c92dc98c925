"""Comma-separated values, one file per table and corpus."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from commonground.export.files import write_tables
from commonground.export.format import Export, Option
from commonground.export.loss import Carried, Feature, Loss, carry_all
from commonground.export.selection import Selection

# How a formula may begin; the last four are the full-width forms, which spreadsheets take, too. A
# text and no pattern, since Arrow's own engine is given it as well.
_ARMED = "^[=+\\-@\t\r\n＝＋－＠]"
"""Texts that a spreadsheet takes for a formula, or for the end of the cell before.

OWASP's list for "CSV injection". The wide signs are the same as the others to a spreadsheet that
is set to Japanese or Chinese.
"""

_FORMULAS = "texts like formulas"
_FEATURES = {_FORMULAS: Feature("A ' is put before each, so that no spreadsheet runs it.")}


def disarm(text: str) -> str:
    """Puts ``'`` before a text that a spreadsheet would run, such as ``=HYPERLINK(...)``."""
    return f"'{text}" if re.match(_ARMED, text) else text


class _Disarming:
    """Writes batches, each text that a spreadsheet would run with a ``'`` before it."""

    def __init__(self, writer: Any, place: str, loss: Loss) -> None:
        self._writer = writer
        self._place = place
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
        armed = pc.match_substring_regex(column, _ARMED)
        count = pc.sum(armed).as_py() or 0
        self._loss.add(_FORMULAS, f"{self._place} {name}", count)
        # The last argument is what Arrow joins by: nothing.
        quoted = pc.binary_join_element_wise(pa.scalar("'"), column, "")
        return pc.if_else(armed, quoted, column) if count else column

    def close(self) -> None:
        """Closes the file; what was written before is complete only then."""
        self._writer.close()


def write(selection: Selection, out: Path, *, for_spreadsheets: bool) -> Loss:
    """Writes ``CORPUS/TABLE.csv`` for each table that has rows.

    Args:
        selection: the dialogues.
        out: a new, empty folder.
        for_spreadsheets: put ``'`` before texts that a spreadsheet would run.
    """
    open_writer = _open_disarming if for_spreadsheets else _open
    return write_tables(selection, out, ".csv", open_writer, Loss(_FEATURES))


def _open(path: Path, schema: Any, _loss: Loss) -> Any:
    from pyarrow.csv import CSVWriter

    return CSVWriter(path, schema)


def _open_disarming(path: Path, schema: Any, loss: Loss) -> _Disarming:
    return _Disarming(_open(path, schema, loss), f"{path.parent.name} {path.stem}", loss)


EXPORT = Export(
    name="csv",
    title="Comma-separated values, a file per table",
    summary="A folder per corpus with one CSV file (UTF-8, header, RFC 4180) per table of the "
    'store. Texts are quoted; an empty field without quotes is null, `""` is an empty text, so '
    "that both survive. Columns of type json hold JSON text. A spreadsheet runs cells that begin "
    "with =, +, - or @; `--for-spreadsheets` puts a `'` before texts of this kind.",
    carries=Carried(columns=carry_all()),
    write=write,
    divides=True,
    features=_FEATURES,
    options=(
        Option(
            name="for_spreadsheets",
            help="Put ' before texts that spreadsheets would run: = + - @ tab.",
            default=False,
        ),
    ),
    example="csv OUT --corpus frames --where \"split = 'fold-1'\"",
)
