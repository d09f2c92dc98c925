"""The threads that are ranked on, as far as the authors' loaders read them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Generic, TypeVar

import msgspec

from commonground.corpora.mpchat.native import LabelledPersona, Persona, Thread
from commonground.errors import TaskError, unknown_name
from commonground.files.sources import Document, list_json
from commonground.records import UnsetType, choose_fields
from commonground.task import Gold

T = TypeVar("T", bound=Thread)


class RankedThread(msgspec.Struct, Generic[T], frozen=True):
    """A thread; id and split are as in the store.

    Attributes:
        record: the released record; fields that no loader of the authors reads are not there.
        dialogue_id: its id.
        split: its split; None where it is read from the store, which knows.
    """

    record: T
    dialogue_id: str
    split: str | None = None


class Example(msgspec.Struct, frozen=True):
    """A ranking to make.

    Attributes:
        thread: where it is from.
        turn: number of the message it is about, from 0; its event in the store too.
        inputs: what the authors' models are given, without the candidates.
        candidates: what is ranked, the right one first; None where none were released.
        answer: what is right; None where it is in doubt.
    """

    thread: RankedThread[Any]
    turn: int
    inputs: dict[str, Any]
    candidates: list[Any] | None
    answer: Any

    @property
    def instance_id(self) -> str:
        """Id of the instance: its dialogue, and the number of the message in it."""
        return f"{self.thread.dialogue_id}:{self.turn}"


class Source(msgspec.Struct, Generic[T], frozen=True):
    """Which records a task has.

    Attributes:
        name: ``nrp``, ``gpp`` or ``si``: its file format in the store.
        record: type of a thread, as far as it is read.
        key: a field that only this task's threads have.
    """

    name: str
    record: type[T]
    key: str


# Only what the authors' loaders read: files that lack anything else can be scored all the same.
_PERSONA = "id title file_name? author?"
_THREAD = "messages main_author authors message_ids? has_image? file_name?"


def make_source(name: str, record: type[T], fields: str) -> Source[T]:
    """Makes the source of a task.

    Args:
        name: ``nrp``, ``gpp`` or ``si``.
        record: the native record of its threads.
        fields: those that only this task reads, as :func:`~commonground.records.choose_fields`
            takes them; the first one is in the files of this task only.
    """
    read: dict[type, str] = {
        record: f"{_THREAD} {fields}",
        Persona: _PERSONA,
        LabelledPersona: _PERSONA,
    }
    return Source(name, choose_fields(record, read), fields.split()[0])


def load_threads(source: Source[T], gold: Gold) -> Iterator[RankedThread[T]]:
    """Gives the threads of a gold source, of its split where it names one.

    Raises:
        TaskError: no file is one of the task, or there is no gold source.
        UsageError: there is no such split.
    """
    if gold.files:
        yield from _load_files(source, gold)
    elif gold.corpus is not None:
        yield from _load_store(source, gold)
    else:
        advice = f"Name mpchat_{source.name}.json or import it."
        raise TaskError("There is nothing to score against.", advice)


def _load_files(source: Source[T], gold: Gold) -> Iterator[RankedThread[T]]:
    seen: dict[str, int] = {}
    found = False
    for document in list_json(gold.files):
        try:
            splits = _read_splits(source, document)
            if splits is None:
                continue
            found = True
            for split, raw in _select(splits, gold.split):
                record = msgspec.json.decode(raw, type=source.record)
                name = _name_thread(source, record, seen)
                if gold.keeps(name):
                    yield RankedThread(record, name, split)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
            problem = f"{document.name} is not a file of MPChat threads: {error}."
            raise TaskError(problem, f"Name the released mpchat_{source.name}.json.") from error
    if not found:
        names = ", ".join(path.name for path in gold.files)
        problem = f"None of {names} is a file of this task: no thread has `{source.key}`."
        raise TaskError(problem, f"Name the released mpchat_{source.name}.json.")


def _read_splits(source: Source[T], document: Document) -> dict[str, list[msgspec.Raw]] | None:
    """Returns the threads of each split; None for a file of anything else, such as addresses."""
    try:
        splits = msgspec.json.decode(document.read(), type=dict[str, list[msgspec.Raw]])
        first = next((raw for raws in splits.values() for raw in raws), None)
        fields = {} if first is None else msgspec.json.decode(first, type=dict[str, msgspec.Raw])
    except msgspec.ValidationError:
        return None
    return splits if source.key in fields else None


def _select(
    splits: dict[str, list[msgspec.Raw]], split: str | None
) -> Iterator[tuple[str, msgspec.Raw]]:
    if split is not None and split not in splits:
        raise unknown_name("split", split, splits)
    for name, raws in splits.items():
        if split in (None, name):
            yield from ((name, raw) for raw in raws)


def _name_thread(source: Source[T], thread: T, seen: dict[str, int]) -> str:
    """Returns the id that the store gives a thread; a repeated one has its number behind it."""
    # No loader reads the ids, so that a file may lack them.
    ids = thread.message_ids or []
    name = "-".join([source.name, *ids[:1], *ids[-1:], thread.main_author])
    seen[name] = seen.get(name, 0) + 1
    return name if seen[name] == 1 else f"{name}~{seen[name]}"


def _load_store(source: Source[T], gold: Gold) -> Iterator[RankedThread[T]]:
    query = "SELECT dialogue_id, json FROM native WHERE corpus = ? AND format = ?"
    ids = gold.corpus.ids(gold.split)
    records = dict(gold.corpus.rows(query, [gold.corpus.name, source.name]))
    for dialogue_id in ids:
        # The store has the threads of all three tasks; `records` those of this one.
        if dialogue_id in records:
            record = msgspec.json.decode(records[dialogue_id], type=source.record)
            yield RankedThread(record, dialogue_id)


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
