"""Files as several formats write them: one per table, one per split, JSON."""

from __future__ import annotations

import json
import re
import uuid
from collections.abc import Callable
from contextlib import ExitStack
from copy import deepcopy
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from commonground.engines.engine import map_named
from commonground.errors import SourceError
from commonground.export.loss import Loss
from commonground.export.selection import Selection, SelectionReference
from commonground.schema import TABLES

UNSPLIT = "unsplit"
"""Stands for the split of what is in none."""


class _Files(msgspec.Struct, frozen=True):
    """How the files of an export are written.

    Attributes:
        out: folder to write to, in full.
        ending: of the files, with its dot.
        open_writer: opens a file; see :func:`write_tables`.
    """

    out: str
    ending: str
    open_writer: Callable[[Path, Any, Loss], Any]

    def write(self, selection: Selection, corpus: str, table: str, loss: Loss) -> int:
        """Writes a table, be it empty; returns the size of its file.

        Args:
            selection: the rows that are exported.
            corpus: whose rows.
            table: name of the table.
            loss: takes what does not fit into the format.
        """
        from commonground.store.tables.columns import arrow_schema

        path = Path(self.out, corpus, f"{table}{self.ending}")
        writer = self.open_writer(path, arrow_schema(table), loss)
        for batch in selection.batches(corpus, table):
            writer.write_batch(batch)
        writer.close()
        return path.stat().st_size


class _Written(msgspec.Struct, frozen=True):
    """What a worker wrote.

    Attributes:
        size: bytes of the file.
        loss: what did not fit.
    """

    size: int
    loss: Loss


def write_tables(
    selection: Selection,
    out: Path,
    ending: str,
    open_writer: Callable[[Path, Any, Loss], Any],
    loss: Loss | None = None,
) -> Loss:
    """Writes ``CORPUS/TABLE`` with an ending for each table.

    Args:
        selection: what to write, each table on some worker if it names an engine.
        out: folder to write to.
        ending: of the files, with its dot.
        open_writer: opens a file for batches of an Arrow schema, and counts what does not fit; a
            function of a module, which workers import by its name.
        loss: where that is counted; None where all fits.

    Raises:
        SourceError: workers write to another disk.
    """
    loss = loss or Loss()
    files = _Files(str(out.absolute()), ending, open_writer)
    places = [(corpus, table.name) for corpus in selection.corpora for table in TABLES]
    for corpus in selection.corpora:
        # Before workers start, which would all make it.
        (out / corpus).mkdir(exist_ok=True)
    if selection.engine is None:
        for done, (corpus, table) in enumerate(places):
            selection.report(done, len(places))
            files.write(selection, corpus, table, loss)
        return loss
    shared = _Share(files, selection.refer(), loss)
    items = {f"{table} of {corpus}": (corpus, table) for corpus, table in places}
    written = map_named(selection.engine, _write_table, items, shared=shared, step=selection.report)
    for (corpus, table), each in zip(places, written, strict=True):
        _refuse_other_disk(out / corpus / f"{table}{ending}", each.size)
        loss.merge(each.loss)
    return loss


class _Share(msgspec.Struct, frozen=True):
    """What every worker is given.

    Attributes:
        files: how files are written.
        selection: what is written.
        loss: an empty count of what does not fit.
    """

    files: _Files
    selection: SelectionReference
    loss: Loss


def _write_table(shared: _Share, place: tuple[str, str]) -> _Written:
    """Writes a table on a worker."""
    loss = deepcopy(shared.loss)  # workers are given the same object again and again
    size = shared.files.write(shared.selection.open(), *place, loss)
    return _Written(size, loss)


def _refuse_other_disk(path: Path, size: int) -> None:
    if not path.exists() or path.stat().st_size != size:
        raise SourceError(
            f"A worker wrote {path.name} to a disk that this machine does not see.",
            "Name a folder on a disk that all workers share, under the same path.",
        )


class OutFolder(msgspec.Struct, frozen=True):
    """A folder that workers write to as well, if they see it.

    Attributes:
        path: where it is, in full.
        mark_name: name of a file in it that says so.
    """

    path: str
    mark_name: str

    @classmethod
    def mark(cls, out: Path) -> OutFolder:
        """Puts the mark into a folder; :meth:`unmark` takes it away."""
        marked = cls(str(out.absolute()), f".{uuid.uuid4().hex}")
        marked._file.touch()
        return marked

    @property
    def _file(self) -> Path:
        return Path(self.path, self.mark_name)

    def find(self) -> Path:
        """Returns the folder, on a worker.

        Raises:
            SourceError: the worker does not see it.
        """
        if not self._file.exists():
            raise SourceError(
                f"A worker does not see {self.path}.",
                "Name a folder on a disk that all workers share, under the same path.",
            )
        return Path(self.path)

    def unmark(self) -> None:
        """Takes the mark away, when all is written."""
        self._file.unlink()


class SplitFiles(ExitStack):
    """Files of a corpus, named after splits, each opened when its first line comes.

    Args:
        folder: where they stand; it must be there.
    """

    def __init__(self, folder: Path) -> None:
        super().__init__()
        self._folder = folder
        self._files: dict[str, BinaryIO] = {}

    def write_line(self, name: str, line: bytes) -> None:
        """Adds a line to the file of a name."""
        if name not in self._files:
            self._files[name] = self.enter_context((self._folder / name).open("wb"))
        self._files[name].write(line + b"\n")


def name_split(split: str | None) -> str:
    """Returns a split as the base name of a file: letters, digits, ``_``, ``.`` and ``-``."""
    return re.sub(r"[^\w.-]", "_", split) if split else UNSPLIT


def format_json(value: Any) -> bytes:
    """Returns JSON as people read it, indented by two."""
    return msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n"


def write_json(path: Path, value: Any) -> None:
    """Writes a JSON file that people read, too."""
    path.write_bytes(format_json(value))


def ascii_json(text: bytes) -> bytes:
    """Writes JSON with escapes, for tools that split lines at any break that Unicode has.

    ConvoKit reads files in the encoding of the machine, too.
    """
    # Python's own encoder escapes what is not ASCII; msgspec has no way to.
    return text if text.isascii() else json.dumps(json.loads(text)).encode()
