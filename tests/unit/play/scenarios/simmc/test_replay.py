from __future__ import annotations

import json
import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from tests.replays.simmc import REPLAY
from tests.unit.play.scenarios.simmc.shops import fashion_course

from commonground.errors import FormatError
from commonground.play.scenarios.simmc.fashion.rules import SCENARIO

PUBLIC = "simmc1/fashion/fashion_devtest_dials_teststd_format_public.json"
DATA = os.environ.get("COMMONGROUND_DATA")


def released() -> dict[str, Any]:
    """A file of one dialogue of three rounds, which shows a coat and then a dress."""
    course = fashion_course()
    course.round(("focus", {"image": 5}))
    course.round()
    course.round()
    course.end()
    (first, *_) = SCENARIO.release(course.records())
    decoded: dict[str, Any] = json.loads(first.data)
    return decoded


def codes(file: dict[str, Any]) -> list[str]:
    replay = REPLAY.replay("f.json", json.dumps(file).encode())
    assert {each.code for each in replay.differences} <= REPLAY.reasons.keys()
    return [each.code for each in replay.differences]


def turns(file: dict[str, Any]) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = file["dialogue_data"][0]["dialogue"]
    return found


def test_what_was_played_here_comes_out_equal() -> None:
    replay = REPLAY.replay("f.json", json.dumps(released()).encode())
    assert (replay.sessions, replay.differences) == (1, [])
    assert replay.equal == replay.compared == dict.fromkeys(replay.compared, 3)


def test_without_keystrokes_a_click_is_where_the_scene_changes() -> None:
    file = released()
    for turn in turns(file):
        del turn["raw_assistant_keystrokes"]
    assert codes(file) == []
    del file["dialogue_data"][0]["dialogue_coref_map"]
    assert codes(file) == []


def test_the_public_form_withholds_the_last_answer() -> None:
    file = released()
    turns(file)[-1]["system_transcript"] = ""
    assert codes(file) == ["empty"]


@pytest.mark.parametrize(
    ("turn", "scene", "code"),
    [
        (2, {"OBJECT_1": {"type": "dress", "pos": "focus"}}, "scene_given"),
        (0, {}, "scene_missing"),
        (0, {"OBJECT_0": {"type": "dress", "pos": "center"}}, "scene"),
    ],
)
def test_scenes_that_the_rules_would_not_show(turn: int, scene: Any, code: str) -> None:
    file = released()
    turns(file)[turn]["visual_objects"] = scene
    assert codes(file) == [code]


def test_names_and_spellings_are_told_apart() -> None:
    file = released()
    del file["dialogue_data"][0]["dialogue_coref_map"]
    (facts,) = turns(file)[1]["visual_objects"].values()
    turns(file)[1]["visual_objects"] = {"OBJECT_7": facts}
    assert codes(file) == ["name"]
    turns(file)[1]["visual_objects"] = {"OBJECT_1": {**facts, "hemlength": ["mini"]}}
    assert codes(file) == ["spelling"]


def test_what_the_rules_refuse_is_listed() -> None:
    file = released()
    turns(file)[0]["raw_assistant_keystrokes"] = [{"image_id": 5}, {"image_id": 6}]
    assert codes(file) == ["already_clicked"]
    file = released()
    file["dialogue_data"][0]["dialogue_task_id"] = 1
    assert codes(file) == ["unplayable"]


def test_other_files_are_no_dialogues_of_fashion() -> None:
    with pytest.raises(FormatError, match="found none"):
        REPLAY.replay("f.json", b"[]")
    file = released()
    file["domain"] = "furniture"
    with pytest.raises(FormatError, match="found furniture"):
        codes(file)


@pytest.mark.skipif(DATA is None, reason="COMMONGROUND_DATA names no folder of released files")
def test_the_public_devtest_file_comes_out_as_released() -> None:
    replay = REPLAY.replay(PUBLIC, (Path(DATA or "") / PUBLIC).read_bytes())
    assert replay.sessions == 982
    found = Counter(each.code for each in replay.differences)
    # One dialogue has no task; all others lack their last answer.
    assert (found["unplayable"], found["empty"]) == (1, 981)
    assert replay.equal["transcript"] == replay.compared["transcript"] == 2338
    assert found.keys() == {"unplayable", "empty", "name", "spelling", "scene_given"}
    assert found["scene_given"] == 5
