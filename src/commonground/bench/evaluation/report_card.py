"""What a report card asks: fixed tasks, settings, and the one number of each task."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec

from commonground.task import Task


class CardTask(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A task of the card.

    Attributes:
        number: the one number, ``measure:value``.
        scripted: the baseline that stands for a script.
        part: part of the corpus; None for all.
    """

    task: str
    number: str
    scripted: str
    part: str | None = None


class Card(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """A report card.

    Attributes:
        version: of all that is said here.
        seed: of what is drawn, and of the order in which candidates are shown.
        variant: what is shown.
        dialogues: of each task; one question is asked about each.
    """

    version: int
    seed: int
    few_shot: int
    variant: str
    max_tokens: int
    dialogues: int
    tasks: list[CardTask]


@cache
def read_card() -> Card:
    """Reads the card of this version of commonground."""
    text = Path(__file__).with_name("report_card.toml").read_bytes()
    return msgspec.toml.decode(text, type=Card)


def choose_number(task: Task) -> str:
    """Returns the one number of a task, ``measure:value``: that of the card, or its first main."""
    named = {each.task: each.number for each in read_card().tasks}
    first = next(iter(task.main), f"{task.measures[0].name}:")
    return named.get(task.name, first)
