"""A file for each table of each corpus: what formats that keep the tables share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

from commonground.export.base import Options
from commonground.export.loss import Carried, Loss, carry_all
from commonground.export.selection import Selection
from commonground.schema import TABLES


def write_tables(
    selection: Selection, out: Path, ending: str, open_writer: Callable[[Path, Any], Any]
) -> Loss:
    """Writes ``CORPUS/TABLE`` with an ending for each table that has rows.

    Args:
        selection: what to write.
        out: folder to write to.
        ending: of the files, with its dot.
        open_writer: opens a file for batches of an Arrow schema.
    """
    places = [(corpus, table) for corpus in selection.corpora for table in TABLES]
    for done, (corpus, table) in enumerate(places):
        selection.report(done, len(places))
        (out / corpus).mkdir(exist_ok=True)
        writer = None
        for batch in selection.batches(corpus, table.name):
            path = out / corpus / f"{table.name}{ending}"
            writer = writer or open_writer(path, batch.schema)
            writer.write_batch(batch)
        if writer is not None:
            writer.close()
    return Loss()


def carries_all(_options: Options) -> Carried:
    """Says that everything fits."""
    return Carried(columns=carry_all())
