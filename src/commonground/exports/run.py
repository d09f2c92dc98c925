"""Runs an export, and reports what did not fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.exports.files import write_json
from commonground.exports.format import Export, name_arguments
from commonground.exports.loss import Lost, count_columns
from commonground.exports.selection import Selection
from commonground.exports.terms import list_licensed, write_terms
from commonground.files.outputs import new_folder
from commonground.printing import Sheet, Tabled, count_of

LOSS_NAME = "loss.json"


class Report(Tabled, msgspec.Struct, frozen=True, kw_only=True):
    """What ``loss.json`` holds.

    Attributes:
        commonground: version that wrote it.
        format: name of the format.
        options: options of the format that have a value.
        corpora: dialogues per corpus.
        splits: splits that were asked for; empty for all.
        where: condition that was asked for.
        lost: what did not fit.
    """

    commonground: str
    format: str
    options: dict[str, str | bool]
    corpora: dict[str, int]
    splits: list[str]
    where: str | None
    lost: list[Lost]

    def describe_losses(self, out: Path) -> str:
        """Says in a line what did not fit.

        Args:
            out: folder of the export.
        """
        if not self.lost:
            return "Nothing was lost."
        most = max(self.lost, key=lambda each: each.count)
        kinds = count_of(len(self.lost), "kind")
        return (
            f"Lost: {kinds} of data, mostly {most.name} ({most.count:,}); "
            f"{out / LOSS_NAME} lists all, with reasons."
        )

    def sheet(self) -> Sheet:
        """Returns a line for each kind of thing that did not fit."""
        written = ", ".join(f"{count:,} of {name}" for name, count in self.corpora.items())
        return Sheet(
            title=f"{self.format}: dialogues written: {written}",
            columns=("did not fit", "count", "why"),
            rows=[(each.name, f"{each.count:,}", each.why) for each in self.lost],
            right=frozenset({"count"}),
            notes=() if self.lost else ("Nothing was lost.",),
        )


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
        options: options of the format by name; the others are as they are by default.
        force: write into a folder of somebody else's, and replace files of the same names.

    Raises:
        UsageError: an option is wrong, ``out`` is named like a file or holds something else or
            something that was changed since.
        SourceError: ``out`` cannot be written.
    """
    values = export.complete(options or {})
    kept = {"the store": selection.store.path}
    with new_folder(out, "export", kept=kept, force=force) as folder:
        loss = export.write(selection, folder, **name_arguments(values))
        # After writing: only then is it known which dialogues were left out, whose rows are lost,
        # too.
        count_columns(selection, export.carried(values), loss)
        report = Report(
            commonground=__version__,
            format=export.name,
            options={name: each for name, each in values.items() if each is not None},
            corpora={name: len(selection.ids(name)) for name in selection.corpora},
            splits=list(selection.splits),
            where=selection.where,
            lost=loss.lost(),
        )
        write_json(folder / LOSS_NAME, report)
        write_terms(folder, list_licensed(selection), LOSS_NAME)
    return report
