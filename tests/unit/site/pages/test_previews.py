from __future__ import annotations

import pytest

from commonground.site.corpora import OpenCorpus
from commonground.site.pages.parts.previews import LOOKED_AT, choose_preview, preview_dialogues
from commonground.store.index.summaries import Line


def lines(*texts: str | None) -> list[Line]:
    return [Line(speaker="A", text=each, name=None if each else "search") for each in texts]


@pytest.mark.parametrize(
    ("texts", "preview"),
    [
        (("hi", "hello there", "a man on a green bike beside a bus", "yes"), 2),
        (("hi", "ok", "green bike?"), 2),  # none says enough: the one that says most
        ((None, "two tickets to Paris with a window seat"), 1),
        (("hi", "hello"), 0),
    ],
)
def test_the_first_text_that_says_something(texts: tuple[str | None, ...], preview: int) -> None:
    assert choose_preview(lines(*texts)) == texts[preview]


def test_where_nobody_speaks_there_is_none() -> None:
    assert choose_preview(lines(None)) == choose_preview([]) == ""


def test_previews_are_of_their_own_dialogues(frames: OpenCorpus) -> None:
    ordinals = [3, 0, 7]
    for ordinal, preview in zip(ordinals, preview_dialogues(frames.index, ordinals), strict=True):
        events = frames.index.blocks.dialogue(ordinal).events[:LOOKED_AT]
        assert preview in [each.text for each in events]
