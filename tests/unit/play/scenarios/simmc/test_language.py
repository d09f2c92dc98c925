from __future__ import annotations

import re
from random import Random

import pytest

from commonground.corpora.simmc.rules.annotations import ACT
from commonground.play.scenarios.simmc.game.talk import Role
from commonground.play.scenarios.simmc.players.language import (
    guess,
    load_phrases,
    say,
    surround,
    understand,
)

SAYINGS: list[tuple[Role, str, int]] = [
    *(("user", k, n) for k, v in load_phrases().user.items() for n in range(len(v))),
    *(("assistant", k, n) for k, v in load_phrases().assistant.items() for n in range(len(v))),
]


class Nth(Random):
    """Chooses the phrase of a number."""

    def __init__(self, number: int) -> None:
        super().__init__(0)
        self.number = number

    def choice(self, seq):  # type: ignore[no-untyped-def]
        return seq[self.number]


@pytest.mark.parametrize(("role", "key", "number"), SAYINGS)
def test_what_is_said_is_understood(role: Role, key: str, number: int) -> None:
    phrase = getattr(load_phrases(), role)[key][number]
    words = {blank: f"zebra{at}" for at, blank in enumerate(re.findall(r"\{(\w+)\}", phrase))}
    said = say(Nth(number), role, key, words)
    assert {blank: said.words(blank).lower() for blank in said.places} == words
    assert understand(role, said.text) == said


@pytest.mark.parametrize("key", load_phrases().user)
def test_what_is_said_around_a_phrase_is_understood(key: str) -> None:
    (phrase, *_) = load_phrases().user[key]
    words = {blank: f"zebra{at}" for at, blank in enumerate(re.findall(r"\{(\w+)\}", phrase))}
    texts = set()
    for seed in range(60):
        rng = Random(seed)
        plain = say(rng, "user", key, words)
        said = surround(rng, plain, first=seed % 2 == 0, used=set())
        assert plain.text in said.text
        assert {blank: said.words(blank).lower() for blank in said.places}.items() <= words.items()
        assert understand("user", said.text) == said
        texts.add(said.text)
    assert len(texts) > 10


@pytest.mark.parametrize(("colour", "article"), [("orange", "an"), ("green", "a")])
def test_an_article_suits_its_word(colour: str, article: str) -> None:
    said = say(Nth(0), "assistant", "offer", {"color": colour, "type": "coat"})
    assert said.text == f"Here is {article} {colour} coat for you."
    assert said.words("color") == colour
    assert understand("assistant", said.text) == said


def test_only_known_phrases_are_followed_by_something() -> None:
    phrases = load_phrases()
    assert phrases.closings.keys() <= {
        name for key in phrases.user for name in (key, key.partition(".")[0])
    }


def test_every_phrase_has_an_act_of_the_corpus() -> None:
    phrases = load_phrases()
    assert phrases.acts.keys() == phrases.user.keys() | phrases.assistant.keys()
    for act in phrases.acts.values():
        assert ACT.fullmatch(act.format(thing="CLOTHING"))


def test_other_words_are_guessed() -> None:
    assert understand("user", "whatever could that be") is None
    assert guess("And what's the price?") == "ask.price"
    assert guess("ok I'll take it, thanks") == "buy"
    assert guess("xyz") == ""
    assert load_phrases().hints.keys() <= load_phrases().user.keys()
