"""The page on labelling leads from a query to a table, and names what the code knows."""

from __future__ import annotations

import os
import re
import shlex
from pathlib import Path

from tests import forks

from commonground.play.scenarios.labelling.material import NEEDED, OPTIONAL
from commonground.play.scenarios.labelling.plan import Plan, read_plan

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "label.md"
TEXT = PAGE.read_text(encoding="utf-8")


def run(line: str, folder: Path) -> str:
    words = shlex.split(line)
    assert words[0] == "commonground"
    environment = {**os.environ, "COMMONGROUND_STORE": str(folder / "commonground-store")}
    done = forks.run(*words[1:], cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_commands_lead_from_a_query_to_a_table(tmp_path: Path) -> None:
    (plan,) = re.findall(r"```toml\n(.*?)```", TEXT, flags=re.DOTALL)
    (tmp_path / "questions").mkdir()
    (tmp_path / "questions" / "labelling.toml").write_text(plan, encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    said = {line: run(line, tmp_path) for line in lines if " serve " not in line}
    assert "questions" in said["commonground layer list"]
    table = next(text for line, text in said.items() if line.startswith("commonground sql"))
    assert re.search(r"\?\s+(yes|no)", table)
    (remove,) = re.findall(r"`(commonground layer remove [^`]*)`", TEXT)
    run(remove, tmp_path)
    assert "No layer was added." in run("commonground layer list", tmp_path)


def test_the_other_query_can_be_asked(tmp_path: Path) -> None:
    (query,) = re.findall(r"```sql\n(.*?)```", TEXT, flags=re.DOTALL)
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
    assert "pieces of material" in made


def test_fields_and_columns_are_those_of_the_code() -> None:
    rows = re.findall(r"^\| (`.*?`) \|", TEXT, flags=re.MULTILINE)
    named = re.findall(r"`(\w+)`", " ".join(rows))
    assert named == [*sorted(Plan.__struct_fields__, key=named.index), *NEEDED, *OPTIONAL]
