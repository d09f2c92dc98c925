"""Predicted scores of candidates: JSON lines, or the matrix that the official code computes on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import TaskError
from commonground.predictions import decode_typed, read_predictions
from commonground.task import Tally

ADVICE = 'Write lines such as {"dialogue_id": "...", "turn": 2, "scores": [...]}.'


class AnswerLine(msgspec.Struct):
    """The scores of one instance; ``label`` is the place of the right candidate among them."""

    dialogue_id: str
    turn: int
    scores: list[float]
    label: int = 0


class Matrix(msgspec.Struct):
    """The scores of all instances of a split in order; ``labels`` are all 0 where null."""

    logits: list[list[float]]
    labels: list[int] | None = None


class Answers(msgspec.Struct):
    """The scores of a file, by instance or in order; one of the two is null."""

    by_id: dict[str, AnswerLine] | None = None
    matrix: Matrix | None = None


def read_answers(path: Path, tally: Tally) -> Answers:
    """Reads a file of scores.

    Raises:
        SourceError: the file cannot be read.
        TaskError: it has no scores.
    """
    data = read_predictions(path)
    start = data.lstrip()[:1]
    if start == b"[" or (start == b"{" and b'"logits"' in data[:2000]):
        return Answers(matrix=_read_matrix(path, data))
    return Answers(by_id=_read_lines(path, data, tally))


def _read_matrix(path: Path, data: bytes) -> Matrix:
    wanted: Any = list[list[float]] if data.lstrip()[:1] == b"[" else Matrix
    try:
        found = decode_typed(data, wanted)
    except (msgspec.ValidationError, ValueError) as error:
        problem = f"{path.name} is no matrix of scores, or was cut off: {error}."
        raise TaskError(problem, "Write one list of scores per instance.") from error
    matrix = found if isinstance(found, Matrix) else Matrix(found)
    if matrix.labels is not None and len(matrix.labels) != len(matrix.logits):
        counts = f"{len(matrix.logits)} rows and {len(matrix.labels)} labels"
        raise TaskError(f"{path.name} has {counts}.", "Write one label per row, or none at all.")
    return matrix


def _read_lines(path: Path, data: bytes, tally: Tally) -> dict[str, AnswerLine]:
    answers: dict[str, AnswerLine] = {}
    fault = ""
    for number, line in _list_lines(data):
        try:
            answer: AnswerLine = decode_typed(line, AnswerLine)
        except (msgspec.ValidationError, ValueError) as error:
            fault = f"line {number}: {error}"
            tally.add("unreadable lines", fault)
            continue
        instance_id = f"{answer.dialogue_id}:{answer.turn}"
        if instance_id in answers:
            tally.add("repeated instances", instance_id)
        answers[instance_id] = answer
    if not answers:
        raise TaskError(f"{path.name} has no line of scores: {fault}.", ADVICE)
    return answers


def _list_lines(data: bytes) -> Iterator[tuple[int, bytes]]:
    for number, line in enumerate(data.splitlines(), 1):
        if line.strip():
            yield number, line
