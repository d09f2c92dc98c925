"""The narrow readings of gold files keep to the released format."""

from __future__ import annotations

import msgspec
import pytest

from commonground.corpora.frames import native
from commonground.corpora.frames.tasks import gold

NOT_RELEASED = {"tags"}
"""What only the official tagger writes."""


@pytest.mark.parametrize(
    ("narrow", "released"),
    [
        (gold.GoldDialogue, native.FramesDialogue),
        (gold.GoldTurn, native.Turn),
        (gold.GoldSearches, native.Database),
        (gold.GoldLabels, native.TurnLabels),
    ],
)
def test_fields_are_those_of_the_released_record(
    narrow: type[msgspec.Struct], released: type[msgspec.Struct]
) -> None:
    names = {each.name for each in msgspec.structs.fields(narrow)}
    assert names - NOT_RELEASED <= {each.name for each in msgspec.structs.fields(released)}


def test_a_file_cut_down_to_what_the_official_script_reads_is_enough() -> None:
    turn = {"author": "user", "text": "Hi", "labels": {"acts": [], "active_frame": 1}}
    dialogue = msgspec.convert({"id": "d", "user_id": "u", "turns": [turn]}, gold.GoldDialogue)
    assert [each.instance_id for each in gold.list_user_turns(dialogue)] == ["d:0"]
    assert gold.decode_frames(dialogue.turns[0].labels) == []
