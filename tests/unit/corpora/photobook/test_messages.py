from __future__ import annotations

from datetime import datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.corpora.photobook.native import (
    Answers,
    Command,
    NextRound,
    Selection,
    Submission,
    message_type,
    parse_answers,
    parse_clock,
    parse_command,
    parse_start,
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
    parse_command(text)
    assert message_type(text) in ("text", "selection", "feedback", "next_round", "usr_feedback")


@given(st.integers(0, 23), st.integers(0, 59), st.integers(0, 59), st.integers(0, 999_999))
def test_clocks_are_seconds(hours: int, minutes: int, seconds: int, micros: int) -> None:
    stamp = f"{hours:02d}:{minutes:02d}:{seconds:02d}.{micros:06d}"
    expected = hours * 3600 + minutes * 60 + seconds + micros / 1_000_000
    assert parse_clock(stamp) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("stamp", ["", "12", "1:2", "a:b:c", "1:2:3:4", "00:00:60", "day, 0:00:01"])
def test_what_is_no_clock_is_none(stamp: str) -> None:
    assert parse_clock(stamp) is None


@pytest.mark.parametrize(
    ("stamp", "seconds"),
    [
        ("1 day, 0:01:10", 86_470),
        ("2 days, 23:59:59.500000", 259_199.5),
        ("-1 day, 23:59:50", -10),
        ("24:00:01.5", 86_401.5),
    ],
)
def test_clocks_go_over_midnight(stamp: str, seconds: float) -> None:
    assert parse_clock(stamp) == seconds


@pytest.mark.parametrize(
    ("text", "start"),
    [
        ("2024-05-06T07:08:09.5", datetime(2024, 5, 6, 7, 8, 9, 500_000)),
        ("2024-05-06T01:08:09+02:00", datetime(2024, 5, 5, 23, 8, 9)),
        ("2024-05-06T07:08:09Z", datetime(2024, 5, 6, 7, 8, 9)),
        ("0001-01-01T00:00:00+02:00", None),
        ("2024-13-06T07:08:09.000000", None),
        ("2024-05-06T07:08:09.123456 or soZ", None),
        ("2024-05-06T07:08:09.1234567", None),
        ("yesterday", None),
    ],
)
def test_starts_are_in_utc(text: str, start: datetime | None) -> None:
    assert parse_start(text) == start


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


@pytest.mark.parametrize(
    ("message", "command"),
    [
        ("<selection> <com> a/b c.jpg", Selection("common", "a/b c.jpg")),
        ("<selection> <dif> ", Selection("different", "")),
        ("<selection> a/b.jpg", None),
        ("<feedback>", Submission()),
        ("<feedback> ", None),
        ("<next_round>", NextRound()),
        ("<usr_feedback> col:1<&>partner_u:2<&>self_u:3<&>text: a<&>b", Answers(1, 2, 3, " a<&>b")),
        ("<usr_feedback>col:1<&>partner_u:2<&>self_u:3<&>text:", None),
    ],
)
def test_a_tag_is_read_with_what_belongs_to_it(message: str, command: Command | None) -> None:
    assert parse_command(message) == command


@pytest.mark.parametrize(
    "text",
    [
        "",
        "col:1",
        "col:x<&>partner_u:2<&>self_u:3<&>text:",
        "col:-1<&>partner_u:2<&>self_u:3<&>text:",
        "a:1<&>b:2<&>c:3<&>d:",
    ],
)
def test_answers_of_another_form_are_refused(text: str) -> None:
    assert parse_answers(text) is None
