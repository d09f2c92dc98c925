from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.play.scenarios.taskmaster.sessions import FREE, SHORT, Course

from commonground.corpora.taskmaster.native.dialogues import PlainDialogue
from commonground.errors import FormatError
from commonground.play.scenario import Act, Refusal
from commonground.play.scenarios.taskmaster.game.self_dialog import LONGEST, LONGEST_VALUE
from commonground.play.scenarios.taskmaster.game.state import propose
from commonground.play.scenarios.taskmaster.material import TaskmasterMaterial
from commonground.play.scenarios.taskmaster.taskmaster1.rules import SCENARIO as ERRANDS
from commonground.play.scenarios.taskmaster.taskmaster3.rules import SCENARIO
from commonground.play.scenarios.taskmaster.taskmaster4.rules import SCENARIO as COFFEE
from commonground.records import UNSET


@pytest.fixture
def course() -> Course:
    return Course()


@pytest.fixture
def written() -> Course:
    return Course().write()


def allowed(course: Course) -> dict[str, Any]:
    found = course.scenario.allowed(course.state, "worker")
    return {each.type.partition(".")[2]: each.payload["properties"] for each in found}


def test_forms_come_first(course: Course) -> None:
    assert course.view["phase"] == "forms"
    assert course.turn(0, "Hi") == "not_entered"
    assert course.check("confirm_flow") == "not_entered"
    assert course.mark() == "not_entered"
    assert course.act("taskmaster.submit") == "not_entered"
    assert course.enter(people="two") == ""
    assert course.view["phase"] == "dialogue"


def test_a_script_without_questions_begins_with_the_dialogue() -> None:
    assert Course("{{CONVERSATION\nhint user (Ask.)\n}}").state.phase == "dialogue"


def test_values_are_entered_once(course: Course) -> None:
    course.enter(people="two")
    assert course.enter(people="three") == "already_entered"
    assert course.state.values["people"] == "two"


@pytest.mark.parametrize(
    ("values", "code"),
    [
        ({}, "field_missing"),
        ({"people": 3}, "field_missing"),
        ({"people": " "}, "empty"),
        ({"people": "x" * (LONGEST_VALUE + 1)}, "too_long"),
        ({"people": "a\nb"}, "unprintable"),
        ({"people": "two", "film": "Other"}, "unknown_field"),
    ],
)
def test_values_that_cannot_be_used(course: Course, values: dict[str, Any], code: str) -> None:
    refusal = course.attempt("taskmaster.enter", values=values)
    assert refusal is not None
    assert refusal.code == code
    assert refusal.parameters["field"] in ("people", "film")


def test_turns_are_written_in_order(course: Course) -> None:
    course.enter(people="two")
    assert course.turn(2, "Yes, two") == "not_next"
    assert course.turn(0, "Is Big Sky on?") == ""
    assert course.turn(2, "Yes, two") == ""
    assert course.state.phase == "review"


def test_a_turn_may_be_written_anew(written: Course) -> None:
    assert written.turn(0, "What about Big Sky?") == ""
    assert written.view["bubbles"][0]["text"] == "What about Big Sky?"


@pytest.mark.parametrize(
    ("number", "text", "code"),
    [
        (1, "Hello", "fixed_turn"),
        (3, "Hello", "no_such_turn"),
        (-1, "Hello", "no_such_turn"),
        (True, "Hello", "no_such_turn"),
        (0, "  ", "empty"),
        (0, "Big Sky " * LONGEST, "too_long"),
        (0, "Big\u0007Sky", "unprintable"),
        (0, "Is it on?", "value_missing"),
        (0, "Is Big Sky on, sir?", "form_of_address"),
        (0, "Big Sky, Ma’am?", "form_of_address"),
    ],
)
def test_turns_that_are_refused(course: Course, number: int, text: str, code: str) -> None:
    course.enter(people="two")
    assert course.turn(number, text) == code
    assert course.state.written == {}


def test_a_hint_is_not_to_be_copied(course: Course) -> None:
    course.enter(people="two")
    hint = course.view["bubbles"][0]["hint"]
    assert course.turn(0, hint) == "copies_hint"
    assert course.turn(0, f"({hint.upper()})") == "copies_hint"


def test_quoted_values_count_in_any_case_and_spacing(course: Course) -> None:
    course.enter(people="two")
    assert course.turn(0, "big  SKY?") == ""


def test_words_with_a_form_of_address_inside_are_fine(course: Course) -> None:
    course.enter(people="two")
    assert course.turn(0, "Big Sky, if you desire") == ""


def test_checks_wait_for_the_turns(course: Course) -> None:
    course.enter(people="two")
    refusal = course.attempt("taskmaster.check", name="confirm_flow", checked=True)
    assert refusal is not None
    assert (refusal.code, refusal.parameters) == ("turns_missing", {"missing": 2})
    assert course.check("confirm_all") == "no_such_check"


def test_all_checks_are_required(written: Course) -> None:
    written.mark()
    assert written.act("taskmaster.submit") == "checks_missing"
    written.check("confirm_flow")
    written.check("confirm_kind")
    written.check("confirm_kind", checked=False)
    assert written.act("taskmaster.submit") == "checks_missing"
    written.check("confirm_kind")
    assert written.act("taskmaster.submit") == ""


def test_spans_are_confirmed_by_a_person(written: Course) -> None:
    for name in ("confirm_flow", "confirm_kind"):
        written.check(name)
    assert propose(written.state)
    assert written.act("taskmaster.submit") == "spans_missing"
    assert written.mark() == ""
    assert written.act("taskmaster.submit") == ""
    assert all(each.segments is UNSET for each in written.record().utterances)


def test_a_turn_written_anew_takes_the_confirmation_back(written: Course) -> None:
    written.mark()
    written.turn(0, "Big Sky?")
    assert not written.view["marked"]


@pytest.mark.parametrize(
    ("span", "code"),
    [
        ((0, 0, 99, "name.movie"), "bad_span"),
        ((0, 3, 3, "name.movie"), "bad_span"),
        ((0, -1, 3, "name.movie"), "bad_span"),
        ((7, 0, 3, "name.movie"), "bad_span"),
        ((0, 0, 3, "people.tickets"), "unknown_label"),
        ((0, 0, "3", "name.movie"), "bad_payload"),
    ],
)
def test_spans_that_are_refused(written: Course, span: Any, code: str) -> None:
    assert written.mark(span) == code


def test_no_stretch_is_marked_twice(written: Course) -> None:
    twice = ((0, 0, 2, "name.movie"), (0, 0, 2, "location"))
    assert written.mark(*twice) == "doubled_span"


def test_the_last_thing_done_is_to_submit(written: Course) -> None:
    written.finish_all()
    assert written.scenario.is_over(written.state)
    assert written.scenario.is_complete(written.state)
    assert written.turn(0, "Big Sky again") == "over"


def test_the_record_is_a_ticket_dialogue(written: Course) -> None:
    record = written.finish_all().record()
    assert (record.scenario, record.instructions) == ("Short", SHORT)
    texts = [each.text for each in record.utterances]
    assert texts == ["Is Big Sky on?", "Big Sky is on at 4:30pm.", "Yes, for my sister and me!"]
    (call,) = record.utterances[0].apis
    assert (call.name, call.index, call.args) == ("find_showtimes", 0, {"name.movie": "Big Sky"})
    assert call.response == {"time.showing_1": "4:30pm", "time.showing_2": "9:10pm"}
    labels = [(s.text, s.annotations[0].name) for s in record.utterances[2].segments]
    assert labels == [("my sister and me", "num.tickets")]


def test_what_is_not_declared_is_left_out_of_calls() -> None:
    script = SHORT.replace("name.movie var_film\n", "name.movie var_film seating aisle\n")
    record = Course(script).write().finish_all().record()
    assert record.utterances[0].apis[0].args == {"name.movie": "Big Sky"}


def test_a_dialogue_that_broke_off_goes_as_far_as_it_goes(course: Course) -> None:
    assert course.scenario.finish(course.state, None) == []  # type: ignore[arg-type]
    course.enter(people="two")
    course.turn(0, "Is Big Sky on?")
    assert course.act("session.ended", None, reason="left") == ""
    assert not course.scenario.is_complete(course.state)
    assert [each.text for each in course.record().utterances][1:] == ["Big Sky is on at 4:30pm."]


@pytest.mark.parametrize(
    ("act", "code"),
    [
        (Act("photobook.mark", "worker", {}, 1), "unknown_type"),
        (Act("taskmaster.submit", None, {}, 1), "wrong_role"),
        (Act("moderator.end", "worker", {"reason": "x"}, 1), "wrong_role"),
        (Act("taskmaster.turn", "worker", {"turn": 0}, 1), "bad_payload"),
        (Act("taskmaster.submit", "worker", {}, 1, round=2), "stale_round"),
    ],
)
def test_acts_of_another_form(act: Act, code: str) -> None:
    result = SCENARIO.apply(Course().state, act)
    assert isinstance(result, Refusal)
    assert result.code == code


def test_time_only_goes_forward(course: Course) -> None:
    course.enter(people="two")
    result = SCENARIO.apply(course.state, Act("taskmaster.submit", "worker", {}, course.now_us))
    assert isinstance(result, Refusal)
    assert result.code == "time_order"


def test_a_moderator_may_write_and_end(course: Course) -> None:
    course.act("moderator.message", None, text="Hello?")
    assert [each["text"] for each in course.view["chat"]] == ["Hello?"]
    course.act("moderator.end", None, reason="broken")
    assert course.view["ended"] == "broken"


def test_nobody_sees_calls_answers_and_what_is_not_said(written: Course) -> None:
    seen = json.dumps(written.view, ensure_ascii=False)
    assert "find_showtimes" not in seen
    assert "9:10pm" not in seen  # only the response has it
    assert "4:30pm" in seen
    assert "var_" not in seen


def test_the_page_follows_the_script(course: Course) -> None:
    kinds = [part["kind"] for part in course.view["page"]]
    assert kinds == ["text", "field", "conversation", "check", "check"]
    assert course.view["bubbles"] == []
    course.enter(people="two")
    shown = course.view["bubbles"]
    assert [(each["fixed"], each["open"]) for each in shown] == [
        (False, True),
        (True, False),
        (False, False),
    ]


def test_turns_say_which_values_they_must_name(course: Course) -> None:
    course.enter(people="my sister and me")
    musts = [each["must"] for each in course.view["bubbles"]]
    assert musts == [["Big Sky"], [], ["my sister and me"]]


def test_labels_of_the_script_are_likely(written: Course) -> None:
    # The number that is drawn is an "id", which is no label of the corpus.
    assert written.view["likely"] == ["name.movie", "num.tickets", "time.showing"]
    assert {*written.view["likely"]} < {*written.view["labels"]}


def test_what_may_be_done_is_listed(course: Course) -> None:
    assert allowed(course).keys() == {"enter"}
    course.enter(people="two")
    assert allowed(course)["turn"]["turn"] == {"enum": [0]}
    course.turn(0, "Is Big Sky on?")
    course.turn(2, "Yes, two")
    assert allowed(course).keys() == {"turn", "check", "mark"}
    course.finish_all()
    assert allowed(course) == {}


def test_the_seed_decides_numbers_and_id() -> None:
    first, same, other = Course(seed=1).write(), Course(seed=1).write(), Course(seed=2).write()
    assert first.record() == same.record()
    assert first.record().conversation_id != other.record().conversation_id
    assert 10 <= int(first.state.values["order"]) <= 99
    assert Course(values={"order": "7"}).state.values["order"] == "7"


def test_the_order_of_free_turns_is_user_and_assistant() -> None:
    course = Course(FREE, ERRANDS, least_turns=2, most_turns=3)
    course.enter(size="big")
    assert course.turn(0, "One big pizza") == ""
    assert course.act("taskmaster.submit") == "turns_missing"
    assert course.turn(2, "No") == "no_such_turn"
    assert course.turn(1, "At once") == ""
    assert course.state.phase == "review"
    assert course.turn(2, "Thanks") == ""
    assert course.turn(3, "Bye") == "no_such_turn"
    speakers = [each["speaker"] for each in course.view["bubbles"]]
    assert speakers == ["user", "assistant", "user"]


def test_errands_say_whether_it_worked_out() -> None:
    label = "pizza_ordering.size.pizza"
    course = Course(f"{{{{ENTER size {label} Big?}}}}{{{{CONVERSATION}}}}", ERRANDS, least_turns=1)
    course.enter(size="big")
    course.turn(0, "One BIG pizza")
    (proposed,) = course.view["spans"]
    assert proposed["label"] == f"{label}.accept"
    assert course.mark((0, 4, 7, f"{label}.reject")) == ""
    assert course.mark((0, 4, 7, label)) == "unknown_label"
    record = course.record()
    assert isinstance(record, PlainDialogue)
    assert record.utterances[0].speaker == "USER"


ORDER = """{{ENTER wish request What?}}{{CONVERSATION
hint user (Ask for "var_wish".)
call get_addons request {"query":  "var_wish"}
response get_addons response {"found": ["var_wish"]}
call show_menu request {}
response show_menu response {"success":true}
call finish_order request {}
force assistant Done.
}}"""


def test_coffee_has_flat_calls_that_are_whole_json() -> None:
    course = Course(ORDER, COFFEE)
    course.enter(wish='the "strong" one')
    course.turn(0, 'Please the "strong" one')
    course.mark((0, 7, 23, "request"), (0, 0, 6, "request"))
    first, second = course.record().utterances
    values = [(note.context, note.value) for note in first.annotations]
    assert values[0] == ("api_call_0", "get_addons")
    assert values[1][1] == '{"query":  "the \\"strong\\" one"}'
    assert json.loads(values[3][1]) == {"found": ['the "strong" one']}
    # The last call has no response, so only two are released.
    assert values[-1] == ("api_response_1", '{"success":true}')
    assert [(s.text, s.annotator_id) for s in first.segments] == [
        ("Please", "worker"),
        ('the "strong" one', "GENERATED"),
    ]
    assert second.annotations == []


@pytest.mark.parametrize(
    ("script", "message"),
    [
        ("{{HIDE x}}{{CONVERSATION}}", "line 1, column 1"),
        ("Hello", "no CONVERSATION"),
        ("{{CONVERSATION\nhint user (a)\ncall f request {bad}\n}}", "line 3: no JSON"),
        ("{{CONVERSATION\nhint user (a)\ncall f Big Sky\n}}", "name of an argument, found Big"),
    ],
)
def test_scripts_that_cannot_be_played(script: str, message: str) -> None:
    with pytest.raises(FormatError, match=message):
        SCENARIO.start(TaskmasterMaterial("Bad", script), 0)
