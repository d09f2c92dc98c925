from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.corpora.taskmaster.script_language import parse_script
from commonground.play.scenarios.taskmaster.scripts.filling import (
    ArgumentPair,
    Match,
    draw_values,
    fill,
    fill_json,
    label_values,
    list_quoted,
    list_used,
    propose_spans,
    split_arguments,
)

VALUES = {"film": "Big Sky", "film_time": "9:10pm"}


def test_the_longest_name_counts() -> None:
    assert fill("var_film at var_film_time", VALUES) == "Big Sky at 9:10pm"


def test_a_name_may_run_into_other_letters() -> None:
    assert fill("var_films", VALUES) == "Big Skys"


def test_what_has_no_value_stays() -> None:
    assert fill("var_town", VALUES) == "var_town"
    assert list_used("var_town var_films", VALUES) == ["town", "film"]


@pytest.mark.parametrize("text", ["‘var_film’", '"var_film"', "“var_film”", "'var_film'"])
def test_quoted_values_are_found(text: str) -> None:
    assert list_quoted(f"Say {text} or var_film_time.", VALUES) == ["film"]


def test_a_value_with_quotation_marks_keeps_json_whole() -> None:
    filled = fill_json('{"a":  "var_film", "b": 1}', {"film": 'the "best" \\ é'})
    assert json.loads(filled) == {"a": 'the "best" \\ é', "b": 1}
    assert filled.startswith('{"a":  "')


@given(st.text(), st.text())
def test_any_value_keeps_json_whole(value: str, other: str) -> None:
    body = json.dumps({"x": ["var_film", other.replace("var_", "")]})
    assert json.loads(fill_json(body, {"film": value}))["x"][0] == value


def test_placeholders_outside_strings_are_no_json() -> None:
    with pytest.raises(ValueError, match="malformed"):
        fill_json('{"a": var_film}', VALUES)


def test_a_value_runs_to_the_next_name() -> None:
    pairs = split_arguments("name.movie Big Sky location New Town", {"location"})
    assert pairs == [ArgumentPair("name.movie", "Big Sky"), ArgumentPair("location", "New Town")]


def test_a_name_right_behind_a_name_is_its_value() -> None:
    pairs = split_arguments("attribute name.genre name.movie x", {"attribute"})
    assert pairs == [ArgumentPair("attribute", "name.genre"), ArgumentPair("name.movie", "x")]


def test_arguments_begin_with_a_name() -> None:
    with pytest.raises(ValueError, match="Big"):
        split_arguments("Big Sky", set())


def test_the_seed_draws_within_bounds() -> None:
    script = parse_script("{{HIDE a b c}}{{RAND n id 5 7}}")
    drawn = [draw_values(script, seed) for seed in range(30)]
    assert {each["a"] for each in drawn} == {"c"}
    assert {each["n"] for each in drawn} == {"5", "6", "7"}
    assert draw_values(script, 3) == drawn[3]


def propose(text: str, values: dict[str, str]) -> list[Match]:
    directives = "{{HIDE town location x}}{{HIDE film name.movie x}}{{ENTER n other x}}"
    wanted = label_values(parse_script(directives), values, {"location", "name.movie"})
    return propose_spans(text, wanted)


def test_values_are_found_in_any_case_and_as_whole_words() -> None:
    # K ö l n SPACE: the offsets are code points.
    found = propose("In Köln or KÖLN, not Kölner.", {"town": "köln"})
    assert found == [Match(3, 7, "location"), Match(11, 15, "location")]


def test_of_two_that_overlap_the_longer_counts() -> None:
    found = propose("See Big Sky Town", {"town": "Sky Town", "film": "Big Sky"})
    assert found == [Match(8, 16, "location")]


def test_only_declared_types_are_proposed() -> None:
    assert propose("Three of us", {"n": "Three"}) == []
