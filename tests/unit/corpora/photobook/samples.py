"""Games to test with: a small one written by hand, and a whole one played by the rules."""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from tests.unit.play.scenarios.photobook.games import Course

from commonground.corpora.photobook.native import Game

SUN, SEA, OWL = (f"sun_sea/COCO_train2014_0000007000{n}.jpg" for n in ("01", "02", "03"))


def message(timestamp: str, turn: int, speaker: str, text: str) -> dict[str, Any]:
    """A message; A is agent 7, B is agent 9."""
    agent_id = {"A": 7, "B": 9}[speaker]
    return {
        "timestamp": timestamp,
        "turn": turn,
        "speaker": speaker,
        "agent_id": agent_id,
        "message": text,
    }


def small_log() -> dict[str, Any]:
    """Two rounds; A sees two images, B two, and they share one."""
    first = [
        message("00:00:00", 0, "A", "a yellow sun?"),
        message("00:00:05.250000", 1, "B", "yes"),
        message("00:00:07.500000", 2, "A", f"<selection> <com> {SUN}"),
        message("00:01:09.000000", 2, "B", f"<selection> <dif> {OWL}"),
        message("00:01:10.000000", 2, "A", "<feedback>"),
        message("00:01:12.500000", 2, "B", "<feedback>"),
        message("00:01:13.000000", 2, "B", "<next_round>"),
    ]
    answers = "<usr_feedback> col:5<&>partner_u:4<&>self_u:3<&>text: so much fun"
    second = [
        message("01:00:01.000000", 0, "B", "sun again"),
        message("01:00:02.000000", 1, "B", answers),
    ]
    return {
        "game_id": 12,
        "domain_id": 3,
        "agent_ids": [7, 9],
        "agent_labels": ["A", "B"],
        "start_time": "2024-05-06T07:08:09.000010",
        "feedback": {
            "A": None,
            "B": "col:5<&>partner_u:4<&>self_u:3<&>text:somuchfun",
        },
        "rounds": [_round(1, (2, 1), first), _round(2, (0, 3), second)],
    }


def _round(number: int, points: tuple[int, int], messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "round_nr": number,
        "score": {"A": points[0], "B": points[1]},
        "images": {"A": [SUN, SEA], "B": [OWL, SUN]},
        "common": [SUN],
        "highlighted": {"A": [True, False], "B": [True, False]},
        "messages": messages,
    }


def small_game() -> Game:
    """The small log, typed."""
    return msgspec.convert(small_log(), Game)


@cache
def _simulated() -> bytes:
    return msgspec.json.encode(Course().play_to_the_end().log())


def simulated_game() -> Game:
    """A clean game of image domain 0, with game id 0, new on each call."""
    return msgspec.json.decode(_simulated(), type=Game)
