from __future__ import annotations

from commonground.site.corpora import OpenCorpus
from commonground.site.thumbnails import MOST


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
