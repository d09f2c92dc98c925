from __future__ import annotations

import json
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.records import (
    UNSET,
    Record,
    UnsetType,
    choose_fields,
    decode_record,
    encode_record,
    first_difference,
    render_path,
)


class Inner(Record):
    size: int
    note: str | UnsetType | None = UNSET


class Outer(Record):
    name: str
    ratio: float | int
    parts: list[Inner]
    extra: dict[str, list[str]]


GOOD = b'{"name":"a","ratio":1,"parts":[{"size":2,"note":null}],"extra":{"k":["v"]}}'


def test_absent_null_and_empty_stay_apart() -> None:
    for text in (b'{"size":1}', b'{"size":1,"note":null}', b'{"size":1,"note":""}'):
        assert encode_record(decode_record(text, Inner)) == text


def test_every_fault_is_reported_with_its_path() -> None:
    decoded = decode_record(b'{"ratio":"x","parts":[{"size":"2"},{"note":3}]}', Outer)
    assert decoded.record is None
    assert [(f.path, f.kind, f.expected, f.found) for f in decoded.faults] == [
        (".ratio", "type", "number or whole number", "x"),
        (".parts[0].size", "type", "whole number", "2"),
        (".parts[1].note", "type", "text or null", "3"),
        (".parts[1].size", "missing", "whole number", None),
        (".name", "missing", "text", None),
        (".extra", "missing", "object of list of text", None),
    ]


def test_unknown_fields_are_reported_and_written_back() -> None:
    text = b'{"name":"a","ratio":1.5,"parts":[{"size":1,"odd key":[1]}],"extra":{},"more":null}'
    decoded = decode_record(text, Outer)
    assert decoded.record is not None
    assert [(f.path, f.kind) for f in decoded.faults] == [
        ('.parts[0]["odd key"]', "unknown"),
        (".more", "unknown"),
    ]
    written = msgspec.json.decode(encode_record(decoded))
    assert first_difference(msgspec.json.decode(text), written) is None


def test_a_record_that_could_not_be_typed_cannot_be_written() -> None:
    with pytest.raises(ValueError, match="could not be typed"):
        encode_record(decode_record(b"{}", Inner))


@pytest.mark.parametrize("text", [b"", b"{", b"\xff", b'{"size":NaN}', b"[" * 100_000])
def test_what_is_no_json_raises_decode_error(text: bytes) -> None:
    with pytest.raises(msgspec.DecodeError):
        decode_record(text, Inner)


@pytest.mark.parametrize(
    ("left", "right", "where"),
    [
        (1, 1.0, "$"),
        (True, 1, "$"),
        ({"a": [1, 2]}, {"a": [1, 3]}, "$.a[1]"),
        ({"a": 1}, {"a": 1, "b": None}, "$.b"),
        ([1], [1, 2], "$[1]"),
        ({"a": 1, "b": 2}, {"b": 2, "a": 1}, None),
    ],
)
def test_first_difference(left: object, right: object, where: str | None) -> None:
    assert first_difference(left, right) == where


def test_keys_in_another_order_differ_where_order_counts() -> None:
    left, right = {"a": [{"b": 1, "c": 2}]}, {"a": [{"c": 2, "b": 1}]}
    assert first_difference(left, right) is None
    assert first_difference(left, right, ordered=True) == "$.a[0]"


def test_paths_quote_odd_keys() -> None:
    assert render_path(("turns", 0, "name.movie", "é")) == '.turns[0]["name.movie"]["é"]'


json_values = st.recursive(
    st.none() | st.booleans() | st.integers(-(2**53), 2**53) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=20,
)


@given(json_values)
def test_any_json_is_read_or_reported(value: object) -> None:
    decoded = decode_record(msgspec.json.encode(value), Outer)
    assert decoded.record is not None or decoded.faults


@given(st.dictionaries(st.text(), json_values))
def test_unknown_fields_never_change_a_round_trip(more: dict[str, object]) -> None:
    value = {**more, **msgspec.json.decode(GOOD)}
    decoded = decode_record(msgspec.json.encode(value), Outer)
    assert first_difference(value, msgspec.json.decode(encode_record(decoded))) is None


@pytest.mark.parametrize(
    ("text", "paths"),
    [
        ('{"size":1,"size":2}', [".size"]),
        ('{"size":1,"size" : 2,"size":3,"note":null,"note":"x"}', [".size", ".note"]),
        ('{"size":1,"s\\u0069ze":2}', [".size"]),
        ('{"size":1,"note":"a:b\\u003Ac\\":"}', []),
        ('{"size":1,"note":"a:b","note":"c\\u003a"}', [".note"]),
        ('{"size":1,"odd":[{"b":1},{"a":1,"a":{"c":1,"c":1}}]}', [".odd[1].a", ".odd[1].a.c"]),
        ('{"size":"text","size":1,"note":"a","note":2}', [".size", ".note"]),
    ],
)
def test_repeated_keys_are_found(text: str, paths: list[str]) -> None:
    decoded = decode_record(text.encode(), Inner)
    assert [f.path for f in decoded.faults if f.kind == "repeated"] == paths


def test_of_repeated_keys_the_last_value_stands() -> None:
    decoded = decode_record(b'{"size":1,"size":2}', Inner)
    assert decoded.record == Inner(size=2)
    assert [f.found for f in decoded.faults] == ["size, 2 times"]


def test_keys_are_counted_alike_in_short_and_long_texts() -> None:
    for length in (10, 10_000):
        text = '{"size":1,"note":"' + ":" * length + '"%s}'
        assert not decode_record((text % "").encode(), Inner).faults
        assert decode_record((text % ',"size":1').encode(), Inner).faults


@given(json_values, st.booleans())
def test_values_without_repeats_have_none(value: object, spaced: bool) -> None:
    text = json.dumps(value, separators=(" , ", " : ") if spaced else None)
    faults = decode_record(text.encode(), Outer).faults
    assert not [fault for fault in faults if fault.kind == "repeated"]


@given(st.lists(json_values, min_size=2), st.text())
def test_a_key_added_twice_is_always_found(values: list[object], key: str) -> None:
    pairs = ",".join(f"{json.dumps(key)}:{json.dumps(value)}" for value in values)
    faults = decode_record(b"{" + pairs.encode() + b"}", Outer).faults
    assert [fault.path for fault in faults if fault.kind == "repeated"] == [render_path((key,))]


class Leaf(Record):
    name: str
    size: int
    note: str | UnsetType = UNSET


class Tree(Record):
    inner: list[Leaf | None]
    others: dict[str, Leaf]
    left: int
    maybe: str


READ = choose_fields(Tree, {Tree: "inner others maybe?", Leaf: "name note?"})


def test_only_chosen_fields_are_read() -> None:
    data = b'{"inner": [{"name": "a", "size": "odd"}, null], "others": {}, "more": 1}'
    found: Any = msgspec.json.decode(data, type=READ)
    assert [each and (each.name, each.note) for each in found.inner] == [("a", UNSET), None]
    assert found.maybe is UNSET
    assert not hasattr(found, "left")


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (b'{"others": {}}', "missing required field `inner`"),
        (b'{"inner": [{}], "others": {}}', r"missing required field `name` - at `\$.inner\[0\]`"),
        (b'{"inner": [], "others": {"x": {"name": 1}}}', "Expected `str`, got `int`"),
    ],
)
def test_chosen_fields_must_be_as_in_the_native_record(data: bytes, told: str) -> None:
    with pytest.raises(msgspec.ValidationError, match=told):
        msgspec.json.decode(data, type=READ)


def test_records_that_are_not_chosen_stay_plain() -> None:
    found: Any = msgspec.json.decode(
        b'{"inner": [{"x": 1}]}', type=choose_fields(Tree, {Tree: "inner"})
    )
    assert found.inner == [{"x": 1}]


class Noted(Leaf):
    by: str | UnsetType = UNSET


def test_another_type_can_be_read_instead_of_a_record() -> None:
    fields: dict[type, str | type] = {Tree: "inner others", Leaf: Noted, Noted: "name by"}
    data = b'{"inner": [{"name": "a", "by": "b"}], "others": {}}'
    found: Any = msgspec.json.decode(data, type=choose_fields(Tree, fields))
    assert [(each.name, each.by) for each in found.inner] == [("a", "b")]


def test_records_can_be_left_undecoded() -> None:
    fields: dict[type, str | type] = {Tree: "others", Leaf: msgspec.Raw}
    data = b'{"inner": [], "others": {"x": {"of": "any form"}}}'
    found: Any = msgspec.json.decode(data, type=choose_fields(Tree, fields))
    assert bytes(found.others["x"]) == b'{"of": "any form"}'
