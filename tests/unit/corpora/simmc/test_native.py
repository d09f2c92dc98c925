from __future__ import annotations

import json
import re
import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.corpora import get_corpus
from commonground.corpora.simmc.native import simmc2
from commonground.corpora.simmc.native.catalogue import (
    FurnitureItem,
    parse_furniture,
)
from commonground.corpora.simmc.native.reprs import (
    AnnotatedSlot,
    Extent,
    parse_intents,
    parse_literal,
)
from commonground.corpora.simmc.native.simmc1 import split_of_name
from commonground.corpora.simmc.native.targets import (
    TargetAct,
    parse_acts,
    parse_numbers,
    parse_targets,
    render_acts,
)
from commonground.files.formats import identify_name, render_lines

names = st.text(string.ascii_letters + "_-.", min_size=1, max_size=8)
words = st.text(string.ascii_letters + "$'", min_size=1, max_size=8)
acts = st.builds(
    lambda act, slots: TargetAct(act=act, slots=[list(pair) for pair in slots]),
    st.text(string.ascii_uppercase + ":_.", min_size=1, max_size=20),
    st.lists(st.tuples(names, words), max_size=4),
)


@given(st.lists(acts, max_size=4))
def test_acts_are_read_as_written(written: list[TargetAct]) -> None:
    assert parse_acts(render_acts(written)) == written


def test_a_value_may_hold_a_comma() -> None:
    (act,) = parse_acts("ERR:UNSURE [ fashion-color = red, blue, fashion-O = OBJECT_1 ]")
    assert act.slots == [["fashion-color", "red, blue"], ["fashion-O", "OBJECT_1"]]


def line(scene: str, before: str = "") -> str:
    act = "DA:ASK:GET [ fashion-O = OBJECT_1 ]"
    return f"{before}User : Hm? <SOM> {scene} <EOM> => Belief State : {act} <EOB> Ok. <EOS>\n"


def test_targets_know_what_was_shown_before() -> None:
    first = line("OBJECT_0 : pos focus")
    second = line(
        "OBJECT_1 : pos focus", "User : Hi. <SOM> OBJECT_0 : pos focus <EOM> System : A. "
    )
    records = [each.record for each in parse_targets(first + second + first)]
    assert [each.visible for each in records] == [["OBJECT_0"], ["OBJECT_1"], ["OBJECT_0"]]
    assert [each.shown for each in records] == [[], ["OBJECT_0"], []]


def test_an_action_stands_behind_the_answer() -> None:
    text = line("").replace("<EOS>", "<EOR> Rotate [ direction = up ] <EOS>")
    (each,) = parse_targets(text)
    assert each.record.action == TargetAct(act="Rotate", slots=[["direction", "up"]])


@given(st.text())
def test_any_text_round_trips_as_targets(text: str) -> None:
    records = [each.record for each in parse_targets(text)]
    assert render_lines(records) == text.encode()


@given(st.text("0123456789 x\r\n"))
def test_any_text_round_trips_as_numbers(text: str) -> None:
    records = [each.record for each in parse_numbers(text)]
    assert render_lines(records) == text.encode()


@given(st.text('ab,"\r\n;'))
def test_any_text_round_trips_as_furniture(text: str) -> None:
    records = [each.record for each in parse_furniture(text)]
    assert render_lines(records) == text.encode()


def test_furniture_rows_may_hold_line_breaks() -> None:
    data = 'product_name,obj\n"a\nb",x/12.zip\nlast,x/13.zip\n'
    header, first, last = parse_furniture(data)
    assert (header.line, first.line, last.line) == (1, 2, 4)
    assert header.record.cells is None
    assert first.record.cells == {"product_name": "a\nb", "obj": "x/12.zip"}
    assert last.record.item_id == "13"


@pytest.mark.parametrize(
    ("cell", "number"),
    [
        ("models/071.zip", "71"),
        ("71.obj.zip", "71"),
        ("a.b/chair_71", "71"),
        ("x/ 71 .zip", "71"),
        ("x/71/model.zip", None),
        ("", None),
    ],
)
def test_ids_of_furniture_are_numbers(cell: str, number: str | None) -> None:
    assert FurnitureItem(cells={"obj": cell}, line="").item_id == number


def test_a_quotation_mark_that_is_never_closed_costs_its_row() -> None:
    text = 'a,obj\n1,x/1.zip\n"2,x/2.zip\n3,x/3.zip\n"t\nu",x/4.zip\n'
    records = [each.record for each in parse_furniture(text)]
    assert [each.item_id for each in records] == [None, "1", None, "3", "4"]
    assert render_lines(records) == text.encode()


def test_a_cell_of_any_length_is_no_crash() -> None:
    rows = list(parse_furniture("obj\n" + "x" * 200_000 + "\n"))
    assert rows[1].record.cells is None


def test_intents_are_read() -> None:
    text = repr(
        [{"intent": "A", "slots": [{"id": "b", "span": {"start": 0, "end": 1}, "text": "c"}]}]
    )
    (intent,) = parse_intents(text) or ()
    assert intent.intent == "A"
    assert intent.slots == [AnnotatedSlot("b", Extent(0, 1), "c")]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[",
        "__import__('os')",
        "{'a': 1}",
        "[1]",
        "[{'intent': 1}]",
        "[{'intent': 'a', 'slots': [], 'span': {'start': -1, 'end': 2}}]",
        "(" * 5000,
        "-" * 90_000 + "1",
        "'\\ud800'",
        "[" * 200_000,
        "\x00",
    ],
)
def test_what_is_no_list_of_intents_is_null(text: str) -> None:
    assert parse_intents(text) is None


json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda children: st.lists(children) | st.dictionaries(st.text(), children),
    max_leaves=10,
)


@given(json_values)
def test_literals_are_read_as_written(value: object) -> None:
    try:
        json.dumps(value).encode()
        repr(value).encode()
    except UnicodeEncodeError:
        return
    assert parse_literal(repr(value)) == value


@pytest.mark.parametrize(
    ("name", "fmt"),
    [
        ("fashion_train_dials.json", "dials"),
        ("furniture_devtest_dials_teststd_format_public.json", "dials"),
        ("fashion_teststd_dials_public.json", "dials"),
        ("fashion_devtest_dials_api_calls_teststd_format_public.json", "api_calls"),
        ("furniture_teststd_dials_api_calls.json", "api_calls"),
        ("fashion_dev_dials_retrieval_candidates.json", "retrieval"),
        ("fashion_metadata.json", "fashion_metadata"),
        ("furniture_metadata.csv", "furniture_metadata"),
        ("train_dialog_ids", "dialogue_numbers"),
        ("furniture_devtest_task1_target.txt", "targets"),
        ("simmc2.1_dials_dstc11_mini.json", "dials2"),
        ("simmc2_dials_dstc10_dev.json", "dials2"),
    ],
)
def test_released_names_are_known(name: str, fmt: str) -> None:
    formats = get_corpus("simmc").formats() + get_corpus("simmc2").formats()
    assert next(each.name for each in formats if re.fullmatch(each.pattern, name)) == fmt


@pytest.mark.parametrize(
    ("text", "split"),
    [("devtest_teststd-format", "devtest"), ("fashion_dev_dials", "dev"), ("reconstructed", None)],
)
def test_splits_are_told_by_name(text: str, split: str | None) -> None:
    assert split_of_name(text) == split


def test_a_row_that_is_no_csv_costs_no_other() -> None:
    text = "name,obj\nlamp,x/12.zip\nta\rble,x/13.zip\nsofa\u2028,x/14.zip\n"
    records = list(parse_furniture(text))
    assert [each.record.item_id for each in records[1:]] == ["12", None, "14"]
    assert [each.line for each in records] == [1, 2, 3, 4]
    assert render_lines([each.record for each in records]) == text.encode()


@pytest.mark.parametrize(
    ("name", "is_dialogues"),
    [
        ("simmc2_dials_dstc10_train.json", True),
        ("simmc2.1_dials_dstc11_dev.json", True),
        ("simmc2_dials_dstc10_dev_retrieval_candidates.json", False),
    ],
)
def test_candidates_of_simmc2_are_no_dialogues(name: str, *, is_dialogues: bool) -> None:
    assert (identify_name(name, simmc2.FORMATS) is not None) == is_dialogues
