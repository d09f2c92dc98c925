"""Files of predictions of PhotoBook's tasks: a JSON object a line, each with an ``instance_id``."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Generic, TypeVar

import msgspec

from commonground.corpora.photobook.games import NO_SCRIPT, load_games
from commonground.corpora.photobook.native import Game
from commonground.errors import TaskError
from commonground.files.predictions import decode_json, read_predictions
from commonground.task import MISSING, Gold, Instance, Prediction, Predictions, Tally

T = TypeVar("T")


class LineForm(msgspec.Struct, Generic[T], frozen=True):
    """What a line of a task's file holds.

    Attributes:
        things: what is predicted, in the plural: ``segments``.
        holds: what a line must hold beside its ``instance_id``: ``scores or targets``.
        is_held: whether a line holds that.
        take: makes the prediction. Arguments: the instance, the line, what counts its faults.
        advice: how a line must look.
        missing: what becomes of those without a line: ``they count as wrong.``.
    """

    things: str
    holds: str
    is_held: Callable[[dict[str, Any]], bool]
    take: Callable[[Instance, dict[str, Any], Tally], T]
    advice: str
    missing: str


ListGame = Callable[[str, Game, Tally], Iterable[Instance]]
"""Gives the instances of a game by its id, and counts what is no instance."""


def list_instances(list_game: ListGame, gold: Gold) -> Iterator[Instance]:
    """Yields the instances of all games, in order."""
    faults = Tally(prefix=NO_SCRIPT)
    for name, game in load_games(gold).by_id.items():
        yield from list_game(name, game, faults)


def read_lines(list_game: ListGame, form: LineForm[T], path: Path, gold: Gold) -> Predictions:
    """Reads a file of predictions; an instance without a line is missing.

    Raises:
        TaskError: nothing in the file can be scored.
        SourceError: a file cannot be read.
    """
    games, faults = load_games(gold), Tally(prefix=NO_SCRIPT)
    listed = (each for name, game in games.by_id.items() for each in list_game(name, game, faults))
    instances = {each.instance_id: each for each in listed}
    given = _read_lines(path, instances, form, faults)
    return Predictions(
        found=_pair_lines(instances, given, games.splits, form, faults),
        tally=faults,
        problems=games.problems,
    )


def _read_lines(
    path: Path, instances: Mapping[str, Instance], form: LineForm[T], faults: Tally
) -> dict[str, T | None]:
    """Reads predictions by instance; None where a line names one and nothing else can be read."""
    found: dict[str, T | None] = {}
    unscored = Tally(prefix=NO_SCRIPT)
    consequences = {
        f"repeated {form.things}": "the first one counts.",
        f"lines without {form.holds}": f"their {form.things} count as wrong.",
    }
    for number, line in enumerate(read_predictions(path).splitlines(), 1):
        if not line.strip():
            continue
        name, value = _read_line(line)
        place = f"line {number}" if name is None else f"line {number}: {name}"
        kind = _find_fault(name, value, instances, found, form)
        if kind is not None:
            for each in (faults, unscored):
                each.add(kind, place, consequences.get(kind, "they are ignored."))
            if name is not None and name in instances:
                found.setdefault(name, None)
        elif name is not None:
            found[name] = form.take(instances[name], value, faults)
    if all(each is None for each in found.values()):
        raise TaskError(f"No line of {path} can be scored: {unscored.describe()}.", form.advice)
    return found


def _pair_lines(
    instances: Mapping[str, Instance],
    given: Mapping[str, T | None],
    splits: Mapping[str, str | None],
    form: LineForm[T],
    faults: Tally,
) -> Iterator[Prediction]:
    for name, instance in instances.items():
        if name not in given:
            faults.add(f"missing {form.things}", name, f"{MISSING} {form.missing}")
        yield Prediction(
            instance=instance,
            value=given.get(name),
            split=splits.get(instance.dialogue_id),
            is_missing=name not in given,
        )


def _read_line(line: bytes) -> tuple[str | None, dict[str, Any]]:
    """Reads a line; unlike JSON proper, it may have NaN in it."""
    try:
        value = decode_json(line)
    except ValueError:
        return None, {}
    if not isinstance(value, dict):
        return None, {}
    name = value.get("instance_id")
    return name if isinstance(name, str) else None, value


def _find_fault(
    name: str | None,
    value: dict[str, Any],
    instances: Mapping[str, Instance],
    found: Mapping[str, T | None],
    form: LineForm[T],
) -> str | None:
    """Says why a line cannot be taken; None if it can."""
    if name is None:
        return "lines without instance_id" if value else "lines that are not JSON objects"
    if name not in instances:
        return f"unknown {form.things}"
    if found.get(name) is not None:
        return f"repeated {form.things}"
    return None if form.is_held(value) else f"lines without {form.holds}"
