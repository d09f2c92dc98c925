"""Released files that hold right answers of SIMMC's tasks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from types import GenericAlias
from typing import Any

import msgspec

from commonground.corpora.simmc.native.catalogue import FORMATS as CATALOGUE_FORMATS
from commonground.corpora.simmc.native.simmc1 import FORMATS as JSON_FORMATS
from commonground.corpora.simmc.native.simmc1 import (
    ApiCalls,
    Choice,
    Choices,
    Dialogue1,
    domain_of_name,
    split_of_name,
)
from commonground.corpora.simmc.native.targets import FORMATS as TEXT_FORMATS
from commonground.corpora.simmc.tasks.beliefs import BELIEF_STARTS, split_lines
from commonground.errors import TaskError
from commonground.files.formats import FileFormat, TextRecord
from commonground.files.gold import GoldRecord, find_nothing, read_gold
from commonground.printing import count_of
from commonground.records import choose_fields
from commonground.task import Gold, Tally

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
    """The record that a released file, or target lines, have of one dialogue."""

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
                "It may be damaged; get it from the authors again.",
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

LISTS = {"api_calls": "actions", "retrieval": "retrieval_candidates", "dials": "dialogue"}
"""Where the turns of a dialogue stand, by format."""


def _parse_lines(text: str) -> Iterator[TextRecord]:
    for number, line in enumerate(split_lines(text), 1):
        yield TextRecord(number, line, line)


def _choose_format(fmt: FileFormat) -> FileFormat:
    """Returns a format as it is read here: what a record holds is looked at by the tasks."""
    if fmt.name == "targets":
        return msgspec.structs.replace(fmt, parse_text=_parse_lines)
    if fmt.name in LISTS:
        keys = frozenset({LISTS[fmt.name]})
        return msgspec.structs.replace(fmt, record=dict[str, Any], keys=keys, dialogue_id=None)
    return fmt


_NAMED = tuple(map(_choose_format, (*JSON_FORMATS, *TEXT_FORMATS, *CATALOGUE_FORMATS)))
# Lines cannot be known by their fields, so any text that no other name is of may be some.
_LINES = next(fmt for fmt in _NAMED if fmt.name == "targets")
_FORMATS = (*_NAMED, msgspec.structs.replace(_LINES, pattern=r".*\.txt"))


def read_released(
    gold: Gold,
    formats: Sequence[str],
    beside: Sequence[str] = (),
    faults: Tally | None = None,
) -> list[Released]:
    """Reads the released files of the named formats; those of other formats are passed over.

    Dialogues that are not to be kept are left out, unless target lines are wanted: these get the
    numbers of their dialogues from whole files.

    Args:
        formats: keys of :data:`TITLES` that hold the right answers wanted.
        beside: formats that only tell the numbers of dialogues.

    Raises:
        TaskError: there is none, or one is not as the authors' files are.
        SourceError: a file cannot be read.
    """
    faults = Tally() if faults is None else faults
    files: dict[str, Released] = {}
    for record in read_gold(gold, _FORMATS, (*formats, *beside), faults, whole=True):
        if gold.split in (None, split_of_name(record.document.rpartition("/")[2])):
            _add(record, files)
    chosen = [each for each in files.values() if _has_answers(each)]
    if not any(each.format in formats for each in chosen):
        raise find_nothing(gold, [fmt for fmt in _NAMED if fmt.name in formats], faults)
    for each in chosen:
        _check_shape(each)
    if gold.dialogues is None or "targets" in formats:
        return chosen
    return [_keep(each, gold.dialogues) for each in chosen]


def _add(each: GoldRecord, files: dict[str, Released]) -> None:
    file = files.get(each.document)
    if file is None:
        file = Released(each.document, each.format, _find_domain(each), [], [])
        files[each.document] = file
    if each.raw.is_envelope:
        file.pool.extend(each.record.get("system_transcript_pool") or ())
    # A dialogue without turns is none to score.
    elif each.format == "targets" or isinstance(each.record.get(LISTS[each.format]), list):
        file.records.append(each.record)


def _find_domain(each: GoldRecord) -> str | None:
    domain = domain_of_name(each.document)
    if domain is None and each.format == "api_calls":
        # Only API calls of fashion have ``focus_images``, which tells what a renamed file is of.
        return "fashion" if "focus_images" in each.record else "furniture"
    return domain


def _has_answers(released: Released) -> bool:
    """Says whether a file has records and, where it has lines, any with a belief state."""
    lines = released.records if released.format == "targets" else [BELIEF_STARTS]
    return bool(released.records) and any(BELIEF_STARTS in line for line in lines)


def _check_shape(released: Released) -> None:
    if released.format not in _SHAPES:
        return
    try:
        msgspec.convert(released.records, GenericAlias(list, (_SHAPES[released.format],)))
    except msgspec.ValidationError as error:
        raise TaskError(
            f"{released.name} does not have the form of a released file of "
            f"{TITLES[released.format]}: {error}.",
            "It may be damaged; get it from the authors again.",
        ) from error


def _keep(released: Released, dialogues: frozenset[str]) -> Released:
    if released.format not in NUMBERS:
        return released
    key, domain = NUMBERS[released.format], released.domain or "simmc"
    kept = [each for each in released.records if f"{domain}-{each.get(key)}" in dialogues]
    return msgspec.structs.replace(released, records=kept)
