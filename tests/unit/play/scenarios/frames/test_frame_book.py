"""What dialogue acts do to frames. Frame 1 holds wishes, frame 2 is an offer that came of it."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from tests.unit.play.scenarios.frames.chats import ref, slot

from commonground.corpora.frames.native import Author, BinaryQuestion, DialogueAct
from commonground.play.scenarios.frames.game import frame_book as books
from commonground.play.scenarios.frames.game.frame_book import Book, open_book

ELM = slot("name", "Elm House")


def act(name: str, *args: dict[str, Any]) -> DialogueAct:
    return msgspec.convert({"name": name, "args": list(args)}, DialogueAct)


def carry(book: Book, author: Author, name: str, *args: dict[str, Any]) -> Book:
    return books.carry(book, author, act(name, *args))


@pytest.fixture
def book() -> Book:
    wishes = carry(open_book(), "user", "inform", slot("dst_city", "Brook"))
    offered = books.add_frame(wishes, 1)
    return carry(offered, "wizard", "offer", slot("name", "Elm House"), slot("id", 2))


def test_an_offer_takes_over_what_it_does_not_say(book: Book) -> None:
    assert book.held(2) == {"dst_city": "Brook", "name": "Elm House"}
    assert book.held(1) == {"dst_city": "Brook"}
    assert (book.frame(2).frame_parent_id, book.active) == (1, 1)


def test_marks_and_questions_are_not_taken_over(book: Book) -> None:
    book = carry(book, "wizard", "no_result")
    book = carry(book, "wizard", "request", slot("budget"))
    child = books.add_frame(book, 1).frame(3)
    assert (set(child.info), child.requests) == ({"dst_city"}, [])


def test_saying_it_again_changes_nothing_and_another_value_replaces_it(book: Book) -> None:
    assert carry(book, "user", "inform", slot("dst_city", "Brook")) == book
    assert carry(book, "user", "inform", slot("dst_city", "Beck")).held(1) == {"dst_city": "Beck"}


def test_books_stay_as_they_were(book: Book) -> None:
    before = msgspec.json.encode(book)
    carry(book, "user", "inform", slot("budget", "$900"))
    carry(book, "user", "request", slot("price"))
    assert msgspec.json.encode(book) == before


def test_news_of_the_wishes_holds_for_what_came_of_them(book: Book) -> None:
    told = carry(book, "wizard", "inform", slot("wifi", True), slot("name", "Other"))
    assert told.held(2) == {"dst_city": "Brook", "name": "Elm House", "wifi": True}
    wished = carry(book, "user", "inform", slot("wifi", True))
    assert "wifi" not in wished.held(2)


def test_the_wizard_writes_into_the_frames_that_it_names(book: Book) -> None:
    told = carry(book, "wizard", "inform", ref(2, relation="write"), slot("duration", "6 days"))
    assert told.held(2)["duration"] == "6"
    assert "duration" not in told.held(1)


def test_news_answers_the_requests_about_the_active_frame(book: Book) -> None:
    asked = carry(book, "wizard", "request", slot("budget"), slot("n_adults"))
    assert [each.key for each in asked.frame(1).requests] == ["budget", "n_adults"]
    assert carry(asked, "user", "inform", slot("budget", "$900")).frame(1).requests == []
    assert carry(asked, "wizard", "inform", slot("seat", "economy")).frame(1).requests != []


def test_a_request_with_a_value_is_a_yes_or_no_question(book: Book) -> None:
    asked = carry(book, "user", "request", slot("price", "$900"))
    question = BinaryQuestion(author="user", key="price", value="900.0")
    assert asked.frame(1).binary_questions == [question]
    assert carry(asked, "wizard", "inform", slot("wifi", True)).frame(1).binary_questions == []


def test_a_yes_answers_what_the_wizard_wants_confirmed(book: Book) -> None:
    asked = carry(book, "wizard", "confirm", slot("n_adults", "2"), slot("wifi"))
    assert [each.value for each in asked.frame(1).binary_questions] == ["2", []]
    assert carry(asked, "user", "affirm", ref(1)).frame(1).binary_questions == []
    said = carry(asked, "user", "affirm", ref(1, notes=(slot("n_adults", "2"),)))
    assert said.held(1)["n_adults"] == "2"
    assert [each.key for each in said.frame(1).binary_questions] == ["wifi"]


def test_a_suggestion_without_a_frame_is_a_question(book: Book) -> None:
    asked = carry(book, "wizard", "suggest", slot("action", "book"), slot("seat"))
    assert [each.key for each in asked.frame(1).binary_questions] == ["action"]


def test_a_comparison_is_answered_by_news_of_the_frame(book: Book) -> None:
    asked = carry(book, "user", "request_compare", ref(1, 2, notes=(slot("price"),)))
    assert [frame.compare_requests[0].keys for frame in asked.frames] == [["price"], ["price"]]
    note = slot("price", "$812.50")
    told = carry(asked, "wizard", "inform", ref(2, relation="read", notes=(note,)))
    assert [len(frame.compare_requests) for frame in told.frames] == [1, 0]
    assert told.held(2)["price"] == "812.5"


def test_a_comparison_may_name_its_slots_beside_the_frames(book: Book) -> None:
    asked = carry(book, "user", "request_compare", ref(1, 2), slot("price"), slot("seat"))
    assert asked.frame(2).compare_requests[0].keys == ["price", "seat"]


@pytest.mark.parametrize(
    ("author", "name", "args", "frame", "mark", "value"),
    [
        ("wizard", "no_result", [], 1, "NO_RESULT", (True, False)),
        ("user", "moreinfo", [ref(2)], 2, "MOREINFO", (True, False)),
        ("user", "request_alts", [], 1, "REQUEST_ALTS", (True, False)),
        ("user", "negate", [ref(2)], 2, "REJECTED", (False, True)),
        (
            "user",
            "negate",
            [ref(2, notes=(slot("name", "Elm House"),))],
            2,
            "REJECTED",
            (False, True),
        ),
        ("user", "affirm", [ref(2)], 2, "REJECTED", (False, False)),
    ],
)
def test_acts_mark_frames(
    book: Book, author: Author, name: str, args: list[Any], frame: int, mark: str, value: object
) -> None:
    (held,) = carry(book, author, name, *args).frame(frame).info[mark]
    assert (held.val, held.negated) == value


def test_wishes_are_not_taken_up_like_offers(book: Book) -> None:
    assert "REJECTED" not in carry(book, "user", "affirm", ref(1)).frame(1).info


def test_what_is_negated_is_ruled_out(book: Book) -> None:
    told = carry(book, "user", "inform", slot("seat", "economy"))
    ruled = carry(told, "user", "negate", ref(1, notes=(slot("seat", "Economy"),)))
    assert [(each.val, each.negated) for each in ruled.frame(1).info["seat"]] == [("economy", True)]
    assert "seat" not in ruled.held(1)
    again = carry(ruled, "user", "inform", slot("seat", "economy"))
    assert again.held(1)["seat"] == "economy"


@pytest.mark.parametrize("name", ["greeting", "thankyou", "goodbye", "sorry", "hearmore"])
def test_courtesies_change_nothing(book: Book, name: str) -> None:
    assert carry(book, "wizard", name) == book
