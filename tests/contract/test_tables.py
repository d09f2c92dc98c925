"""Commands print their tables as JSON and CSV, too, with two options."""

from __future__ import annotations

import csv
import io
import json
import os
import shlex
from pathlib import Path

import click
import pytest

from tests import forks
from tests.unit.cli.test_help import COMMANDS

TESTS = Path(__file__).parents[1]
LINES = {
    "baseline": ["baseline toy/mood --method majority --limit 2"],
    "check": [
        "check photobook files",
        "check photobook files --code CG-PHOTOBOOK-003",
        "check --integrity",
    ],
    "evaluate": [
        "evaluate toy/mood --predictions moods.json",
        "evaluate toy/mood --predictions moods.json --compare moods.json",
    ],
    "export": ["export --list"],
    "export csv": ["export csv tables --corpus toy"],
    "import": ["import toy talks"],
    "info": ["info", "info photobook", "info --overlap"],
    "layer list": ["layer list"],
    "play": [
        "play photobook --games 2 --out new",
        "play photobook --replay files",
        "play photobook --measure a=files",
    ],
    "report": ["report --task toy/mood", "report result.json"],
    "roundtrip": ["roundtrip photobook files"],
    "sql": ["sql --tables", "sql 'select 1 as n'"],
    "stats": ["stats toy --list", "stats toy --figure lines"],
    "tasks": ["tasks"],
}
"""What is run, by command; of the exports, which all print the same, one."""

ELSEWHERE = {
    "collect people": "tests/unit/play/rooms/test_people.py",
    "leaderboard": "tests/unit/cli/test_leaderboard.py",
    "report-card": "tests/unit/cli/test_leaderboard.py",
    "study-models": "tests/unit/cli/test_study_models.py",
}
"""Commands that need logs of models, games or a study, and where their tables are tested."""

NO_TABLE = {
    "collect backup": "says where the copy is",
    "collect erase": "says what was deleted",
    "collect export": "says what was written",
    "collect learn": "says what was learned",
    "collect links": "a line for each person, name and link divided by a tab",
    "collect lint-scripts": "a line for each fault, as editors read it",
    "collect new": "says what was made",
    "collect preflight": "a line for each thing to mend",
    "collect prolific approve": "says what was approved",
    "collect prolific bonus": "says what was paid",
    "collect prolific create": "says what was made",
    "collect prolific pause": "says how the study stands",
    "collect prolific publish": "says how the study stands",
    "collect prolific reject": "says what was rejected",
    "collect prolific status": "a summary of one study",
    "collect rehearse": "a summary of one rehearsal",
    "collect replay": "a transcript",
    "collect serve": "serves pages",
    "collect status": "a summary of one study",
    "demo": "serves pages",
    "fetch": "says what was downloaded",
    "layer add": "says what was added",
    "layer export": "says what was written",
    "layer remove": "says what was removed",
    "mcp": "speaks its protocol",
    "new-corpus": "says what was written",
    "publish": "says what was written",
    "remove": "says what was removed",
    "schema": "JSON",
    "serve": "serves pages",
    "show": "a transcript",
    "simulate": "says what was written",
    "site": "says what was written",
    "tasks estimate": "sentences about one task",
    "tasks instances": "says what was written",
}
"""Commands that print no table, and what they print."""


def prints(command: click.Command, form: str) -> bool:
    return any(each.name == f"as_{form}" for each in command.params)


def name_commands() -> dict[str, click.Command]:
    """Returns what can be run, by name; a group counts where it does something by itself."""
    return {
        path.removeprefix("commonground "): command
        for path, command in COMMANDS.items()
        if not isinstance(command, click.Group) or command.invoke_without_command
    }


def test_every_command_prints_tables_in_both_forms_or_none() -> None:
    commands = name_commands()
    tabular = {name for name, each in commands.items() if prints(each, "csv")}
    assert {name for name in tabular if not prints(commands[name], "json")} == set()
    assert commands.keys() - tabular == NO_TABLE.keys()
    # The formats of an export print the same, so that one of them is enough.
    tried = LINES.keys() | ELSEWHERE.keys()
    assert {name for name in tabular - tried if not name.startswith("export ")} == set()
    assert tried <= tabular


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("tables")
    moods = {f"t{number}:{line}": "glad" for number in range(4) for line in (0, 1)}
    (folder / "moods.json").write_text(json.dumps(moods), encoding="utf-8")
    for line in (
        "simulate photobook files --dialogues 4 --faults 1",
        "simulate toy talks --dialogues 4",
        "import toy talks",
    ):
        run(line, folder)
    (folder / "result.json").write_text(
        run("evaluate toy/mood --predictions moods.json --json", folder), encoding="utf-8"
    )
    return folder


def run(line: str, folder: Path) -> str:
    environment = {**os.environ, "COMMONGROUND_CORPORA": str(TESTS / "corpora")}
    done = forks.run(*shlex.split(line), cwd=folder, env=environment)
    assert done.returncode == 0 or "error: " not in done.stderr, done.stderr
    return done.stdout


@pytest.mark.parametrize("line", [line for lines in LINES.values() for line in lines])
def test_programs_read_what_is_printed(line: str, folder: Path) -> None:
    head, *rows = csv.reader(io.StringIO(run(f"{line} --csv", folder)))
    assert head
    assert all(head)
    assert len(set(head)) == len(head)
    assert all(len(row) == len(head) for row in rows)


@pytest.mark.parametrize("line", [line for lines in LINES.values() for line in lines])
def test_what_is_printed_is_json_too(line: str, folder: Path) -> None:
    # Names of their own, for what writes a folder.
    assert json.loads(run(f"{line} --json".replace(" new ", " newer "), folder)) is not None


def test_two_forms_at_once_are_refused(folder: Path) -> None:
    for words in (("--csv", "--json"), ("--json", "--csv")):
        done = forks.run("info", *words, cwd=folder)
        assert done.returncode == 2
        assert "--csv and --json exclude each other." in done.stderr
