from __future__ import annotations

import re

import msgspec
import pytest
from tests.unit.corpora.frames.planting import (
    PLANTS,
    Planted,
    UnsuitedError,
    database,
    hold,
    last,
    other_frame,
    plant,
    result_of,
    search_of,
    slot_of,
    slots,
)
from tests.unit.corpora.frames.samples import simulated

from commonground.corpora import get_corpus
from commonground.corpora.frames.convert import convert
from commonground.corpora.frames.native import (
    BinaryQuestion,
    CompareRequest,
    FramesDialogue,
    InfoValue,
    Slot,
    read_time,
)
from commonground.findings import Examined, Place
from commonground.model import Utterance
from commonground.records import UNSET


@plant("001", also="035")
def lose_the_first_turn(record: FramesDialogue) -> str:
    del record.turns[0]
    return ".turns[0].author"


@plant("002")
def lose_a_turn_between(record: FramesDialogue) -> str:
    for number in range(2, len(record.turns) - 1, 2):
        labels, before = record.turns[number].labels, record.turns[number - 1].labels
        if labels.active_frame == before.active_frame:
            del record.turns[number]
            return f".turns[{number}].author"
    raise UnsuitedError


@plant("003")
def stop_the_clock(record: FramesDialogue) -> str:
    path, turn = last(record)
    turn.timestamp = record.turns[-2].timestamp
    return f"{path}.timestamp"


@plant("057")
def write_the_time_as_text(record: FramesDialogue) -> str:
    path, turn = last(record)
    turn.timestamp = "2016-08-15T10:00:00Z"
    return f"{path}.timestamp"


@plant("057")
def search_in_milliseconds(record: FramesDialogue) -> str:
    path, _, searches = search_of(record)
    searches[0].timestamp = 1e18
    return f"{path}.search[0].timestamp"


@plant("004")
def lose_the_text(record: FramesDialogue) -> str:
    path, turn = last(record)
    turn.text = ""
    return f"{path}.text"


@plant("005")
def lose_the_database(record: FramesDialogue) -> str:
    path, turn = last(record, "wizard")
    turn.db = UNSET
    return f"{path}.db"


@plant("005")
def give_the_user_a_database(record: FramesDialogue) -> str:
    path, turn = last(record, "user")
    turn.db = database(record.turns[-2])
    return f"{path}.db"


@plant("006")
def lose_the_bare_acts(record: FramesDialogue) -> str:
    path, turn = last(record, "user")
    turn.labels.acts_without_refs = UNSET
    return f"{path}.labels.acts_without_refs"


@plant("006")
def give_the_wizard_bare_acts(record: FramesDialogue) -> str:
    path, turn = last(record, "wizard")
    turn.labels.acts_without_refs = turn.labels.acts
    return f"{path}.labels.acts_without_refs"


@plant("007")
def add_a_space(record: FramesDialogue) -> str:
    record.turns[1].text += " "
    return ".turns[1].text"


@plant("008")
def add_a_line(record: FramesDialogue) -> str:
    record.turns[1].text += "\nWell?"
    return ".turns[1].text"


@plant("009")
def add_an_emoji(record: FramesDialogue) -> str:
    record.turns[2].text += " :slow_turtle:"
    return ".turns[2].text"


@plant("010")
def add_an_entity(record: FramesDialogue) -> str:
    record.turns[2].text += " this &gt; that"
    return ".turns[2].text"


@plant("011")
def break_off(record: FramesDialogue) -> str:
    del record.turns[2:]
    return ".turns"


@plant("012")
def talk_to_oneself(record: FramesDialogue) -> str:
    record.wizard_id = record.user_id
    return ".wizard_id"


@plant("013")
def bring_a_new_user(record: FramesDialogue) -> str:
    record.user_id = "UNEW"
    return ".user_id"


@plant("014")
def count_dialogues(record: FramesDialogue) -> str:
    record.id = "17"
    return ".id"


@plant("015")
def do_not_rate(record: FramesDialogue) -> str:
    record.labels.userSurveyRating = None
    return ".labels.userSurveyRating"


@plant("016")
def rate_in_between(record: FramesDialogue) -> str:
    record.labels.userSurveyRating = 3.25
    return ".labels.userSurveyRating"


@plant("017")
def rate_too_high(record: FramesDialogue) -> str:
    record.labels.userSurveyRating = 11
    return ".labels.userSurveyRating"


@plant("018")
def lose_the_acts(record: FramesDialogue) -> str:
    path, turn = last(record, "wizard")
    turn.labels.acts = []
    return f"{path}.labels.acts"


@plant("019")
def make_up_an_act(record: FramesDialogue) -> str:
    path, turn = last(record, "wizard")
    turn.labels.acts[0].name = "gossip"
    return f"{path}.labels.acts[0].name"


@plant("020")
def make_up_a_slot(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "request", "n_adults")
    slot.key = "n_dogs"
    return f"{path}.key"


@plant("020")
def make_up_a_slot_of_a_reference(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "inform", "write")
    assert isinstance(slot.val, list)
    slot.val[0].annotations[0].key = "n_dogs"
    return f"{path}.val[0].annotations[0].key"


@plant("021")
def type_a_value_over(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "inform", "seat")
    slot.val = "a hammock"
    return f"{path}.val"


@plant("022")
def do_not_care_for_wifi(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "inform", "wifi")
    slot.val = "-1"
    return f"{path}.val"


@plant("023")
def say_yes_to_a_length(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "inform", "duration")
    slot.val = True
    return f"{path}.val"


@plant("023")
def empty_a_reference(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "hearmore", "ref")
    slot.val = []
    return f"{path}.val"


@plant("024")
def rename_a_bare_act(record: FramesDialogue) -> str:
    bare = record.turns[0].labels.acts_without_refs
    assert bare is not UNSET
    bare[-1].name = "confirm"
    return ".turns[0].labels.acts_without_refs"


@plant("024")
def lose_a_bare_slot(record: FramesDialogue) -> str:
    bare = record.turns[0].labels.acts_without_refs
    assert bare is not UNSET
    bare[-1].args.pop()
    return f".turns[0].labels.acts_without_refs[{len(bare) - 1}].args"


@plant("025")
def refer_to_nothing(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "hearmore", "ref")
    assert isinstance(slot.val, list)
    slot.val[0].frame = 99
    return f"{path}.val[0].frame"


@plant("026")
def read_in_another_act(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "hearmore", "ref")
    slot.key = "read"
    return f"{path}.key"


@plant("027")
def switch_elsewhere(record: FramesDialogue) -> str:
    path, turn, _, slot = slot_of(record, "user", "switch_frame", "ref")
    assert isinstance(slot.val, list)
    slot.val[0].frame = other_frame(turn).frame_id
    return f"{path}.val"


@plant("028", also="035")
def create_an_old_frame(record: FramesDialogue) -> str:
    path, _, _, slot = slot_of(record, "wizard", "offer", "id")
    slot.val = 1
    return f"{path}.val"


@plant("029")
def create_a_frame_twice(record: FramesDialogue) -> str:
    path, _, act, slot = slot_of(record, "wizard", "offer", "id")
    act.args.append(Slot(key="id", val=slot.val))
    return path[: path.rindex("[")]


@plant("030")
def move_the_anaphora(record: FramesDialogue) -> str:
    bare = record.turns[0].labels.acts_without_refs
    assert bare is not UNSET
    act = record.turns[0].labels.acts[0]
    for each in (act, bare[0]):
        each.args.append(Slot(key="ref_anaphora", val=record.turns[0].text[:4]))
    return f".turns[0].labels.acts[0].args[{len(act.args) - 1}]"


@plant("031")
def swap_frames(record: FramesDialogue) -> str:
    path, turn = last(record)
    turn.labels.frames[:2] = turn.labels.frames[1::-1]
    return f"{path}.labels.frames[0].frame_id"


@plant("031", also="032 034")
def lose_all_frames(record: FramesDialogue) -> str:
    path, turn = last(record)
    turn.labels.frames.clear()
    return f"{path}.labels.frames"


@plant("032")
def lose_a_frame(record: FramesDialogue) -> str:
    path, turn = last(record)
    if other_frame(turn) is not turn.labels.frames.pop():
        raise UnsuitedError
    return f"{path}.labels.frames"


@plant("033")
def be_ones_own_parent(record: FramesDialogue) -> str:
    path, turn = last(record)
    frame = turn.labels.frames[-1]
    frame.frame_parent_id = frame.frame_id
    return f"{path}.labels.frames[{len(turn.labels.frames) - 1}].frame_parent_id"


@plant("033")
def give_the_first_a_parent(record: FramesDialogue) -> str:
    path, turn = last(record)
    turn.labels.frames[0].frame_parent_id = 1
    return f"{path}.labels.frames[0].frame_parent_id"


@plant("034")
def activate_nothing(record: FramesDialogue) -> str:
    path, turn = last(record, "user")
    turn.labels.active_frame = 99
    return f"{path}.labels.active_frame"


def add_frame(record: FramesDialogue, author: str) -> str:
    path, turn = last(record, author)
    frames = turn.labels.frames
    number = len(frames) + 1
    frames.append(msgspec.structs.replace(frames[0], frame_id=number, frame_parent_id=1))
    return f"{path}.labels"


@plant("035")
def add_a_frame_of_nobody(record: FramesDialogue) -> str:
    path = add_frame(record, "wizard")
    return f"{path}.frames[{len(record.turns[-1].labels.frames) - 1}]"


@plant("036")
def add_a_frame_aside(record: FramesDialogue) -> str:
    return f"{add_frame(record, 'user')}.active_frame"


@plant("037")
def let_the_wizard_choose(record: FramesDialogue) -> str:
    path, turn = last(record, "wizard")
    turn.labels.active_frame = other_frame(turn).frame_id
    return f"{path}.labels.active_frame"


@plant("038")
def switch_in_silence(record: FramesDialogue) -> str:
    path, turn = last(record, "user")
    turn.labels.active_frame = other_frame(turn).frame_id
    return f"{path}.labels.acts"


@plant("039")
def hold_null(record: FramesDialogue) -> str:
    return hold(record, "gst_rating", InfoValue(val=None, negated=False)) + ".val"


@plant("040")
def hold_twice(record: FramesDialogue) -> str:
    return hold(record, "intent", InfoValue(val="book", negated=True)).removesuffix("[1]")


@plant("041")
def hold_a_list(record: FramesDialogue) -> str:
    return hold(record, "HEARMORE", InfoValue(val=[], negated=False)) + ".val"


@plant("042")
def hold_an_unknown_slot(record: FramesDialogue) -> str:
    path = hold(record, "n_dogs", InfoValue(val="2", negated=False))
    return path.removesuffix("[0]")


@plant("043")
def hold_thousandths(record: FramesDialogue) -> str:
    return hold(record, "budget", InfoValue(val="2.175", negated=False)) + ".val"


@plant("044")
def let_the_wizard_compare(record: FramesDialogue) -> str:
    path, turn = last(record)
    turn.labels.frames[0].compare_requests = [CompareRequest(author="wizard", keys=["price"])]
    return f"{path}.labels.frames[0].compare_requests[0].author"


@plant("045")
def ask_for_nothing(record: FramesDialogue) -> str:
    path, turn = last(record)
    question = BinaryQuestion(author="user", key="wifi", value=[])
    turn.labels.frames[0].binary_questions = [question]
    return f"{path}.labels.frames[0].binary_questions[0].value"


@plant("046")
def lose_a_result(record: FramesDialogue) -> str:
    path, turn, _ = search_of(record)
    database(turn).result.pop()
    return f"{path}.result"


@plant("047")
def find_too_much(record: FramesDialogue) -> str:
    path, found = result_of(record)
    first = found[0]
    found += [msgspec.structs.replace(first, price=first.price + i) for i in range(1, 11)]
    return path


@plant("048")
def find_twice(record: FramesDialogue) -> str:
    path, found = result_of(record, most=9)
    found.append(found[0])
    return f"{path}[{len(found) - 1}]"


@plant("049")
def ask_for_more(record: FramesDialogue) -> str:
    path, _, searches = search_of(record)
    searches[0].RESULT_LIMIT = "25"
    return f"{path}.search[0].RESULT_LIMIT"


@plant("049")
def be_inflexible(record: FramesDialogue) -> str:
    path, _, searches = search_of(record)
    searches[0].ARE_DATES_FLEXIBLE = "false"
    return f"{path}.search[0].ARE_DATES_FLEXIBLE"


@plant("050")
def search_for_no_number(record: FramesDialogue) -> str:
    path, _, searches = search_of(record)
    searches[0].END_TIME = "NaN"
    return f"{path}.search[0].END_TIME"


@plant("051")
def search_for_nobody(record: FramesDialogue) -> str:
    path, _, searches = search_of(record)
    searches[0].NUM_ADULTS = UNSET
    return f"{path}.search[0].NUM_ADULTS"


@plant("052")
def search_backwards(record: FramesDialogue) -> str:
    path, _, (one, other) = search_of(record, of=2)
    one.timestamp, other.timestamp = other.timestamp, one.timestamp
    return f"{path}.search[1].timestamp"


@plant("053")
def search_too_early(record: FramesDialogue) -> str:
    path, _, searches = search_of(record)
    searches[0].timestamp = (read_time(searches[0].timestamp) or 0) - 1000
    return f"{path}.search[0].timestamp"


@plant("053")
def search_too_late(record: FramesDialogue) -> str:
    path, _, searches = search_of(record)
    searches[0].timestamp = (read_time(searches[0].timestamp) or 0) + 1000
    return f"{path}.search[0].timestamp"


@plant("054")
def find_another_city(record: FramesDialogue) -> str:
    path, found = result_of(record)
    found[0].hotel.dst_city = "Otherwhere"
    if "anywhere" in record.turns[0].text or "Surprise" in record.turns[0].text:
        raise UnsuitedError
    return f"{path}[0]"


@plant("055")
def land_late(record: FramesDialogue) -> str:
    path, found = result_of(record)
    found[0].trip.returning.duration.min += 1
    return f"{path}[0].trip.returning"


@plant("055")
def fly_on_no_day(record: FramesDialogue) -> str:
    path, found = result_of(record)
    found[0].trip.leaving.departure.month = 13
    return f"{path}[0].trip.leaving"


@plant("056")
def fly_on_the_wing(record: FramesDialogue) -> str:
    path, found = result_of(record)
    found[0].trip.seat = "WING"
    return f"{path}[0].trip.seat"


@plant("056")
def count_other_stars(record: FramesDialogue) -> str:
    path, found = result_of(record)
    found[0].hotel.category = "seven star hotel"
    return f"{path}[0].hotel.category"


@plant("056")
def sleep_by_a_volcano(record: FramesDialogue) -> str:
    path, found = result_of(record)
    found[0].hotel.vicinity = ["volcano"]
    return f"{path}[0].hotel.vicinity[0]"


@plant("056")
def sleep_in_a_casino(record: FramesDialogue) -> str:
    path, found = result_of(record)
    found[0].hotel.amenities = ["CASINO"]
    return f"{path}[0].hotel.amenities[0]"


def examine(record: FramesDialogue) -> dict[str, list[Place]]:
    """Runs all rules and returns the places by code."""
    examined = Examined(convert(record), None, "frames.json")
    found = {}
    for each in get_corpus("frames").rules():
        assert each.check is not None
        if places := list(each.check(record, examined)):
            found[each.code] = places
    return found


def broken(planted: Planted) -> tuple[FramesDialogue, str]:
    for record in simulated():
        try:
            return record, planted.planter(record)
        except UnsuitedError:
            continue
    pytest.fail(f"no simulated dialogue suits {planted.code}")


NAMES = [each.planter.__name__ for each in PLANTS]


@pytest.mark.parametrize("planted", PLANTS, ids=NAMES)
def test_a_planted_fault_is_found_where_it_is(planted: Planted) -> None:
    record, path = broken(planted)
    found = examine(record)
    assert found.keys() == {planted.code} | planted.also
    assert path in [place.path for place in found[planted.code]]


@pytest.mark.parametrize("planted", PLANTS, ids=NAMES)
def test_a_finding_names_the_event_of_its_turn(planted: Planted) -> None:
    record, _ = broken(planted)
    events = convert(record).events
    for place in examine(record)[planted.code]:
        turn = re.match(r"\.turns\[(\d+)\]", place.path)
        assert (turn is None) == (place.event is None)
        if turn is not None and place.event is not None:
            assert events[place.event].turn == int(turn[1])
            in_search = re.search(r"db\.(search|result)\[", place.path) is not None
            assert isinstance(events[place.event], Utterance) != in_search


def test_clean_data_is_silent() -> None:
    assert [examine(record) for record in simulated()] == [{}] * 60


def test_every_rule_has_a_planted_fault() -> None:
    codes = [each.code for each in get_corpus("frames").rules()]
    assert {each.code for each in PLANTS} == set(codes)
    assert codes == [f"CG-FRAMES-{number:03}" for number in range(1, len(codes) + 1)]


def test_a_null_annotation_is_no_fault() -> None:
    record = next(r for r in simulated() if any(slots(r, "user", "request_compare", "ref")))
    assert examine(record) == {}
