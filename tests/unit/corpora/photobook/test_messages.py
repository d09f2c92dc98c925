from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.corpora.photobook.native import (
    Answers,
    Selection,
    message_type,
    parse_answers,
    parse_clock,
    parse_selection,
    render_answers,
)

GRADES = st.integers(1, 5)


@given(GRADES, GRADES, GRADES, st.text())
def test_answers_are_parsed_as_written(col: int, partner_u: int, self_u: int, text: str) -> None:
    answers = Answers(col, partner_u, self_u, text)
    assert parse_answers(render_answers(answers)) == answers


@given(st.text())
def test_no_text_breaks_the_parsers(text: str) -> None:
    parse_answers(text)
    parse_selection(text)
    assert message_type(text) in ("text", "selection", "feedback", "next_round", "usr_feedback")


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999_999))
def test_clocks_are_seconds(hours: int, minutes: int, seconds: int, micros: int) -> None:
    stamp = f"{hours:02d}:{minutes:02d}:{seconds:02d}.{micros:06d}"
    expected = hours * 3600 + minutes * 60 + seconds + micros / 1_000_000
    assert parse_clock(stamp) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("stamp", ["", "12", "1:2", "a:b:c", "1:2:3:4"])
def test_what_is_no_clock_is_refused(stamp: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_clock(stamp)


@pytest.mark.parametrize(
    ("message", "kind"),
    [
        ("the sun <3", "text"),
        ("<selection> <com> a/b.jpg", "selection"),
        ("<selection> <dif> a/b.jpg", "selection"),
        ("<selection> <new> a/b.jpg", "text"),
        ("<feedback>", "feedback"),
        ("<next_round>", "next_round"),
        ("<usr_feedback> col:1<&>partner_u:2<&>self_u:3<&>text:", "usr_feedback"),
        ("<usr_feedback> good", "text"),
    ],
)
def test_the_first_tag_decides(message: str, kind: str) -> None:
    assert message_type(message) == kind


def test_selections_have_a_label_and_an_image() -> None:
    assert parse_selection("<selection> <com> a/b c.jpg") == Selection("common", "a/b c.jpg")
    assert parse_selection("<selection> a/b.jpg") is None


@pytest.mark.parametrize(
    "text", ["", "col:1", "col:x<&>partner_u:2<&>self_u:3<&>text:", "a:1<&>b:2<&>c:3<&>d:"]
)
def test_answers_of_another_form_are_refused(text: str) -> None:
    assert parse_answers(text) is None
