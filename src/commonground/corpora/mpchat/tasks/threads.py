"""The threads that are ranked on, as far as the authors' loaders read them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any, NamedTuple

import msgspec

from commonground.corpora.mpchat.native import FORMATS, LabelledPersona, Persona, Thread
from commonground.files.formats import FileFormat
from commonground.files.gold import GoldRecord, read_dialogues
from commonground.records import UnsetType, choose_fields
from commonground.task import Gold, Instance, Tally


class RankingExample(NamedTuple):
    """A ranking to make, and the thread that it is from."""

    thread: GoldRecord
    instance: Instance


def make_example(
    thread: GoldRecord,
    turn: int,
    inputs: dict[str, Any],
    candidates: list[Any] | None,
    answer: Any,
) -> RankingExample:
    """Makes a ranking for a message.

    Args:
        turn: number of the message, from 0; its event in the store too.
        inputs: what the authors' models are given, without the candidates.
        candidates: what is ranked, the right one first; None where none were released.
        answer: what is right; None where it is in doubt.
    """
    instance = Instance(
        instance_id=f"{thread.dialogue_id}:{turn}",
        dialogue_id=thread.dialogue_id,
        event=turn,
        inputs=inputs if candidates is None else {**inputs, "candidates": candidates},
        gold=answer,
    )
    return RankingExample(thread, instance)


# Only what the authors' loaders read: files that lack anything else can be scored all the same.
_PERSONA = "id title file_name? author?"
_THREAD = "messages main_author authors message_ids? has_image? file_name?"


def choose_format(name: str, fields: str) -> FileFormat:
    """Returns the format of a task's threads, as far as the task reads them.

    Args:
        name: ``nrp``, ``gpp`` or ``si``.
        fields: those that only this task reads, as :func:`~commonground.records.choose_fields`
            takes them; the first one is in the files of this task only.
    """
    fmt = next(each for each in FORMATS if each.name == name)
    read: dict[type, str] = {
        fmt.record: f"{_THREAD} {fields}",
        Persona: _PERSONA,
        LabelledPersona: _PERSONA,
    }
    return msgspec.structs.replace(
        fmt,
        record=choose_fields(fmt.record, read),
        keys=frozenset(fields.split()[:1]),
        dialogue_id=partial(_name_thread, name),
    )


def _name_thread(task: str, thread: Thread, _document: str) -> str:
    # No loader reads the ids, so that a file may lack them.
    ids = thread.message_ids or []
    return "-".join([task, *ids[:1], *ids[-1:], thread.main_author])


def load_threads(fmt: FileFormat, gold: Gold, faults: Tally) -> Iterator[GoldRecord]:
    """Gives the threads of a gold source, of its split where it names one.

    Raises:
        TaskError: there are none.
        UsageError: there is no such split.
    """
    others = [each for each in FORMATS if each.name != fmt.name]
    return read_dialogues(gold, (fmt, *others), (fmt.name,), faults)


def describe_context(thread: Thread, turn: int) -> dict[str, Any]:
    """Returns the inputs that all tasks share: what was said before a message, and the image."""
    return {
        "context": thread.messages[:turn],
        "image": (thread.file_name or None) if thread.has_image else None,
    }


def describe_element(element: Persona) -> dict[str, Any]:
    """Returns what a model is given of a persona element."""
    return {"title": element.title, "image": element.file_name or None}


def nth_or_none(listed: list[Any] | UnsetType | None, turn: int) -> Any:
    """Returns what a parallel list holds for a message; None where it holds nothing."""
    if not listed or turn >= len(listed):
        return None
    return listed[turn] or None
