from __future__ import annotations

import json
from collections.abc import Callable

import msgspec
import pytest
from tests.unit.corpora.taskmaster.planting import CORPUS_OF, Case
from tests.unit.corpora.taskmaster.samples import COFFEE, convert_sample, copy

from commonground.corpora import iterate_corpora
from commonground.corpora.taskmaster.convert import Context
from commonground.corpora.taskmaster.native.dialogues import (
    CallNote,
    CoffeeDialogue,
    Label,
    Segment,
)
from commonground.corpora.taskmaster.rules.utterances import check_text
from commonground.findings import Examined
from commonground.records import UNSET

Plant = Callable[[Case], str]
"""Breaks a case and returns the path below the record at which that is to be found."""


def wrong_offset(case: Case) -> str:
    n = case.with_segments()
    case.utterances[n].segments[-1].start_index += 1
    return f".utterances[{n}].segments[{len(case.utterances[n].segments) - 1}]"


def wrong_index(case: Case) -> str:
    case.utterances[-1].index += 5
    return f".utterances[{len(case.utterances) - 1}].index"


def no_words(case: Case) -> str:
    n = len(case.utterances) - 1
    case.utterances[n].text = " "
    case.utterances[n].segments = [] if case.format == "dialogs4" else UNSET
    return f".utterances[{n}].text"


def no_label(case: Case) -> str:
    n = case.with_segments()
    case.utterances[n].segments[0].annotations = []
    return f".utterances[{n}].segments[0].annotations"


def out_of_order(case: Case) -> str:
    n = case.with_segments(2)
    case.utterances[n].segments.reverse()
    return f".utterances[{n}].segments"


def empty_list(case: Case) -> str:
    n = case.without_segments()
    case.utterances[n].segments = []
    return f".utterances[{n}].segments"


def undeclared_label(case: Case) -> str:
    n = case.with_segments()
    case.utterances[n].segments[0].annotations = [Label(name="nowhere.accept")]
    return f".utterances[{n}].segments[0].annotations[0].name"


def two_splits(case: Case) -> str:
    case.context.splits_of[case.record.conversation_id] = ("train", "test")
    return ".conversation_id"


def no_comma(case: Case) -> str:
    case.record.rest = ""
    return ""


def user_twice(case: Case) -> str:
    if case.utterances[-1].speaker != "user":
        case.add("user")
    return f".utterances[{case.add('user')}].speaker"


def wrong_api_index(case: Case) -> str:
    n = case.calling("resolve_location")
    case.utterances[n].apis[0].index += 1
    return f".utterances[{n}].apis[0].index"


def call_of_assistant(case: Case) -> str:
    n = case.calling("resolve_location")
    call, case.utterances[n].apis = case.utterances[n].apis[0], UNSET
    call.index = n + 1
    case.utterances[n + 1].apis = [call]
    return f".utterances[{n + 1}].apis[0]"


def undeclared_api(case: Case) -> str:
    n = case.calling("resolve_location")
    case.utterances[n].apis[0].name = "fly"
    return f".utterances[{n}].apis[0].name"


def undeclared_argument(case: Case) -> str:
    n = case.calling("resolve_location")
    case.utterances[n].apis[0].args["color"] = "red"
    return f".utterances[{n}].apis[0].args"


def undeclared_key(case: Case) -> str:
    n = case.calling("resolve_location")
    case.utterances[n].apis[0].response["color_1"] = "red"
    return f".utterances[{n}].apis[0].response"


def unknown_status(case: Case) -> str:
    n = case.calling("check_tickets")
    case.utterances[n].apis[0].response["status"] = "perhaps"
    return f'.utterances[{n}].apis[0].response["status"]'


def with_colon(case: Case) -> str:
    n = case.without_segments()
    case.utterances[n].text = "Rome:"
    labels = [Label(name="location")]
    segment = Segment(start_index=0, end_index=5, text="Rome:", annotations=labels)
    case.utterances[n].segments = [segment]
    return f".utterances[{n}].segments[0].text"


def placeholder_said(case: Case) -> str:
    n = case.without_segments()
    case.utterances[n].text = "On var_date?"
    return f".utterances[{n}].text"


def typo_in_ontology(case: Case) -> str:
    case.record.args.any_of = ["rating.movies"]
    return ".args.any_of[0]"


def one_cell(case: Case) -> str:
    row = case.record
    row.target, row.conversation_id, row.quoted = None, None, [False]
    return ""


def no_tag(case: Case) -> str:
    case.record.context = "so " + case.record.context
    return ".context"


def placeholder_in_row(case: Case) -> str:
    case.record.target = "[A]On var_date."
    return ".target"


def unanswered_row(case: Case) -> str:
    case.record.context += "<PN>find_movies"
    return ".context"


def row_user_twice(case: Case) -> str:
    case.record.context = "<A>Yes?<C><U>Hi<U>Hello"
    return ".context"


def bad_json(case: Case) -> str:
    case.record.generation = '{"role": '
    return ".generation"


def unanswered(case: Case) -> str:
    case.set_context({"role": "agent", "api": {"show_menu": {}}}, {"role": "user", "text": "?"})
    return ".context"


def answered_by_another(case: Case) -> str:
    call = {"role": "agent", "api": {"show_menu": {}}}
    case.set_context(call, {"role": "api", "response": {"finish_order": {}}})
    return ".context"


def half_reward(case: Case) -> str:
    case.record.reward = 0.5
    return ".reward"


def user_twice_in_context(case: Case) -> str:
    case.set_context({"role": "user", "text": "a"}, {"role": "user", "text": "b"})
    return ".context"


def undeclared_attribute(case: Case) -> str:
    api = {"get_movie_attribute": {"attribute": "name.director"}}
    case.record.generation = json.dumps({"role": "agent", "api": api})
    return ".generation"


def nameless_api(case: Case) -> str:
    case.record.generation = json.dumps({"role": "agent", "api": {"": {}}})
    return ".generation"


def invented_api(case: Case) -> str:
    case.record.generation = json.dumps({"role": "agent", "api": {"fly": {}}})
    return ".generation"


def text_back(case: Case) -> str:
    call = {"role": "agent", "api": {"get_addons": {}}}
    case.set_context(call, {"role": "api", "response": {"get_addons": "nothing"}})
    return ".context"


def empty_context(case: Case) -> str:
    case.record.context = "[]"
    return ".context"


def offsets_as_text(case: Case) -> str:
    n = case.with_segments()
    segment = case.utterances[n].segments[0]
    segment.start_index, segment.end_index = str(segment.start_index), str(segment.end_index)
    return f".utterances[{n}].segments[0]"


def other_annotator(case: Case) -> str:
    n = case.with_segments()
    case.utterances[n].segments[0].annotator_id = "me"
    return f".utterances[{n}].segments[0]"


def no_instructions(case: Case) -> str:
    case.record.instructions = None
    return ".instructions"


def assistant_first(case: Case) -> str:
    case.add("assistant")
    case.utterances.insert(0, case.utterances.pop())
    for n, each in enumerate(case.utterances):
        each.index = n
    return ".utterances[0].speaker"


def user_last(case: Case) -> str:
    return f".utterances[{case.add('user')}].speaker"


def assistant_twice(case: Case) -> str:
    return f".utterances[{case.add('assistant')}].speaker"


def bad_request(case: Case) -> str:
    case.utterances[0].annotations[1].value = '{"query": ""tea""}'
    return ".utterances[0].annotations[1].value"


def bad_response(case: Case) -> str:
    case.utterances[0].annotations[3].value = '{"menu_items":['
    return ".utterances[0].annotations[3].value"


def missing_request(case: Case) -> str:
    del case.utterances[0].annotations[1]
    return ".utterances[0].annotations[0]"


def placeholder_in_body(case: Case) -> str:
    case.utterances[0].annotations[3].value = '{"name": "var_drink"}'
    return ".utterances[0].annotations[3].value"


def other_name_back(case: Case) -> str:
    case.utterances[0].annotations[2].value = "show_menu"
    return ".utterances[0].annotations[2].value"


def no_response(case: Case) -> str:
    del case.utterances[0].annotations[2:4]
    return ".utterances[0].annotations"


def skipped_number(case: Case) -> str:
    n = len(case.utterances) - 2
    notes = case.utterances[n].annotations
    for note in notes[-4:]:
        note.context = note.context.rpartition("_")[0] + "_99"
    return f".utterances[{n}].annotations[{len(notes) - 4}].context"


def coffee_call_of_assistant(case: Case) -> str:
    number = sum(each.name == "api_call" for u in case.utterances for each in u.annotations)
    call, back = f"api_call_{number}", f"api_response_{number}"
    n = len(case.utterances) - 1
    case.utterances[n].annotations = [
        CallNote(name="api_call", value="show_menu", context=call),
        CallNote(name="request", value="{}", context=call),
        CallNote(name="api_response", value="show_menu", context=back),
        CallNote(name="response", value="{}", context=back),
    ]
    return f".utterances[{n}].annotations"


def invented_call(case: Case) -> str:
    notes = case.utterances[0].annotations
    notes[0].value = notes[2].value = "fly"
    return ".utterances[0].annotations[0].value"


PLANTS: dict[str, Plant] = {
    **{f"{generation}01": wrong_offset for generation in "1234"},
    **{f"{generation}02": wrong_index for generation in "1234"},
    **{f"{generation}03": no_words for generation in "1234"},
    **{f"{generation}04": no_label for generation in "1234"},
    **{f"{generation}05": out_of_order for generation in "123"},
    **{f"{generation}06": empty_list for generation in "123"},
    **{f"{generation}07": undeclared_label for generation in "123"},
    **{f"{generation}08": two_splits for generation in "13"},
    **{f"{generation}51": bad_json for generation in "34"},
    **{f"{generation}52": unanswered for generation in "34"},
    **{f"{generation}53": answered_by_another for generation in "34"},
    **{f"{generation}54": half_reward for generation in "34"},
    "131": no_comma,
    "309": user_twice,
    "310": wrong_api_index,
    "311": call_of_assistant,
    "312": undeclared_api,
    "313": undeclared_argument,
    "314": undeclared_key,
    "315": unknown_status,
    "316": with_colon,
    "317": placeholder_said,
    "321": typo_in_ontology,
    "331": one_cell,
    "332": no_tag,
    "333": placeholder_in_row,
    "334": unanswered_row,
    "335": row_user_twice,
    "355": user_twice_in_context,
    "356": undeclared_attribute,
    "405": offsets_as_text,
    "406": other_annotator,
    "407": no_instructions,
    "408": assistant_first,
    "409": user_last,
    "410": assistant_twice,
    "421": bad_request,
    "422": bad_response,
    "423": missing_request,
    "424": placeholder_in_body,
    "425": other_name_back,
    "426": no_response,
    "427": skipped_number,
    "428": coffee_call_of_assistant,
    "429": invented_call,
    "456": nameless_api,
    "457": invented_api,
    "458": text_back,
    "459": empty_context,
}
FORMAT_OF = {
    rule.code.rpartition("-")[2]: rule.format
    for entry in iterate_corpora()
    if entry.folder.name == "taskmaster"
    for rule in entry.rules()
}
SEEDS = {"dialogs1": 6, "dialogs2": 1, "dialogs3": 4, "dialogs4": 2}
"""Seeds of records that have all that is broken: an accepted order, a wish with a segment."""


def test_every_rule_has_a_planted_fault() -> None:
    assert PLANTS.keys() == FORMAT_OF.keys()


@pytest.mark.parametrize("code", sorted(PLANTS))
def test_a_planted_fault_is_found_where_it_is(code: str) -> None:
    fmt = FORMAT_OF[code]
    case = Case(fmt, SEEDS.get(fmt, 1))
    path = PLANTS[code](case)
    assert case.places() == {(code, f"${path}")}


@pytest.mark.parametrize("fmt", CORPUS_OF)
def test_clean_data_is_silent(fmt: str) -> None:
    assert [Case(fmt, seed).places() for seed in range(25)] == [set()] * 25


def test_the_event_of_a_fault_counts_actions_too() -> None:
    # Utterance 0 has three calls, so utterance 1 is event 4.
    record = copy(COFFEE)
    record["utterances"][1]["text"] = ""
    examined = Examined(convert_sample(record, "dialogs4"), Context(), "x.json")
    (place,) = check_text(msgspec.convert(record, CoffeeDialogue), examined)
    assert (place.path, place.event, place.found) == (".utterances[1].text", 4, "''")


def test_rules_say_nothing_where_the_ontology_is_not_at_hand() -> None:
    case = Case("dialogs3", SEEDS["dialogs3"])
    undeclared_label(case)
    undeclared_api(case)
    case.context.labels.clear()
    case.context.apis.clear()
    assert case.places() == set()
