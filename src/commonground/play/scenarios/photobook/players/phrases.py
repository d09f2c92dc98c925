"""What scripted players say, and what they call an image."""

from __future__ import annotations

import zlib
from functools import cache
from random import Random

import msgspec

from commonground.play.phrase_files import load_beside


class _Said(msgspec.Struct, frozen=True):
    greet: tuple[str, ...]
    greet_back: tuple[str, ...]
    next_page: tuple[str, ...]
    offer_first: tuple[str, ...]
    offer_later: tuple[str, ...]
    repeat: tuple[str, ...]
    yes: tuple[str, ...]
    yes_again: tuple[str, ...]
    no: tuple[str, ...]
    then_no: tuple[str, ...]
    ask_back: tuple[str, ...]
    ask_other: tuple[str, ...]
    confirm: tuple[str, ...]
    correct: tuple[str, ...]
    done: tuple[str, ...]
    done_too: tuple[str, ...]
    all_right: tuple[str, ...]
    not_all_right: tuple[str, ...]
    goodbye: tuple[str, ...]


class _Written(msgspec.Struct, frozen=True):
    comment: tuple[str, ...]


class _Names(msgspec.Struct, frozen=True):
    who: tuple[str, ...]
    trait: tuple[str, ...]
    wears: tuple[str, ...]
    where: tuple[str, ...]


class Phrases(msgspec.Struct, frozen=True):
    """What ``phrases.toml`` holds: what is said in a game, how it is typed, and names of things.

    Attributes:
        say: what is said in a game.
        write: how people type, slips included.
        name: what things in pictures are called.
    """

    say: _Said
    write: _Written
    name: _Names


@cache
def load_phrases() -> Phrases:
    """Returns what scripted players say."""
    return load_beside(__file__, "phrases.toml", Phrases)


def name_image(path: str) -> tuple[tuple[str, ...], ...]:
    """Invents names for an image of which nothing is known, long to short, from its path alone."""
    words = load_phrases().name
    # A checksum rather than `hash`, which differs from process to process.
    rng = Random(zlib.crc32(path.encode()))
    who, trait = rng.choice(words.who), rng.choice(words.trait)
    wears, where = rng.choice(words.wears), rng.choice(words.where)
    return (
        (f"a {trait} {who} with {wears} {where}", f"a {trait} {who} {where} with {wears}"),
        (f"the {trait} {who} {where}", f"the {trait} {who} with {wears}"),
        (f"the {trait} {who}",),
        (f"{trait} {who}",),
    )
