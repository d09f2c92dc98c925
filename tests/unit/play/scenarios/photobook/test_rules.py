from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.play.scenarios.photobook.games import GRADES, Course, material

from commonground.corpora.photobook.native import Game
from commonground.play import acts
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.photobook import rules
from commonground.play.scenarios.photobook.rules import SCENARIO

SITTING = Sitting(4, {"A": 11, "B": 12})


@pytest.fixture
def course() -> Course:
    return Course()


def test_a_game_goes_through_its_phases(course: Course) -> None:
    phases = [course.state.phase]
    for _ in range(4):
        course.review()
        phases.append(course.state.phase)
        course.act("A", "photobook.next")
        course.act("B", "photobook.next")
    course.review()
    phases.append(course.state.phase)
    course.act("B", "photobook.questionnaire", **GRADES)
    assert not SCENARIO.is_over(course.state)
    course.act("A", "photobook.questionnaire", **GRADES)
    assert phases == ["play", *["review"] * 4, "questionnaire"]
    assert SCENARIO.is_complete(course.state)
    assert course.say("A", "hello?") == "over"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("hello", ""),
        ("x" * 99, ""),
        ("x" * 100, "too_long"),
        ("", "empty"),
        ("   ", "empty"),
        ("<feedback>", "starts_with_tag"),
        ("a <3 b", ""),
        ("two\nlines", "unprintable"),
        ("a\x7fb", "unprintable"),
        ("a\u2028b", "unprintable"),
        ("\U0001f469\u200d\U0001f467 a\xa0dog", ""),
    ],
)
def test_texts_are_what_the_format_can_hold(course: Course, text: str, code: str) -> None:
    assert course.say("A", text) == code
    assert len(course.state.chat) == (code == "")


def test_only_own_highlighted_images_can_be_marked(course: Course) -> None:
    page = course.state.setting.pages[0]
    plain = next(i for i, flag in zip(page.A.images, page.A.highlighted, strict=True) if not flag)
    hidden = next(image for image in page.B.images if image not in page.A.images)
    assert course.mark("A", plain, "common") == "not_highlighted"
    assert course.mark("A", hidden, "common") == "not_on_page"
    assert course.mark("A", page.A.targets[0], "maybe") == "bad_payload"


def test_the_last_mark_counts(course: Course) -> None:
    course.mark_all("A", wrong=3)
    assert course.state.score(1, "A") == 0
    course.mark_all("A", wrong=1)
    assert course.state.score(1, "A") == 2


def test_marks_are_locked_by_submitting_them(course: Course) -> None:
    image, label = next(iter(course.state.goal("A").items()))
    assert course.act("A", "photobook.submit") == "marks_missing"
    course.mark_all("A")
    assert course.act("A", "photobook.submit") == ""
    assert course.mark("A", image, label) == "locked"
    assert course.act("A", "photobook.submit") == "already_submitted"
    assert course.say("A", "i am done") == ""


def test_the_page_turns_when_both_have_asked(course: Course) -> None:
    assert course.act("A", "photobook.next") == "not_submitted"
    course.review()
    assert course.act("A", "photobook.next") == ""
    assert course.act("A", "photobook.next") == "already_asked"
    assert course.state.round == 1
    assert course.act("B", "photobook.next") == ""
    assert course.state.round == 2
    assert course.state.sides["A"].marks == {}


def test_an_act_of_another_round_is_refused(course: Course) -> None:
    image, label = next(iter(course.state.goal("A").items()))
    course.turn()
    payload = {"image": image, "label": label}
    assert course.act("A", "photobook.mark", 1, **payload) == "stale_round"
    assert course.act("A", "chat.message", 3, text="hi") == "stale_round"
    assert course.act("A", "chat.message", 2, text="hi") == ""


def test_there_is_no_page_after_the_fifth(course: Course) -> None:
    for _ in range(4):
        course.turn()
    assert course.act("A", "photobook.questionnaire", **GRADES) == "not_submitted"
    course.review()
    assert course.act("A", "photobook.next") == "last_page"


@pytest.mark.parametrize("grade", [0, 6, True])
def test_grades_are_from_one_to_five(course: Course, grade: int) -> None:
    for _ in range(4):
        course.turn()
    course.review()
    answers: dict[str, Any] = {**GRADES, "self_u": grade}
    assert course.act("A", "photobook.questionnaire", **answers) == "no_grade"
    assert course.act("A", "photobook.questionnaire", **GRADES) == ""
    assert course.act("A", "photobook.questionnaire", **GRADES) == "already_answered"


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (Act("photobook.guess", "A", {}, 5), "unknown_type"),
        (Act("chat.message", "C", {"text": "hi"}, 5), "wrong_role"),
        (Act("chat.message", None, {"text": "hi"}, 5), "wrong_role"),
        (Act("session.ended", "A", {"reason": "bored"}, 5), "wrong_role"),
        (Act("chat.message", "A", {"text": 7}, 5), "bad_payload"),
        (Act("photobook.mark", "A", {"image": "x"}, 5), "bad_payload"),
    ],
)
def test_what_no_page_would_send_is_a_protocol_error(act: Act, code: str) -> None:
    refusal = SCENARIO.apply(SCENARIO.start(material(), 1), act)
    assert isinstance(refusal, Refusal)
    assert (refusal.code, refusal.kind) == (code, "protocol")


def test_time_goes_forward(course: Course) -> None:
    course.say("A", "hi")
    late = Act("chat.message", "B", {"text": "hi"}, course.now_us)
    refusal = SCENARIO.apply(course.state, late)
    assert isinstance(refusal, Refusal)
    assert refusal.code == "time_order"


def words(value: Any) -> str:
    return json.dumps(value)


def test_a_view_has_nothing_that_only_the_partner_knows(course: Course) -> None:
    course.mark_all("B", wrong=1)
    course.act("B", "photobook.submit")
    page = course.state.setting.pages[0]
    seen = words(SCENARIO.view(course.state, "A"))
    assert all(image not in seen for image in page.B.images if image not in page.A.images)
    assert course.state.sides["B"].submitted
    before = Course()
    assert SCENARIO.view(before.state, "A") == json.loads(seen)


def test_a_view_says_what_was_right_only_in_the_review(course: Course) -> None:
    course.mark_all("A", wrong=1)
    course.act("A", "photobook.submit")
    view = SCENARIO.view(course.state, "A")
    assert view["waiting"]
    assert view["score"] is None
    assert {each["right"] for each in view["images"]} == {None}
    course.mark_all("B")
    course.act("B", "photobook.submit")
    view = SCENARIO.view(course.state, "A")
    assert view["score"] == 2
    assert [e["right"] for e in view["images"] if e["highlighted"]].count(True) == 2
    assert all(each["right"] is None for each in view["images"] if not each["highlighted"])


def test_allowed_lists_what_apply_accepts(course: Course) -> None:
    def types(role: str) -> set[str]:
        found = {each.type for each in SCENARIO.allowed(course.state, role)}
        return {each.partition(".")[2] for each in found}

    assert types("A") == {"message", "mark"}
    course.mark_all("A")
    assert types("A") == {"message", "mark", "submit"}
    course.act("A", "photobook.submit")
    assert types("A") == {"message"}
    course.mark_all("B")
    course.act("B", "photobook.submit")
    assert types("A") == {"message", "review", "next"}
    course.act("A", "photobook.review")
    course.act("A", "photobook.next")
    assert types("A") == {"message"}


def test_the_marks_that_are_allowed_are_listed(course: Course) -> None:
    mark = next(e for e in SCENARIO.allowed(course.state, "B") if e.type == "photobook.mark")
    assert mark.payload["properties"]["image"]["enum"] == list(course.state.goal("B"))


def test_a_moderator_writes_to_both_and_ends_the_game(course: Course) -> None:
    assert course.act(None, "moderator.message", text="Are you there?") == ""
    assert SCENARIO.view(course.state, "A")["chat"][0]["role"] is None
    assert course.act(None, "moderator.end", reason="broken") == ""
    assert SCENARIO.is_over(course.state)
    assert not SCENARIO.is_complete(course.state)
    assert SCENARIO.view(course.state, "A")["ended"] == "broken"
    assert SCENARIO.allowed(course.state, "A") == ()


def finish(course: Course) -> Game:
    (game,) = SCENARIO.finish(course.state, SITTING)
    assert isinstance(game, Game)
    return game


def test_turn_counts_texts_and_clicks_on_next_only(course: Course) -> None:
    course.say("A", "hi")
    course.mark_all("A")
    course.say("B", "hello")
    course.act("A", "photobook.submit")
    course.mark_all("B")
    course.act("B", "photobook.submit")
    course.act("B", "photobook.next")
    course.say("A", "next?")
    course.act("A", "photobook.next")
    turns = [message.turn for message in finish(course).rounds[0].messages]
    # hi 0, three marks 1, hello 1, then 2 until B's next (2), the text 3, A's next 4
    assert turns == [0, 1, 1, 1, 1, 2, 2, 2, 2, 2, 2, 3, 4]


def test_only_the_first_message_has_a_time_without_fraction(course: Course) -> None:
    course.play_to_the_end()
    game = finish(course)
    stamps = [message.timestamp for each in game.rounds for message in each.messages]
    assert stamps[:2] == ["00:00:00", "00:00:01.000000"]
    assert "00:00:00" not in stamps[1:]
    assert game.start_time == "2023-11-14T22:13:21.000000"


def test_feedback_has_no_spaces_and_the_message_keeps_them(course: Course) -> None:
    for _ in range(4):
        course.turn()
    course.review()
    answers: dict[str, Any] = {**GRADES, "text": "so<&>much\nfun"}
    assert course.act("A", "photobook.questionnaire", **answers) == ""
    game = finish(course)
    assert game.rounds[4].messages[-1].message == (
        "<usr_feedback> col:5<&>partner_u:4<&>self_u:3<&>text: so&much fun"
    )
    assert game.feedback.A == "col:5<&>partner_u:4<&>self_u:3<&>text:so&muchfun"
    assert game.feedback.B is None


def test_files_have_their_released_names(course: Course) -> None:
    course.play_to_the_end()
    (file,) = SCENARIO.release([finish(course)])
    assert file.path == "logs/4_11_12_0.json"
    assert list(json.loads(file.data)) == [
        *("game_id", "domain_id", "agent_ids", "agent_labels", "start_time"),
        *("feedback", "rounds"),
    ]


def test_a_game_in_which_nobody_acted_leaves_no_log(course: Course) -> None:
    course.act(None, "session.ended", reason="nobody came")
    assert SCENARIO.finish(course.state, SITTING) == []


def test_a_game_that_broke_off_keeps_its_rounds(course: Course) -> None:
    course.turn()
    course.say("A", "hm")
    course.act(None, "session.ended", reason="left")
    assert [each.round_nr for each in finish(course).rounds] == [1, 2]


def test_every_refusal_that_the_source_gives_is_listed() -> None:
    sources = [Path(str(each.__file__)).read_text("utf-8") for each in (acts, rules)]
    given = re.findall(r'Refusal\(\s*"(\w+)"', "".join(sources))
    assert {*given, "not_highlighted", "not_on_page"} == SCENARIO.refusals


def test_the_seed_draws_the_order_of_pages() -> None:
    orders = {SCENARIO.start(material(), seed).setting.pages for seed in range(40)}
    assert len(orders) > 20
    fixed = msgspec.structs.replace(material(), order=(4, 3, 2, 1, 0))
    assert SCENARIO.start(fixed, 1).setting.pages == material().pages[::-1]
