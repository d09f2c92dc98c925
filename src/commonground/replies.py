"""JSON, numbers, flags and calls as language models write them: ``25``, ``25.0`` and ``"25"``.

JSON has one kind of number, so 25.0 is 25. Whether text and number, or true and 1, are the same is
for each metric to say; what an official script tells apart stays apart.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec


class UnknownNameError(ValueError):
    """A reply names what is not there, such as a candidate that was not shown."""


def read_number(value: Any) -> float:
    """Reads a number, which may stand in quotation marks; true and false are none.

    Raises:
        ValueError: it is no number.
    """
    if isinstance(value, bool) or not isinstance(value, int | float | str):
        raise ValueError(f"{value!r} is not a number")
    return float(value)


def read_whole(value: Any) -> int:
    """Reads a whole number: 4, 4.0 and ``"4"`` are 4; 4.7 is none, as cutting it would invent.

    Raises:
        ValueError: it is none.
    """
    number = read_number(value)
    if not number.is_integer():
        raise ValueError(f"{value!r} is not a whole number")
    return int(number)


def unify_numbers(value: Any) -> Any:
    """Returns a value in which whole numbers are written in one way: 25 for 25.0.

    Texts stay what they are, and so do flags: metrics that compare letters tell them apart.
    """
    if isinstance(value, float) and value.is_integer():
        return int(value)
    if isinstance(value, list):
        return [unify_numbers(each) for each in value]
    if isinstance(value, dict):
        return {name: unify_numbers(each) for name, each in value.items()}
    return value


def name_empty_call(error: str) -> str | None:
    """Returns the name of a call without arguments that inspect_ai took for an error.

    Its provider ``hf`` refuses ``{"name": "wait", "arguments": {}}``, since an empty object counts
    as none in Python; what the model wrote stands in the error between two empty lines.

    Args:
        error: ``parse_error`` of the call.

    Returns:
        The name; None where something else was wrong.
    """
    written = error.partition("\n\n")[2].rpartition("\n\n")[0]
    try:
        call = msgspec.json.decode(written)
    except (msgspec.DecodeError, RecursionError):
        return None
    if not isinstance(call, dict) or call.keys() - {"name", "arguments", "parameters"}:
        return None
    name = call.pop("name", None)
    is_empty = all(value in ({}, None) for value in call.values())
    return name if isinstance(name, str) and name and is_empty else None


def read_json(text: str) -> Any:
    """Reads JSON that stands alone or in a code fence, with words beside it.

    Raises:
        ValueError: it is none.
    """
    return msgspec.json.decode(_find_json(text.strip()))


def _find_json(text: str) -> str:
    # The last fence counts: models that think aloud give their answer at the end.
    # Such as: Here it is:\n```json\n[...]\n``` -- the part between the fences.
    fenced = re.findall(r"```(?:json)?\s*\n(.*?)```", text, re.DOTALL)
    return fenced[-1] if fenced else text
