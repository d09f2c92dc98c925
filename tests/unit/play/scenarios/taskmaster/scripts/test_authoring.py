from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from tests.unit.corpora.taskmaster.test_script_language import TEXTS
from tests.unit.play.scenarios.taskmaster.sessions import SHORT

from commonground.play.scenarios import get_scenario, iterate_scenarios
from commonground.play.scenarios.taskmaster.scripts.lint import lint_script
from commonground.play.scripting import Remark, Scripting, list_files


@pytest.fixture
def scripts() -> Scripting:
    found = get_scenario("taskmaster3").scripting()
    assert found is not None
    return found


def lint_files(scripts: Scripting, paths: list[Path]) -> list[Remark]:
    return [each for path in list_files(scripts, paths) for each in scripts.lint(path)]


def save(folder: Path, text: str, name: str = "one.script") -> Path:
    path = folder / name
    path.write_bytes(text.encode())
    return path


def test_only_scenarios_with_scripts_have_help_for_them() -> None:
    found = {each.name for each in iterate_scenarios() if each.scripting() is not None}
    assert found == {"taskmaster1", "taskmaster3", "taskmaster4"}


def test_remarks_say_file_line_and_column(scripts: Scripting, tmp_path: Path) -> None:
    path = save(tmp_path, SHORT.replace("‘var_film’", "‘var_fiend’"))
    (remark,) = lint_files(scripts, [tmp_path])
    assert (remark.file, remark.line, remark.column) == (str(path), 8, 21)
    assert str(remark) == (
        f"{path}:8:21: error: No directive gives this variable a value: “var_fiend” "
        "[undefined_variable]"
    )


def test_what_stands_twice_on_a_line_has_two_places(scripts: Scripting, tmp_path: Path) -> None:
    save(tmp_path, "{{CONVERSATION\nhint user (var_x and var_x)\n}}")
    assert [(each.line, each.column) for each in lint_files(scripts, [tmp_path])] == [
        (2, 12),
        (2, 22),
    ]


def test_faults_of_the_language_are_located(scripts: Scripting, tmp_path: Path) -> None:
    path = save(tmp_path, "{{CONVERSATION\nhint user (Ask.)\n  shout user Hey\n}}")
    (remark,) = lint_files(scripts, [path])
    assert (remark.code, remark.line, remark.column) == ("syntax", 3, 1)


def test_apis_beside_a_script_count(scripts: Scripting, tmp_path: Path) -> None:
    save(tmp_path, "{{CONVERSATION\nhint user (Ask.)\ncall fly\nresponse fly\n}}")
    assert {each.code for each in lint_files(scripts, [tmp_path])} == {"undeclared_api"}
    declared = '{"Fly": {"apis": ["fly"], "args": {}, "response": {"type": "list", "keys": []}}}'
    save(tmp_path, declared, "apis.json")
    assert lint_files(scripts, [tmp_path]) == []


@given(TEXTS)
def test_remarks_on_any_text_are_places_in_it(text: str) -> None:
    lines = text.split("\n")
    for each in lint_script(text, {}):
        assert 1 <= each.line <= len(lines)
        assert 1 <= each.column <= len(lines[each.line - 1]) + 1
