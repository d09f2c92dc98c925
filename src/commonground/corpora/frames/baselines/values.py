"""Whether a frame has a value: the annotated frames hold other forms than the acts."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, Literal

State = Literal["same", "other", "none"]
"""What a frame has in a slot: the value, another one, or nothing."""

_DAY = re.compile(r"\b(jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*\.?\s+(\d{1,2})")
_NUMBER = re.compile(r"\$?\s*(\d[\d,]*(?:\.\d+)?)\s*(k|usd|dollars)?")


def normalise(value: Any) -> str:
    """Brings a value to the form in which it is compared: ``$1,700`` as ``1700``."""
    return _normalise(str(value))


@lru_cache(100_000)
def _normalise(value: str) -> str:
    text = value.strip().lower()
    day = _DAY.search(text)
    if day is not None:
        return f"{day[1]} {int(day[2])}"
    number = _NUMBER.fullmatch(text)
    if number is not None:
        amount = float(number[1].replace(",", "")) * (1000 if number[2] == "k" else 1)
        return f"{amount:g}"
    return text


def collect_values(frame: Mapping[str, Any]) -> dict[str, set[str]]:
    """Returns the values of each slot of a frame, in the form in which they are compared."""
    return {
        slot: {normalise(each["val"]) for each in held if not each.get("negated")}
        for slot, held in frame["info"].items()
    }


def compare_value(values: Mapping[str, set[str]], slot: str, value: Any) -> State:
    """Says what a frame has in a slot.

    Args:
        values: of the frame.
        slot: the slot.
        value: the value that is looked for; null asks for any.
    """
    held = values.get(slot)
    if not held:
        return "none"
    return "same" if value is None or normalise(value) in held else "other"


def find_mentioned(values: Mapping[str, set[str]], text: str) -> set[str]:
    """Returns the values of a frame that a text in lower case names, of three letters or more."""
    return {each for each in _flatten(values.values()) if len(each) > 2 and each in text}


def _flatten(held: Iterable[set[str]]) -> set[str]:
    return set().union(*held)
