"""The form language of the workers' instructions."""

from __future__ import annotations

from commonground.corpora.taskmaster.view.brief import ProseRun, Step, parse_brief


def test_paragraphs_are_parts_and_asterisks_emphasis() -> None:
    first, second = parse_brief("Order *one* tea.\n\nBe kind.")
    assert first.runs == [ProseRun("Order "), ProseRun("one", strong=True), ProseRun(" tea.")]
    assert second.runs == [ProseRun("Be kind.")]


def test_a_single_asterisk_is_text() -> None:
    (part,) = parse_brief("2 * 3")
    assert part.runs == [ProseRun("2 * 3")]


def test_commas_in_brackets_do_not_divide_a_list() -> None:
    (part,) = parse_brief("{{LIST Tea (hot, big), *Milk*}}")
    assert part.kind == "list"
    assert part.items == [[ProseRun("Tea (hot, big)")], [ProseRun("Milk", strong=True)]]


def test_values_that_follow_each_other_are_one_part() -> None:
    (part,) = parse_brief("{{HIDE film_1 name.movie Big Sky}}\n{{RAND order id 10 99}}")
    assert part.kind == "given"
    assert [(b.name, b.label, b.runs) for b in part.boxes] == [
        ("film_1", "name.movie", [ProseRun("Big Sky")]),
        ("order", "id", [ProseRun("a number from 10 to 99")]),
    ]


def test_questions_and_statements_are_parts_of_their_own() -> None:
    asked, check = parse_brief("{{ENTER who people Who comes?}}{{CHECK ok It is fine.}}")
    assert (asked.kind, asked.boxes[0].label) == ("asked", "people")
    assert (check.kind, check.boxes[0].name, check.boxes[0].label) == ("check", "ok", None)
    assert check.boxes[0].runs == [ProseRun("It is fine.")]


def test_the_laid_out_conversation_is_a_script() -> None:
    (part,) = parse_brief(
        "{{CONVERSATION\nhint user (Greet.)\n\nforce assistant Hello.\n"
        "call find x var_x\nresponse find y var_y\nanything\n}}"
    )
    assert part.steps == [
        Step("user", False, "(Greet.)"),
        Step("assistant", True, "Hello."),
        Step("call", True, "find x var_x"),
        Step("response", True, "find y var_y"),
        Step("other", True, "anything"),
    ]


def test_braces_within_a_script_do_not_end_it_early() -> None:
    (part,) = parse_brief('{{CONVERSATION\ncall add request {"id": "x"}\n}}')
    assert part.steps == [Step("call", True, 'add request {"id": "x"}')]


def test_unknown_directives_and_open_braces_stay_as_written() -> None:
    other, text = parse_brief("{{SHOUT loud}} {{LIST never closed")
    assert (other.kind, other.runs) == ("other", [ProseRun("{{SHOUT loud}}")])
    assert (text.kind, text.runs) == ("text", [ProseRun("{{LIST never closed")])


def test_nothing_has_no_parts() -> None:
    assert parse_brief(" \n\n ") == []
