"""How scripted people put things, and what they make of what they hear."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import cache, lru_cache
from random import Random

import msgspec

from commonground.play.phrase_files import load_beside
from commonground.play.scenarios.simmc.game.talk import Role

Extents = dict[str, tuple[int, int]]
"""Where each blank of a phrase is: first code point, and the one after the last."""


class Phrases(msgspec.Struct, frozen=True):
    """What ``phrases.toml`` holds.

    Attributes:
        user: phrases of users, by what they are for; ``assistant`` has those of assistants.
        openings: what a user may say before a phrase, ``first`` or ``later`` in a talk.
        closings: what a user may say after a phrase, by its name or what stands before its dot.
        hints: other words that may stand for a phrase, by its name.
        acts: the dialogue act of each phrase, by its name.
        survey: ``comments`` that people write in the end.
        filler: an answer that nobody gives, for rankings of few dialogues; ``{}`` stands for its
            number.
    """

    user: dict[str, tuple[str, ...]]
    openings: dict[str, tuple[str, ...]]
    closings: dict[str, tuple[str, ...]]
    assistant: dict[str, tuple[str, ...]]
    hints: dict[str, tuple[str, ...]]
    acts: dict[str, str]
    survey: dict[str, tuple[str, ...]]
    filler: str


@cache
def load_phrases() -> Phrases:
    """Returns what scripted people say."""
    return load_beside(__file__, "phrases.toml", Phrases)


def _phrases_of(role: Role) -> dict[str, tuple[str, ...]]:
    return load_phrases().user if role == "user" else load_phrases().assistant


class PhraseTemplate(msgspec.Struct, frozen=True):
    """A text as it was said, the name of its phrases, and where its blanks are."""

    text: str
    key: str
    places: Extents

    def words(self, blank: str) -> str:
        """Returns what stands in a blank."""
        start, end = self.places[blank]
        return self.text[start:end]


_OPENS, _CLOSES = 0.45, 0.45
"""Shares of a user's turns that begin and end with more than the phrase."""

_VOWELS = ("a", "e", "i", "o", "u")
_ENDS_IN_A = re.compile(r"\ba $", re.IGNORECASE)

# `{color}`: with the group, `split` gives text and blanks in turn, blanks at the odd places.
_BLANK = re.compile(r"\{(\w+)\}")


def say(
    rng: Random, role: Role, key: str, words: Mapping[str, str] | None = None
) -> PhraseTemplate:
    """Chooses one way to say something and fills its blanks."""
    text = ""
    places: Extents = {}
    for index, part in enumerate(_BLANK.split(rng.choice(_phrases_of(role)[key]))):
        if index % 2 == 0:
            text += part
            continue
        word = (words or {})[part]
        if _ENDS_IN_A.search(text) and word[:1].lower() in _VOWELS:
            text = f"{text[:-1]}n "
        places[part] = (len(text), len(text) + len(word))
        text += word
    # Not `capitalize`, which would make all other letters small.
    return PhraseTemplate(text[:1].upper() + text[1:], key, places)


def surround(rng: Random, said: PhraseTemplate, *, first: bool, used: set[str]) -> PhraseTemplate:
    """Lets a user say more than a phrase, as people do: about half begin or end with something.

    Args:
        first: whether nothing was said before.
        used: what this user has said after phrases, which is added to and not said again.
    """
    opening, closing = "", ""
    if rng.random() < _OPENS:
        opening = rng.choice(load_phrases().openings["first" if first else "later"]) + " "
    closings = [each for each in find_closings(said.key) if each not in used]
    if closings and rng.random() < _CLOSES:
        chosen = rng.choice(closings)
        closing = f" {chosen}"
        used.add(chosen)
    places = {
        blank: (start + len(opening), end + len(opening))
        for blank, (start, end) in said.places.items()
    }
    return PhraseTemplate(opening + said.text + closing, said.key, places)


def find_closings(key: str) -> tuple[str, ...]:
    """Returns what may follow a user's phrase of that name."""
    closings = load_phrases().closings
    return closings.get(key, closings.get(key.partition(".")[0], ()))


@cache
def _patterns(role: Role) -> list[tuple[str, re.Pattern[str]]]:
    """Returns a pattern of each phrase, those with the most words of their own first."""
    found = []
    before, after = _surroundings(role)
    for key, phrases in _phrases_of(role).items():
        for phrase in phrases:
            parts = _BLANK.split(phrase)
            own = sum(map(len, parts[::2]))
            source = "".join(
                # As short as may be: what follows a blank is the phrase's own and not the blank's.
                f"(?P<{part}>.+?)" if index % 2 else _ARTICLE.sub(r"\1n?\2", re.escape(part))
                for index, part in enumerate(parts)
            )
            found.append((own, key, re.compile(before + source + after[key], re.IGNORECASE)))
    # Stable, so that of phrases with as many words the earlier one in the file is tried first.
    found.sort(key=lambda each: -each[0])
    return [(key, pattern) for _, key, pattern in found]


_ARTICLE = re.compile(r"(\ba)(\\ )$", re.IGNORECASE)
"""`a` at the end of a text between blanks, whose blank is escaped."""


def _surroundings(role: Role) -> tuple[str, dict[str, str]]:
    """Returns patterns of what may stand before all phrases, and after each."""
    phrases = _phrases_of(role)
    if role != "user":
        return "", dict.fromkeys(phrases, "")
    openings = [each for some in load_phrases().openings.values() for each in some]
    closings = {key: find_closings(key) for key in phrases}
    after = {key: f"(?: {_either(some)})?" if some else "" for key, some in closings.items()}
    return f"(?:{_either(openings)} )?", after


def _either(texts: Iterable[str]) -> str:
    return f"(?:{'|'.join(map(re.escape, texts))})"


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
