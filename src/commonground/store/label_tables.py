"""Labels as CSV, a row for each vote: what spreadsheets, pandas and R read, and what they write."""

from __future__ import annotations

import csv
import io
from collections.abc import Mapping

import msgspec

from commonground.errors import FormatError
from commonground.files.spreadsheets import arm, write_sheet
from commonground.store.label_files import Decision, Label, LabelFile, find_label, read_labels

COLUMNS = (
    *("layer", "corpus", "question", "dialogue_id", "event", "candidate", "text", "of"),
    *("person", "answer", "label", "decided", "decided_by", "decided_at", "note"),
)
"""All columns; ``label`` is worked out again when a table is read."""

NEEDED = ("dialogue_id", "event", "answer")
"""Columns that a table of one's own has at least; where it has no ``person``, each row of an event
is of another one."""

_WHOLE = ("layer", "corpus", "question")
"""Columns that say the same in each row, or are said beside the table."""


def write_label_table(file: LabelFile) -> str:
    """Writes a file of labels as CSV, a row for each vote, marked as UTF-8."""
    rows = []
    for label in file.labels:
        decision = label.decision
        decided = (
            (None, None, None, None)
            if decision is None
            else (decision.answer, decision.by, decision.at, decision.note)
        )
        about = (label.dialogue_id, label.event, label.candidate, label.text, label.of)
        for person, answer in label.votes:
            whole = (file.layer, file.corpus, file.question)
            rows.append((*whole, *about, person, answer, label.label, *decided))
    return write_sheet(COLUMNS, rows)


def read_label_table(name: str, data: bytes, said: Mapping[str, str | None]) -> LabelFile:
    """Reads labels from CSV: a table that :func:`write_label_table` wrote, or one of one's own.

    Args:
        name: of the file, for messages about it.
        said: ``layer``, ``corpus`` and ``question``, where the table does not say them.

    Raises:
        FormatError: a column is missing, a row is not as it must be, or the labels make no sense;
            says where.
    """
    try:
        reader = csv.DictReader(io.StringIO(data.decode("utf-8-sig")), strict=True)
        rows = [_arm(row) for row in reader]
    except (UnicodeDecodeError, csv.Error) as error:
        raise FormatError(f"{name} is not CSV in UTF-8: {error}.") from error
    missing = [each for each in NEEDED if each not in (reader.fieldnames or ())]
    if missing:
        expected = f"the columns {', '.join(NEEDED)}"
        raise FormatError(f"{name}: expected {expected}; missing: {', '.join(missing)}.")
    whole = {each: _read_whole(name, each, rows, said.get(each)) for each in _WHOLE}
    labels: dict[tuple[str, int, str], Label] = {}
    for number, row in enumerate(rows, 2):
        _add(labels, row, f"{name}, line {number}")
    answers = dict.fromkeys(answer for each in labels.values() for _, answer in each.votes)
    answers |= dict.fromkeys(e.decision.answer for e in labels.values() if e.decision is not None)
    file = LabelFile(
        layer=whole["layer"],
        corpus=whole["corpus"],
        question=whole["question"],
        answers=list(answers),
        people=max((len(each.votes) for each in labels.values()), default=0),
        labels=[msgspec.structs.replace(e, label=find_label(e)) for e in labels.values()],
    )
    # Held to the same rules as files of labels.
    return read_labels(name, msgspec.json.encode(file))


def _arm(row: dict[str, str | None]) -> dict[str, str]:
    return {key: arm(value) for key, value in row.items() if key is not None and value}


def _read_whole(name: str, column: str, rows: list[dict[str, str]], said: str | None) -> str:
    found = {each[column] for each in rows if column in each}
    if said is not None:
        return said
    if len(found) != 1:
        held = f"found {len(found)} different ones" if found else "found none"
        raise FormatError(
            f"{name}: expected one {column}, in a column of its own, {held}.",
            f"Say it as --{column}.",
        )
    return found.pop()


def _add(labels: dict[tuple[str, int, str], Label], row: Mapping[str, str], where: str) -> None:
    absent = [each for each in NEEDED if each not in row]
    if absent:
        raise FormatError(f"{where}: {absent[0]}: expected a value, found nothing.")
    if not row["event"].isdecimal():
        raise FormatError(f"{where}: event: expected a number from 0, found {row['event']!r}.")
    key = (row["dialogue_id"], int(row["event"]), row.get("candidate", ""))
    label = labels.get(key)
    if label is None:
        decision = None
        if "decided" in row:
            by, at = row.get("decided_by", "unnamed"), row.get("decided_at")
            decision = Decision(row["decided"], by, at, row.get("note", ""))
        label = labels[key] = Label(
            dialogue_id=key[0],
            event=key[1],
            votes=[],
            label=None,
            candidate=key[2] or None,
            text=row.get("text"),
            of=row.get("of"),
            decision=decision,
        )
    label.votes.append((row.get("person", f"P{len(label.votes) + 1}"), row["answer"]))
