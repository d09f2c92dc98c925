from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.bench.metrics.simmc_dst import BeliefFrame
from commonground.corpora.simmc.tasks.beliefs import (
    convert_belief,
    flatten_belief,
    parse_belief,
    parse_line,
    split_lines,
)

WORD = st.text("abcXYZ09_./:", min_size=1, max_size=6)
BELIEF = st.lists(
    st.builds(
        BeliefFrame,
        st.text("ABC:_?.", min_size=1, max_size=8),
        st.lists(st.tuples(WORD, WORD), max_size=3).map(tuple),
    ),
    max_size=3,
).map(tuple)


def test_a_line_with_two_acts() -> None:
    line = "User : red? => Belief State : ASK:LAMP [ color = red, size = big ] BYE [  ] <EOB> Yes."
    assert parse_line(line) == (
        BeliefFrame("ASK:LAMP", (("color", "red"), ("size", "big"))),
        BeliefFrame("BYE", ()),
    )


@pytest.mark.parametrize(
    "line",
    [
        "",
        "User : hi <EOB>",
        "=> Belief State : A [  ]",
        "=> Belief State : A [  ] <EOB> <EOB>",
        "=> Belief State : A [  ] => Belief State : B [  ] <EOB>",
    ],
)
def test_a_line_without_exactly_one_belief_state_is_null(line: str) -> None:
    assert parse_line(line) is None


@pytest.mark.parametrize(
    ("slots", "parsed"),
    [
        ("fashion-O = OBJECT_1", [("O", "OBJECT_1")]),
        ("a-b-c = 1", [("c", "1")]),
        ("price = $1,000", [("price", "$1")]),
        ("a=1, b =2, c= 3, d = 4", [("d", "4")]),
        ("a  =  1 ", [("a", "1")]),
        ("two words = x = y", [("words", "x = y")]),
        (" = 1", [("", "1")]),
        ("a = [ 1", [("a", "[ 1")]),
        ("nothing", []),
    ],
)
def test_slots_as_the_official_parser_reads_them(slots: str, parsed: list[tuple[str, str]]) -> None:
    assert parse_belief(f"ACT [ {slots} ]") == (BeliefFrame("ACT", tuple(parsed)),)


@pytest.mark.parametrize(
    ("belief", "acts"),
    [
        ("DA ASK [  ]", ["ASK"]),
        ("ASK! [  ]", [""]),
        ("ASK[  ] BYE [  ]", ["BYE"]),
        ("[  ] [  ]", [""]),
        ("ASK [ a = 1", []),
        ("ASK   [ ]BYE [ ]", ["ASK", "BYE"]),
    ],
)
def test_an_act_is_the_last_word_before_a_bracket(belief: str, acts: list[str]) -> None:
    assert [frame.act for frame in parse_belief(belief)] == acts


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_every_line_is_a_turn(end: str) -> None:
    lines = ["=> Belief State : A [  ] <EOB>", "", "=> Belief State : <EOB>"]
    parsed = [(BeliefFrame("A"),), None, ()]
    for text in (end.join(lines), end.join(lines) + end):
        assert list(map(parse_line, split_lines(text))) == parsed


@given(BELIEF)
def test_beliefs_survive_a_line(frames: tuple[BeliefFrame, ...]) -> None:
    states = [{"act": f.act, "slots": [list(slot) for slot in f.slots]} for f in frames]
    line = f"User : hi => Belief State : {flatten_belief(states)} <EOB> hello <EOS>"
    assert parse_line(line) == convert_belief(states) == frames


@pytest.mark.parametrize("unit", [" [", "a", " = ", "[ ] ", "a-"])
def test_long_odd_lines_take_no_time(unit: str) -> None:
    assert parse_line(f"=> Belief State : {unit * 50_000} <EOB>") is not None
