"""How a dialogue is drawn: what a corpus's ``view/page.py`` gives and its ``page.html`` shows.

``build_view(dialogue) -> View`` is pure: it turns a dialogue into what the page of that corpus
needs beside the transcript, and nothing in it is HTML. A corpus without one gets the default
view: its parts as outline, its displays and states beside the transcript.
"""

from __future__ import annotations

from typing import Literal, TypeVar

import msgspec

from commonground.model import Json

T = TypeVar("T")


class OutlineItem(msgspec.Struct, frozen=True, kw_only=True):
    """A line of the outline, which leads to an event.

    Attributes:
        label: what stands there: ``Round 2``, ``GetCheapestTickets``.
        event: event it leads to.
        detail: a few words more, such as a score; None where there are none.
        level: 0 for parts, 1 for what is in them.
    """

    label: str
    event: int
    detail: str | None = None
    level: int = 0


class Mode(msgspec.Struct, frozen=True):
    """A way to look at the whole page, such as "as A saw it".

    The page's root element carries ``data-mode="<name>"`` and the style sheet does the rest.
    """

    name: str
    label: str


class Stage(msgspec.Struct, kw_only=True):
    """What there was to see while the focused event lies in a range; corpora add what it holds.

    Attributes:
        first: first event of the range.
        last: last event of the range.
        title: heading of the panel.
    """

    first: int
    last: int
    title: str


class View(msgspec.Struct, kw_only=True):
    """What a page of a dialogue needs beside the transcript; corpora add fields of their own.

    Attributes:
        outline: lines that lead through the dialogue, in order.
        modes: ways to look at it, the first being the usual one; empty where there is one only.
    """

    outline: list[OutlineItem] = []
    modes: list[Mode] = []


class Mark(msgspec.Struct, frozen=True, gc=False):
    """A marked stretch of a text: code points, end exclusive.

    Attributes:
        start_char: where it begins.
        end_char: where it ends.
        label: what the mark says.
        shared: what it has in common with others, so that they light up together; None for none.
    """

    start_char: int
    end_char: int
    label: str
    shared: str | None = None


class MarkedText(msgspec.Struct):
    """An utterance with what is marked in it."""

    text: str
    spans: list[Mark]


def get_fact(facts: Json, name: str, kind: type[T]) -> T | None:
    """Returns what released facts say under a name; None where they say nothing of that type.

    Args:
        facts: ``attributes`` of a row; nothing is asked of their shape.
        name: key of the fact.
        kind: type of its value.
    """
    value = facts.get(name) if isinstance(facts, dict) else None
    return value if isinstance(value, kind) else None


class Described(msgspec.Struct, frozen=True, kw_only=True):
    """The description of one object in one go; ``find_descriptions`` of ``view/chain.py`` finds it.

    Attributes:
        events: the events that say it, in order.
        part: where in the dialogue that is, as people call it; None where it has no parts.
    """

    events: list[int]
    part: str | None = None


Tone = Literal["plain", "strong", "soft", "good", "bad"]
"""How a piece of a line sounds; the terminal gives each a colour."""


class Piece(msgspec.Struct, frozen=True):
    """A piece of a line of a transcript in the terminal."""

    text: str
    tone: Tone = "plain"


TerminalLine = tuple[Piece, ...]
"""Lines that a corpus's ``view/terminal.py`` gives.

Its functions, each of which may be missing, are ``describe_action(dialogue, event)``: lines that
stand for an action, the first on its own row; ``describe_state(dialogue, event)``: lines below an
event; and ``describe_dialogue(dialogue)``: lines below the heading."""


class Sketch(msgspec.Struct, frozen=True, kw_only=True):
    """What is drawn of an object that has no picture; ``view/objects.py`` makes it.

    Attributes:
        shape: what it looks like, a shape of ``site/rendering/sketches.py``; None for none.
        colours: names of its colours, in English; those that are not known are not drawn.
        price: as people write it; None where nothing says so.
        facts: short facts that tell it from others like it, in order.
    """

    shape: str | None = None
    colours: list[str] = []
    price: str | None = None
    facts: list[str] = []


def write_leaves(value: Json) -> str:
    """Returns the texts and numbers in a value that JSON can hold, without names, in order."""
    if isinstance(value, dict):
        return ", ".join(filter(None, map(write_leaves, value.values())))
    if isinstance(value, list):
        return ", ".join(filter(None, map(write_leaves, value)))
    return "" if value is None else str(value)
