"""How scripted people put things, and what they make of what they hear."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from random import Random

import msgspec

from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.simmc.game.talk import Role

Extents = dict[str, tuple[int, int]]
"""Where each blank of a phrase is: first code point, and the one after the last."""


class Survey(msgspec.Struct, frozen=True):
    """What people write in the end."""

    comments: tuple[str, ...]


class Phrases(msgspec.Struct, frozen=True):
    """What ``phrases.toml`` holds.

    Attributes:
        user: phrases of users, by what they are for.
        assistant: phrases of assistants, likewise.
        hints: other words that may stand for a phrase, by its name.
        acts: the dialogue act of each phrase, by its name.
        survey: comments in the end.
        filler: an answer that nobody gives, for rankings of few dialogues; ``{}`` stands for its
            number.
    """

    user: dict[str, tuple[str, ...]]
    assistant: dict[str, tuple[str, ...]]
    hints: dict[str, tuple[str, ...]]
    acts: dict[str, str]
    survey: Survey
    filler: str


@cache
def load_phrases() -> Phrases:
    """Returns what scripted people say."""
    return load_beside(__file__, "phrases.toml", Phrases)


def _phrases_of(role: Role) -> dict[str, tuple[str, ...]]:
    return load_phrases().user if role == "user" else load_phrases().assistant


class PhraseTemplate(msgspec.Struct, frozen=True):
    """A text, what it is for, and where its blanks are.

    Attributes:
        text: as it was said.
        key: name of its phrases.
        places: of each blank.
    """

    text: str
    key: str
    places: Extents

    def words(self, blank: str) -> str:
        """Returns what stands in a blank."""
        start, end = self.places[blank]
        return self.text[start:end]


# `{color}`: with the group, `split` gives text and blanks in turn, blanks at the odd places.
_BLANK = re.compile(r"\{(\w+)\}")


def say(
    rng: Random, role: Role, key: str, words: Mapping[str, str] | None = None
) -> PhraseTemplate:
    """Chooses one way to say something and fills its blanks.

    Args:
        rng: chooses.
        role: who says it.
        key: name of the phrases.
        words: what to put into each blank; None where there are none.
    """
    parts: list[str] = []
    places: Extents = {}
    length = 0
    for index, part in enumerate(_BLANK.split(rng.choice(_phrases_of(role)[key]))):
        text = part if index % 2 == 0 else (words or {})[part]
        if index % 2:
            places[part] = (length, length + len(text))
        parts.append(text)
        length += len(text)
    text = "".join(parts)
    # Not `capitalize`, which would make all other letters small.
    return PhraseTemplate(text[:1].upper() + text[1:], key, places)


@cache
def _patterns(role: Role) -> list[tuple[str, re.Pattern[str]]]:
    """Returns a pattern of each phrase, those with the most words of their own first."""
    found = []
    for key, phrases in _phrases_of(role).items():
        for phrase in phrases:
            parts = _BLANK.split(phrase)
            own = sum(map(len, parts[::2]))
            source = "".join(
                # As short as may be: what follows a blank is the phrase's own and not the blank's.
                f"(?P<{part}>.+?)" if index % 2 else re.escape(part)
                for index, part in enumerate(parts)
            )
            found.append((own, key, re.compile(source, re.IGNORECASE)))
    # Stable, so that of phrases with as many words the earlier one in the file is tried first.
    found.sort(key=lambda each: -each[0])
    return [(key, pattern) for _, key, pattern in found]


@lru_cache(maxsize=1 << 12)
def understand(role: Role, text: str) -> PhraseTemplate | None:
    """Recognises a phrase of ``phrases.toml``; None where it is none."""
    for key, pattern in _patterns(role):
        match = pattern.fullmatch(text)
        if match is not None:
            return PhraseTemplate(text, key, {name: match.span(name) for name in match.groupdict()})
    return None


def guess(text: str) -> str:
    """Says what words that are no phrase may be for; empty for nothing that is known."""
    # People do not speak in phrases of a file; a word such as "cart" is better than no idea.
    plain = text.lower()
    for key, words in load_phrases().hints.items():
        if any(each in plain for each in words):
            return key
    return ""


def slot_of(blank: str) -> str:
    """Returns the slot of a blank: ``price2`` is a second ``price``."""
    return blank.rstrip("0123456789")
