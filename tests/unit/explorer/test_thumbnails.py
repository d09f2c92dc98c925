from __future__ import annotations

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.thumbnails import MOST, Thumbnails
from commonground.model import Object


def test_pictures_are_those_of_the_dialogue(photobook: OpenCorpus) -> None:
    chosen = photobook.thumbnails.choose(range(5))
    for ordinal, pictures in enumerate(chosen):
        shown = {each.object_id for each in photobook.index.blocks.dialogue(ordinal).displays}
        ids = [each.object_id for each in pictures]
        assert len(set(ids)) == len(ids) == MOST
        assert set(ids) <= shown


def test_without_pictures_there_are_none(frames: OpenCorpus) -> None:
    assert not frames.thumbnails
    assert frames.thumbnails.choose([0, 1]) == [[], []]


def test_what_can_be_drawn_stands_for_pictures_that_nobody_released(frames: OpenCorpus) -> None:
    def is_cheap(shown: Object) -> bool:
        return bool((shown.attributes or {}).get("price", 2000) < 2000)

    drawn = Thumbnails(frames.index, is_cheap)
    assert drawn
    chosen = drawn.choose(range(10))
    assert any(chosen)
    for ordinal, pictures in enumerate(chosen):
        shown = {each.object_id for each in frames.index.blocks.dialogue(ordinal).displays}
        assert {each.object_id for each in pictures} <= shown
        assert all(map(is_cheap, pictures))
