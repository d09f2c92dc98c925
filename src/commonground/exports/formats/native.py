"""The format ``native``: the released files again, from the records that the store keeps."""

from __future__ import annotations

import errno
import hashlib
import os
import re
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora import VARIABLE, get_corpus, is_at_hand
from commonground.errors import StoreError, UsageError
from commonground.exports.format import Export
from commonground.exports.loss import Carried, Feature, Loss, carry_all
from commonground.exports.selection import Selection
from commonground.files import faults
from commonground.files.formats import FileFormat, OddRow
from commonground.files.joining import DocumentPiece, join_pieces
from commonground.files.simulated import mark_simulated
from commonground.files.sources import is_outside
from commonground.schema import quote_sql

_UNREAD = (
    faults.NOT_JSON,
    faults.NOT_UTF8,
    faults.UNREADABLE,
    faults.DAMAGED_ARCHIVE,
    faults.PACKED,
    faults.UNSAFE_ENTRY,
    faults.ARCHIVE_BOMB,
)
_FEATURES = {
    "files left alone": Feature(
        "The import ignored them, since no format of the corpus has such files."
    ),
    "damaged files": Feature("They could not be read in full when they were imported."),
    "line ends of text files": Feature(
        "Some lines are not selected, and the store does not keep line ends."
    ),
    "records at another place": Feature(
        "Earlier records were not selected, so their paths, and what is made from them, "
        "have other numbers."
    ),
    "unsafe file names": Feature("They point outside the folder of the export."),
    "impossible file names": Feature(
        "This file system does not allow them, or uses them for another file."
    ),
    "files of corpora without code": Feature(
        "The code of their corpus writes them, and it was not found."
    ),
}
# `[12]` of a list, or `line 12`: the last number says which record of the file it is.
_PLACE = re.compile(r"(.*\[|line )(\d+)\]?", re.DOTALL)


def write(selection: Selection, out: Path) -> Loss:
    """Writes ``CORPUS/...`` with each file under its released name."""
    loss = Loss(_FEATURES)
    if not any(map(is_at_hand, selection.corpora)):
        names = ", ".join(selection.corpora)
        raise UsageError(
            f"The code of {names} was not found, and it writes the released files.",
            f"Name its folder in ${VARIABLE}.",
        )
    for corpus in selection.corpora:
        if not is_at_hand(corpus):
            for source in selection.store.sources(corpus):
                loss.add("files of corpora without code", f"{corpus} {source.name}")
            continue
        formats = {fmt.name: fmt for fmt in get_corpus(corpus).formats()}
        checksums = {s.name: s.sha256 for s in selection.store.sources(corpus)}
        written = set()
        columns = ["source_file", "format", "source_path", "json"]
        found = selection.iterate_rows(corpus, "native", columns, shared=True)
        for (name, kind), rows in groupby(found, itemgetter(0, 1)):
            if kind not in formats:
                problem = f"{name} is of the format {kind!r}, which {corpus} no longer has."
                raise StoreError(problem, f"Import {corpus} again.")
            path = _place(out / corpus, name, loss)
            kept = _Kept(DocumentPiece(*row[2:]) for row in rows)
            if path is None:
                continue
            if not _write_file(path, formats[kind], iter(kept), checksums.get(name)):
                loss.add("line ends of text files", f"{corpus} {name}")
            if not selection.is_whole:
                _count_moved(loss, kept, path, formats[kind], f"{corpus} {name}")
            written.add(name)
            selection.report(len(written), len(checksums))
        _write_empty(selection, corpus, out, formats, written, loss)
        if selection.store.manifests[corpus].simulated:
            mark_simulated(out / corpus, corpus, selection.manifests[corpus].title)
        for source in selection.store.sources(corpus):
            if source.format is None:
                loss.add("files left alone", f"{corpus} {source.name}")
    _count_unread(selection, loss)
    return loss


class _Kept:
    """The records of one file, each path of which is noted as they pass."""

    def __init__(self, pieces: Iterator[DocumentPiece]) -> None:
        self._pieces = pieces
        self.paths: list[str] = []

    def __iter__(self) -> Iterator[DocumentPiece]:
        for each in self._pieces:
            self.paths.append(each.path)
            yield each


def _count_moved(loss: Loss, kept: _Kept, path: Path, fmt: FileFormat, where: str) -> None:
    """Counts the records whose number among the others, or whose line, is another now."""
    if fmt.layout == "rows":
        return  # rows keep their lines
    lines = (
        [each.line for each in fmt.parse_text(path.read_bytes().decode())] if fmt.parse_text else []
    )
    # Records before this one in the same list: by the path up to its number.
    seen: Counter[str] = Counter()
    for number, source_path in enumerate(kept.paths):
        found = _PLACE.fullmatch(source_path)
        if found is None:
            continue
        place = lines[number] if lines else seen[found[1]]
        seen[found[1]] += 1
        if int(found[2]) != place:
            loss.add("records at another place", f"{where} {source_path}")


def _place(folder: Path, name: str, loss: Loss) -> Path | None:
    """Makes an empty file of a name and returns its path; None, and a loss, where it cannot."""
    path, where = folder / name, f"{folder.name} {name!r}"
    if is_outside(name, backslashes=os.sep != "/"):
        loss.add("unsafe file names", where)
        return None
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        # Names may meet on a file system that does not tell their case apart.
        path.touch(exist_ok=False)
    except OSError as error:
        if error.errno not in _NO_NAME:
            raise
        loss.add("impossible file names", where)
        return None
    return path


_NO_NAME = frozenset({errno.EEXIST, errno.EINVAL, errno.EISDIR, errno.ENAMETOOLONG, errno.ENOTDIR})
"""What a system says of names; an archive may hold any, and one for a file and for a folder."""


def _write_file(
    path: Path, fmt: FileFormat, pieces: Iterator[DocumentPiece], sha256: str | None
) -> bool:
    """Writes the records of one file as its layout has them; see ``formats.Layout``.

    Returns whether the line ends are known to be those of the released file.
    """
    if fmt.layout == "text":
        data, is_same = _render_text(fmt, [each.text for each in pieces], sha256)
        path.write_bytes(data)
        return is_same
    if fmt.layout == "rows":
        path.write_bytes(_render_rows(fmt, pieces))
        return True
    # ``newline=""``, or Windows would write other line ends than were released.
    with path.open("w", encoding="utf-8", newline="") as file:
        for text in join_pieces(pieces, fmt):
            file.write(text)
    return True


def _render_rows(fmt: FileFormat, pieces: Iterator[DocumentPiece]) -> bytes:
    """Renders the rows of a table in their order, whatever the dialogues that they are of."""
    assert fmt.render_rows is not None  # noqa: S101 - a declaration without it is a bug of ours
    records: list[Any] = []
    for each in pieces:
        value = msgspec.json.decode(each.text)
        if isinstance(value, str):
            records.append(OddRow(int(each.path.rpartition(" ")[2]), value, ""))
        else:
            records.append(msgspec.convert(value, fmt.record))
    return fmt.render_rows(records)


def _render_text(fmt: FileFormat, lines: list[str], sha256: str | None) -> tuple[bytes, bool]:
    """Renders lines with the line ends that give the released checksum, or else plain ones."""
    assert fmt.parse_text is not None  # noqa: S101 - a declaration without it is a bug of ours
    assert fmt.render_text is not None  # noqa: S101
    rendered = []
    # The store keeps no line ends of text files. Its checksum tells which of the usual ones they
    # were.
    # The end between lines, and that of the last line.
    for end, last in (("\n", "\n"), ("\r\n", "\r\n"), ("\n", ""), ("\r\n", "")):
        text = end.join(lines) + last if lines else ""
        rendered.append(fmt.render_text([each.record for each in fmt.parse_text(text)]))
        if hashlib.sha256(rendered[-1]).hexdigest() == sha256:
            return rendered[-1], True
    return rendered[0], False


def _write_empty(
    selection: Selection,
    corpus: str,
    out: Path,
    formats: dict[str, FileFormat],
    written: set[str],
    loss: Loss,
) -> None:
    """Writes the files that had a format but no record, where whole corpora are chosen.

    ``written`` names the files that had records.
    """
    if not selection.is_whole:
        return
    for source in selection.store.sources(corpus):
        if source.format and source.sha256 and not source.records and source.name not in written:
            path = _place(out / corpus, source.name, loss)
            if path is not None:
                _write_file(path, formats[source.format], iter(()), source.sha256)


def _count_unread(selection: Selection, loss: Loss) -> None:
    """Counts the files that could not be read, or not whole."""
    codes = ", ".join(quote_sql(rule.code) for rule in _UNREAD)
    query = f"SELECT corpus, source_file FROM findings WHERE code IN ({codes})"
    for corpus, name in selection.rows(query):
        if corpus in selection.corpora:
            loss.add("damaged files", f"{corpus} {name}")


EXPORT = Export(
    name="native",
    title="The released files again",
    summary="A folder per corpus with the files under their released names and each record byte "
    "for byte; the white space between records may differ. `commonground import CORPUS "
    "OUT/CORPUS` makes the same tables from it. Files about no dialogue in particular "
    "(catalogues, lists of splits) are always included.",
    # All tables are made from these files.
    carries=Carried(columns=carry_all()),
    write=write,
    features=_FEATURES,
    example='native OUT --corpus photobook --where "n_utterances > 20"',
)
