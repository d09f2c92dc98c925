"""Belief states in SIMMC's line format, read exactly as the official evaluation reads them.

A line is ``context => Belief State : ACT [ slot = value, slot = value ] ACT [  ] <EOB> answer``.
Other readings of the same lines, which lose less, are in ``targets.py``; these are for scores.

Source: facebookresearch/simmc@2747421 mm_dst/gpt2_dst/utils/convert.py.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any

from commonground.metrics.simmc_dst import BeliefFrame

BELIEF_STARTS = "=> Belief State :"
BELIEF_ENDS = "<EOB>"

_ACT_END = re.compile(r"[\w:?.]*")
_SLOT_END = re.compile(r"[A-Za-z0-9_./:]*")


def parse_lines(text: str) -> list[tuple[BeliefFrame, ...] | None]:
    """Parses a file, one turn a line; a line that cannot be parsed is null and scores as empty."""
    return [parse_line(line) for line in split_lines(text)]


def split_lines(text: str) -> list[str]:
    """Splits text into lines as reading a file does; the last line end begins no line."""
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    return lines if lines[-1] else lines[:-1]


def parse_line(line: str) -> tuple[BeliefFrame, ...] | None:
    """Parses one line; null where it has not exactly one belief state with exactly one end."""
    parts = line.split(BELIEF_STARTS)
    if len(parts) != 2:
        return None
    belief = parts[1].split(BELIEF_ENDS)
    return parse_belief(belief[0]) if len(belief) == 2 else None


@lru_cache(maxsize=8192)  # a dialogue says the same again and again, and so do right answers
def parse_belief(text: str) -> tuple[BeliefFrame, ...]:
    """Parses ``ACT [ slot = value, slot = value ] ACT [  ]``.

    An act is the last word before a bracket that follows a space; it may be empty.
    """
    text = text.strip()
    frames, start = [], 0
    while (opening := text.find(" [", start)) >= 0:
        closing = text.find("]", opening)
        if closing < 0:
            break
        act = match_end(_ACT_END, text[start:opening].rstrip(" "))
        frames.append(BeliefFrame(act, _parse_slots(text[opening + 2 : closing])))
        start = closing + 1
    return tuple(frames)


def _parse_slots(text: str) -> tuple[tuple[str, str], ...]:
    """Parses slots: a value ends at the first comma, and a name begins after its last hyphen."""
    slots = []
    for part in text.split(","):
        name, equals, value = part.partition(" = ")
        if equals:
            slots.append((match_end(_SLOT_END, name.rstrip(" ")), value.strip()))
    return tuple(slots)


@lru_cache(maxsize=8192)
def match_end(pattern: re.Pattern[str], text: str) -> str:
    """Returns the longest run at the end of a text."""
    match = pattern.match(text[::-1])
    return match[0][::-1] if match else ""


def flatten_belief(states: Iterable[Mapping[str, Any]]) -> str:
    """Writes an annotated ``belief_state`` of the JSON files as it stands in a line."""
    parts = []
    for state in states:
        slots = ", ".join(f"{name.strip()} = {value.strip()}" for name, value in state["slots"])
        parts.append(f"{state['act'].strip()} [ {slots} ]")
    return " ".join(parts)


def convert_belief(states: Iterable[Mapping[str, Any]]) -> tuple[BeliefFrame, ...]:
    """Turns an annotated ``belief_state`` into frames, by way of a line as the authors do."""
    return parse_belief(flatten_belief(states))
