from __future__ import annotations

import msgspec
import pytest

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.pages.parts.previews import (
    LOOKED_AT,
    Wording,
    choose_preview,
    learn_wording,
    preview_dialogues,
)
from commonground.store.index.summaries import EventLine


def lines(*texts: str | None) -> list[EventLine]:
    return [EventLine(speaker="A", text=each, name=None if each else "search") for each in texts]


@pytest.mark.parametrize(
    ("texts", "preview"),
    [
        (("hi", "hello there", "a man on a green bike beside a bus", "yes"), 2),
        (("hi", "ok", "green bike?"), 2),
        ((None, "two tickets to Paris with a window seat"), 1),
        (("hi", "hello"), 0),
        (("a red tent", "a blue tent", "a tent of many colours, patched with tape"), 2),
        (("a tent with poles and a patch", "a kite with tails and a patch"), 0),  # said early
    ],
)
def test_the_text_that_says_something(texts: tuple[str | None, ...], preview: int) -> None:
    assert choose_preview(lines(*texts), Wording()) == texts[preview]


def test_what_all_say_tells_nothing() -> None:
    phrase, order = "is the order displayed correct and ready to be made", "one chai latte"
    usual = dict.fromkeys(phrase.split(), 0.05)
    assert choose_preview(lines(phrase, order), Wording()) == phrase
    assert choose_preview(lines(phrase, order), Wording(usual)) == order


def test_users_say_what_it_is_about() -> None:
    said = [*lines("the Ivory Legacy Hotel in Vancouver"), *lines("honeymoon in the sun on Capri")]
    asked = msgspec.structs.replace(said[1], speaker="user")
    assert choose_preview([said[0], asked], Wording()) == said[0].text
    assert choose_preview([said[0], asked], Wording(assistants={"A"})) == asked.text


def test_where_nobody_speaks_there_is_none() -> None:
    assert choose_preview(lines(None), Wording()) == choose_preview([], Wording()) == ""


def test_the_wording_of_a_corpus(frames: OpenCorpus, photobook: OpenCorpus) -> None:
    learned = learn_wording(frames.index)
    assert learned.assistants == {"wizard"}
    assert 0 <= min(learned.rarities.values()) < max(learned.rarities.values()) < 1
    assert learn_wording(photobook.index).assistants == frozenset()


def test_previews_are_of_their_own_dialogues(frames: OpenCorpus) -> None:
    ordinals = [3, 0, 7]
    for ordinal, preview in zip(ordinals, preview_dialogues(frames, ordinals), strict=True):
        events = frames.index.blocks.dialogue(ordinal).events[:LOOKED_AT]
        assert preview in [each.text for each in events]
