"""The page on labelling leads from a query to a table, and names what the code knows."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path
from typing import Any

import pytest
from tests import forks

from commonground.play.scenarios.labelling.material import (
    MATERIAL,
    NEEDED,
    OPTIONAL,
    Plan,
    read_plan,
)

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "label.md"
TEXT = PAGE.read_text(encoding="utf-8")


def run(line: str, folder: Path) -> str:
    words = shlex.split(line)
    assert words[0] == "commonground"
    environment = {**os.environ, "COMMONGROUND_STORE": str(folder / "commonground-store")}
    done = forks.run(*words[1:], cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def run_in_shell(line: str, folder: Path) -> str:
    """Runs a line, and writes what it prints where the line says so."""
    command, _, path = line.partition(" > ")
    said = run(command, folder)
    if path:
        (folder / path).write_text(said, encoding="utf-8")
    return said


def test_the_commands_lead_from_a_query_to_a_table(tmp_path: Path) -> None:
    (plan,) = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "labelling.toml").write_text(plan, encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    said = {line: run_in_shell(line, tmp_path) for line in lines if " serve " not in line}
    rehearsed = next(text for line, text in said.items() if " rehearse " in line)
    # All that three people could be given was given to them, and nobody was stopped.
    assert re.search(r"^(\d+) of \1 sessions complete\.\n3 players left: 3 completed", rehearsed)
    assert "questions" in said["commonground layer list"]
    assert "1 is full agreement, 0 what chance would give" in said["commonground layer list"]
    table = next(text for line, text in said.items() if line.startswith("commonground sql"))
    assert re.search(r"\b(yes|no) +\[\[", table)
    (python,) = re.findall(r"```python\n(.*?)```", TEXT, flags=re.DOTALL)
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("COMMONGROUND_STORE", str(tmp_path / "commonground-store"))
        names: dict[str, Any] = {}
        exec(python, names)  # noqa: S102 - our own page
    assert set(names["table"].columns) == {"text", "label"}
    assert set(names["table"]["label"].dropna()) <= {"yes", "no"}
    run("commonground layer remove photobook again", tmp_path)
    (remove,) = re.findall(r"`(commonground layer remove [^`]*)`", TEXT)
    run(remove, tmp_path)
    assert "No layer was added." in run("commonground layer list", tmp_path)


def test_the_other_query_can_be_asked(tmp_path: Path) -> None:
    (query, _) = re.findall(r"```sql\n(.*?)```", TEXT, flags=re.DOTALL)
    run("commonground simulate photobook games --dialogues 1", tmp_path)
    run("commonground import photobook games --images games/images", tmp_path)
    folder = tmp_path / "named"
    folder.mkdir()
    (folder / "units.sql").write_text(query, encoding="utf-8")
    fields = (
        'layer = "named"',
        'corpus = "photobook"',
        'question = "Named?"',
        'query = "units.sql"',
    )
    (folder / "labelling.toml").write_text("\n".join(fields), encoding="utf-8")
    assert read_plan(folder).query == query
    made = run(
        "collect new".join(("commonground ", " s --scenario labelling --material named")), tmp_path
    )
    assert re.search(r"is ready, with material for \d+ units?\.", made)


def test_fields_and_columns_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", TEXT, flags=re.MULTILINE)
    named = re.findall(r"`(\w+)`", " ".join(rows))
    assert named == [*sorted(Plan.__struct_fields__, key=named.index), *NEEDED, *OPTIONAL]


def test_slots_are_judged_in_words(tmp_path: Path) -> None:
    (_, query) = re.findall(r"```sql\n(.*?)```", TEXT, flags=re.DOTALL)
    run("commonground simulate frames talks --dialogues 3", tmp_path)
    run("commonground import frames talks", tmp_path)
    (tmp_path / "labelling.toml").write_text(
        f"layer = 'right'\ncorpus = 'frames'\nquestion = 'Right?'\nquery = \"\"\"{query}\"\"\"\n"
        "store = 'commonground-store'\n",
        encoding="utf-8",
    )
    texts = [each.text for unit in MATERIAL.read(tmp_path) for each in unit.candidates]
    assert texts
    assert all(re.match(r"\w+: \S", each) for each in texts)
