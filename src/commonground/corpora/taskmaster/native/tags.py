"""The tag language of Taskmaster-3's split rows.

A context is a run of tagged texts: ``<U>`` what the user said, ``<A>`` the assistant, ``<PN>`` an
API call with ``<PAN>`` names and ``<PAV>`` values of arguments, ``<PR>`` its response with
``<PRAN>`` names and one or more ``<PRAV>`` values each. The latest turn stands first, before
``<C>``; ``<S>`` marks the start of the dialogue. A target has the same tags in square brackets.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Literal

import msgspec

Brackets = Literal["<>", "[]"]
"""``<>`` in contexts, ``[]`` in targets."""


class Argument(msgspec.Struct, frozen=True):
    """A name with its values."""

    name: str
    values: list[str]


class Said(msgspec.Struct, frozen=True):
    """``U`` or ``A``: something said."""

    speaker: Literal["user", "assistant"]
    text: str


class Called(msgspec.Struct, frozen=True):
    """``PN``: the name of an API that is called, with what it is given (``PAN``, ``PAV``)."""

    name: str
    arguments: list[Argument] = []


class Responded(msgspec.Struct, frozen=True):
    """``PR``: what an API call gave back."""

    name: str
    values: list[Argument] = []


class Marker(msgspec.Struct, frozen=True):
    """``C``: here the history begins. ``S``: here the dialogue begins."""

    kind: Literal["context", "start"]


TaggedTurn = Said | Called | Responded | Marker


class TagError(ValueError):
    """A text is not in the tag language.

    Attributes:
        at: the code point where it goes wrong.
        expected: what should stand there.
    """

    def __init__(self, at: int, expected: str) -> None:
        super().__init__(f"at character {at}: expected {expected}")
        self.at = at
        self.expected = expected


# The longer ones first, since the first that fits is taken.
_NAMES = "PRAN|PRAV|PAN|PAV|PN|PR|U|A|C|S"
_TAGS: dict[str, re.Pattern[str]] = {
    "<>": re.compile(f"<({_NAMES})>"),
    "[]": re.compile(rf"\[({_NAMES})\]"),
}
_SPEAKERS: dict[str, Literal["user", "assistant"]] = {"U": "user", "A": "assistant"}
_MARKS: dict[str, Literal["context", "start"]] = {"C": "context", "S": "start"}
_PART_OF = {"PAN": Called, "PRAN": Responded}
_VALUE_OF = {"PAV": Called, "PRAV": Responded}


def parse_turns(text: str, brackets: Brackets = "<>") -> list[TaggedTurn]:
    """Parses a context, or a target with ``brackets="[]"``.

    ``render_turns`` of what comes back is the text again.

    Raises:
        TagError: the text does not start with a tag, a mark has text after it, or a name or
            value is not where one may be.
    """
    # With a group in the pattern, `split` gives texts and tags in turn.
    pieces = _TAGS[brackets].split(text)
    if pieces[0]:
        raise TagError(0, "a tag")
    turns: list[TaggedTurn] = []
    at = 0
    for tag, content in zip(pieces[1::2], pieces[2::2], strict=True):
        _add(turns, tag, content, at)
        at += len(tag) + 2 + len(content)  # 2 for the brackets
    return turns


def _add(turns: list[TaggedTurn], tag: str, content: str, at: int) -> None:
    if tag in _SPEAKERS:
        turns.append(Said(_SPEAKERS[tag], content))
    elif tag in _MARKS:
        if content:
            raise TagError(at + len(tag) + 2, "a tag")
        turns.append(Marker(_MARKS[tag]))
    elif tag == "PN":
        turns.append(Called(content, []))
    elif tag == "PR":
        turns.append(Responded(content, []))
    else:
        _add_part(turns[-1] if turns else None, tag, content, at)


def _add_part(turn: TaggedTurn | None, tag: str, content: str, at: int) -> None:
    """Adds a name or value to the call or response that it follows."""
    parts: list[Argument] | None = None
    # All other tags were dealt with before: this is one of PAN, PRAN, PAV and PRAV.
    owner = _PART_OF.get(tag) or _VALUE_OF[tag]
    if isinstance(turn, Called) and owner is Called:
        parts = turn.arguments
    elif isinstance(turn, Responded) and owner is Responded:
        parts = turn.values
    if parts is None or (tag in _VALUE_OF and not parts):
        raise TagError(at, f"no {tag} here")
    if tag in _PART_OF:
        parts.append(Argument(content, []))
    else:
        parts[-1].values.append(content)


def render_turns(turns: Sequence[TaggedTurn], brackets: Brackets = "<>") -> str:
    """Writes turns in the tag language; texts are taken as they are."""
    return "".join(_render_turn(turn, brackets[0], brackets[1]) for turn in turns)


def _render_turn(turn: TaggedTurn, left: str, right: str) -> str:
    if isinstance(turn, Said):
        return f"{left}{'U' if turn.speaker == 'user' else 'A'}{right}{turn.text}"
    if isinstance(turn, Marker):
        return f"{left}{'C' if turn.kind == 'context' else 'S'}{right}"
    if isinstance(turn, Called):
        tags, parts = ("PN", "PAN", "PAV"), turn.arguments
    else:
        tags, parts = ("PR", "PRAN", "PRAV"), turn.values
    head, name, value = (left + tag + right for tag in tags)
    rest = "".join(name + p.name + "".join(value + v for v in p.values) for p in parts)
    return head + turn.name + rest
