"""Files of predictions of both tasks: how they are read, and how baselines write them."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import TaskError
from commonground.files.predictions import decode_json, read_predictions, write_lines
from commonground.task import Instance, Problem, Tally

NO_SCRIPT = "none was released; here "


class Predictions(msgspec.Struct):
    """The first line of each known instance, by id, and what is wrong with the other lines."""

    by_id: dict[str, dict[str, Any]] = {}
    problems: list[Problem] = []


def read_text(path: Path) -> str:
    """Reads a file of predictions.

    Raises:
        SourceError: it cannot be read.
        TaskError: it is empty or not UTF-8.
    """
    try:
        return read_predictions(path).decode()
    except UnicodeDecodeError as error:
        raise TaskError(f"{path} is not UTF-8 at byte {error.start}.") from error


def parse_json_lines(text: str, path: Path, known: Collection[str], advice: str) -> Predictions:
    """Parses JSON lines.

    Args:
        text: what the file holds.
        path: its path, for messages.
        known: ids of the instances.
        advice: how a line should look.

    Raises:
        TaskError: no line is for an instance.
    """
    found, faults = Predictions(), Tally(prefix=NO_SCRIPT)
    # Not `splitlines`: JSON strings may hold characters that it divides at, such as U+2028.
    for number, line in enumerate(text.split("\n"), 1):
        if line.strip():
            _add_line(line, f"line {number}", found, faults, known)
    found.problems = faults.problems()
    if not found.by_id:
        problems = "; ".join(f"{p.count} {p.kind} ({p.example})" for p in found.problems)
        expected = f"Expected ids such as {next(iter(known), '')!r}: found {problems}."
        raise TaskError(f"No line of {path} is for an instance. {expected}", advice)
    return found


def _add_line(
    line: str, place: str, found: Predictions, faults: Tally, known: Collection[str]
) -> None:
    try:
        value = decode_json(line.encode())
    except ValueError:
        faults.add("lines that are not JSON", place, "they are ignored.")
        return
    name = value.get("instance_id") if isinstance(value, dict) else None
    if not isinstance(name, str):
        faults.add("lines without instance_id", place, "they are ignored.")
    elif name not in known:
        faults.add("unknown instances", f"{place}: {name}", "they are ignored.")
    elif name in found.by_id:
        faults.add("repeated instances", f"{place}: {name}", "the first one counts.")
    else:
        found.by_id[name] = value


def unique_id(name: str, taken: Collection[str]) -> str:
    """Returns an id that is not taken: the name itself, or with ``#2`` and so on after it."""
    if name not in taken:
        return name
    number = 2
    while f"{name}#{number}" in taken:
        number += 1
    return f"{name}#{number}"


def take_sample(instances: Sequence[Instance], most: int, seed: int) -> Sequence[Instance]:
    """Returns at most so many instances, chosen by chance, in their order.

    Args:
        instances: instances, in order.
        most: how many are enough.
        seed: of the choice.
    """
    if len(instances) <= most:
        return instances
    chosen = sorted(random.Random(seed).sample(range(len(instances)), most))
    return [instances[place] for place in chosen]


def write_answers(answers: Iterable[tuple[Instance, dict[str, Any]]], path: Path) -> None:
    """Writes one JSON object a line: the instance's id, and what is said of it."""
    write_lines(path, ({"instance_id": one.instance_id, **answer} for one, answer in answers))
