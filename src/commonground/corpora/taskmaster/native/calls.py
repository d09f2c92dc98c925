"""Taskmaster-4's API calls, put together from their flat annotations."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import msgspec

from commonground.corpora.taskmaster.native.dialogues import CallNote
from commonground.files.reading import ConversionError
from commonground.model import Json


class CoffeeCall(msgspec.Struct, gc=False):
    """An API call of generation 4.

    Attributes:
        call_id: its released context, such as ``api_call_3``.
        name: the API.
        arguments: the request, parsed; the text itself where it is not JSON; null where the
            release has none.
        result: the response, likewise.
        answered: the name that stands at the response, where that is another; else null.
    """

    call_id: str
    name: str
    arguments: Json
    result: Json
    answered: str | None = None


_decode = msgspec.json.Decoder().decode
_CALL, _RESPONSE = "api_call_", "api_response_"


def parse_body(text: str) -> Json:
    """Parses a request or response.

    Raises:
        ValueError: it is not JSON.
    """
    try:
        return _decode(text)
    except (msgspec.DecodeError, RecursionError, ValueError) as error:
        raise ValueError(str(error)) from None


def read_body(text: str | None) -> Json:
    """Parses a request or response; gives the text itself where it is not JSON."""
    if text is None:
        return None
    try:
        return parse_body(text)
    except ValueError:
        return text


@lru_cache(maxsize=1024)
def call_number(name: str, context: str) -> str | None:
    """Returns the number in the context of a part; null where the two do not go together."""
    prefix = _CALL if name in ("api_call", "request") else _RESPONSE
    number = context[len(prefix) :]
    # ``isdecimal`` takes the digits of all scripts; only those of ASCII were released.
    if context.startswith(prefix) and number.isdecimal() and number.isascii():
        return number
    return None


def combine_calls(notes: Sequence[CallNote], path: str) -> list[CoffeeCall]:
    """Puts the parts of each call of one utterance together, in order of first mention.

    Raises:
        ConversionError: a context is of another form, a part comes twice, or a part belongs to
            a call that is not there.
    """
    groups: dict[str, dict[str, str]] = {}
    for i, note in enumerate(notes):
        number = call_number(note.name, note.context)
        if number is None:
            expected = "api_call_N or api_response_N, as the part's name asks for"
            raise ConversionError(f"{path}[{i}].context", expected, note.context)
        parts = groups.setdefault(number, {})
        if note.name in parts:
            raise ConversionError(f"{path}[{i}]", f"one {note.name} per call", note.value)
        parts[note.name] = note.value
    calls = []
    for number, parts in groups.items():
        if "api_call" not in parts:
            raise ConversionError(path, f"an api_call numbered {number}", sorted(parts))
        arguments = read_body(parts.get("request"))
        result = read_body(parts.get("response"))
        name, answered = parts["api_call"], parts.get("api_response")
        other = None if answered == name else answered
        calls.append(CoffeeCall(_CALL + number, name, arguments, result, other))
    return calls
