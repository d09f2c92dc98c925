from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import jsonschema
import msgspec
import pytest
from tests.unit.play.scenarios.frames.chats import Chat, offered, ref, slot

from commonground.corpora.frames.convert.packages import match_offer, package_id
from commonground.corpora.frames.native import Package, read_time
from commonground.play import acts
from commonground.play.scenario import Act, Refusal, Sitting
from commonground.play.scenarios.frames import rules
from commonground.play.scenarios.frames.game import gestures
from commonground.play.scenarios.frames.game.frame_book import Book
from commonground.play.scenarios.frames.game.state import MOST_TURNS
from commonground.play.scenarios.frames.rules import LIMIT_S, SCENARIO
from commonground.play.scenarios.frames.travel.values import hold_value, say_package
from commonground.play.session import replay_acts


@pytest.fixture
def chat() -> Chat:
    return Chat()


@pytest.fixture
def told() -> Chat:
    """A chat in which the user has said something."""
    chat = Chat()
    assert chat.user("To Brook please, no business, I am four") == ""
    return chat


def test_a_session_goes_through_its_phases(chat: Chat) -> None:
    phases = [chat.state.phase]
    chat.user("hello")
    phases.append(chat.state.phase)
    chat.act("user", "frames.end")
    phases.append(chat.state.phase)
    chat.act("user", "frames.survey", rating=5)
    assert not SCENARIO.is_over(chat.state)
    chat.act("wizard", "frames.survey", success=False)
    assert [*phases, chat.state.phase] == ["task", "chat", "survey", "over"]
    assert SCENARIO.is_complete(chat.state)
    assert chat.user("hello?") == "over"


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("hello", ""),
        ("x" * 1000, ""),
        ("x" * 1001, "too_long"),
        (" ", "empty"),
        ("two\nlines", "unprintable"),
        ("\U0001f469\u200d\U0001f467 caf\xe9", ""),
    ],
)
def test_texts_are_a_line(chat: Chat, text: str, code: str) -> None:
    assert chat.user(text) == code
    assert len(chat.state.chat) == (code == "")


def test_the_user_begins(chat: Chat) -> None:
    assert chat.wizard("hello") == "user_begins"
    assert chat.search() == "user_begins"
    assert chat.note("greeting", of="wizard") == "user_begins"
    assert chat.act("user", "frames.end") == "user_begins"


def test_messages_in_a_row_are_a_turn(told: Chat) -> None:
    told.user(" and soon ")
    told.wizard("One moment.")
    told.search()
    told.wizard("Here I am.")
    told.close()
    first, second = told.record().turns
    assert first.text == "To Brook please, no business, I am four and soon"
    assert second.text == "One moment. Here I am."
    assert second.db
    assert len(second.db.search) == 1


def test_what_the_wizard_searches_lies_between_the_turns(told: Chat) -> None:
    told.search()
    told.user("and soon")
    told.search()
    told.wizard("Here I am.")
    told.close()
    first, second = told.record().turns
    assert second.db
    before, after = read_time(first.timestamp, 1_000), read_time(second.timestamp, 1_000)
    assert before is not None
    assert after is not None
    for search in second.db.search:
        assert before < (read_time(search.timestamp) or 0) * 1_000 < after


def test_a_search_waits_for_the_next_message_of_the_wizard(told: Chat) -> None:
    told.search(DESTINATION_CITY="Nowhere at all")
    told.search(DESTINATION_CITY="Brook")
    told.wizard("I found three.")
    told.user("Good.")
    told.wizard("Yes.")
    told.search()  # too late for any message
    told.close()
    _, second, _, fourth = told.record().turns
    assert second.db
    assert fourth.db
    assert [len(found) for found in second.db.result] == [0, 3]
    assert [search.DESTINATION_CITY for search in second.db.search] == ["Nowhere at all", "Brook"]
    assert (fourth.db.search, fourth.db.result) == ([], [])


@pytest.mark.parametrize(
    ("query", "code"),
    [
        ({"NUM_ADULTS": "2", "PRICE_MAX": "900", "ARE_DATES_FLEXIBLE": "true"}, ""),
        ({}, "bad_query"),
        ({"NUM_ADULTS": "two"}, "bad_query"),
        ({"NUM_ADULTS": "²"}, "bad_query"),
        ({"NUM_ADULTS": "2", "START_TIME": "NaN"}, "bad_query"),
        ({"NUM_ADULTS": "2", "PRICE_MAX": "9" * 17}, "bad_query"),
        ({"NUM_ADULTS": "2", "ORIGIN_CITY": " "}, "bad_query"),
        ({"NUM_ADULTS": "2", "ARE_DATES_FLEXIBLE": "no"}, "bad_query"),
        ({"NUM_ADULTS": "2", "MAX_DURATION": -1}, "bad_query"),
        ({"NUM_ADULTS": "2", "RESULT_LIMIT": "99"}, "bad_query"),
        ({"NUM_ADULTS": 2}, "bad_payload"),
        ({"NUM_ADULTS": "2", "COLOUR": "red"}, "bad_payload"),
    ],
)
def test_the_form_takes_numbers_and_names(told: Chat, query: dict[str, Any], code: str) -> None:
    assert told.act("wizard", "frames.search", **query) == code
    assert told.state.waiting == (code == "")


def test_an_offer_is_a_frame_that_says_what_its_package_is() -> None:
    chat = offered()
    package = chat.state.searches[0].packages[1]
    known = {slot: hold_value(slot, said) for slot, said in say_package(package).items()}
    held = chat.held(2)
    assert held == {"dst_city": "Brook", "or_city": "Arden", "name": "Elm House", "price": "812.5"}
    assert held.items() <= known.items()
    # The wish to leave after the second is not what the package does: it leaves on the third.
    assert chat.held(1)["str_date"] == "september 2"
    (act,) = chat.state.runs[-1].notes[0].act, *()
    assert act is not None
    assert match_offer(act.args, {package_id(package): package}) == package_id(package)


@pytest.mark.parametrize(
    ("payload", "code"),
    [
        ({"search": 1, "row": 1, "tell": ["price", "wifi"]}, ""),
        ({"search": 1, "row": 1, "tell": ["price"], "name": "suggest", "parent": 1}, ""),
        ({"search": 0, "row": 1, "tell": ["price"]}, "no_search"),
        ({"search": 2, "row": 1, "tell": ["price"]}, "no_search"),
        ({"search": 1, "row": 4, "tell": ["price"]}, "no_package"),
        ({"search": 1, "row": 0, "tell": ["price"]}, "no_package"),
        ({"search": 1, "row": 1, "tell": ["price", "beach"]}, "not_of_package"),
        ({"search": 1, "row": 1, "tell": ["dst_city"]}, "nothing_to_know_by"),
        ({"search": 1, "row": 1, "tell": ["price"], "parent": 9}, "no_frame"),
        ({"search": 1, "row": 1, "tell": ["price"], "name": "inform"}, "bad_payload"),
        ({"search": 1, "row": 1}, "bad_payload"),
    ],
)
def test_offers_are_rows_of_results(told: Chat, payload: dict[str, Any], code: str) -> None:
    told.search(DESTINATION_CITY="Brook")
    assert told.act("wizard", "frames.offer", **payload) == code
    assert len(told.state.book.frames) == 1 + (code == "")


def test_an_offer_of_another_frame_refers_to_it() -> None:
    chat = offered()
    chat.user("Elm House sounds good, what else?")
    chat.switch(2, slot("name", "Elm House"))
    chat.offer(1, "price", parent=1)
    noted = chat.state.draft[0].act
    assert noted is not None
    assert msgspec.to_builtins(noted.args)[0] == ref(1)
    assert chat.frame(3).frame_parent_id == 1


def test_what_is_offered_must_be_said(told: Chat) -> None:
    told.search(DESTINATION_CITY="Brook")
    told.offer(2, "name", "price")
    assert told.wizard("Elm House is nice") == "not_said"
    assert told.wizard("ELM HOUSE for 812.50usd") == ""
    assert told.state.draft == ()


def test_the_values_of_a_draft_may_stand_in_an_earlier_message_of_the_turn(told: Chat) -> None:
    told.wizard("Elm House")
    told.search(DESTINATION_CITY="Brook")
    told.offer(2, "name", "price")
    assert told.wizard("It is 812.50USD") == ""


def test_only_what_the_user_said_can_be_noted(told: Chat) -> None:
    assert told.note("inform", slot("dst_city", "Beck")) == "not_in_text"
    assert told.note("inform", slot("dst_city", "BROOK")) == ""
    assert told.note("inform", slot("budget", "-1"), slot("intent", "book")) == ""
    assert told.note("negate", ref(1, notes=(slot("seat", "business"),))) == ""
    assert told.note("negate", ref(1, notes=(slot("seat", "economy"),))) == "not_in_text"


@pytest.mark.parametrize(
    ("name", "args", "code"),
    [
        ("sing", [], "bad_act"),
        ("offer", [], "bad_act"),
        ("switch_frame", [ref(1)], "bad_act"),
        ("sorry", [], "bad_act"),  # the wizard's
        ("inform", [slot("colour", "red")], "bad_slot"),
        ("inform", [slot("id", 2)], "bad_slot"),
        ("inform", [slot("ref_anaphora", "four")], "bad_slot"),
        ("inform", [ref(1, relation="read")], "bad_slot"),
        ("inform", [slot("wifi", "-1")], "bad_value"),
        ("inform", [slot("dst_city", True)], "bad_value"),
        ("inform", [slot("dst_city", "")], "bad_value"),
        ("affirm", [slot("ref", [])], "bad_value"),
        ("affirm", [ref(2)], "no_frame"),
        ("affirm", [ref(1, notes=(slot("mood", "x"),))], "bad_slot"),
        ("inform", [{"key": "dst_city", "val": 7.5}], "bad_payload"),
        ("inform", [{"val": "x"}], "bad_payload"),
        ("request", [slot("price"), slot("seat", None)], "bad_value"),
        ("request", [slot("price"), ref(1, notes=(slot("seat", None),))], ""),
    ],
)
def test_acts_are_those_of_the_corpus(told: Chat, name: str, args: list[Any], code: str) -> None:
    assert told.note(name, *args) == code
    assert len(told.state.runs[-1].notes) == (code == "")


def test_another_wish_is_a_new_frame_of_the_first_one() -> None:
    chat = offered()
    chat.user("And Beck?")
    args = [slot("dst_city", "Beck")]
    assert chat.act("wizard", "frames.frame_new", of="user", args=args) == ""
    assert chat.state.book.active == 3
    assert chat.frame(3).frame_parent_id == 1
    assert chat.held(3) == {"dst_city": "Beck", "or_city": "Arden", "str_date": "september 2"}


def test_a_new_frame_of_the_user_stays_the_active_one() -> None:
    chat = offered()
    chat.user("And Beck, or Elm House?")
    beck = {"of": "user", "args": [slot("dst_city", "Beck")]}
    assert chat.act("wizard", "frames.frame_new", **beck) == ""
    assert chat.act("wizard", "frames.frame_new", **beck) == "frame_made"
    assert chat.switch(2) == "frame_made"
    chat.act("wizard", "frames.undo", of="user")
    assert chat.switch(2) == ""
    assert chat.act("wizard", "frames.frame_new", **beck) == ""


def test_the_wizard_may_suggest_a_frame_of_any() -> None:
    chat = offered()
    chat.user("Hm.")
    args = [slot("dst_city", "Beck")]
    assert chat.act("wizard", "frames.frame_new", of="wizard", args=args, parent=2) == ""
    assert chat.act("wizard", "frames.frame_new", of="wizard", args=[ref(2), *args]) == ""
    assert chat.act("wizard", "frames.frame_new", of="wizard", args=args) == ""
    assert [chat.frame(n).frame_parent_id for n in (3, 4, 5)] == [2, 2, 1]
    assert chat.state.book.active == 1
    assert chat.act("wizard", "frames.frame_new", of="wizard", args=args, parent=9) == "no_frame"
    assert chat.act("wizard", "frames.frame_new", of="wizard", args=[ref(1)]) == "nothing_new"


def test_only_the_user_goes_to_another_frame() -> None:
    chat = offered()
    assert chat.switch(2) == "nothing_to_note"
    chat.user("Elm House, please")
    assert chat.switch(9) == "no_frame"
    assert chat.switch(1) == "already_active"
    assert chat.switch(2, slot("name", "Oak Inn")) == "not_in_text"
    assert chat.switch(2, slot("name", "Elm House")) == ""
    assert chat.state.book.active == 2
    assert chat.act("wizard", "frames.frame_switch", of="wizard", frame=1) == "bad_payload"


def test_what_the_user_said_is_noted_before_the_wizard_goes_on(told: Chat) -> None:
    told.search(DESTINATION_CITY="Brook")
    told.offer()
    assert told.note("greeting") == "draft_open"
    assert told.act("wizard", "frames.undo", of="wizard") == ""
    assert told.note("thankyou") == ""
    told.wizard("Hello")
    assert told.note("thankyou") == "nothing_to_note"


def test_gestures_can_be_taken_back_until_they_are_sent(told: Chat) -> None:
    before = told.state
    told.note("inform", slot("dst_city", "Brook"))
    assert told.act("wizard", "frames.undo", of="user") == ""
    assert told.act("wizard", "frames.undo", of="user") == "nothing_to_undo"
    told.note("sorry", of="wizard")
    assert told.act("wizard", "frames.undo", of="wizard") == ""
    assert told.act("wizard", "frames.undo", of="wizard") == "nothing_to_undo"
    assert (told.state.runs, told.state.draft) == (before.runs, before.draft)
    told.note("sorry", of="wizard")
    told.wizard("Sorry")
    assert told.act("wizard", "frames.undo", of="user") == "nothing_to_note"


def test_a_slot_can_be_put_right_and_ruled_out(told: Chat) -> None:
    def edit(*values: dict[str, Any], slot: str = "seat", frame: int = 1) -> str:
        payload = {"of": "user", "frame": frame, "slot": slot, "values": list(values)}
        return told.act("wizard", "frames.slot", **payload)

    assert edit({"val": "economy", "negated": True}) == ""
    assert edit({"val": "economy", "negated": True}) == "no_change"
    assert told.held(1) == {}
    assert edit() == ""
    assert told.frame(1).info == {}
    assert edit({"val": True, "negated": False}, slot="NO_RESULT") == ""
    assert edit({"val": "x", "negated": False}, slot="mood") == "bad_slot"
    assert edit(frame=2) == "no_frame"


@pytest.mark.parametrize(
    ("kind", "keys", "field"),
    [
        ("request", ["price"], "requests"),
        ("binary", ["wifi"], "binary_questions"),
        ("compare", ["price", "seat"], "compare_requests"),
    ],
)
def test_questions_can_be_opened_and_closed(
    told: Chat, kind: str, keys: list[str], field: str
) -> None:
    question = {"of": "user", "frame": 1, "kind": kind, "by": "user", "keys": keys}
    assert told.act("wizard", "frames.question", **question, open=False) == "no_change"
    assert told.act("wizard", "frames.question", **question, open=True) == ""
    assert len(getattr(told.frame(1), field)) == 1
    assert told.act("wizard", "frames.question", **question, open=False) == ""
    assert getattr(told.frame(1), field) == []
    wrong = {**question, "keys": ["price", "mood"]}
    assert told.act("wizard", "frames.question", **wrong, open=True) == "bad_slot"
    assert (
        told.act("wizard", "frames.question", **{**question, "frame": 2}, open=True) == "no_frame"
    )


def test_a_question_is_about_one_slot(told: Chat) -> None:
    question = {"of": "user", "frame": 1, "kind": "request", "by": "user", "keys": []}
    assert told.act("wizard", "frames.question", **question, open=True) == "one_slot"


@pytest.mark.parametrize(("text", "fits"), [("", False), ("?", True)])
def test_what_is_allowed_says_how_short_a_message_may_be(
    chat: Chat, text: str, *, fits: bool
) -> None:
    message = next(e for e in SCENARIO.allowed(chat.state, "user") if e.type == "chat.message")
    assert jsonschema.Draft202012Validator(message.payload).is_valid({"text": text}) is fits
    assert (chat.user(text) == "") is fits


def test_a_chat_has_so_many_turns(chat: Chat) -> None:
    for _ in range(MOST_TURNS // 2):
        assert chat.user("more") == ""
        assert chat.wizard("here") == ""
    assert chat.user("more") == "too_many_turns"
    assert chat.wizard("one thing still") == ""
    assert [each.type for each in SCENARIO.allowed(chat.state, "user")] == ["frames.end"]
    chat.close()
    assert len(chat.record().turns) == MOST_TURNS


def test_the_time_closes_the_chat(told: Chat) -> None:
    (timer,) = SCENARIO.timers(told.state)
    first_us = told.state.first_us
    assert first_us is not None
    assert timer.at_us == first_us + LIMIT_S * 1_000_000
    result = SCENARIO.apply(told.state, timer.act)
    assert not isinstance(result, Refusal)
    assert result.phase == "survey"
    assert SCENARIO.timers(result) == ()
    assert SCENARIO.timers(Chat().state) == ()


def test_surveys_come_after_the_chat(told: Chat) -> None:
    assert told.act("user", "frames.survey", rating=3) == "chat_open"
    assert told.act("wizard", "frames.survey", success=True) == "chat_open"
    told.search(DESTINATION_CITY="Brook")
    told.offer()
    told.act("user", "frames.end")
    assert told.state.draft == ()
    assert told.user("wait") == told.wizard("wait") == told.search() == "chat_closed"
    assert told.note("sorry", of="wizard") == "chat_closed"
    assert told.act("user", "frames.end") == "chat_closed"
    assert told.note("thankyou") == ""  # the user's last words can still be noted
    assert told.act("wizard", "frames.survey", success=True) == ""
    assert told.act("wizard", "frames.survey", success=True) == "already_answered"
    assert told.note("thankyou") == "nothing_to_note"


@pytest.mark.parametrize(
    ("rating", "code"),
    [(1, ""), (5.0, ""), (0, "no_rating"), (6, "no_rating"), (4.5, "no_rating")],
)
def test_ratings_are_whole_from_one_to_five(told: Chat, rating: Any, code: str) -> None:
    told.act("user", "frames.end")
    assert told.act("user", "frames.survey", rating=rating) == code


@pytest.mark.parametrize("payload", [{}, {"rating": "5"}, {"rating": True}, {"success": True}])
def test_each_answers_its_own_survey(told: Chat, payload: dict[str, Any]) -> None:
    told.act("user", "frames.end")
    assert told.act("user", "frames.survey", **payload) == "bad_payload"
    assert told.act("wizard", "frames.survey", rating=5) == "bad_payload"


@pytest.mark.parametrize(
    ("role", "kind", "payload", "code"),
    [
        ("user", "frames.dance", {}, "unknown_type"),
        ("user", "frames.search", {"NUM_ADULTS": "2"}, "wrong_role"),
        ("user", "frames.act", {"of": "user", "name": "greeting"}, "wrong_role"),
        ("wizard", "frames.end", {}, "wrong_role"),
        ("someone", "chat.message", {"text": "x"}, "wrong_role"),
        (None, "chat.message", {"text": "x"}, "wrong_role"),
        ("user", "session.ended", {"reason": "x"}, "wrong_role"),
        ("user", "chat.message", {}, "bad_payload"),
        ("user", "chat.message", {"text": 5}, "bad_payload"),
        ("user", "chat.message", {"text": "x", "more": 1}, "bad_payload"),
        ("wizard", "frames.act", {"of": "nobody", "name": "greeting"}, "bad_payload"),
        (None, "moderator.message", {"text": "be kind"}, ""),
        (None, "moderator.end", {"reason": "broken"}, ""),
        (None, "session.ended", {"reason": "left"}, ""),
    ],
)
def test_who_may_do_what(
    told: Chat, role: str | None, kind: str, payload: dict[str, Any], code: str
) -> None:
    assert told.act(role, kind, **payload) == code


def test_payloads_that_are_no_objects_and_times_that_go_back(told: Chat) -> None:
    payload: Any = ["text"]
    found = SCENARIO.apply(told.state, Act("chat.message", "user", payload, told.now_us + 1))
    assert isinstance(found, Refusal)
    assert found.code == "bad_payload"
    found = SCENARIO.apply(told.state, Act("chat.message", "user", {"text": "x"}, told.now_us))
    assert isinstance(found, Refusal)
    assert found.code == "time_order"


def test_moderators_are_shown_and_not_released(told: Chat) -> None:
    told.act(None, "moderator.message", text="Please hurry.")
    assert told.state.chat[-1]["role"] is None
    told.close()
    assert len(told.record().turns) == 1


def test_nobody_sees_what_only_the_other_may(told: Chat) -> None:
    told.search(DESTINATION_CITY="Brook")
    told.offer()
    user, wizard = (SCENARIO.view(told.state, role) for role in SCENARIO.roles)
    shared = {"round", "phase", "turns", "most_turns", "longest", "ended", "chat", "answered"}
    assert user.keys() - shared == {"card"}
    assert wizard.keys() - shared == {
        *("frames", "active", "changed", "offers", "notes", "draft", "heard", "opened"),
        *("suggestions", "proposals", "searches", "waiting", "form", "cities", "days", "flags"),
    }
    assert "solvable" not in json.dumps(user)
    assert "Elm House" not in json.dumps(user)
    assert "Go to Brook." not in json.dumps(wizard)


def test_the_wizard_sees_its_searches_frames_and_draft(told: Chat) -> None:
    told.note("inform", slot("dst_city", "Brook"))
    told.search(DESTINATION_CITY="Brook")
    told.offer(2, "name", "category", "price", "wifi")
    view = SCENARIO.view(told.state, "wizard")
    (found,) = view["searches"]
    assert (found["number"], view["waiting"], len(found["packages"])) == (1, 1, 3)
    assert [said["name"] for said in found["said"]] == ["Elm House"] * 3
    assert msgspec.convert(found["packages"][0], Package).price == 640.25
    assert [frame["frame_id"] for frame in view["frames"]] == [1, 2]
    assert view["notes"][0]["act"]["name"] == "inform"
    assert (
        view["draft"][0]["text"]
        == "I have Elm House (3.5 star hotel) for 812.50USD. There is free wifi."
    )
    told.wizard(view["draft"][0]["text"])
    assert SCENARIO.view(told.state, "wizard")["waiting"] == 0


def test_the_wizard_sees_what_is_new_and_which_row_a_frame_is_of(told: Chat) -> None:
    told.note("inform", slot("dst_city", "Brook"))
    told.search(DESTINATION_CITY="Brook")
    told.offer(2, "name", "price")
    view = SCENARIO.view(told.state, "wizard")
    assert view["changed"] == {"1": ["dst_city"], "2": ["name", "price"]}
    assert view["offers"] == {"2": {"search": 1, "row": 2}}
    assert view["form"] == {"NUM_ADULTS": "1", "DESTINATION_CITY": "Brook"}
    assert view["days"] == ["2016-09-03", "2016-09-12"]
    told.wizard("Elm House, 812.50USD")
    view = SCENARIO.view(told.state, "wizard")
    assert (view["changed"], view["heard"]) == ({}, None)
    assert view["offers"] == {"2": {"search": 1, "row": 2}}


def test_a_gesture_in_the_middle_can_be_taken_back(told: Chat) -> None:
    told.note("greeting")
    told.note("inform", slot("dst_city", "Brook"))
    told.note("thankyou")
    assert told.act("wizard", "frames.undo", of="user", note=4) == "nothing_to_undo"
    assert told.act("wizard", "frames.undo", of="user", note=2) == ""
    acts = [note.act.name for note in told.state.notes("user") if note.act]
    assert (acts, told.held(1)) == (["greeting", "thankyou"], {})


def test_what_names_a_frame_keeps_it_from_being_taken_back(told: Chat) -> None:
    told.search(DESTINATION_CITY="Brook")
    told.offer(1)
    told.offer(2)
    told.note("hearmore", ref(3), of="wizard")
    assert told.act("wizard", "frames.undo", of="wizard", note=1) == "needed"
    assert told.act("wizard", "frames.undo", of="wizard", note=3) == ""
    assert told.act("wizard", "frames.undo", of="wizard", note=1) == ""
    assert [note.made for note in told.state.draft] == [2]
    assert told.held(2)["price"] == "812.5"


def test_what_was_played_is_released(tmp_path: Path) -> None:
    chat = offered()
    chat.user("Thank you!")
    chat.note("thankyou")
    chat.close()
    record = chat.record()
    assert re.fullmatch(r"U[0-9A-Z]{8}", record.user_id)
    assert record.user_id != record.wizard_id
    assert (record.labels.userSurveyRating, record.labels.wizardSurveyTaskSuccessful) == (4, True)
    assert [turn.author for turn in record.turns] == ["user", "wizard", "user"]
    assert [len(turn.labels.frames) for turn in record.turns] == [1, 2, 2]
    assert [act.name for act in record.turns[1].labels.acts] == ["offer"]
    assert msgspec.to_builtins(record.turns[1].labels.acts[0].args)[-1] == slot("id", 2)
    (file,) = SCENARIO.release([record, record])
    assert file.path == "frames.json"
    assert len(json.loads(file.data)) == 2
    assert json.loads(next(iter(SCENARIO.release([]))).data) == []


def test_every_snapshot_comes_out_of_the_log_again() -> None:
    chat = offered()
    chat.user("Elm House sounds good. Is there wifi?")
    chat.switch(2, slot("name", "Elm House"))
    chat.note("confirm", slot("wifi", True))
    chat.note("affirm", ref(2), of="wizard")
    chat.wizard("Yes.")
    chat.close()
    acts = msgspec.json.decode(msgspec.json.encode(chat.accepted), type=list[Act])
    again = replay_acts(SCENARIO, chat.state.setting.material, 1, acts)
    assert again == chat.state
    released = [turn.labels.frames for turn in chat.record().turns]
    assert [list(run.book.frames) for run in again.runs] == released


def test_a_released_record_is_free_to_be_changed() -> None:
    chat = offered()
    chat.close()
    record = chat.record()
    record.turns[1].labels.frames[0].info.clear()
    assert record.turns[0].labels.frames[0].info
    assert chat.held(1)


def test_a_session_that_broke_off_has_a_record_if_the_wizard_answered() -> None:
    sitting = Sitting(0, {"user": 1, "wizard": 2})
    chat = offered()
    chat.act("user", "frames.end")
    assert SCENARIO.finish(chat.state, sitting) == []
    chat.act("wizard", "frames.survey", success=False)
    chat.act(None, "session.ended", reason="partner_left")
    (record,) = SCENARIO.finish(chat.state, sitting)
    assert record.labels.userSurveyRating is None
    assert not SCENARIO.is_complete(chat.state)


def test_every_refusal_is_declared() -> None:
    texts = [Path(module.__file__ or "").read_text() for module in (acts, rules, gestures)]
    given = {code for text in texts for code in re.findall(r'Refusal\(\s*"(\w+)"', text)}
    given |= {"chat_closed", "user_begins"}
    assert given == SCENARIO.refusals


def test_books_know_their_frames() -> None:
    book: Book = offered().state.book
    assert [book.has(number) for number in (0, 1, 2, 3)] == [False, True, True, False]


def find_due(chat: Chat) -> list[str]:
    """Who is waited for."""
    return [
        role
        for role in SCENARIO.roles
        if any(each.due in (None, True) for each in SCENARIO.allowed(chat.state, role))
    ]


def test_whoever_did_not_write_last_is_waited_for() -> None:
    chat = Chat()
    assert find_due(chat) == ["user"]
    chat.user("To Brook")
    assert find_due(chat) == ["wizard"]
    chat.search(DESTINATION_CITY="Brook")
    chat.offer()
    assert find_due(chat) == ["wizard"]
    chat.wizard("Elm House for 640.25USD?")
    assert find_due(chat) == ["user"]
    chat.act("user", "frames.end")
    assert find_due(chat) == ["user", "wizard"]
    chat.act("wizard", "frames.survey", success=True)
    assert find_due(chat) == ["user"]
