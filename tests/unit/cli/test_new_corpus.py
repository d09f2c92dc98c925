"""The skeleton of a corpus works as it is written."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonground.cli import group
from commonground.errors import UsageError

ROOT = Path(__file__).parents[3]


def run(*words: str, cwd: Path) -> str:
    environment = {**os.environ, "COMMONGROUND_STORE": "store"}
    if (cwd / "corpora").is_dir():
        environment["COMMONGROUND_CORPORA"] = "corpora"
    program = "from commonground.cli import main; main()"
    result = subprocess.run(
        [sys.executable, "-c", program, *words],
        capture_output=True,
        text=True,
        check=True,
        cwd=cwd,
        env=environment,
    )
    return result.stdout


def test_a_skeleton_is_a_whole_corpus(tmp_path: Path) -> None:
    said = run("new-corpus", "greetings", cwd=tmp_path)
    assert "export COMMONGROUND_CORPORA=corpora" in said
    run("simulate", "greetings", "files", cwd=tmp_path)
    file = tmp_path / "files" / "greetings.json"
    talks = json.loads(file.read_text())
    talks[1]["turns"][0]["text"] = ""
    file.write_text(json.dumps(talks))
    assert "no errors, 1 warning" in run("import", "greetings", "files", cwd=tmp_path)
    found = run("sql", "select count(*) from acts", "--format", "csv", cwd=tmp_path)
    assert found.split() == ["count_star()", "40"]
    assert "buy" in run("stats", "greetings", cwd=tmp_path)
    words = ("--method", "majority", "--out", "scored")
    assert "0.500" in run("baseline", "greetings/intent", *words, cwd=tmp_path)


def test_a_skeleton_is_written_as_this_project_is(tmp_path: Path) -> None:
    run("new-corpus", "greetings", cwd=tmp_path)
    ruff = Path(sys.executable).with_name("ruff")
    settings = ("--config", str(ROOT / "pyproject.toml"), "--no-cache", str(tmp_path / "corpora"))
    # Without its package beside it, ruff cannot know which imports are commonground's own.
    subprocess.run([ruff, "check", "--ignore", "I001", *settings], check=True)
    subprocess.run([ruff, "format", "--check", *settings], check=True)


@pytest.mark.parametrize("name", ["Greetings", "9lives", "a-b", "", "photobook"])
def test_a_name_that_cannot_be_is_refused(tmp_path: Path, name: str) -> None:
    result = CliRunner().invoke(group, ["new-corpus", name, str(tmp_path / "new")])
    assert isinstance(result.exception, UsageError)
    assert not (tmp_path / "new").exists()
