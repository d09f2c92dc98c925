from __future__ import annotations

import pytest
from tests.unit.play.scenarios.taskmaster.sessions import SHORT, released_scripts

from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.taskmaster.scripts.lint import LINTS, lint_script
from commonground.play.scenarios.taskmaster.taskmaster3.rules import SCENARIO

APIS = SCENARIO.dialect.apis


def wrap(lines: str, before: str = "") -> str:
    return f"{before}{{{{CONVERSATION\n{lines}\n}}}}"


ASKED = "hint user (Ask.)\n"
PLANTED = {
    "syntax": "{{HIDE x}}" + wrap(ASKED),
    "no_conversation": "Hello.",
    "doubled_variable": wrap(
        "hint user (var_a)", "{{HIDE a id 1}}{{RAND b id 1 2}}{{HIDE a id 2}}{{CHECK c var_b}}"
    ),
    "undefined_variable": wrap("hint user (Ask for var_town.)"),
    "bad_body": wrap(
        ASKED + 'call find_movies request {"a": var_a}\nresponse find_movies request {}'
    )
    + "{{CHECK c var_a}}{{HIDE a id 1}}",
    "call_before_turn": wrap("call find_movies\nresponse find_movies\n" + ASKED),
    "call_without_response": wrap(ASKED + "call find_movies\nforce assistant No."),
    "response_without_call": wrap(ASKED + "response find_movies"),
    "other_response": wrap(ASKED + "call find_movies\nresponse find_theaters"),
    "assistant_call": wrap("force assistant Hi.\ncall find_movies\nresponse find_movies"),
    "undeclared_api": wrap(ASKED + "call fly\nresponse fly"),
    "undeclared_argument": wrap(ASKED + "call find_movies name.food x\nresponse find_movies"),
    "doubled_argument": wrap(
        ASKED + 'call find_movies request {"a": 1, "a": 2}\nresponse find_movies response {}'
    ),
    "value_conflict": SHORT.replace("‘var_film’", "‘var_time_2’")
    .replace("name.movie var_film\n", "name.movie var_film type.screening var_time_1\n")
    .replace("time.showing Big", "name.movie Big"),
    "doubled_id": wrap(
        ASKED + "call find_movies\n"
        'response find_movies response {"a": [{"x_id": "1"}, {"x_id": "1", "y": [{"x_id": "1"}]}]}'
    ),
    "unknown_directive": "{{SHOUT x}}" + wrap(ASKED),
    "cut_item": "{{LIST Red Syrup, Green Syrup, Blue, Syrup}}" + wrap(ASKED),
    "unused_variable": "{{HIDE town location Rome}}" + wrap(ASKED),
    "spaces": wrap(ASKED + 'call find_movies\nresponse find_movies response {"a": "b           "}'),
    "glued_variable": wrap("hint user (Ask for var_towns.)", "{{HIDE town location Rome}}"),
}


def test_every_lint_has_a_planted_fault() -> None:
    assert PLANTED.keys() == LINTS.keys()


@pytest.mark.parametrize("code", PLANTED)
def test_a_planted_fault_is_found(code: str) -> None:
    found = lint_script(PLANTED[code], APIS)
    assert {each.code for each in found} == {code}
    assert all((each.severity, each.message) == LINTS[code] for each in found)


def test_a_sound_script_is_silent() -> None:
    assert lint_script(SHORT, APIS) == []


def test_findings_are_located() -> None:
    (found,) = lint_script("a\nb\n{{HIDE town location Rome}}\n" + wrap(ASKED))
    assert (found.line, found.found) == (3, "town")


def test_nothing_is_said_of_apis_that_are_not_at_hand() -> None:
    assert lint_script(PLANTED["undeclared_api"]) == []


@pytest.mark.parametrize("name", ["taskmaster1", "taskmaster3", "taskmaster4"])
def test_invented_scripts_have_no_faults(name: str) -> None:
    scenario = get_scenario(name)
    apis = getattr(scenario.rules, "dialect").apis or None  # noqa: B009 - the protocol lacks it
    for material in scenario.material_source().invent(60, 4):
        assert lint_script(material.script, apis) == []


def test_the_known_faults_of_released_scripts_are_found() -> None:
    found = {
        (title.partition(" template ")[2].split()[0], each.code, each.found)
        for text, title in released_scripts("taskmaster4").items()
        for each in lint_script(text)
        if each.code != "spaces"
    }
    # One sweetener cut in two, one id twice, one key twice, one question that nothing uses, and
    # the call at the end of a script that breaks off.
    assert found == {
        ("32", "cut_item", "Sweetener"),
        ("14a", "call_without_response", "get_addons"),
        ("23", "doubled_id", "sf-vanilla-sweetener-012"),
        ("31", "doubled_argument", "order_id"),
        ("11", "unused_variable", "category"),
    }


def test_the_wrong_showtime_of_released_dialogues_is_found() -> None:
    (text,) = released_scripts("taskmaster3")
    (found,) = lint_script(text, APIS)
    assert (found.code, found.line) == ("value_conflict", 38)
    assert found.found == "var_movie_1_showtime_1, chosen is var_movie_1_showtime_3"


def test_a_run_of_spaces_in_released_scripts_is_found() -> None:
    texts = released_scripts("taskmaster4")
    found = [each for text in texts for each in lint_script(text) if each.code == "spaces"]
    assert len(found) == 1
    assert int(found[0].found.rpartition("then ")[2].split()[0]) > 200
