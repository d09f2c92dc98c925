"""Predicted frames, as the official script takes them: Frames dialogues with predictions."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import TaskError
from commonground.predictions import decode_json, read_predictions
from commonground.task import Tally

ADVICE = "Name a list of Frames dialogues whose user turns have `predictions`."


class AnswerTurn(msgspec.Struct):
    """A turn with its predictions, ``{"acts": [...]}``; null where there are none."""

    predictions: Any = None


class Answer(msgspec.Struct):
    """A dialogue with predictions; the id may be the key that it stands under instead."""

    turns: list[AnswerTurn]
    id: str = ""
    user_id: str | None = None


_ANSWERS = msgspec.json.Decoder(list[Answer])


def read_answers(path: Path, tally: Tally) -> dict[str, Answer]:
    """Reads a file of predictions: a list of dialogues, or an object of dialogues by id.

    Of dialogues of the same id the last one counts, as in the official script.

    Raises:
        SourceError: the file cannot be read.
        TaskError: it has no dialogue.
    """
    answers: dict[str, Answer] = {}
    for answer in _list_answers(path, tally):
        if answer.id in answers:
            tally.add("repeated dialogues", answer.id)
        answers[answer.id] = answer
    if not answers:
        raise TaskError(f"{path.name} has no dialogue: expected `id` and `turns` in each.", ADVICE)
    return answers


def _list_answers(path: Path, tally: Tally) -> Iterator[Answer]:
    data = read_predictions(path)
    try:
        yield from _ANSWERS.decode(data)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        yield from _list_odd_answers(path, data, tally)


def _list_odd_answers(path: Path, data: bytes, tally: Tally) -> Iterator[Answer]:
    """Gives what can be read of a file that is no plain list, such as one with ``NaN``."""
    try:
        found = decode_json(data)
    except ValueError as error:
        problem = f"{path.name} is not JSON, or was cut off: {error}."
        raise TaskError(problem, "Write it again; the official script stops, too.") from error
    if not isinstance(found, list | dict):
        kind = type(found).__name__
        raise TaskError(f"{path.name} has no dialogues: expected a list, found {kind}.", ADVICE)
    items = found.items() if isinstance(found, dict) else enumerate(found)
    for key, item in items:
        try:
            answer = msgspec.convert(item, Answer)
        except (msgspec.ValidationError, RecursionError) as error:
            tally.add("not dialogues", f"{key}: {error}")
            continue
        if isinstance(key, str):
            answer.id = key
        yield answer
