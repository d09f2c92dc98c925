"""What tasks read of gold files."""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.corpora.frames.tasks import gold

LABELS: dict[str, Any] = {"acts": [], "active_frame": 1}


def read(labels: dict[str, Any]) -> gold.UserTurn:
    turn = {"author": "user", "text": "Hi", "labels": labels}
    data = msgspec.json.encode({"id": "d", "user_id": "u", "turns": [turn]})
    (place,) = gold.list_user_turns(msgspec.json.decode(data, type=gold.GoldDialogue))
    return place


def test_a_file_cut_down_to_what_the_official_script_reads_is_enough() -> None:
    place = read(LABELS)
    assert place.instance_id == "d:0"
    assert gold.decode_frames(place.turn) == []
    assert (place.acts, place.acts_without_refs, place.tags) == ([], [], [])


def test_what_the_official_tagger_wrote_is_read() -> None:
    assert read({**LABELS, "tags": ["first"]}).tags == ["first"]


def test_frames_are_decoded_when_somebody_asks() -> None:
    place = read({**LABELS, "frames": [{"frame_id": 1, "of": "any form"}]})
    assert gold.decode_frames(place.turn) == [{"frame_id": 1, "of": "any form"}]
