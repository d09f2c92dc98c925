"""Word checks of chat messages. Nothing is ever masked: a message is sent as written, or not."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from typing import Literal

import msgspec

from commonground.play.collect.setup.study import WatchedWords

Verdict = Literal["flag", "warn", "block"]


class FoundWords(msgspec.Struct, frozen=True):
    """Words that a message has and a list names.

    Attributes:
        verdict: the strictest of the lists that name one.
        words: as the lists write them.
    """

    verdict: Verdict
    words: list[str]


class WordCheck:
    """Looks for the words of a study.

    Words are found whole, whatever their case and however their letters are composed: ``hell``
    is not found in ``hello``. A phrase is found however its words are spaced.
    """

    def __init__(self, words: WatchedWords) -> None:
        self._lists: list[tuple[Verdict, dict[str, re.Pattern[str]]]] = [
            ("block", _compile(words.block)),
            ("warn", _compile(words.warn)),
            ("flag", _compile(words.flag)),
        ]

    def check(self, text: str) -> FoundWords | None:
        """Returns what was found in a message; None for nothing."""
        plain = _fold(text)
        found: list[str] = []
        strictest: Verdict | None = None
        for verdict, patterns in self._lists:
            hits = [word for word, pattern in patterns.items() if pattern.search(plain)]
            if hits and strictest is None:
                strictest = verdict
            found += hits
        return FoundWords(strictest, found) if strictest else None


def _compile(words: Sequence[str]) -> dict[str, re.Pattern[str]]:
    patterns = {}
    for word in words:
        parts = _fold(word).split()
        if parts:
            phrase = r"\s+".join(map(re.escape, parts))
            # Not ``\b``: a listed word may begin or end with a mark that is no letter.
            patterns[word] = re.compile(rf"(?<!\w){phrase}(?!\w)")
    return patterns


def _fold(text: str) -> str:
    # NFKC writes wide and ornamental letters as plain ones, in which words are often disguised.
    return unicodedata.normalize("NFKC", text).casefold()
