"""What those take for whom chat messages are written: an API, trainers, and chat templates.

A template that lacks a place for something either raises an error or leaves it out without a
word. Here it is brought into a form that is taken, or left out and counted.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Literal

import msgspec

from commonground.exports.formats.chat_messages import (
    Conversation,
    Message,
    MessageRow,
    merge_neighbours,
)
from commonground.exports.loss import Feature

SILENCE = "__SILENCE__"
"""What the user says before an assistant that begins, as ParlAI writes it."""

_REFUSED = "calls that templates refuse"
_MOVED = "words moved after calls"
_BEGUN = "dialogues that the assistant begins"
_SYSTEM = "system messages folded into the user's"
_NAMES = "names of users"

FEATURES = {
    _REFUSED: Feature(
        "Gemma's templates take no calls; Mistral's none in a turn without text.", ("events",)
    ),
    _MOVED: Feature("Mistral's templates take one message with words in a turn of the assistant."),
    _BEGUN: Feature(f"Templates require the user to begin: a message `{SILENCE}` is put first."),
    _SYSTEM: Feature("Gemma's and some of Mistral's templates refuse a system message."),
    _NAMES: Feature("Templates have one user; several speakers are merged."),
}
"""What does not fit a target, by name."""


class ExampleTarget(msgspec.Struct, frozen=True, kw_only=True):
    """What is taken.

    Attributes:
        arguments: of calls.
        is_api: whether it is an API: pictures need a web address, results of tools no name.
        is_template: whether a chat template writes the messages: user first, names of none, and
            neighbours joined.
        calls: with ``worded``, a turn with calls has one message of words.
    """

    arguments: Literal["object", "string"] = "object"
    images: Literal["url", "files", "none"] = "none"
    metadata: Literal["inline", "beside"] = "inline"
    is_api: bool = False
    is_template: bool = True
    has_system: bool = True
    calls: Literal["any", "worded", "none"] = "any"


PLAIN = ExampleTarget(images="url", is_template=False)
"""What is written where no target is named."""

TARGETS = {
    "openai": ExampleTarget(
        arguments="string", images="url", metadata="beside", is_api=True, is_template=False
    ),
    "hf": ExampleTarget(images="files"),
    "mistral": ExampleTarget(has_system=False, calls="worded"),
    "gemma": ExampleTarget(has_system=False, calls="none"),
    "llama": ExampleTarget(),
}
"""Those that ``--for`` names."""


def fit_messages(conversation: Conversation, target: ExampleTarget, *, merge: bool) -> Counter[str]:
    """Brings messages into the form that a target takes; returns what did not fit, by name.

    Args:
        conversation: its messages are changed.
        merge: whether neighbours are joined, also where the target does not ask for it.
    """
    counts: Counter[str] = Counter()
    rows = conversation.rows
    if target.calls == "none":
        counts[_REFUSED] = sum(row.message.tool_calls is not None for row in rows)
        rows = [row for row in rows if not _is_call(row.message)]
    elif target.calls == "worded":
        rows = list(_word_turns(rows, counts))
    if rows and rows[0].message.role == "system" and not target.has_system:
        counts[_SYSTEM] = 1
        rows[0].message = Message("user", rows[0].message.content)
    nameless = "user" if target.is_template else "tool" if target.is_api else None
    for row in rows:
        if row.message.role == nameless and row.message.name is not None:
            counts[_NAMES] += nameless == "user"
            row.message = msgspec.structs.replace(row.message, name=None)
    if target.is_template or merge:
        first = next((n for n, row in enumerate(rows) if row.message.role != "system"), None)
        if first is not None and rows[first].message.role != "user":
            counts[_BEGUN] = 1
            rows.insert(first, MessageRow(Message("user", SILENCE)))
    conversation.rows = rows
    if target.is_template or merge:
        merge_neighbours(conversation)
    return counts


def _is_call(message: Message) -> bool:
    return message.role == "tool" or message.tool_calls is not None


def _word_turns(rows: Sequence[MessageRow], counts: Counter[str]) -> Iterator[MessageRow]:
    """Yields turns of the assistant with their words in a row, and without calls where none are."""
    for is_turn, group in groupby(rows, lambda row: row.message.role in ("assistant", "tool")):
        turn = list(group)
        words = [number for number, row in enumerate(turn) if not _is_call(row.message)]
        if not is_turn:
            yield from turn
        elif not words:
            counts[_REFUSED] += sum(row.message.tool_calls is not None for row in turn)
        else:
            last = words[-1]
            if last - words[0] + 1 > len(words):
                counts[_MOVED] += len(words) - 1
            yield from (row for row in turn[:last] if _is_call(row.message))
            yield from (turn[number] for number in words)
            yield from turn[last + 1 :]
