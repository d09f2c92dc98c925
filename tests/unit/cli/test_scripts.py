"""``collect lint-scripts``, and what ``collect new`` says of scripts."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.cli import main

Run = Callable[..., tuple[int, str, str]]
SOUND = """Order at the counter.
{{ENTER drink drink Which drink?}}
{{CONVERSATION
hint user (Order a ‘var_drink’.)
call get_menu_items request {"query": "var_drink"}
response get_menu_items response {"menu_items": []}
hint assistant (Say thanks.)
}}
"""
FAULTY = SOUND.replace("Order a ‘var_drink’.", "Order a ‘var_drnik’.")


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scripts").mkdir()

    def call(*words: str) -> tuple[int, str, str]:
        monkeypatch.setattr("sys.argv", ["commonground", *words])
        try:
            main()
            code = 0
        except SystemExit as stopped:
            code = int(stopped.code or 0)
        out, err = capsys.readouterr()
        return code, out, err

    return call


def save(text: str, name: str = "scripts/Order.script") -> None:
    Path(name).write_text(text, encoding="utf-8")


def test_sound_scripts_end_well(run: Run) -> None:
    save(SOUND)
    assert run("collect", "lint-scripts", "taskmaster4", "scripts") == (
        0,
        "Scripts: 1; errors: 0, warnings: 0, notes: 0.\n",
        "",
    )


def test_faults_are_listed_where_they_are(run: Run) -> None:
    save(FAULTY)
    code, out, _ = run("collect", "lint-scripts", "taskmaster4", "scripts/Order.script")
    assert code == 1
    assert out.startswith("scripts/Order.script:4:21: error: No directive gives this variable")
    code, out, _ = run("collect", "lint-scripts", "taskmaster4", "scripts", "--json")
    assert code == 1
    (remark,) = json.loads(out)
    assert (remark["line"], remark["column"], remark["found"]) == (4, 21, "var_drnik")


def test_how_bad_it_must_be_can_be_said(run: Run) -> None:
    save(SOUND.replace("{{CONV", "{{ENTER size size How big?}}\n{{CONV"))
    assert run("collect", "lint-scripts", "taskmaster4", "scripts")[0] == 0
    assert run("collect", "lint-scripts", "taskmaster4", "scripts", "--fail-on", "warning")[0] == 1


def test_what_has_no_scripts_is_said(run: Run) -> None:
    code, _, err = run("collect", "lint-scripts", "photobook", "x")
    assert code == 2
    assert "taskmaster1, taskmaster3, taskmaster4" in err
    assert run("collect", "lint-scripts", "taskmaster4", "nowhere.script")[0] == 1
    assert "holds no scripts" in run("collect", "lint-scripts", "taskmaster4", "scripts")[2]


def test_no_study_is_made_of_scripts_with_errors(run: Run) -> None:
    save(FAULTY)
    words = ("collect", "new", "study", "--scenario", "taskmaster4", "--material", "scripts")
    code, _, err = run(*words)
    assert code == 1
    assert "scripts/Order.script:4:21: error" in err
    assert "commonground collect lint-scripts taskmaster4 scripts" in err
    assert not Path("study").exists()


def test_warnings_are_said_and_the_study_is_made(run: Run) -> None:
    save(SOUND.replace("{{CONV", "{{ENTER size size How big?}}\n{{CONV"))
    words = ("collect", "new", "study", "--scenario", "taskmaster4", "--material", "scripts")
    code, out, err = run(*words)
    assert code == 0
    assert "warning: Nothing uses this variable" in err
    assert "with material for 1 dialogue" in out
