"""What scripted players say and understand: sentences with gaps, from ``phrases.toml``."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache
from random import Random
from typing import Any, Literal

import msgspec

from commonground.play.phrase_files import load_beside
from commonground.play.player import Moment, Move
from commonground.play.scenario import CHAT

Side = Literal["user", "wizard"]

TYPING = 4.5
"""Characters a second that people type."""


class Phrases(msgspec.Struct, frozen=True):
    """``phrases.toml``: sentences by what they do, with gaps named by slot.

    Attributes:
        order: under ``names``, what users call the first, second and third of several offers.
        has: what a hotel may offer, by slot.
        near: what may be near it, by slot.
    """

    user: dict[str, tuple[str, ...]]
    wizard: dict[str, tuple[str, ...]]
    order: dict[str, tuple[str, ...]]
    has: dict[str, str]
    near: dict[str, str]


@cache
def load_phrases() -> Phrases:
    """Returns what scripted players say."""
    return load_beside(__file__, "phrases.toml", Phrases)


def say(side: Side, phrase: str, rng: Random, **values: str) -> str:
    """Returns one of the ways to say a phrase of ``phrases.toml``, with the values in its gaps."""
    ways: dict[str, tuple[str, ...]] = getattr(load_phrases(), side)
    return rng.choice(ways[phrase]).format(**values)


class Sentence(msgspec.Struct, frozen=True):
    """A sentence that was heard.

    Attributes:
        phrase: what it does; None where no phrase of the script is like it.
        values: what stands in its gaps.
    """

    text: str
    phrase: str | None
    values: dict[str, str] = {}


# The spaces after the end of a sentence; a colon ends one as well, as in "I found these: ...".
_ENDS = re.compile(r"(?<=[.!?:]) +")


def understand(side: Side, text: str) -> list[Sentence]:
    """Divides what one side wrote into sentences and finds the phrases."""
    return [_recognise(side, each) for each in _ENDS.split(text.strip())]


def _recognise(side: Side, text: str) -> Sentence:
    for phrase, pattern in _patterns(side):
        found = pattern.fullmatch(text)
        if found is not None:
            return Sentence(text, phrase, found.groupdict())
    return Sentence(text, None)


@cache
def _patterns(side: Side) -> list[tuple[str, re.Pattern[str]]]:
    """Returns the sentences of a side as patterns, those that leave the least open first."""
    ways: dict[str, tuple[str, ...]] = getattr(load_phrases(), side)
    found = [(phrase, _compile(text)) for phrase, texts in ways.items() for text in texts]
    # "Shall I tell you more about it?" would fit "Shall I {action} it?" as well, and "Let us look
    # at the first one." the name of a hotel.
    return sorted(found, key=lambda each: (each[1].groups > 0, each[0] != "switch_order"))


def _compile(text: str) -> re.Pattern[str]:
    parts = re.split(r"\{(\w+)\}", text)
    gaps = {"ref_anaphora": "|".join(map(re.escape, load_phrases().order["names"]))}
    # Behind every gap in braces, ``split`` gives its name: odd parts are gaps.
    pattern = "".join(
        f"(?P<{part}>{gaps.get(part, '.+?')})" if place % 2 else re.escape(part)
        for place, part in enumerate(parts)
    )
    return re.compile(pattern)


class FramesSpeaker:
    """What both scripted players have in common: one move at a time, and what comes of it."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self._heard = 0
        self._after: Callable[[], None] | None = None
        self.failed = False

    def settle(self, moment: Moment, rng: Random) -> None:
        """Notes whether the last move was made: then what depends on it happens."""
        self.rng = rng
        self.failed = moment.refusal is not None
        if moment.pending is None:
            if self._after is not None and not self.failed:
                self._after()
            self._after = None

    def listen(self, moment: Moment) -> list[str]:
        """Returns what the partner wrote since it was last asked."""
        new = moment.view["chat"][self._heard :]
        self._heard += len(new)
        return [each["text"] for each in new if each["role"] not in (moment.role, None)]

    def write(self, text: str, after: Callable[[], None] | None, thinks_s: float) -> Move:
        """Types a message.

        Args:
            after: what to do when it was sent.
            thinks_s: mean time before the first letter.
        """
        return self.do(CHAT, {"text": text}, after, thinks_s + len(text) / TYPING)

    def do(
        self,
        kind: str,
        payload: dict[str, Any],
        after: Callable[[], None] | None,
        mean_s: float,
    ) -> Move:
        """Makes a move, some time from now.

        Args:
            after: what to do when it was made.
            mean_s: mean time that it takes.
        """
        self._after = after
        return Move(kind, payload, mean_s * self.rng.uniform(0.6, 1.5))
