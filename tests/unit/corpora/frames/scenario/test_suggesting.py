from __future__ import annotations

from typing import Any

import pytest
from tests.unit.corpora.frames.scenario.chats import Chat, offered, ref, slot

from commonground.corpora.frames.scenario.rules import SCENARIO


def suggestions(chat: Chat) -> list[tuple[str, Any]]:
    """What is suggested, by name of the act or type of the gesture."""
    found = []
    for each in SCENARIO.view(chat.state, "wizard")["suggestions"]:
        payload = each["payload"]
        found.append((payload.get("name", each["type"]), payload.get("args", payload)))
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Hello!", [("greeting", [])]),
        ("Thanks, bye", [("thankyou", []), ("goodbye", [])]),
        (
            "We want to go from Arden to brook, 2 adults, back by September 9th",
            [
                (
                    "inform",
                    [
                        slot("n_adults", "2"),
                        slot("end_date", "September 9th"),
                        slot("or_city", "Arden"),
                        slot("dst_city", "brook"),
                    ],
                )
            ],
        ),
        ("For $900 or less", [("inform", [slot("budget", "$900")])]),
        ("How much is it?", [("request", [slot("price")])]),
        (
            "Is there wifi, and how is it rated?",
            [("request", [slot("gst_rating")]), ("confirm", [slot("wifi", True)])],
        ),
        ("I like wifi.", []),
        ("Book it!", [("inform", [slot("action", "book")])]),
        ("Anything else?", [("request_alts", [])]),
        ("I am Beckham", []),
    ],
)
def test_words_are_read(text: str, expected: list[Any]) -> None:
    chat = Chat()
    chat.user(text)
    assert suggestions(chat) == expected


def test_another_wish_is_suggested_as_a_new_frame() -> None:
    chat = offered()
    chat.user("And to Beck?")
    assert suggestions(chat) == [
        ("frames.frame_new", [slot("dst_city", "Beck")]),
    ]


def test_a_hotel_that_was_offered_is_a_switch() -> None:
    chat = offered()
    chat.user("elm house sounds good")
    payload = {"of": "user", "frame": 2, "slots": [slot("name", "elm house")]}
    assert suggestions(chat) == [("frames.frame_switch", payload)]


def test_once_something_is_noted_nothing_more_is_suggested() -> None:
    chat = Chat()
    chat.user("Hello, thanks")
    chat.note("greeting")
    assert suggestions(chat) == []


def test_what_a_search_finds_is_suggested_for_the_message() -> None:
    chat = Chat()
    chat.user("To Brook")
    chat.note("inform", slot("dst_city", "Brook"))
    chat.search(DESTINATION_CITY="Brook")
    tell = ["dst_city", "name", "category", "price"]
    assert suggestions(chat) == [("frames.offer", {"search": 1, "row": 1, "tell": tell})]
    chat.search(DESTINATION_CITY="Atlantis")
    assert suggestions(chat) == [("no_result", [ref(1)])]
    chat.note("no_result", of="wizard")
    assert suggestions(chat) == []
