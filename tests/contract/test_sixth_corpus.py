"""A corpus is one folder: the toy is found, imported and asked without any other edit."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import msgspec
import pytest

from commonground.corpora import Entry, Manifest, Source
from commonground.errors import FormatError

FOLDER = Path(__file__).parents[1] / "corpora"
HOW_TO = Path(__file__).parents[2] / "docs" / "new-corpus.md"


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


def test_a_folder_to_simulate_into_is_made(tmp_path: Path) -> None:
    environment = {**os.environ, "COMMONGROUND_CORPORA": str(FOLDER)}
    code = (
        "from pathlib import Path; from commonground.corpora import get_corpus;"
        "from commonground.play.simulating import simulate_corpus;"
        "simulate_corpus(get_corpus('toy'), Path('new/files'), dialogues=2, seed=1)"
    )
    subprocess.run([sys.executable, "-c", code], check=True, cwd=tmp_path, env=environment)
    assert (tmp_path / "new" / "files" / "talks.json").is_file()


def test_the_page_says_what_a_manifest_needs() -> None:
    page = HOW_TO.read_text(encoding="utf-8")
    needed = page.split("```toml\n")[1].split("```")[0]
    assert msgspec.convert(tomllib.loads(needed)["corpus"][0], Manifest).name == "greetings"
    for field in (*msgspec.structs.fields(Manifest), *msgspec.structs.fields(Source)):
        where = needed if field.required and field.name != "path" else page
        assert re.search(rf"\b{field.name}\b", where), field.name


def test_a_folder_is_all_a_corpus_needs(tmp_path: Path) -> None:
    assert "toy" in [row["name"] for row in json.loads(run("info", "--json", cwd=tmp_path))]
    run("simulate", "toy", "files", "--dialogues", "4", cwd=tmp_path)
    assert run("roundtrip", "toy", "files", cwd=tmp_path).startswith("2 of 2 files equal")
    run("import", "toy", "files", cwd=tmp_path)
    query = "select split, count(*) as n from dialogues group by 1 order by 1"
    found = json.loads(run("sql", query, "--format", "json", cwd=tmp_path))
    assert found == [{"split": "test", "n": 2}, {"split": "train", "n": 2}]
    assert "hello" in run("show", "toy", "t1", cwd=tmp_path)
    assert "happy" in run("show", "toy", "t1", "--annotations", cwd=tmp_path)
    assert "A line is empty." in run("check", "--explain", "CG-TOY-001", cwd=tmp_path)
    assert run("check", "toy", "files", cwd=tmp_path).startswith("Nothing found")


def test_a_code_of_two_rules_is_an_error(toy: Entry, monkeypatch: pytest.MonkeyPatch) -> None:
    (rule,) = toy.rules()
    rules = toy.module("rules")
    monkeypatch.setattr(rules, "the_same", rule, raising=False)
    assert toy.rules() == (rule,)
    monkeypatch.setattr(rules, "another", msgspec.structs.replace(rule), raising=False)
    with pytest.raises(FormatError, match="has a rule CG-TOY-001, which is the code of another"):
        toy.rules()
