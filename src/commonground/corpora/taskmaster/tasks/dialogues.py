"""Taskmaster dialogues and split rows that right answers are made of."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
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
from commonground.corpora.taskmaster.native.rows import SplitRow
from commonground.corpora.taskmaster.tasks.predictions import NO_SCRIPT
from commonground.files.formats import FileFormat
from commonground.files.gold import LEFT_OUT, GoldRecord, read_dialogues, read_gold
from commonground.files.reading import ConversionError, Where
from commonground.model import Dialogue
from commonground.task import Gold, Problem, Tally

_ROWS = ("splits3",)
_DIALOGUES = tuple(fmt.name for fmt in FORMATS if fmt.role == "main")
_DECODERS: list[msgspec.json.Decoder[Any]] = [
    msgspec.json.Decoder(kind) for kind in (TicketDialogue, CoffeeDialogue, PlainDialogue)
]


class _Named(msgspec.Struct):
    """What any generation calls the id of a dialogue."""

    conversation_id: str


_NAMED = msgspec.json.Decoder(_Named)


def _choose_format(fmt: FileFormat) -> FileFormat:
    """Returns a format as it is read here: dialogues of any generation, rows of any file name."""
    if fmt.name in _ROWS:
        return msgspec.structs.replace(fmt, pattern=r".*\.tsv")
    if fmt.name in _DIALOGUES:
        return msgspec.structs.replace(
            fmt,
            record=msgspec.Raw,
            keys=frozenset({"conversation_id"}),
            dialogue_id=lambda raw, _document: _NAMED.decode(raw).conversation_id,
        )
    return fmt


_FORMATS = tuple(map(_choose_format, FORMATS))


class Source(msgspec.Struct):
    """What a gold source holds: rows or, where there are none, dialogues.

    Attributes:
        rows: rows of split files, each after its file and line: ``train.tsv:3``.
        dialogues: dialogues.
        problems: what could not be read.
        unread: ids of dialogues that could not be read, where they say so much.
    """

    rows: list[tuple[str, SplitRow]] = []
    dialogues: list[Dialogue] = []
    problems: list[Problem] = []
    unread: set[str] = set()


def load_source(gold: Gold, *, with_rows: bool) -> Source:
    """Loads split rows or, where there are none, the dialogues that such rows are made of.

    Raises:
        TaskError: there is neither, or nothing says which dialogues are of the split.
        UsageError: there is no such split.
        SourceError: a file cannot be read.
    """
    faults = Tally(prefix=NO_SCRIPT)
    rows = list(_load_rows(gold, faults)) if with_rows else []
    if rows:
        return Source(rows=rows, problems=faults.problems())
    return _convert_all(read_dialogues(gold, _FORMATS, _DIALOGUES, faults), faults)


def _load_rows(gold: Gold, faults: Tally) -> Iterator[tuple[str, SplitRow]]:
    for each in read_gold(gold, _FORMATS, _ROWS, faults):
        document = each.document.rpartition("/")[2]
        # Behind the split a name may have a word more, as in ``test-WORD.tsv``.
        if gold.split is None or document.startswith(gold.split):
            yield f"{document}:{int(each.raw.path.split()[-1])}", each.record


def read_released(path: Path) -> Source:
    """Reads the dialogues of a file in the released form of any generation.

    Raises:
        SourceError: it cannot be read.
    """
    faults = Tally(prefix=NO_SCRIPT)
    return _convert_all(read_gold(Gold(files=[path]), _FORMATS, _DIALOGUES, faults), faults)


def _convert_all(records: Iterable[GoldRecord], faults: Tally) -> Source:
    source = Source()
    for each in records:
        dialogue = _convert(each, faults)
        if dialogue is None:
            source.unread.add(each.dialogue_id)
        else:
            dialogue.dialogue_id = each.dialogue_id
            source.dialogues.append(dialogue)
    source.problems = faults.problems()
    return source


def _convert(each: GoldRecord, faults: Tally) -> Dialogue | None:
    place = f"{each.document} {each.raw.path}"
    record = _decode(each.record)
    if record is None:
        faults.add("unreadable records", f"{place}: no Taskmaster dialogue", LEFT_OUT, skipped=1)
        return None
    try:
        return convert(record, Where(each.document, each.raw.path, each.format), Context())
    except ConversionError as error:
        faults.add("unreadable records", f"{place}{error}", LEFT_OUT, skipped=1)
        return None


def _decode(data: msgspec.Raw) -> Any:
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
