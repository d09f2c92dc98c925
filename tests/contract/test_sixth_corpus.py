"""A corpus is one folder: the toy is found, imported and asked without any other edit."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

FOLDER = Path(__file__).parents[1] / "corpora"


def run(*words: str, cwd: Path) -> str:
    environment = {**os.environ, "COMMONGROUND_CORPORA": str(FOLDER)}
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


def test_a_folder_is_all_a_corpus_needs(tmp_path: Path) -> None:
    assert "toy" in [row["name"] for row in json.loads(run("list", "--json", cwd=tmp_path))]
    run("simulate", "toy", "files", "--dialogues", "4", cwd=tmp_path)
    assert run("roundtrip", "toy", "files", cwd=tmp_path).startswith("2 of 2 files equal")
    run("import", "toy", "files", cwd=tmp_path)
    query = "select split, count(*) as n from dialogues group by 1 order by 1"
    found = json.loads(run("sql", query, "--format", "json", cwd=tmp_path))
    assert found == [{"split": "test", "n": 2}, {"split": "train", "n": 2}]
    assert "hello" in run("show", "toy", "t1", cwd=tmp_path)
    assert "happy" in run("show", "toy", "t1", "--annotations", cwd=tmp_path)
    assert "A line is empty." in run("explain", "CG-TOY-001", cwd=tmp_path)
    assert run("check", "toy", "files", cwd=tmp_path).startswith("Nothing found")
