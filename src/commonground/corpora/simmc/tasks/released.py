"""Right answers of SIMMC's tasks: released files, named by the user or kept in the store."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from types import GenericAlias
from typing import Any

import msgspec

from commonground.corpora.simmc.native.simmc1 import (
    ApiCalls,
    Choice,
    Choices,
    Dialogue1,
    domain_of_name,
    split_of_name,
)
from commonground.corpora.simmc.tasks.beliefs import BELIEF_STARTS, split_lines
from commonground.errors import TaskError
from commonground.files.dividing import peek_record
from commonground.files.predictions import decode_json
from commonground.files.sources import list_documents, read_path
from commonground.printing import count_of
from commonground.records import choose_fields
from commonground.task import Gold

TITLES = {
    "targets": "target lines (*_target.txt)",
    "dials": "dialogues (*_dials.json)",
    "api_calls": "API calls (*_api_calls.json)",
    "retrieval": "candidates (*_retrieval_candidates.json)",
}
"""Formats of released files that hold right answers."""


class Released(msgspec.Struct, frozen=True):
    """A released file.

    Attributes:
        name: its path.
        format: a key of :data:`TITLES`.
        domain: ``fashion`` or ``furniture``; None where the file does not say.
        records: its dialogues, or its lines.
        pool: answers that candidates are numbers of.
    """

    name: str
    format: str
    domain: str | None
    records: list[Any]
    pool: list[str] = []

    def dialogues(self) -> Iterator[ReleasedDialogue]:
        """Yields the records of its dialogues; lines have none."""
        for each in self.records:
            yield ReleasedDialogue(each, self)

    @property
    def split(self) -> str | None:
        """The split that its name speaks of."""
        return split_of_name(self.name.replace("\\", "/").rpartition("/")[2])


class ReleasedDialogue(msgspec.Struct, frozen=True):
    """What a released file, or target lines, say of one dialogue.

    Attributes:
        fields: the record, as released.
        file: the file.
    """

    fields: dict[str, Any]
    file: Released

    @property
    def number(self) -> Any:
        """The number of the dialogue."""
        return self.fields[NUMBERS[self.file.format]]

    def look_up(self, numbers: Sequence[int]) -> list[str]:
        """Returns the candidates of these numbers in the pool of its file.

        Raises:
            TaskError: the file has no answer of a number.
        """
        pool = self.file.pool
        odd = [number for number in numbers if not 0 <= number < len(pool)]
        if odd:
            raise TaskError(
                f"{self.file.name} names candidate {odd[0]}, but its `system_transcript_pool` has "
                f"{count_of(len(pool), 'answer')}.",
                "It may be damaged; take it from the authors again.",
            )
        return [pool[number] for number in numbers]

    def list_places(self) -> list[int | None]:
        """Returns the place of the right candidate of each turn; None where it is hidden.

        It is ``gt_index``. Where no turn of a dialogue has one the first is right, but for test
        sets.
        """
        # SIMMC 1.0 has no ``gt_index``: candidate 0 is right, in all 2,339 turns of which the
        # answer is known. SIMMC 2 has it, and test-std hides it.
        given = [choice.get("gt_index") for choice in self.fields["retrieval_candidates"]]
        hidden = "teststd" in self.file.name.replace("\\", "/").rpartition("/")[2]
        if hidden or any(place is not None for place in given):
            return given
        return [0] * len(given)


_SHAPES: dict[str, Any] = {
    "api_calls": choose_fields(ApiCalls, {ApiCalls: "dialog_id actions"}),
    "retrieval": choose_fields(
        Choices,
        {Choices: "dialogue_idx retrieval_candidates", Choice: "retrieval_candidates gt_index?"},
    ),
    "dials": choose_fields(Dialogue1, {Dialogue1: "dialogue"}),
}
"""What the official scripts cannot do without; whatever else a file lacks does not stop them."""

NUMBERS = {"api_calls": "dialog_id", "retrieval": "dialogue_idx", "dials": "dialogue_idx"}
"""Where the number of a dialogue stands, by format."""


def read_released(gold: Gold, formats: Sequence[str], beside: Sequence[str] = ()) -> list[Released]:
    """Reads the released files of the named formats; those of other formats are passed over.

    Args:
        gold: where they are.
        formats: keys of :data:`TITLES` that hold the right answers wanted.
        beside: formats that only tell the numbers of dialogues.

    Dialogues that are not to be kept are left out, unless target lines are wanted: these get the
    numbers of their dialogues from whole files.

    Raises:
        TaskError: there is none, or one is not as the authors' files are.
        SourceError: a file cannot be read.
    """
    kinds = (*formats, *beside)
    found = _read_files(gold) if gold.files else _read_store(gold, kinds)
    chosen = [each for each in found if each.format in kinds]
    if not any(each.format in formats for each in chosen):
        wanted = " or ".join(TITLES[each] for each in formats)
        raise TaskError(
            f"There are no right answers in {describe_gold(gold)}.", f"Name a file of {wanted}."
        )
    for each in chosen:
        _check_shape(each)
    if gold.dialogues is None or "targets" in formats:
        return chosen
    return [_keep(each, gold.dialogues) for each in chosen]


def _check_shape(released: Released) -> None:
    if released.format not in _SHAPES:
        return
    try:
        msgspec.convert(released.records, GenericAlias(list, (_SHAPES[released.format],)))
    except msgspec.ValidationError as error:
        raise TaskError(
            f"{released.name} is not as a released file of {TITLES[released.format]}: {error}.",
            "It may be damaged; take it from the authors again.",
        ) from error


def _keep(released: Released, dialogues: frozenset[str]) -> Released:
    if released.format not in NUMBERS:
        return released
    key, domain = NUMBERS[released.format], released.domain or "simmc"
    kept = [each for each in released.records if f"{domain}-{each.get(key)}" in dialogues]
    return msgspec.structs.replace(released, records=kept)


def describe_gold(gold: Gold) -> str:
    """Returns the files of a gold source, or that it is the store, for messages."""
    if gold.corpus is None and not gold.files:
        return "what was named (nothing)"
    named = ", ".join(str(path) for path in gold.files) or "the store"
    return named + (f" for split {gold.split!r}" if gold.split else "")


def _read_files(gold: Gold) -> Iterator[Released]:
    """Reads files, and those in folders and archives; of other splits those that say so are left.

    A file that is named by itself is read whatever its name ends in.
    """
    for path in gold.files:
        if path.is_dir() or path.suffix.lower() == ".zip":
            # The reader of the import, so that folders and archives mean here what they mean there.
            for each in list_documents([path]).documents:
                if each.base.endswith((".json", ".txt")) and _is_of_split(each.base, gold):
                    yield _read(f"{path}/{each.name}", each.read())
        elif _is_of_split(path.name, gold):
            yield _read(str(path), read_path(path))


def _is_of_split(base: str, gold: Gold) -> bool:
    return gold.split is None or split_of_name(base) in (None, gold.split)


def _read(name: str, data: bytes) -> Released:
    try:
        return _recognise(name, decode_json(data))
    except ValueError:
        # Target files and target lines are no JSON.
        text = data.decode("utf-8", "replace")
        kind = "targets" if BELIEF_STARTS in text else "unknown"
        base = name.replace("\\", "/").rpartition("/")[2]
        return Released(name, kind, domain_of_name(base), split_lines(text))


def _recognise(name: str, value: Any) -> Released:
    domain = domain_of_name(name.replace("\\", "/"))
    # By what it holds, not by its name: the official scripts take files of any name.
    if isinstance(value, dict) and _are_dicts(value.get("dialogue_data"), "dialogue"):
        return Released(name, "dials", domain, value["dialogue_data"])
    if isinstance(value, dict) and _are_dicts(
        value.get("retrieval_candidates"), "retrieval_candidates"
    ):
        pool = value.get("system_transcript_pool")
        pool = pool if isinstance(pool, list) else []
        return Released(name, "retrieval", domain, value["retrieval_candidates"], pool)
    if _are_dicts(value, "actions"):
        # Only API calls of fashion have ``focus_images``, which tells what a renamed file is of.
        kind = domain or ("fashion" if "focus_images" in value[0] else "furniture")
        return Released(name, "api_calls", kind, value)
    return Released(name, "unknown", domain, [])


def _are_dicts(value: Any, key: str) -> bool:
    """Says whether a value is a list of objects that have a list under a key."""
    if not isinstance(value, list) or not value:
        return False
    return all(isinstance(each, dict) and isinstance(each.get(key), list) for each in value)


def _read_store(gold: Gold, formats: Sequence[str]) -> Iterator[Released]:
    if gold.corpus is None:
        return
    marks = ", ".join("?" for _ in formats)
    # Target lines are numbered by whole files, so what is to be kept is chosen afterwards.
    corpus = gold.corpus if gold.dialogues is None else gold.corpus.whole
    rows = corpus.rows(
        "SELECT source_file, source_path, format, json FROM native "
        f"WHERE corpus = ? AND format IN ({marks})",
        [gold.corpus.name, *formats],
    )
    files: dict[tuple[str, str], list[tuple[int, str]]] = {}
    for file, path, kind, text in rows:
        if gold.split in (None, split_of_name(file.rpartition("/")[2])):
            files.setdefault((file, kind), []).append((_number(path), text))
    for (file, kind), numbered in sorted(files.items()):
        yield _rebuild(file, kind, [text for _number, text in sorted(numbered)])


def _decode(text: str) -> dict[str, Any]:
    """Decodes a native record; one that is no JSON, which had a finding, is as good as empty."""
    return peek_record(text.encode(), dict[str, Any]) or {}


def _number(path: str) -> int:
    """Returns the place of a record in its file; what stands around the records is -1."""
    # The last number is that of the record; any before it are in names.
    numbers = re.findall(r"\d+", path)
    return int(numbers[-1]) if numbers else -1


def _rebuild(file: str, kind: str, texts: list[str]) -> Released:
    domain = domain_of_name(file)
    if kind == "targets":
        return Released(file, kind, domain, texts)
    records = [_decode(text) for text in texts]
    key = {"dials": "dialogue", "retrieval": "retrieval_candidates", "api_calls": "actions"}[kind]
    # The store keeps what stands around the records as a record too: it has no number.
    inner = [each for each in records if {"dialogue_idx", "dialog_id"} & each.keys()]
    pools = [each["system_transcript_pool"] for each in records if "system_transcript_pool" in each]
    whole = [each for each in inner if isinstance(each.get(key), list)]
    return Released(file, kind, domain, whole, pools[0] if pools else [])
