"""A dialogue worked out by hand, and simulated ones, for the tests of Frames."""

from __future__ import annotations

import json
from collections.abc import Iterator
from copy import deepcopy
from functools import cache
from typing import Any

import msgspec

from commonground.corpora.frames.convert import convert
from commonground.corpora.frames.native import FramesDialogue
from commonground.model import Dialogue
from commonground.play.scenarios.frames.simulate import iterate_dialogues


def moment(day: int, hour: int) -> dict[str, int]:
    return {"year": 2016, "month": 9, "day": day, "hour": hour, "min": 0}


def flight(day: int) -> dict[str, Any]:
    times = {"departure": moment(day, 8), "arrival": moment(day, 11)}
    return {**times, "duration": {"hours": 3, "min": 0}}


def package(name: str = "Elm House", price: float = 812.5) -> dict[str, Any]:
    return {
        "price": price,
        "trip": {
            "or_city": "Arden",
            "leaving": flight(3),
            "returning": flight(9),
            "seat": "ECONOMY",
            "duration_days": 6,
        },
        "hotel": {
            "name": name,
            "dst_city": "Brook",
            "country": "Nowhere",
            "category": "3.5 star hotel",
            "gst_rating": 0,
            "amenities": ["FREE_WIFI"],
            "vicinity": [],
        },
    }


def frame(number: int, parent: int | None, info: dict[str, Any], **more: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {"requests": [], "binary_questions": [], "compare_requests": []}
    # Copied, since tests change what they are given.
    return {"frame_id": number, "frame_parent_id": parent, "info": deepcopy(info), **asked, **more}


def held(value: object, negated: bool = False) -> dict[str, Any]:
    return {"val": value, "negated": negated}


def act(name: str, *args: dict[str, Any]) -> dict[str, Any]:
    return {"name": name, "args": list(args)}


BROOK = {"dst_city": [held("Brook")]}
OFFERED = {"name": [held("Elm House")], "price": [held("812.5")], "wifi": [held(True)]}
FIRST_MS = 1_471_000_000_000


def sample() -> dict[str, Any]:
    """A user asks for Brook, gets one offer, and switches to it."""
    return {
        "id": "0123abcd-0123-4abc-8abc-0123456789ab",
        "user_id": "U22HTHYNP",
        "wizard_id": "UWIZARD01",
        "labels": {"userSurveyRating": 4.5, "wizardSurveyTaskSuccessful": True},
        "turns": [
            {
                "author": "user",
                "text": "Hi, to Brook please",
                "timestamp": FIRST_MS,
                "labels": {
                    "acts": [act("greeting"), act("inform", {"key": "dst_city", "val": "Brook"})],
                    "acts_without_refs": [
                        act("greeting"),
                        act("inform", {"key": "dst_city", "val": "Brook"}),
                    ],
                    "active_frame": 1,
                    "frames": [frame(1, None, BROOK)],
                },
            },
            {
                "author": "wizard",
                "text": "Elm House for $812.50?",
                "timestamp": FIRST_MS + 60_000.5,
                "db": {
                    "search": [
                        {
                            "timestamp": FIRST_MS / 1000 + 20.25,
                            "DESTINATION_CITY": "brook",
                            "NUM_ADULTS": "2",
                            "RESULT_LIMIT": "10",
                        },
                        {"timestamp": FIRST_MS // 1000 + 30, "MAX_DURATION": 86400000},
                    ],
                    "result": [[package("Oak Inn", 700.0), package()], []],
                },
                "labels": {
                    "acts": [
                        act(
                            "offer",
                            {"key": "name", "val": "Elm House"},
                            {"key": "price", "val": "$812.50"},
                            {"key": "id", "val": 2},
                        )
                    ],
                    "active_frame": 1,
                    "frames": [
                        frame(1, None, BROOK, requests=[{"author": "wizard", "key": "budget"}]),
                        frame(2, 1, OFFERED),
                    ],
                },
            },
            {
                "author": "user",
                "text": "That one. Is there wifi?",
                "timestamp": FIRST_MS + 90_000,
                "labels": {
                    "acts": [
                        act("switch_frame", {"key": "ref", "val": [reference(2)]}),
                        act("confirm", {"key": "wifi", "val": True}),
                        act("request_compare", {"key": "ref", "val": [reference(1, "price")]}),
                    ],
                    "acts_without_refs": [
                        act("switch_frame"),
                        act("confirm", {"key": "wifi", "val": True}),
                        act("request_compare", {"key": "price", "val": None}),
                    ],
                    "active_frame": 2,
                    "frames": [
                        frame(1, None, {}, compare_requests=[compare("price", "seat")]),
                        frame(2, 1, {"seat": [held("business", True)]}, binary_questions=[WIFI]),
                        frame(3, 1, {}),
                    ],
                },
            },
        ],
    }


WIFI = {"author": "user", "key": "wifi", "value": True}


def reference(number: int, *keys: str) -> dict[str, Any]:
    return {"frame": number, "annotations": [{"key": k} for k in keys], "fromrange": False}


def compare(*keys: str) -> dict[str, Any]:
    return {"author": "user", "keys": list(keys)}


def typed(value: dict[str, Any]) -> FramesDialogue:
    return msgspec.json.decode(json.dumps(value), type=FramesDialogue)


def converted(value: dict[str, Any]) -> Dialogue:
    return convert(typed(value))


@cache
def _simulated_bytes() -> list[bytes]:
    return [msgspec.json.encode(dialogue) for dialogue in iterate_dialogues(60, 7)]


def simulated() -> Iterator[FramesDialogue]:
    """Yields simulated dialogues that may be changed."""
    for data in _simulated_bytes():
        yield msgspec.json.decode(data, type=FramesDialogue)
