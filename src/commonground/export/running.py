"""Runs an export."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.export.base import Export
from commonground.export.loss import count_columns
from commonground.export.output import LOSS_NAME, Report, is_export
from commonground.export.selection import Selection
from commonground.outputs import new_folder


def run_export(
    export: Export,
    selection: Selection,
    out: Path,
    options: Mapping[str, Any] | None = None,
    *,
    force: bool = False,
) -> Report:
    """Writes a selection in a format, with the report of what did not fit beside it.

    Args:
        export: the format.
        selection: the dialogues.
        out: folder to write; it is there whole when this returns, and untouched if it raises.
        options: options of the format.
        force: replace a folder that is no export of ours.

    Raises:
        UsageError: an option is wrong, or ``out`` is named like a file or holds something else.
        SourceError: ``out`` cannot be written.
    """
    values = export.complete(options or {})
    kept = {"the store": selection.store.path}
    with new_folder(out, "export", is_ours=is_export, kept=kept, force=force) as folder:
        loss = export.write(selection, folder, values)
        count_columns(selection, export.carries(values), loss)
        report = Report(
            commonground=__version__,
            format=export.name,
            options=values,
            corpora={name: len(selection.ids(name)) for name in selection.corpora},
            splits=list(selection.splits),
            where=selection.where,
            lost=loss.lost(),
        )
        text = msgspec.json.format(msgspec.json.encode(report), indent=2)
        (folder / LOSS_NAME).write_bytes(text + b"\n")
    return report
