"""Files as several formats write them: one per table, one per split, JSON, Markdown."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import ExitStack
from functools import cache
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from commonground import __version__
from commonground.exports.loss import Loss
from commonground.exports.selection import Selection
from commonground.schema import TABLES

UNSPLIT = "unsplit"
"""Stands for the split of what is in none."""


def write_tables(
    selection: Selection,
    out: Path,
    ending: str,
    open_writer: Callable[[Path, Any, Loss], Any],
    loss: Loss | None = None,
) -> Loss:
    """Writes ``CORPUS/TABLE`` with an ending for each table, be it empty.

    Args:
        ending: of the files, with its dot.
        open_writer: opens a file for batches of an Arrow schema, and counts what does not fit.
        loss: where that is counted; None where all fits.
    """
    from commonground.store.tables.columns import arrow_schema

    loss = loss or Loss()
    places = [(corpus, table.name) for corpus in selection.corpora for table in TABLES]
    for done, (corpus, table) in enumerate(places):
        selection.report(done, len(places))
        (out / corpus).mkdir(exist_ok=True)
        writer = open_writer(out / corpus / f"{table}{ending}", arrow_schema(table), loss)
        for batch in selection.batches(corpus, table):
            writer.write_batch(batch)
        writer.close()
    return loss


class SplitFiles(ExitStack):
    """Files in a folder, named after splits, each opened when its first line comes."""

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


def render_text(template: str, **values: Any) -> str:
    """Renders a Markdown template of this folder, such as ``terms.md``."""
    text: str = _environment().get_template(template).render(version=__version__, **values)
    return text


@cache
def _environment() -> Any:
    import jinja2  # by what is written, not by the help of commands

    made = jinja2.Environment(  # noqa: S701 - Markdown, which nobody shows as HTML
        loader=jinja2.FileSystemLoader(Path(__file__).parent),
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
        undefined=jinja2.StrictUndefined,
    )
    made.filters["json"] = json.dumps
    return made


def write_json(path: Path, value: Any) -> None:
    """Writes JSON as people read it, indented by two."""
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value), indent=2) + b"\n")


def ascii_json(text: bytes) -> bytes:
    """Writes JSON with escapes, for tools that split lines at any break that Unicode has.

    ConvoKit reads files in the encoding of the machine, too.
    """
    # Python's own encoder escapes what is not ASCII; msgspec has no way to.
    return text if text.isascii() else json.dumps(json.loads(text)).encode()
