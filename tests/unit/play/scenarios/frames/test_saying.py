"""What a message says, whatever the form of its words, and the sentences that offers begin with."""

from __future__ import annotations

from typing import Any

import pytest
from tests.unit.play.scenarios.frames.chats import Chat, offered, slot

from commonground.play.scenarios.frames.game.saying import find_words, word_offer


@pytest.mark.parametrize(
    ("key", "value", "text", "words"),
    [
        ("price", "788.50USD", "It costs $788.50.", "$788.50"),
        ("price", "788.50USD", "It is 788.50 dollars in all.", "788.50 dollars"),
        ("price", "$1789.00", "You pay 1,789 USD.", "1,789 USD"),
        ("price", "$1789.00", "You pay $1,789, all in.", "$1,789"),
        ("price", "788.50USD", "It costs $798.50.", None),
        ("category", "5", "A 5-star place.", "5"),
        ("category", "5", "It has five stars.", "five"),
        ("category", "4.5", "It has four stars.", None),
        ("gst_rating", "8.1", "Guests say 8.10/10.", "8.1"),
        ("duration", "6 days", "You have six days there.", "six days"),
        ("n_adults", "4", "For four adults.", "four"),
        ("str_date", "September 3rd", "You leave on 3 September.", "3 September"),
        ("end_date", "September 9th", "Back on Sept. 9.", "Sept. 9"),
        ("end_date", "September 9th", "Back on Sept. 8.", None),
        ("name", "Elm House", "The elm house is free.", "Elm House"),
        ("name", "Elm House", "The Elm Inn is free.", None),
    ],
)
def test_values_are_found_in_other_forms(key: str, value: str, text: str, words: Any) -> None:
    assert find_words(key, value, text) == words


def test_acts_have_the_words_that_were_written() -> None:
    chat = Chat()
    chat.user("To Brook, please")
    chat.search(DESTINATION_CITY="Brook", PRICE_MIN="800")
    assert chat.offer(1, "name", "category", "price", "str_date") == ""
    assert chat.wizard("Elm House has 3.5-stars and costs $799.") == "not_said"
    said = "Elm House is a 3.5-star hotel at $812.50, from 3 September."
    assert chat.wizard(said) == ""
    (note,) = chat.state.runs[-1].notes
    assert note.act is not None
    values = {arg.key: arg.val for arg in note.act.args}
    assert (values["price"], values["str_date"]) == ("$812.50", "3 September")
    assert chat.held(2)["price"] == "812.5"


def test_other_forms_stand_in_references_as_well() -> None:
    chat = offered()
    chat.user("And when is that?")
    fact = slot("str_date", "September 3rd")
    read = {"key": "read", "val": [{"frame": 2, "annotations": [fact], "fromrange": False}]}
    assert chat.note("inform", read, of="wizard") == ""
    assert chat.wizard("From the 3rd of September on.") == ""
    (note,) = chat.state.runs[-1].notes
    assert note.act is not None
    assert isinstance(note.act.args[0].val, list)
    (reference,) = note.act.args[0].val
    assert [each.val for each in reference.annotations] == ["3rd of September"]


@pytest.mark.parametrize(
    ("stated", "text"),
    [
        ({"name": "Elm House", "price": "$5.00"}, "I have Elm House for $5.00."),
        ({"price": "$5.00", "dst_city": "Brook"}, "I have a hotel in Brook for $5.00."),
        (
            {"duration": "6 days", "name": "Elm House", "category": "4", "dst_city": "Brook"},
            "I have 6 days at Elm House (4 star hotel) in Brook.",
        ),
        (
            {
                "name": "Elm House",
                "or_city": "Arden",
                "str_date": "May 3rd",
                "end_date": "May 9th",
                "seat": "economy",
                "gst_rating": "8.1",
                "wifi": True,
                "spa": True,
                "park": True,
            },
            "I have Elm House. You would leave Arden on May 3rd, return on May 9th and fly economy."
            " Guests give it 8.1 out of 10. There is free wifi, a spa and a park.",
        ),
        (
            {"name": "Elm House", "str_date": "May 3rd"},
            "I have Elm House. You would leave on May 3rd.",
        ),
    ],
)
def test_offers_are_sentences(stated: Any, text: str) -> None:
    assert word_offer(stated) == text
