"""The tags of turns, worked out by hand."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from commonground.corpora.frames.tasks.gold import GoldDialogue, UserTurn
from commonground.corpora.frames.tasks.tracking.metrics import list_tags, name_subtasks

REF = {"key": "ref", "val": [{"frame": 1, "annotations": []}]}
SEAT = {"key": "seat", "val": "ECONOMY"}
NOTED = {"key": "ref", "val": [{"frame": 1, "annotations": [SEAT]}]}


def act(name: str, *args: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "args": list(args)}


def turn(frame: int, *acts: dict[str, Any]) -> dict[str, Any]:
    return {"author": "user", "text": "", "labels": {"acts": acts, "active_frame": frame}}


def place(*turns: dict[str, Any]) -> UserTurn:
    dialogue = msgspec.convert({"id": "x", "user_id": "y", "turns": turns}, GoldDialogue)
    return UserTurn(dialogue, len(turns) - 1, 0)


SWITCH = "framechange.switch_frame"
OFFER, THANKS = turn(1, act("offer")), turn(1, act("thankyou"))


@pytest.mark.parametrize(
    ("turns", "tags"),
    [
        ([turn(1)], ["noframechange", "no_noanno"]),
        ([OFFER, turn(1, act("affirm"))], ["noframechange", "noframechange.offer", "noanno"]),
        ([THANKS, turn(1, act("switch_frame", REF))], ["noframechange.nooffer", "noanno"]),
        (
            [OFFER, turn(2, act("switch_frame", REF))],
            [SWITCH, f"{SWITCH}.offer", f"{SWITCH}.noargs", "noanno"],
        ),
        (
            [THANKS, turn(2, act("switch_frame", NOTED))],
            [SWITCH, f"{SWITCH}.nooffer", "no_noanno"],
        ),
        (
            [THANKS, turn(2, act("request_compare", NOTED))],
            ["reqcomp", "framechange.valuechange", "no_noanno"],
        ),
        (
            [THANKS, turn(2, act("inform", SEAT))],
            ["framechange.valuechange", "noanno"],
        ),
    ],
)
def test_tags(turns: list[dict[str, Any]], tags: list[str]) -> None:
    assert list_tags(place(*turns)) == tags


def test_counts_go_under_every_tag() -> None:
    counts = {"tag/total_cnt": 2, "tag/a_cnt": 1, "slot/inform:seat_count": 2}
    named = name_subtasks(place(turn(1)), counts)
    assert named == {"tag/noframechange_cnt": 2, "tag/no_noanno_cnt": 2}
