"""What scripted players say, what they call an image, and what they make of a partner's text."""

from __future__ import annotations

import zlib
from functools import cache
from random import Random
from typing import Literal

import msgspec

from commonground.play.phrase_files import load_beside


class Phrases(msgspec.Struct, frozen=True):
    """What ``phrases.toml`` holds: what is said in a game, how it is typed, and names of things."""

    say: dict[str, tuple[str, ...]]
    write: dict[str, tuple[str, ...]]
    name: dict[str, tuple[str, ...]]


@cache
def load_phrases() -> Phrases:
    """Returns what scripted players say."""
    return load_beside(__file__, "phrases.toml", Phrases)


def name_image(path: str) -> tuple[tuple[str, ...], ...]:
    """Invents names for an image of which nothing is known, long to short, from its path alone."""
    words = load_phrases().name
    # A checksum rather than `hash`, which differs from process to process.
    rng = Random(zlib.crc32(path.encode()))
    who, trait = rng.choice(words["who"]), rng.choice(words["trait"])
    wears, where = rng.choice(words["wears"]), rng.choice(words["where"])
    return (
        (f"a {trait} {who} with {wears} {where}", f"a {trait} {who} {where} with {wears}"),
        (f"the {trait} {who} {where}", f"the {trait} {who} with {wears}"),
        (f"the {trait} {who}",),
        (f"{trait} {who}",),
    )


Meaning = Literal["yes", "no", "offer", "ask", "correct", "done", "talk"]
"""What a text does: answer, name an image, ask about the image that was named, name it again after
a wrong guess, say that all is done, or nothing for the game."""

_MEANINGS: dict[str, Meaning] = {
    "offer_first": "offer",
    "offer_later": "offer",
    "repeat": "offer",
    "ask_back": "ask",
    "ask_other": "ask",
    "correct": "correct",
    "yes": "yes",
    "yes_again": "yes",
    "confirm": "yes",
    "no": "no",
    "then_no": "no",
    "done": "done",
}

_YES = frozenset({"yes", "yeah", "yep", "yup", "y", "ya", "sure", "correct"})

_NO = frozenset({"no", "nope", "nah", "n", "not"})

_DENIALS = ("don't", "dont", "do not", "not see", "not have")


def reduce_text(text: str) -> str:
    """Returns a text in lower case, without the stops at its end."""
    return text.lower().strip().rstrip(".!")


@cache
def _known_texts() -> dict[str, Meaning]:
    said = load_phrases().say
    return {
        reduce_text(text): _MEANINGS.get(name, "talk")
        for name, texts in said.items()
        for text in texts
        if "{}" not in text
    }


@cache
def _known_frames() -> list[tuple[str, str, Meaning]]:
    """Returns what stands before and after a name, the most specific first."""
    said = load_phrases().say
    frames = []
    for name, texts in said.items():
        for text in texts:
            before, gap, after = reduce_text(text).partition("{}")
            if gap:
                frames.append((before, after, _MEANINGS[name]))
    # "do you have {}?" is tried before "{}?", which it would fit as well.
    return sorted(frames, key=lambda frame: -len(frame[0]) - len(frame[1]))


def understand(text: str) -> Meaning:
    """Says what a text does: a phrase of a script, or whatever somebody else may say."""
    plain = reduce_text(text)
    known = _known_texts().get(plain)
    if known is not None:
        return known
    for before, after, meaning in _known_frames():
        if plain.startswith(before) and plain.endswith(after):
            return meaning
    first = plain.replace(",", " ").split(" ", 1)[0]
    if first in _NO or any(words in plain for words in _DENIALS):
        return "no"
    if first in _YES or plain.startswith(("i do", "i have it", "got it")):
        return "yes"
    names = plain.endswith("?") or plain.startswith(("i have", "i see", "mine"))
    return "offer" if names else "talk"
