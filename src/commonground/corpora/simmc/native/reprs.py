"""Reads the annotations that SIMMC 1 keeps as strings holding a Python ``repr``."""

from __future__ import annotations

import ast
import warnings
from functools import lru_cache
from typing import Annotated, Any

import msgspec

from commonground.schema import LARGEST_INT

MAX_CHARS = 100_000
"""Longer annotations are not read; the longest real ones have some 2,000 characters."""

_Offset = Annotated[int, msgspec.Meta(ge=0, le=LARGEST_INT)]


class Extent(msgspec.Struct, frozen=True):
    """A stretch of an utterance; code points, end exclusive."""

    start: _Offset
    end: _Offset


class AnnotatedSlot(msgspec.Struct, frozen=True):
    """A slot of an intent, with the words that fill it.

    Attributes:
        id: name of the slot, such as ``O.color``.
        span: the words that fill it; None where no words do.
        text: those words as the annotator saw them; version 1.0 often has other words at the span.
        node_id: number of the node in the annotator's graph.
        subframe: an intent inside the slot, kept as it stands.
    """

    id: str
    span: Extent | None = None
    text: str | None = None
    node_id: Any = None
    subframe: Any = None


class Intent(msgspec.Struct, frozen=True):
    """An intent with its slots and the stretch it covers.

    Attributes:
        intent: a dialogue act, such as ``DA:INFORM:REFINE:CLOTHING.color``.
        slots: what fills it; empty for acts without slots.
        span: the words that carry it; None where none are marked.
        node_id: number of the node in the annotator's graph.
    """

    intent: str
    slots: list[AnnotatedSlot] = []
    span: Extent | None = None
    node_id: Any = None


# Conversion and each rule read the same annotation, one soon after the other.
@lru_cache(maxsize=256)
def parse_intents(text: str) -> tuple[Intent, ...] | None:
    """Reads ``[{'intent': ..., 'slots': [...], 'span': {...}}]``; null where it is not that.

    The values are shared by the one who asks for the same text: do not change them.
    """
    value = parse_literal(text)
    if not isinstance(value, list):
        return None
    try:
        return tuple(msgspec.convert(value, list[Intent]))
    except msgspec.ValidationError:
        return None


def parse_literal(text: str) -> Any:
    """Reads a Python literal that JSON could hold, without running anything; null otherwise."""
    if len(text) > MAX_CHARS:
        return None
    try:
        # Without a backslash no escape can go wrong, and there is nothing to warn of.
        if "\\" not in text:
            return ast.literal_eval(text)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of odd backslashes; they stay as they are
            value = ast.literal_eval(text)
        msgspec.json.encode(value)  # escapes can spell what UTF-8 cannot
    # All that ``literal_eval`` raises of odd texts; deep nesting shows as either of the last two.
    except (ValueError, SyntaxError, TypeError, MemoryError, RecursionError):
        return None
    return value


def read_list(text: str) -> str | list[str]:
    """Returns the texts of a list where this is the ``repr`` of one, else the text as it stands."""
    value = parse_literal(text) if text.startswith("[") else None
    if isinstance(value, list) and all(isinstance(each, str) for each in value):
        return value
    return text
