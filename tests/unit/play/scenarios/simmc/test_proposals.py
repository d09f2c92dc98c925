"""What annotators are proposed, against invented labels, and released ones where these are."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from benchmarks.proposals import BARS, Measured, Turn, count_public, measure, read_turns
from tests.released import find_released

from commonground.corpora.simmc.native.simmc1 import ApiCall
from commonground.corpora.simmc.native.targets import TargetAct
from commonground.play.scenarios.simmc.annotation.known import KnownThing
from commonground.play.scenarios.simmc.annotation.proposals import propose

KNOWN = [
    KnownThing(1, "", {"type": "skirt", "color": ["pale_blue"]}),
    KnownThing(0, "focus", {"type": "coat", "color": ["red"]}),
]
RELEASED = {"acts": 0.72, "slots": 0.70, "objects": 0.79, "shown": 0.84}
"""F1 on the public turns of devtest that no change may fall below."""


def invented_turns() -> list[Turn]:
    text = Path(__file__).with_name("proposals.toml").read_text(encoding="utf-8")
    return [
        Turn(
            each["text"],
            KNOWN,
            ApiCall(
                turn_idx=0,
                action=each["action"],
                action_supervision={"attributes": each.get("attributes", [])},
            ),
            [
                TargetAct(
                    act=act["act"],
                    slots=[
                        *(["fashion-O", f"OBJECT_{number}"] for number in act["objects"]),
                        *([f"fashion-{name}", value] for name, value in act["slots"]),
                    ],
                )
                for act in each["acts"]
            ],
        )
        for each in tomllib.loads(text)["turns"]
    ]


def f1_of(measured: Measured) -> dict[str, float]:
    return {name: getattr(measured, name).f1 for name in RELEASED}


def test_invented_turns_reach_the_bars() -> None:
    measured = measure(invented_turns())
    assert {name: f1 for name, f1 in f1_of(measured).items() if f1 < BARS.get(name, 0)} == {}
    assert measured.whole >= 6


def test_released_turns_do_not_get_worse() -> None:
    folder = find_released("simmc1") / "fashion"
    measured = measure(read_turns(folder, "devtest", count_public(folder)))
    assert measured.turns == 3_321
    assert {name: f1 for name, f1 in f1_of(measured).items() if f1 < RELEASED[name]} == {}
    assert measured.whole >= 1_100


def test_a_reaction_is_about_what_was_just_told() -> None:
    told = ApiCall(
        turn_idx=0, action="SpecifyInfo", action_supervision={"attributes": ["customerRating"]}
    )
    now = ApiCall(turn_idx=1, action="AddToCart", action_supervision=None)
    first, *_ = propose("That's great! Add it to my cart.", "user", "fashion", KNOWN, now, told)
    assert first.act == "DA:INFORM:PREFER:CLOTHING.customerRating"
    first, *_ = propose("That one is great! Add it.", "user", "fashion", KNOWN, now, told)
    assert first.act == "DA:INFORM:PREFER:CLOTHING"


def test_a_size_is_one_to_wear_or_one_that_things_come_in() -> None:
    search = ApiCall(turn_idx=0, action="SearchDatabase", action_supervision=None)
    for text, slot in (
        ("Can you show me other skirts that come in medium?", "availableSizes"),
        ("Can you show me other skirts in my size?", "size"),
    ):
        (label,) = propose(text, "user", "fashion", KNOWN, search)
        assert label.act == "DA:REQUEST:GET:CLOTHING"
        assert [each.slot for each in label.slots][-1] == slot


@pytest.mark.parametrize(
    ("text", "attribute", "things"),
    [
        ("Which is cheaper, this coat or the pale blue one?", ".price", (0, 1)),
        ("How does the price of this compare with the pale blue skirt?", ".price", (0, 1)),
        ("Okay. Is this more expensive than the skirt from before?", ".price", (0, 1)),
        ("What's the difference between this one and the skirt?", "", (0, 1)),
        ("Which one is better rated?", ".customerRating", (0, 1)),
        ("Is this one larger than the other one?", ".size", (0, 1)),
        ("Can you compare the brand and the rating of the two?", ".info", (0, 1)),
        ("Compare their prices, please.", ".price", (0, 1)),
    ],
)
def test_a_comparison_is_one_of_what_is_in_view_and_another_thing(
    text: str, attribute: str, things: tuple[int, ...]
) -> None:
    nothing = ApiCall(turn_idx=0, action="None", action_supervision=None)
    (label,) = propose(text, "user", "fashion", KNOWN, nothing)
    assert (label.act, label.objects) == (f"DA:REQUEST:COMPARE:CLOTHING{attribute}", things)


@pytest.mark.parametrize(
    ("text", "attribute"),
    [
        ("Which is larger, the left one or the right one?", "dimensions"),
        ("Which is cheaper?", "price"),
    ],
)
def test_furniture_is_compared_by_its_place(text: str, attribute: str) -> None:
    row = [KnownThing(n, place, {}) for n, place in enumerate(("left", "center", "right"))]
    nothing = ApiCall(turn_idx=0, action="None", action_supervision=None)
    (label,) = propose(text, "user", "furniture", row, nothing)
    assert label.act == f"DA:REQUEST:COMPARE:FURNITURE.{attribute}"
    assert label.objects == ((0, 2) if "left" in text else (0, 1, 2))


@pytest.mark.parametrize(
    "text",
    [
        "Do you have anything cheaper than this?",
        "Is there another one that is longer than this one?",
        "This is a little more than I was prepared to pay.",
    ],
)
def test_a_wish_for_another_one_is_no_comparison(text: str) -> None:
    nothing = ApiCall(turn_idx=0, action="None", action_supervision=None)
    assert not any(
        ":COMPARE" in each.act for each in propose(text, "user", "fashion", KNOWN, nothing)
    )


def test_a_size_of_ones_own_is_asked_for_and_not_what_things_come_in() -> None:
    search = ApiCall(turn_idx=0, action="SearchDatabase", action_supervision=None)
    (label,) = propose("Do you have skirts in my size?", "user", "fashion", KNOWN, search)
    assert [each.slot for each in label.slots] == ["size"]
