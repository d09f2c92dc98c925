"""Runs an export, and reports what did not fit."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.engines.engine import Engine, map_named
from commonground.errors import UsageError
from commonground.export.files import OutFolder, write_json
from commonground.export.format import Export, get_export
from commonground.export.loss import Loss, Lost, NothingWrittenError, count_columns
from commonground.export.selection import Selection, SelectionReference
from commonground.files.outputs import new_folder
from commonground.printing import Sheet, Tabled
from commonground.store import arrow

LOSS_NAME = "loss.json"


class Report(Tabled, msgspec.Struct, frozen=True, kw_only=True):
    """What ``loss.json`` holds.

    Attributes:
        commonground: version that wrote it.
        format: name of the format.
        options: options of the format.
        corpora: dialogues per corpus.
        splits: splits that were asked for; empty for all.
        where: condition that was asked for.
        lost: what did not fit.
    """

    commonground: str
    format: str
    options: dict[str, str | bool | None]
    corpora: dict[str, int]
    splits: list[str]
    where: str | None
    lost: list[Lost]

    def sheet(self) -> Sheet:
        """Returns a line for each kind of thing that did not fit."""
        written = ", ".join(f"{count:,} of {name}" for name, count in self.corpora.items())
        return Sheet(
            title=f"{self.format}: dialogues written: {written}",
            columns=("did not fit", "count", "why"),
            rows=[(each.name, f"{each.count:,}", each.why) for each in self.lost],
            right=frozenset({"count"}),
            notes=() if self.lost else ("All of the source fits.",),
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
            something that was changed since, or workers are named for a format with one writer.
        SourceError: ``out`` cannot be written.
    """
    values = export.complete(options or {})
    if selection.engine is not None and export.divides is None:
        raise UsageError(
            f"{export.name} is written by one process.", "Leave out the engine, or export parquet."
        )
    kept = {"the store": selection.store.path}
    with new_folder(out, "export", kept=kept, force=force) as folder:
        if selection.engine is not None and export.divides == "corpora":
            loss = _write_elsewhere(export, selection, selection.engine, folder, values)
        else:
            loss = export.write_files(selection, folder, values)
        # After writing: only then is it known which dialogues were left out, whose rows are lost,
        # too.
        count_columns(selection, export.carried(values), loss)
        report = Report(
            commonground=__version__,
            format=export.name,
            options=values,
            corpora={name: len(selection.ids(name)) for name in selection.corpora},
            splits=list(selection.splits),
            where=selection.where,
            lost=loss.lost(),
        )
        write_json(folder / LOSS_NAME, report)
    return report


class _Share(msgspec.Struct, frozen=True):
    """What every worker is given.

    Attributes:
        export: name of the format.
        options: its options.
        selection: what is written.
        out: folder to write to.
    """

    export: str
    options: dict[str, Any]
    selection: SelectionReference
    out: OutFolder


def _write_elsewhere(
    export: Export, selection: Selection, engine: Engine, folder: Path, options: dict[str, Any]
) -> Loss:
    """Has workers write one corpus each, and returns what is lost of all.

    Raises:
        NothingWrittenError: of none of them anything can be written.
    """
    shared = _Share(export.name, options, selection.refer(), OutFolder.mark(folder))
    items = {f"{export.name} of {corpus}": corpus for corpus in selection.corpora}
    written = map_named(engine, _write_corpus, items, shared=shared, step=selection.report)
    shared.out.unmark()
    refusals = [each.nothing for each in written if each.nothing is not None]
    if len(refusals) == len(written):
        message, advice = refusals[0]
        raise NothingWrittenError(message, advice, written[0].loss)
    loss = written[0].loss
    for each in written[1:]:
        loss.merge(each.loss)
    return loss


class _Written(msgspec.Struct, frozen=True):
    """What a worker wrote of a corpus.

    Attributes:
        loss: what did not fit.
        nothing: message and advice of why nothing was written; None where something was.
    """

    loss: Loss
    nothing: tuple[str, str] | None = None


def _write_corpus(shared: _Share, corpus: str) -> _Written:
    """Writes a corpus on a worker."""
    arrow.forgo_pandas()
    folder = shared.out.find()
    selection = shared.selection.open_corpus(corpus)
    try:
        loss = get_export(shared.export).write_files(selection, folder, shared.options)
    except NothingWrittenError as error:
        return _Written(error.loss, (error.message, error.advice))
    return _Written(loss)
