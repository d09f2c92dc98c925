"""SIMMC as dialogues: a released turn becomes utterance, action and answer."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.corpora.simmc.convert.context import Context, prepare
from commonground.corpora.simmc.convert.simmc1 import convert_simmc1, side_dialogue
from commonground.corpora.simmc.convert.simmc2 import convert_simmc2
from commonground.corpora.simmc.native.simmc1 import (
    Dialogue1,
    Envelope,
    Pool,
    dialogue_id_of,
    domain_of_name,
    split_of_name,
)
from commonground.corpora.simmc.native.simmc2 import Dialogue2, Envelope2
from commonground.corpora.simmc.native.targets import DialogueNumber
from commonground.files.reading import Where
from commonground.model import Dialogue, FileEntry, Object
from commonground.records import UNSET

__all__ = ["convert", "entries", "orphans", "prepare", "shared_objects"]


def convert(record: Dialogue1 | Dialogue2, where: Where, context: Context) -> Dialogue:
    """Turns a released dialogue, of version 1 or 2, into a dialogue.

    Raises:
        ConversionError: a number is out of all bounds, or a belief state slot is no pair.
    """
    if isinstance(record, Dialogue2):
        return convert_simmc2(record, where, context)
    return convert_simmc1(record, where, context)


def orphans(context: Context) -> Iterator[Dialogue]:
    """Gives the dialogues of which only API calls or state tracking targets are there.

    Those without targets hold actions without words.
    """
    for dialogue_id in dict.fromkeys([*context.calls, *context.targets, *context.rankings]):
        # All of this was added to those that were released.
        if dialogue_id not in context.lengths:
            yield side_dialogue(dialogue_id, context)


def entries(record: Any, where: Where) -> Iterator[FileEntry]:
    """Gives tasks, answers that candidates are chosen from, lists of dialogues, and files."""
    if isinstance(record, Pool):
        yield FileEntry("file", split=record.split or None)
        for number, text in enumerate(record.system_transcript_pool):
            yield FileEntry("answer", str(number), text=text)
    elif isinstance(record, DialogueNumber):
        domain, listed = domain_of_name(where.document), record.number
        split = split_of_name(where.document.rpartition("/")[2])
        if listed is None:
            yield FileEntry("split", None, None, split, record.line.strip() or None)
        else:
            of = dialogue_id_of(domain, listed) if domain else str(listed)
            yield FileEntry("split", str(listed), of, split)
    elif isinstance(record, Envelope | Envelope2):
        facts = {"version": record.version, "year": record.year, "domain": record.domain}
        yield FileEntry("file", split=record.split, attributes=facts)
        tasks = record.task_mapping if isinstance(record, Envelope) else UNSET
        for task in tasks or ():
            yield FileEntry("task", str(task.task_id), attributes=msgspec.to_builtins(task))


def shared_objects(context: Context) -> Iterator[Object]:
    """Gives the items of the catalogues."""
    yield from context.catalogue.values()
