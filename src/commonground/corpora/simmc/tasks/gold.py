"""Right answers of sub-tasks 1 and 2 by number of the dialogue, of released files of any format."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from commonground.corpora.simmc.tasks.answers import Format, GoldFile
from commonground.corpora.simmc.tasks.lines import choose_targets, read_line_records
from commonground.corpora.simmc.tasks.released import (
    NUMBERS,
    TITLES,
    Released,
    describe_gold,
    read_released,
)
from commonground.errors import TaskError
from commonground.task import Gold

ReadRecord = Callable[[dict[str, Any], Released], Sequence[Any]]
"""Gives the right answers of a dialogue's turns; empty where the record has none."""


def read_gold(
    gold: Gold,
    entries: Sequence[Any],
    form: Format,
    whole: Mapping[str, ReadRecord],
    lines: ReadRecord,
) -> list[GoldFile]:
    """Reads the right answers, one object for each file that has any.

    Args:
        gold: where they are.
        entries: the predictions, which may tell the numbers of dialogues in target lines.
        form: how the predictions look.
        whole: reads a record, by the format of its file.
        lines: reads a dialogue of target lines, see ``read_line_records``.

    Raises:
        TaskError: there are none, or their dialogues have no numbers.
        SourceError: a file cannot be read.
    """
    formats = (*whole, "targets")
    beside = [each for each in TITLES if each not in formats]
    sources = read_released(gold, formats, beside)
    files = [_read_whole(each, whole[each.format]) for each in sources if each.format in whole]
    predicted = _count_turns(entries, form)
    targets = choose_targets(sources)
    files += [_read_lines(each, sources, predicted, lines) for each in targets]
    found = [_keep(each, gold.dialogues) for each in files if each.dialogues]
    if not found:
        wanted = " or ".join(TITLES[each] for each in whole)
        raise TaskError(
            f"There are no right answers with numbers of their dialogues in {describe_gold(gold)}.",
            f"Name a file of {wanted} of the same domain and split; target lines that have right "
            "answers get numbers from it, or from predictions of every turn in their order.",
        )
    return found


def _read_whole(released: Released, read: ReadRecord) -> GoldFile:
    key = NUMBERS[released.format]
    dialogues = {each[key]: read(each, released) for each in released.records}
    return GoldFile(released.domain, dialogues, released.split)


def _read_lines(
    source: Released, others: Sequence[Released], predicted: Mapping[int, int], read: ReadRecord
) -> GoldFile:
    """Reads target lines; there are none where nothing tells the numbers of their dialogues."""
    records = (record for _name, record in read_line_records(source, others, predicted))
    said = {each["dialogue_idx"]: read(each, source) for each in records if "dialogue_idx" in each}
    turned = {number: turns for number, turns in said.items() if turns}
    return GoldFile(source.domain, turned, source.split)


def _count_turns(entries: Sequence[Any], form: Format) -> dict[int, int]:
    """Returns the number of predicted turns by dialogue, in the order of the predictions."""
    listed = [each for each in entries if isinstance(each, dict)]
    return {
        each["dialog_id"]: len(each[form.items])
        for each in listed
        if isinstance(each.get("dialog_id"), int) and isinstance(each.get(form.items), list)
    }


def _keep(file: GoldFile, dialogues: frozenset[str] | None) -> GoldFile:
    if dialogues is None:
        return file
    kept = {n: turns for n, turns in file.dialogues.items() if file.dialogue_id(n) in dialogues}
    return GoldFile(file.domain, kept, file.split)
