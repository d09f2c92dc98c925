"""What annotators are proposed, against invented labels, and released ones where these are."""

from __future__ import annotations

import tomllib
from pathlib import Path

from benchmarks.proposals import BARS, Measured, Turn, count_public, measure, read_turns
from tests.released import find_released
from tests.thorough import thorough

from commonground.corpora.simmc.native.simmc1 import ApiCall
from commonground.corpora.simmc.native.targets import TargetAct
from commonground.play.scenarios.simmc.annotation.known import KnownThing

KNOWN = [
    KnownThing(1, "", {"type": "skirt", "color": ["pale_blue"]}),
    KnownThing(0, "focus", {"type": "coat", "color": ["red"]}),
]
RELEASED = {"acts": 0.71, "slots": 0.68, "objects": 0.77}
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
    return {name: getattr(measured, name).f1 for name in BARS}


def test_invented_turns_reach_the_bars() -> None:
    measured = measure(invented_turns())
    assert {name: f1 for name, f1 in f1_of(measured).items() if f1 < BARS[name]} == {}
    assert measured.whole >= 6


@thorough
def test_released_turns_do_not_get_worse() -> None:
    folder = find_released("simmc1") / "fashion"
    measured = measure(read_turns(folder, "devtest", count_public(folder)))
    assert measured.turns == 3_321
    assert {name: f1 for name, f1 in f1_of(measured).items() if f1 < RELEASED[name]} == {}
    assert measured.whole >= 1_000
