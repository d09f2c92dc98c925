from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.corpora.taskmaster.native.tags import (
    Argument,
    Called,
    Marker,
    Responded,
    Said,
    TagError,
    parse_turns,
    render_turns,
)

TEXT = st.text(st.characters(exclude_characters="<>[]", exclude_categories=["Cs"]), max_size=12)
ARGUMENTS = st.lists(st.builds(Argument, TEXT, st.lists(TEXT, max_size=3)), max_size=3)
TURNS = st.lists(
    st.builds(Said, st.sampled_from(["user", "assistant"]), TEXT)
    | st.builds(Called, TEXT, ARGUMENTS)
    | st.builds(Responded, TEXT, ARGUMENTS)
    | st.builds(Marker, st.sampled_from(["context", "start"])),
    max_size=6,
)
TAGS = ("U", "A", "PN", "PAN", "PAV", "PR", "PRAN", "PRAV", "C", "S")
PIECES = st.lists(st.sampled_from([*(f"<{tag}>" for tag in TAGS), "a", "<", "b>"]), max_size=12)


@given(TURNS, st.sampled_from(["<>", "[]"]))
def test_turns_are_read_as_they_were_written(turns: list[object], brackets: str) -> None:
    text = render_turns(turns, brackets)  # type: ignore[arg-type]
    assert parse_turns(text, brackets) == turns  # type: ignore[arg-type]


@given(PIECES)
def test_whatever_parses_is_written_as_it_was_read(pieces: list[str]) -> None:
    text = "".join(pieces)
    try:
        turns = parse_turns(text)
    except TagError:
        return
    assert render_turns(turns) == text


def test_a_context_has_its_latest_turn_first() -> None:
    text = "<PR>f<PRAN>n<PRAV>x<PRAV>y<C><S><A>Hi<U>go<PN>f<PAN>k<PAV>v"
    assert parse_turns(text) == [
        Responded("f", [Argument("n", ["x", "y"])]),
        Marker("context"),
        Marker("start"),
        Said("assistant", "Hi"),
        Said("user", "go"),
        Called("f", [Argument("k", ["v"])]),
    ]


def test_a_target_has_square_brackets() -> None:
    assert parse_turns("[PN]f[PAN]k[PAV]<U>", "[]") == [Called("f", [Argument("k", ["<U>"])])]


@pytest.mark.parametrize(
    ("text", "at", "expected"),
    [
        ("hello<U>", 0, "a tag"),
        ("<U>ab<PAN>k", 5, "no PAN here"),
        ("<PN>f<PAV>v", 5, "no PAV here"),
        ("<PR>f<PAN>k", 5, "no PAN here"),
        ("<U>a<C>b", 7, "a tag"),
    ],
)
def test_what_is_no_tag_language_is_located(text: str, at: int, expected: str) -> None:
    with pytest.raises(TagError) as caught:
        parse_turns(text)
    assert (caught.value.at, caught.value.expected) == (at, expected)
