"""What both shopping games share, tried in the fashion shop."""

from __future__ import annotations

import json
from pathlib import Path

import msgspec
import pytest
from tests.unit.play.scenarios.simmc.shops import GRADE, Course, fashion_course

from commonground.corpora import get_corpus
from commonground.corpora.simmc.native.simmc1 import Dialogue1
from commonground.play.scenario import Act, Refusal
from commonground.play.scenarios.simmc.fashion.rules import SCENARIO, FashionState
from commonground.play.scenarios.simmc.release import SURVEYS
from commonground.store.importing import check_files


@pytest.fixture
def course() -> Course[FashionState]:
    return fashion_course()


def test_user_and_assistant_take_turns(course: Course[FashionState]) -> None:
    assert course.answer() == "not_your_turn"
    assert course.do("cart") == "not_your_turn"
    assert course.ask() == ""
    assert course.ask() == "not_your_turn"
    assert course.act("user", "simmc.done") == "not_your_turn"
    assert course.view("user")["round"] == 1
    assert course.answer() == ""
    assert course.view("user")["round"] == 2


def test_the_user_is_done_after_a_round(course: Course[FashionState]) -> None:
    assert course.act("user", "simmc.done") == "nothing_said"
    course.round()
    assert course.act("assistant", "simmc.done") == "wrong_role"
    assert course.act("user", "simmc.survey", **GRADE) == "talk_not_over"
    assert course.act("user", "simmc.done") == ""
    assert course.ask() == "talk_over"
    assert course.view("user")["phase"] == "survey"


def test_who_bought_something_may_say_goodbye(course: Course[FashionState]) -> None:
    assert course.act("user", "simmc.goodbye", text="bye") == "cart_empty"
    course.round(("cart", {}))
    assert course.act("user", "simmc.goodbye", text="bye") == ""
    assert course.view("assistant")["parting"]
    assert course.answer("bye") == ""
    assert course.view("user")["phase"] == "survey"
    assert len(course.dialogue().dialogue) == 2


def test_both_grade_the_talk_once(course: Course[FashionState]) -> None:
    course.round()
    course.act("user", "simmc.done")
    assert course.act("user", "simmc.survey", grade=6, text="") == "no_grade"
    assert course.act("user", "simmc.survey", grade=0, text="") == "no_grade"
    assert course.act("user", "simmc.survey", grade=5, text="x" * 1001) == "too_long"
    assert course.act("user", "simmc.survey", **GRADE) == ""
    assert course.act("user", "simmc.survey", **GRADE) == "already_answered"
    assert not SCENARIO.is_complete(course.state)
    assert course.act("assistant", "simmc.survey", grade=1, text="") == ""
    assert SCENARIO.is_complete(course.state)
    assert course.ask() == "over"


def test_opinions_go_into_a_file_of_their_own(course: Course[FashionState]) -> None:
    course.round()
    course.end()
    files = {each.path: each.data for each in SCENARIO.release(course.records())}
    lines = [json.loads(line) for line in files[SURVEYS].splitlines()]
    assert [(each["role"], each["agent"], each["grade"]) for each in lines] == [
        ("user", 8, 4),
        ("assistant", 9, 4),
    ]


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("hello", ""),
        ("x" * 500, ""),
        ("x" * 501, "too_long"),
        ("", "empty"),
        (" \u2003", "empty"),
        ("two\nlines", "unprintable"),
        ("a\x00b", "unprintable"),
        ("a\ud800b", "unprintable"),
        ("a <EOB> b", "reserved_sign"),
        ("System : hi", "reserved_sign"),
        ("a <3 b", ""),
        ("\U0001f469\u200d\U0001f467 a\xa0coat", ""),
    ],
)
def test_texts_are_what_the_formats_can_hold(
    course: Course[FashionState], text: str, code: str
) -> None:
    assert course.ask(text) == code
    assert len(course.view("user")["chat"]) == (code == "")


def test_acts_of_no_form_are_faults_of_a_program(course: Course[FashionState]) -> None:
    def refuse(kind: str, role: str | None, **payload: object) -> Refusal:
        result = SCENARIO.apply(course.state, Act(kind, role, payload, 1))
        assert isinstance(result, Refusal)
        assert result.kind == "protocol"
        return result

    assert refuse("simmc.dance", "user").code == "unknown_type"
    assert refuse("chat.message", "nobody", text="hi").code == "wrong_role"
    assert refuse("moderator.end", "user", reason="no").code == "wrong_role"
    assert refuse("chat.message", "user", text=7).code == "bad_payload"
    assert refuse("chat.message", "user").code == "bad_payload"
    course.ask()
    assert refuse("chat.message", "assistant", text="late").code == "time_order"


def test_an_act_counts_in_its_round(course: Course[FashionState]) -> None:
    course.round()
    assert course.act("user", "chat.message", 1, text="late") == "stale_round"
    assert course.act("user", "chat.message", 2, text="now") == ""


def test_moderators_write_and_end_at_any_time(course: Course[FashionState]) -> None:
    assert course.act(None, "moderator.message", text="all well?") == ""
    assert course.view("user")["chat"][0]["role"] is None
    assert course.view("user")["yours"]
    course.round()
    assert course.act(None, "moderator.end", reason="broken") == ""
    assert course.view("user")["ended"] == "broken"
    assert not SCENARIO.is_complete(course.state)
    assert len(course.dialogue().dialogue) == 1


def test_a_talk_that_broke_off_gives_its_closed_rounds(course: Course[FashionState]) -> None:
    assert course.records() == []
    course.ask()
    assert course.records() == []
    course.answer()
    course.ask("and then")
    assert [turn.transcript for turn in course.dialogue().dialogue] == ["hello"]


def test_what_is_allowed_goes_by_turn_and_phase(course: Course[FashionState]) -> None:
    assert course.allowed("user") == {"chat.message"}
    assert course.allowed("assistant") == set()
    course.ask()
    assert course.allowed("user") == set()
    assert course.allowed("assistant") > {"chat.message"}
    course.do("cart")
    course.answer()
    assert course.allowed("user") == {"chat.message", "simmc.goodbye", "simmc.done"}
    course.act("user", "simmc.done")
    assert course.allowed("assistant") == {"simmc.survey"}


def collect(course: Course[FashionState], answers: int) -> list[object]:
    """Records of several dialogues with so many different answers, two of a dialogue the same."""
    course.round()
    (dialogue, *others) = course.records()
    assert isinstance(dialogue, Dialogue1)
    turn = dialogue.dialogue[0]
    turns = [
        msgspec.structs.replace(turn, turn_idx=place, system_transcript=f"It is ${number}.")
        for number in range(answers)
        for place in (2 * (number % 10), 2 * (number % 10) + 1)
    ]
    parts = [turns[start : start + 20] for start in range(0, len(turns), 20)]
    held = [
        msgspec.structs.replace(dialogue, dialogue_idx=number, dialogue=part)
        for number, part in enumerate(parts)
    ]
    return [*held, *others]


def test_candidates_are_exported_as_released(course: Course[FashionState], tmp_path: Path) -> None:
    records = collect(course, 120)
    files = {each.path: each.data for each in SCENARIO.release(records)}
    assert files == {each.path: each.data for each in SCENARIO.release(records)}
    base = "simmc_fashion/fashion_collected_dials"
    found = msgspec.json.decode(files[f"{base}_retrieval_candidates.json"])
    assert list(found) == ["split", "system_transcript_pool", "retrieval_candidates"]
    pool = found["system_transcript_pool"]
    assert pool == sorted({f"It is ${number}." for number in range(120)})
    dialogues = msgspec.json.decode(files[f"{base}.json"])["dialogue_data"]
    drawn = set()
    for dialogue, each in zip(dialogues, found["retrieval_candidates"], strict=True):
        assert each["dialogue_idx"] == dialogue["dialogue_idx"]
        for turn, choice in zip(dialogue["dialogue"], each["retrieval_candidates"], strict=True):
            numbers = choice["retrieval_candidates"]
            assert choice.keys() == {"turn_idx", "retrieval_candidates", "gt_index"}
            assert choice["turn_idx"] == turn["turn_idx"]
            assert pool[numbers[choice["gt_index"]]] == turn["system_transcript"]
            assert len(numbers) == len(set(numbers)) == 100
            drawn.add(tuple(numbers))
    # Drawn for each turn by itself, also where the answer is the same.
    assert len(drawn) == 240
    path = tmp_path / f"{base}_retrieval_candidates.json"
    path.parent.mkdir()
    path.write_bytes(files[f"{base}_retrieval_candidates.json"])
    manifest = check_files(get_corpus("simmc"), [path], folder=tmp_path / "check")
    # Of rules of the file by itself; that its dialogues are not given is a note.
    assert manifest.findings == {"CG-DATA-004": 12}


def test_too_few_answers_have_no_candidates(course: Course[FashionState]) -> None:
    paths = [each.path for each in SCENARIO.release(collect(course, 99))]
    assert "simmc_fashion/fashion_collected_dials.json" in paths
    assert not [each for each in paths if "retrieval" in each]
