"""What scripted players say, and what they call an image."""

from __future__ import annotations

import zlib
from functools import cache
from random import Random

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
