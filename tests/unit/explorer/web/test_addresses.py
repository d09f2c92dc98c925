from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.errors import UsageError
from commonground.explorer.web.addresses import LONGEST_NAME, decode_id, encode_file_name, encode_id

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~")


@given(st.text())
def test_an_id_is_one_plain_part_of_a_path(text: str) -> None:
    assert set(encode_id(text)) <= PLAIN
    assert decode_id(encode_id(text)) == text
    assert len(encode_file_name(text)) <= LONGEST_NAME


def test_no_id_at_all_is_part_of_a_path_too() -> None:
    assert encode_id("") == encode_file_name("") == "~"


@given(st.text(), st.text())
def test_names_of_files_stay_apart_where_case_does_not_count(one: str, other: str) -> None:
    assert (encode_file_name(one).casefold() == encode_file_name(other).casefold()) == (
        one == other
    )


def test_a_file_system_without_case_keeps_ids_apart() -> None:
    assert (encode_file_name("Case"), encode_file_name("case")) == ("~43ase", "case")
    assert encode_file_name("~43ase") == "~7E43ase"


def test_long_names_stay_apart() -> None:
    assert encode_file_name("x" * 500 + "a") != encode_file_name("x" * 500 + "b")


def test_bytes_that_are_no_text_are_no_id() -> None:
    with pytest.raises(UsageError, match="holds no id"):
        decode_id("~FF")
