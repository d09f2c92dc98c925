from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from tests.replays import replay_folder
from tests.replays.frames import REPLAY
from tests.unit.corpora.frames.samples import sample, simulated

from commonground.corpora.frames.native import DialogueAct, FramesDialogue, InfoValue, Request, Slot
from commonground.errors import FormatError
from commonground.play.scenario import Replay


def replay(*records: FramesDialogue) -> Replay:
    return REPLAY.replay("frames.json", msgspec.json.encode(records))


def codes(found: Replay) -> Counter[str]:
    return Counter(each.code for each in found.differences)


def test_what_the_rules_made_comes_out_again() -> None:
    records = list(simulated())
    found = replay(*records)
    turns = sum(len(record.turns) for record in records)
    assert found.sessions == len(records)
    for name in ("acts", "texts", "edited", "active", "packages"):
        assert found.equal[name] == found.compared[name] > 0
    assert found.compared["snapshots"] == turns
    # Offers take nothing over that their package does not bear out; a replay has no packages.
    assert set(codes(found)) <= {"value_extra", "value", "parents"}


def test_the_sample_is_taken_apart() -> None:
    """Its acts do not make its frames: they were written to try the converter."""
    found = replay(msgspec.convert(sample(), FramesDialogue))
    assert found.compared["snapshots"] == 3
    assert found.equal["edited"] == 3
    assert found.compared["offers"] == found.equal["offers"] == 1


def hold_twice(record: FramesDialogue) -> None:
    for turn in record.turns:
        turn.labels.frames[0].info["intent"].append(InfoValue(val="book", negated=False))


def hold_another(record: FramesDialogue) -> None:
    for turn in record.turns:
        turn.labels.frames[0].info["intent"][0].val = "dream"


def rule_out(record: FramesDialogue) -> None:
    record.turns[-1].labels.frames[0].info["intent"][0].negated = True


def forget(record: FramesDialogue) -> None:
    del record.turns[-1].labels.frames[0].info["intent"]


def add(record: FramesDialogue) -> None:
    record.turns[-1].labels.frames[0].info["theatre"] = [InfoValue(val=True, negated=False)]


def mark(record: FramesDialogue) -> None:
    record.turns[-1].labels.frames[0].info["HEARMORE"] = [InfoValue(val=[], negated=False)]


def ask(record: FramesDialogue) -> None:
    record.turns[-1].labels.frames[0].requests.append(Request(author="user", key="price"))


def write_lines(record: FramesDialogue) -> None:
    record.turns[0].text += "\nand that is all"


def write_spaces(record: FramesDialogue) -> None:
    record.turns[0].text += " "


def rate_oddly(record: FramesDialogue) -> None:
    record.labels.userSurveyRating = 4.5


def say_otherwise(record: FramesDialogue) -> None:
    """Gives the user's last words, thanks, a wish that is not among them."""
    *_, last = (turn for turn in record.turns if turn.author == "user")
    for acts in (last.labels.acts, last.labels.acts_without_refs):
        assert isinstance(acts, list)
        acts.append(DialogueAct(name="inform", args=[Slot(key="dst_city", val="elsewhere")]))


PLANTS: dict[str, tuple[Callable[[FramesDialogue], None], set[str]]] = {
    "twice": (hold_twice, {"repeated"}),
    "another": (hold_another, {"value"}),
    "negated": (rule_out, {"negated"}),
    "forgotten": (forget, {"value_extra"}),
    "added": (add, {"value_missing"}),
    "mark": (mark, {"mark"}),
    "question": (ask, {"request"}),
    "lines": (write_lines, {"unprintable"}),
    "spaces": (write_spaces, {"text"}),
    "rating": (rate_oddly, {"no_rating"}),
    "words": (say_otherwise, {"not_in_text"}),
}


@pytest.mark.parametrize("name", PLANTS)
def test_each_planted_difference_is_listed_with_its_reason(name: str) -> None:
    change, wanted = PLANTS[name]
    record = next(each for each in simulated() if not replay(each).differences)
    change(record)
    found = replay(record)
    assert wanted <= set(codes(found))
    assert all(code in REPLAY.reasons for code in codes(found))
    assert found.equal["edited"] == found.compared["edited"]


@pytest.mark.parametrize("data", [b"", b"[]", b"{}", b'[{"id": 1}]', b"[1]"])
def test_what_is_no_file_of_dialogues_is_an_error_that_names_it(data: bytes) -> None:
    with pytest.raises(FormatError, match=r"^bad\.json: "):
        REPLAY.replay("bad.json", data)


# Counted with `commonground play frames --replay` over frames.json of sources.json; every snapshot
# comes out once the listed differences are put right, but for frames of another parent.
RELEASED = {
    "packages": 3656,
    "value": 2803,
    "offers": 2647,
    "value_extra": 2372,
    "order": 1997,
    "repeated": 1852,
    "question": 1677,
    "mark": 753,
    "request": 661,
    "time_order": 540,
    "unprintable": 373,
    "value_missing": 372,
    "comparison": 353,
    "text": 132,
    "negated": 100,
    "parents": 64,
    "bad_query": 62,
    "not_said": 57,
    "no_rating": 33,
    "active": 17,
    "not_in_text": 8,
    "bad_value": 7,
    "bad_slot": 5,
    "nothing_new": 1,
    "already_active": 1,
}


def test_the_released_dialogues_come_out_again() -> None:
    if "COMMONGROUND_FRAMES" not in os.environ:
        pytest.skip("COMMONGROUND_FRAMES names no frames.json, folder or zip")
    place = Path(os.environ["COMMONGROUND_FRAMES"])
    replay = replay_folder(REPLAY, "frames", place)
    assert replay.sessions == 1_369
    for name in ("acts", "snapshots", "edited", "active", "texts"):
        assert replay.compared[name] == 19_986
    assert replay.equal["acts"] == 19_986
    assert replay.equal["snapshots"] == 13_642
    assert replay.equal["edited"] == 19_922
    assert replay.equal["active"] == 19_969
    assert (replay.equal["packages"], replay.compared["packages"]) == (20_348, 24_004)
    assert (replay.equal["offers"], replay.compared["offers"]) == (1_450, 4_097)
    assert codes(replay) == RELEASED
    assert all(REPLAY.reasons[code] for code in RELEASED)
