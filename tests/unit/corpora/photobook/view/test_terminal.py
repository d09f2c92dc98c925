from __future__ import annotations

from typing import Any

from tests.unit.corpora.photobook.samples import small_game

from commonground.corpora.photobook.convert import Context, convert
from commonground.corpora.photobook.view.terminal import describe_action


def test_clicks_are_sentences() -> None:
    dialogue = convert(small_game(), Context())
    told = {
        number: ["".join(piece.text for piece in line) for line in lines]
        for number in range(len(dialogue.events))
        if (lines := describe_action(dialogue, number))
    }
    assert told == {
        2: ["marks 700001 common ✓"],
        3: ["marks 700003 different ✓"],
        4: ["submits"],
        5: ["submits"],
        6: ["goes on to the next page"],
        8: ["collaboration 5, partner understood 4, understood partner 3  “ so much fun”"],
    }


def test_a_wrong_mark_and_a_stray_one_say_so() -> None:
    dialogue = convert(small_game(), Context())
    given: Any = dialogue.events[2].arguments
    given["label"] = "different"  # both players have it
    assert describe_action(dialogue, 2)[0][-1].text == "✗ wrong"
    given["image"] = "sun_sea/COCO_train2014_000000700003.jpg"  # B's only
    assert describe_action(dialogue, 2)[0][-1].text == "not on own page"
