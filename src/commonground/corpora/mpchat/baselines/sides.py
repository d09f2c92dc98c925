"""The two sides of a ranking: what is known of the one in question, and what may be chosen."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec

from commonground.task import Instance


class Side(msgspec.Struct, frozen=True):
    """What a task ranks by.

    Attributes:
        task: its name.
        parts: inputs that make the question: ``context``, ``response`` or ``personas``.
        extra: the input that is left out of it at first, to show what it is worth.
        read: gives the texts of an option.
    """

    task: str
    parts: tuple[str, ...]
    extra: str
    read: Callable[[Any], tuple[str, ...]]


Texts = tuple[str, ...]


def read_message(option: Any) -> Texts:
    """Returns the text of a response."""
    return (option,)


def read_element(option: Any) -> Texts:
    """Returns the title of a persona element; the names of image files tell nothing."""
    return (option["title"],)


def read_persona(option: Any) -> Texts:
    """Returns the titles of all elements of a persona."""
    return tuple(element["title"] for element in option)


def read_part(instance: Instance, part: str) -> Texts:
    """Returns the texts of an input, in order."""
    given = instance.inputs[part]
    if part == "personas":
        return read_persona(given)
    return (given,) if isinstance(given, str) else tuple(given)


def read_question(instance: Instance, parts: Sequence[str]) -> str:
    """Returns all texts of some inputs in one."""
    return "\n".join(text for part in parts for text in read_part(instance, part))
