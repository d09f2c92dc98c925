"""JSON, numbers, flags and calls as language models write them: ``25``, ``25.0`` and ``"25"``.

JSON has one kind of number, so 25.0 is 25. Whether text and number, or true and 1, are the same is
for each metric to say; what an official script tells apart stays apart.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

_NAMES = "(?:think|thinking|thought|reasoning)"
_THOUGHT_START = re.compile(rf"<{_NAMES}>", re.IGNORECASE)
_THOUGHT_END = re.compile(rf"</{_NAMES}>", re.IGNORECASE)
_THOUGHT = re.compile(rf"<({_NAMES})>.*?</\1>", re.IGNORECASE | re.DOTALL)
_FENCE = re.compile(r"```(.*?)```", re.DOTALL)
_FENCE_TAG = re.compile(r"^[\w+.-]*\s+")
_OPENING = re.compile(r"[\[{]")
_MOST_FAILURES = 200
"""Brackets that open no JSON after which a text is searched no further: each try costs time."""


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
    as none in Python; what the model wrote stands in the call's ``parse_error`` between two empty
    lines. It is None where something else was wrong.
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


def drop_thoughts(text: str) -> str:
    """Returns what a model answered, without the blocks in which it thinks: ``<think>...</think>``.

    A block that is never closed takes in the rest, and one whose opening tag the chat template
    has written begins with the text.
    """
    text = _THOUGHT.sub("", text)
    closed = list(_THOUGHT_END.finditer(text))
    text = text[closed[-1].end() :] if closed else text
    opened = _THOUGHT_START.search(text)
    return (text[: opened.start()] if opened else text).strip()


def read_json(text: str, *, only: bool = False) -> Any:
    """Reads JSON that stands alone, in a code fence of any tag, or among words.

    Where there are several fences or values, the last one counts: models that reason give their
    answer at the end. Blocks in which a model thinks are passed over.

    Args:
        text: what a model said.
        only: whether several values among words are none, as of acts no more than one is done.

    Raises:
        ValueError: there is none.
    """
    text = drop_thoughts(text)
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError) as error:
        for candidate in _list_candidates(text, only=only):
            try:
                return msgspec.json.decode(candidate)
            except (msgspec.DecodeError, RecursionError):
                continue
        raise ValueError(str(error)) from error


def _list_candidates(text: str, *, only: bool) -> Iterator[str]:
    """Yields the parts of a text that may be its JSON, the likeliest first."""
    for fenced in reversed(_FENCE.findall(text)):
        yield fenced
        # The tag may stand on the same line: ```json [...] ```.
        yield _FENCE_TAG.sub("", fenced, count=1)
    values = _find_values(text)
    if not (only and len(values) > 1):
        yield from reversed(values)


def _find_values(text: str) -> list[str]:
    """Returns the lists and objects that stand in a text, in order."""
    found: list[str] = []
    decoder, at, failures = json.JSONDecoder(), 0, 0
    while failures < _MOST_FAILURES and (opening := _OPENING.search(text, at)) is not None:
        try:
            _, at = decoder.raw_decode(text, opening.start())
        except (ValueError, RecursionError):
            at, failures = opening.end(), failures + 1
        else:
            found.append(text[opening.start() : at])
    return found


def read_object(value: Any) -> Any:
    """Returns an object that was written as a text of JSON, as OpenAI's API does with arguments.

    Any other value is returned as it is.
    """
    if not isinstance(value, str) or not value.lstrip().startswith("{"):
        return value
    try:
        decoded = msgspec.json.decode(value)
    except (msgspec.DecodeError, RecursionError):
        return value
    return decoded if isinstance(decoded, dict) else value
