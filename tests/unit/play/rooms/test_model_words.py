"""What models read of acts: sentences, and no dumps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from tests.unit.play.rooms.test_bad_players import call, end, play

from commonground.play.acts import BY_SERVER
from commonground.play.rooms.players.model_answers import AnswerForm, make_tools
from commonground.play.rooms.players.model_words import (
    Words,
    join_values,
    list_misfits,
    load_words,
    show_time,
)
from commonground.play.rooms.players.models import show_times
from commonground.play.scenario import Allowed, Refusal, payload_schema
from commonground.play.scenarios import get_scenario, iterate_scenarios

pytestmark = pytest.mark.filterwarnings("ignore:The .initial. parameter:DeprecationWarning")

BY_TIMER = {"time_up"}
SCENARIOS = [each.name for each in iterate_scenarios()]


@pytest.mark.parametrize("name", SCENARIOS)
def test_every_act_has_a_sentence_and_every_refusal_a_reason(name: str) -> None:
    scenario = get_scenario(name)
    words = load_words(scenario)
    acts = {each.rpartition(".")[2] for each in scenario.rules.act_types - BY_SERVER} - BY_TIMER
    assert acts <= words.acts.keys()
    assert scenario.rules.refusals <= words.refusals.keys()
    for said in words.acts.values():
        assert said[0].isupper()
        assert said.endswith(".")


def test_a_skip_says_in_words_which_arguments_go_together() -> None:
    scenario = get_scenario("mpchat")
    reasons = ["picture_missing", "unclear", "disturbing"]
    schema = payload_schema(reason={"enum": [*reasons, "other"]}, note={"type": "string"})
    branches = [
        {"properties": {"reason": {"enum": reasons}}},
        {"properties": {"note": {"pattern": r"\S"}}},
    ]
    skip, _wait = make_tools(
        [Allowed("mpchat.skip", {**schema, "anyOf": branches})], load_words(scenario)
    )
    assert skip.description.endswith(
        "It is accepted where reason is picture_missing, unclear or disturbing, "
        "or note is not empty."
    )


@pytest.mark.parametrize(
    ("payload", "said"),
    [
        ({}, ["text is missing.", "label is missing."]),
        ({"text": "", "label": "common"}, ["text is empty."]),
        ({"text": "abcdef", "label": "common"}, ["text has 6 characters, and may have 5 at most."]),
        ({"text": "a", "label": "red"}, ["label must be common or different, and is red."]),
        ({"text": 4, "label": "common"}, ["text must be a text."]),
        (
            {"text": "a", "label": "common", "more": 1},
            ["The arguments have something that is not asked for."],
        ),
        (
            {"text": "a", "label": "common", "spans": [{"start": -1}]},
            ["spans.0.start is too small: -1."],
        ),
    ],
)
def test_what_does_not_fit_is_said_in_sentences(payload: dict[str, Any], said: list[str]) -> None:
    start = payload_schema(start={"type": "integer", "minimum": 0})
    schema = payload_schema(
        ("spans",),
        text={"type": "string", "minLength": 1, "maxLength": 5},
        label={"enum": ["common", "different"]},
        spans={"type": "array", "items": start},
    )
    assert list(list_misfits(schema, payload)) == said


def test_a_refusal_that_nobody_has_words_for_is_said_by_its_name() -> None:
    said = Words().explain(Refusal("no_such_thing"), {}, {})
    assert said == "It is not possible now: no such thing."


def test_long_lists_are_cut() -> None:
    assert join_values(range(14)).endswith("10, 11 or one of 2 more")
    assert join_values(["a"]) == "a"


def test_times_are_times_of_day() -> None:
    at_us = 1_709_542_800_000_000  # the fourth of March 2024, nine o'clock
    assert show_time(at_us + 61_500_000) == "09:01:01"
    chat = [{"role": "A", "text": "hi", "round": 1, "at_us": at_us}]
    shown = show_times({"phase": "play", "chat": chat})
    assert shown["chat"] == [{"role": "A", "text": "hi", "round": 1, "at": "09:00:00"}]
    assert "at_us" in chat[0]


@pytest.mark.parametrize("form", ["tools", "json"])
def test_a_model_sees_its_bad_answer_beside_the_reason(tmp_path: Path, form: AnswerForm) -> None:
    arguments = {"image": "picture 9", "label": "common"}
    said = '{"act": "photobook_mark", "arguments": {"image": "picture 9", "label": "common"}}'
    say = call("photobook_mark", arguments) if form == "tools" else end(said, "stop")
    _played, _tally, sent = play(tmp_path / "out", say, form)
    assert "Your last answer was" not in sent[0]
    shown = 'photobook_mark({"image":"picture 9","label":"common"})' if form == "tools" else said
    assert "Your last answer was:\n" in sent[1]
    assert f"{shown}\nIt was not accepted. That picture is not on this page." in sent[1]
    assert "image must be picture " in sent[1]
    assert ", and is picture 9." in sent[1]
    note = sent[1].partition("Your last answer was")[2]
    assert not any(sign in note.replace(shown, "") for sign in ("'", "COCO", "enum", "None"))
    assert "at_us" not in "".join(sent)
