from __future__ import annotations

from typing import Any

import pytest
from tests.unit.play.scenarios.frames.chats import Chat, offered, ref, slot

from commonground.play.scenarios.frames.game.state import replace
from commonground.play.scenarios.frames.rules import SCENARIO


def suggestions(chat: Chat, kind: str = "suggestions") -> list[tuple[str, Any]]:
    """What is suggested, by name of the act or type of the gesture."""
    found = []
    for each in SCENARIO.view(chat.state, "wizard")[kind]:
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
                        slot("intent", "book"),
                    ],
                )
            ],
        ),
        ("Not before September 2nd", [("inform", [slot("str_date", "September 2nd")])]),
        ("For $900 or less", [("inform", [slot("budget", "$900")])]),
        ("For $3,000, or less", [("inform", [slot("budget", "$3,000")])]),
        ("How much is it?", [("request", [slot("price")])]),
        (
            "Is there wifi, and how is it rated?",
            [("request", [slot("gst_rating"), slot("wifi")])],
        ),
        ("I like wifi.", []),
        ("Book it!", [("inform", [slot("intent", "book")])]),
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


def test_a_place_of_another_frame_is_a_switch_and_no_new_frame() -> None:
    chat = offered()
    chat.user("Rather to Beck")
    chat.act("wizard", "frames.frame_new", of="user", args=[slot("dst_city", "Beck")])
    chat.wizard("Beck it is")
    chat.user("Or Brook again?")
    payload = {"of": "user", "frame": 2, "slots": [slot("dst_city", "Brook")]}
    assert suggestions(chat) == [("frames.frame_switch", payload)]


@pytest.mark.parametrize(
    ("text", "frame", "said"),
    [
        ("The first one sounds good", 2, "The first one"),
        ("the second hotel is perfect", 3, "the second hotel"),
        ("That sounds great", 2, "That"),
    ],
)
def test_offers_are_told_apart_by_their_order(text: str, frame: int, said: str) -> None:
    chat = Chat()
    chat.user("To Brook please")
    chat.note("inform", slot("dst_city", "Brook"))
    chat.search(DESTINATION_CITY="brook")
    chat.offer(1, "price")
    chat.offer(2, "price")
    chat.wizard("640.25USD or 812.50USD, $640.25 or $812.50")
    chat.user(text)
    payload = {"of": "user", "frame": frame, "slots": [slot("ref_anaphora", said)]}
    assert suggestions(chat) == [("frames.frame_switch", payload)]


def test_yes_is_about_what_was_asked() -> None:
    chat = Chat()
    chat.user("To Brook please")
    chat.note("confirm", slot("n_adults", "2"), of="wizard")
    chat.wizard("For 2?")
    chat.user("Yes!")
    asked = ref(1, notes=(slot("n_adults", None),))
    assert suggestions(chat) == [("affirm", [asked])]


def test_what_is_noted_is_not_suggested_again() -> None:
    chat = Chat()
    chat.user("Hello, to Brook from Arden, thanks")
    chat.note("greeting")
    chat.note("inform", slot("dst_city", "Brook"))
    assert suggestions(chat) == [("inform", [slot("or_city", "Arden")]), ("thankyou", [])]
    chat.note("inform", slot("or_city", "Arden"))
    chat.note("thankyou")
    assert suggestions(chat) == []


def test_in_a_new_frame_the_other_wishes_go_as_well() -> None:
    chat = offered()
    chat.user("And to Beck, 2 adults?")
    (new,) = suggestions(chat)
    assert new == ("frames.frame_new", [slot("n_adults", "2"), slot("dst_city", "Beck")])
    chat.act("wizard", "frames.frame_new", of="user", args=[slot("dst_city", "Beck")])
    assert suggestions(chat) == [("inform", [slot("n_adults", "2")])]


def test_questions_that_come_first_are_about_the_frame_before() -> None:
    chat = offered()
    chat.user("How is it rated? And what about Beck?")
    asked, new = suggestions(chat)
    assert asked == ("request", [slot("gst_rating")])
    assert new == ("frames.frame_new", [slot("dst_city", "Beck")])


def test_last_words_are_read_after_the_chat_too() -> None:
    chat = offered()
    chat.user("Thanks")
    chat.act("user", "frames.end")
    assert suggestions(chat) == [("thankyou", [])]
    assert suggestions(chat, "proposals") == []


def test_answers_are_proposed_from_the_list() -> None:
    chat = offered()
    chat.user("Elm House: what do guests say, and is there a park? And a spa?")
    chat.switch(2, slot("name", "Elm House"))
    chat.note("request", slot("gst_rating"))
    chat.note("confirm", slot("park", True))
    chat.note("confirm", slot("spa", True))
    chat.note("request", slot("min_duration"))  # of which the list says nothing
    told = [("gst_rating", "8.1"), ("park", True), ("spa", False)]
    expected = [("inform", [slot(key, value) for key, value in told])]
    assert suggestions(chat, "proposals") == expected
    chat.note("inform", slot("park", True), of="wizard")
    expected[0][1].remove(slot("park", True))
    assert suggestions(chat, "proposals") == expected


def test_a_fact_of_another_frame_is_told_by_its_name() -> None:
    chat = offered()
    chat.user("Is Elm House cheap?")
    chat.note("request_compare", ref(1, 2, notes=(slot("price"),)))
    ((name, args),) = suggestions(chat, "proposals")
    facts = (slot("name", "Elm House"), slot("price", "812.50USD"))
    assert (name, args) == ("inform", [ref(2, relation="read", notes=facts)])


def test_what_a_search_finds_is_suggested_for_the_message() -> None:
    chat = Chat()
    chat.user("To Brook")
    chat.note("inform", slot("dst_city", "Brook"))
    chat.search(DESTINATION_CITY="Brook")
    tell = ["dst_city", "name", "category", "price"]
    offer = ("frames.offer", {"search": 1, "row": 1, "tell": tell})
    assert suggestions(chat, "proposals") == [offer]
    chat.search(DESTINATION_CITY="Atlantis")
    assert suggestions(chat, "proposals") == [("no_result", [ref(1)])]
    chat.note("no_result", of="wizard")
    assert suggestions(chat, "proposals") == []


def test_booking_is_proposed_behind_an_offer_and_for_who_wants_it() -> None:
    chat = Chat()
    chat.user("To Brook please")
    chat.search(DESTINATION_CITY="Brook")
    chat.offer()
    asks = ("suggest", [slot("action", "book")])
    assert suggestions(chat, "proposals") == [asks]
    assert chat.note("suggest", slot("action", "book"), of="wizard") == ""
    assert suggestions(chat, "proposals") == []
    assert len(chat.state.book.frames) == 2  # the question makes none
    chat.wizard("Elm House for 640.25USD. Shall I book it?")
    chat.user("Book it")
    chat.note("inform", slot("intent", "book"))
    assert suggestions(chat, "proposals") == [("inform", [slot("action", "book")])]


def test_packages_that_do_not_fit_are_suggested_and_not_offered() -> None:
    chat = Chat()
    started = chat.state.setting
    setting = replace(started, material=replace(started.material, suggests=True))
    chat.state = replace(chat.state, setting=setting)
    chat.user("To Atlantis")
    chat.search(DESTINATION_CITY="Atlantis")
    assert not chat.state.searches[0].fits
    (none, (kind, payload)) = suggestions(chat, "proposals")
    assert none == ("no_result", [ref(1)])
    assert (kind, payload["row"]) == ("suggest", 1)
    assert chat.act("wizard", "frames.offer", **payload) == ""
    assert chat.wizard("How about Elm House in Brook, a 3.5 star hotel, for $640.25?") == ""
    suggested = chat.state.runs[-1].notes[0].act
    assert suggested is not None
    assert suggested.name == "suggest"
