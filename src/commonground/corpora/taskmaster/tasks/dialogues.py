"""Taskmaster dialogues and split rows, from released files or from the store."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.taskmaster.convert import Context, convert
from commonground.corpora.taskmaster.native.dialogues import (
    FORMATS,
    CoffeeDialogue,
    PlainDialogue,
    TicketDialogue,
)
from commonground.corpora.taskmaster.native.rows import SplitRow, parse_split_rows
from commonground.corpora.taskmaster.tasks.predictions import NO_SCRIPT
from commonground.errors import TaskError
from commonground.files.dividing import divide_document
from commonground.files.formats import FileFormat, identify_document
from commonground.files.reading import ConversionError, Where
from commonground.files.sources import Document, list_documents
from commonground.model import Dialogue
from commonground.task import Gold, Problem

_ROWS = next(each for each in FORMATS if each.name == "splits3")
_DIALOGUES = next(each for each in FORMATS if each.name == "dialogs3")
_DECODERS: list[msgspec.json.Decoder[Any]] = [
    msgspec.json.Decoder(kind) for kind in (TicketDialogue, CoffeeDialogue, PlainDialogue)
]


class _Named(msgspec.Struct):
    """What any generation calls the id of a dialogue."""

    conversation_id: str


_NAMED = msgspec.json.Decoder(_Named)


class Row(msgspec.Struct, frozen=True):
    """A split row and where it stands.

    Attributes:
        document: base name of its file.
        line: in the file, from 1.
        row: what it says.
    """

    document: str
    line: int
    row: SplitRow


class Source(msgspec.Struct):
    """What a gold source holds.

    Attributes:
        rows: rows of split files.
        dialogues: dialogues; from a store that has rows, none unless they are asked for.
        problems: what could not be read.
        unread: ids of dialogues that could not be read, where they say so much.
    """

    rows: list[Row] = []
    dialogues: list[Dialogue] = []
    problems: list[Problem] = []
    unread: set[str] = set()


def load_source(gold: Gold, *, with_rows: bool) -> Source:
    """Loads split rows and dialogues.

    Args:
        gold: where they are.
        with_rows: whether split rows are wanted; where a store has some, its dialogues, which
            they were made of, are left out.

    Raises:
        TaskError: there is neither, or files of dialogues are to give a split.
        SourceError: a file cannot be read.
    """
    if gold.files:
        source = _load_files(gold.files, gold.split, with_rows=with_rows)
    elif gold.corpus is not None:
        source = _load_store(gold.corpus, gold.split, with_rows=with_rows)
    else:
        source = Source()
    if not source.rows and not source.dialogues:
        raise TaskError(
            "Found no Taskmaster dialogues or split rows to take the right answers from.",
            "Name released files such as data_00.json or test.tsv, or import the corpus.",
        )
    return source


def _load_store(corpus: Any, split: str | None, *, with_rows: bool) -> Source:
    rows = list(_stored_rows(corpus, split)) if with_rows else []
    return Source(rows=rows) if rows else Source(dialogues=list(corpus.dialogues(split)))


def _stored_rows(corpus: Any, split: str | None) -> Iterator[Row]:
    query = (
        "SELECT source_file, source_path, json FROM native "
        "WHERE corpus = ? AND format = ? ORDER BY source_file"
    )
    # By number of line: as text, ``line 10`` would come before ``line 2``.
    for name, path, text in sorted(corpus.rows(query, [corpus.name, _ROWS.name]), key=_place):
        base = name.rpartition("/")[2]
        # Behind the split a name may have a word more, as in ``test-WORD.tsv``.
        if split is None or base.startswith(split):
            for each in parse_split_rows(text):
                yield Row(base, _line(path), each.record)


def _place(stored: tuple[str, str, str]) -> tuple[str, int]:
    return stored[0], _line(stored[1])


def _line(path: str) -> int:
    return int(path.removeprefix("line "))


def _load_files(files: Iterable[Path], split: str | None, *, with_rows: bool) -> Source:
    source = Source()
    for document in list_documents(files).documents:
        if document.base.endswith(".tsv") or identify_document(document, [_ROWS]):
            if with_rows and (split is None or document.base.startswith(split)):
                source.rows += _read_rows(document)
        elif document.base.endswith(".json") and _may_hold_dialogues(document):
            _refuse_split(document, split)
            read_dialogues(document, source)
    return source


def _may_hold_dialogues(document: Document) -> bool:
    """Says whether a file is no ontology or reward file by its name."""
    fmt = identify_document(document, FORMATS)
    return fmt is None or fmt.role == "main" or fmt.name == "sample1"


def _refuse_split(document: Document, split: str | None) -> None:
    if split is not None:
        raise TaskError(
            f"{document.name} does not say which of its dialogues are in split {split!r}.",
            "Name the split's own file, or import the corpus with its split files.",
        )


def _read_rows(document: Document) -> Iterator[Row]:
    try:
        for each in parse_split_rows(document.read().decode()):
            yield Row(document.base, each.line, each.record)
    except UnicodeDecodeError as error:
        raise TaskError(f"{document.name} is not UTF-8: {error.reason}.") from error


def read_dialogues(document: Document, source: Source) -> None:
    """Adds the dialogues of a released file of any generation; notes those that cannot be read."""
    bad = []
    division = divide_document(document.name, document.read(), _layout(document))
    for raw in division.records:
        record = _decode(raw.data)
        where = Where(document.name, raw.path, "")
        if record is None:
            bad.append(f"{document.name} {raw.path}: no Taskmaster dialogue")
            with suppress(msgspec.DecodeError, RecursionError, UnicodeDecodeError):
                source.unread.add(_NAMED.decode(raw.data).conversation_id)
            continue
        try:
            source.dialogues.append(convert(record, where, Context()))
        except ConversionError as error:
            bad.append(f"{document.name} {raw.path}{error}")
    bad += [f"{document.name}: {each.message}" for each in division.findings]
    if bad:
        source.problems.append(
            Problem(
                kind="unreadable dialogues",
                count=len(bad),
                example=bad[0],
                official=f"{NO_SCRIPT}they are left out.",
                skipped=len(bad),
            )
        )


def _layout(document: Document) -> FileFormat:
    """Returns the format to divide a file by: a list of dialogues, or a single one."""
    return identify_document(document, [f for f in FORMATS if f.name == "sample1"]) or _DIALOGUES


def _decode(data: bytes) -> Any:
    """Decodes a dialogue; the generation of the last one is tried first."""
    for number, decoder in enumerate(_DECODERS):
        try:
            record = decoder.decode(data)
        except (msgspec.DecodeError, RecursionError, UnicodeDecodeError):
            continue
        # Files hold one generation each, so the next dialogue is most likely of the same.
        _DECODERS.insert(0, _DECODERS.pop(number))
        return record
    return None
