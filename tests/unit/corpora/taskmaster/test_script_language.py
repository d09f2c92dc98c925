from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.play.scenarios.taskmaster.sessions import FREE, SHORT, released_scripts

from commonground.corpora.taskmaster.script_language import (
    Check,
    Conversation,
    Enter,
    Force,
    Hide,
    Hint,
    Prose,
    Rand,
    Response,
    Script,
    ScriptCall,
    ScriptError,
    ScriptList,
    Unknown,
    parse_script,
    print_script,
    read_script,
)


def test_every_directive_is_read() -> None:
    script = parse_script(SHORT)
    film = script.of(Hide)[0]
    assert (film.name, film.type, film.value) == ("film", "name.movie", "Big Sky")
    assert [(e.name, e.prompt) for e in script.of(Enter)] == [("people", "Who comes?")]
    assert [(r.low, r.high) for r in script.of(Rand)] == [(10, 99)]
    assert [c.text for c in script.of(Check)] == ["It flows.", "It is kind."]
    kinds = [type(line) for line in script.lines]
    assert kinds == [Hint, ScriptCall, Response, Force, Hint]


def test_lines_are_counted_from_one() -> None:
    script = parse_script(SHORT)
    assert script.of(Hide)[0].line == 2
    assert [line.line for line in script.lines] == [8, 9, 10, 11, 12]


def test_a_comma_always_divides_a_list() -> None:
    (listing,) = parse_script("{{LIST Tea (hot, big), Milk ,}}").of(ScriptList)
    assert listing.items == ["Tea (hot", "big)", "Milk"]


def test_braces_in_json_do_not_end_a_conversation() -> None:
    text = '{{CONVERSATION\ncall add request {"a": {"b": 1}}\n}} and on'
    (line,) = parse_script(text).lines
    assert isinstance(line, ScriptCall)
    assert line.body == 'request {"a": {"b": 1}}'


def test_a_conversation_without_lines_is_in_free_form() -> None:
    assert parse_script(FREE).conversation is not None
    assert parse_script(FREE).lines == ()


def test_a_stray_full_stop_belongs_to_no_hint() -> None:
    (line,) = parse_script("{{CONVERSATION\nhint user (Say yes).\n}}").lines
    assert isinstance(line, Hint)
    assert line.text == "Say yes"


def test_an_unknown_directive_is_kept_and_no_fault() -> None:
    script = parse_script("{{SHOUT loud}}")
    assert script.parts == (Unknown("{{SHOUT loud}}", 1),)


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("a\n {{HIDE x y}}", (2, 2), "HIDE NAME TYPE VALUE"),
        ("{{RAND x id 9 1}}", (1, 1), "RAND NAME TYPE LOW HIGH"),
        ("{{ENTER 2x y z}}", (1, 1), "ENTER NAME TYPE PROMPT"),
        ("{{CHECK x}}", (1, 1), "CHECK NAME TEXT"),
        ("ab {{LIST c", (1, 4), "}} to end it"),
        ("{{LIST a {{LIST b}}", (1, 1), "}} to end it"),
        ("{{CONVERSATION\nhint user (a)}}", (1, 1), "}} alone on a line"),
        ("{{CONVERSATION hint\n}}", (1, 15), "a line feed"),
        ("{{CONVERSATION\n  sing user\n}}", (2, 1), "hint, force, call or response"),
        ("{{CONVERSATION}}{{CONVERSATION}}", (1, 31), "one CONVERSATION"),
        ("{{ LIST a}}", (1, 1), "the word right behind"),
        ("{{list a}}", (1, 1), "a directive"),
    ],
)
def test_what_is_not_of_the_language_is_located(
    text: str, place: tuple[int, int], expected: str
) -> None:
    with pytest.raises(ScriptError) as caught:
        parse_script(text)
    (fault,) = caught.value.faults
    assert (fault.line, fault.column) == place
    assert fault.expected.startswith(expected)
    assert f"line {place[0]}, column {place[1]}" in caught.value.message


def test_all_faults_are_told_at_once() -> None:
    with pytest.raises(ScriptError, match="And 1 more error") as caught:
        parse_script("{{HIDE a}}\n{{HIDE b}}")
    assert [each.line for each in caught.value.faults] == [1, 2]


def test_what_is_made_prints_with_single_spaces() -> None:
    lines = (Hint("user", "Ask."), Force("assistant", "No."), ScriptCall("f", "request {}"))
    script = Script((Prose("Hi\n"), Hide("a", "b", "c d"), Conversation(lines)))
    text = print_script(script)
    assert text == (
        "Hi\n{{HIDE a b c d}}{{CONVERSATION\nhint user (Ask.)\nforce assistant No.\n"
        "call f request {}\n}}"
    )
    assert print_script(parse_script(text)) == text


PIECES = st.sampled_from(
    [
        *("{{", "}}", "LIST", "HIDE a b", "ENTER", "RAND x y 1 2", "CHECK ok", "CONVERSATION"),
        *("hint user (x)", "force assistant", "call f", "é", "var_a", ")", "\n", " ", ",", "\t"),
    ]
)
TEXTS = st.lists(PIECES, max_size=40).map("".join)


@given(TEXTS)
def test_any_text_prints_as_it_was(text: str) -> None:
    script, _ = read_script(text)
    assert print_script(script) == text


@pytest.mark.parametrize("folder", ["taskmaster3", "taskmaster4"])
def test_released_scripts_print_as_they_were(folder: str) -> None:
    for text in released_scripts(folder):
        script = parse_script(text)
        assert print_script(script) == text
        assert script.of(Unknown) == []
