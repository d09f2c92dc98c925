"""The page on collecting says what the code does, and its first game can be played."""

from __future__ import annotations

import re
from pathlib import Path

from tests import forks

from commonground.cli.collect import command
from commonground.play.collect.people import EXITS
from commonground.play.collect.setup.partners import Models
from commonground.play.collect.setup.recruiting import read_arrival
from commonground.play.collect.setup.study import Recruiting, Settings, Times

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "collect.md"
TEXT = PAGE.read_text(encoding="utf-8")


def test_every_way_out_is_in_the_table_with_its_pay() -> None:
    rows = dict(re.findall(r"^\| `(\w+)` \|[^|]*\| (\w+) \|$", TEXT, flags=re.MULTILINE))
    assert rows == EXITS


def test_every_command_is_shown() -> None:
    shown = set(re.findall(r"commonground collect ([a-z-]+)", TEXT))
    assert shown == set(command.commands)


def test_the_addresses_of_platforms_are_read() -> None:
    (found,) = re.findall(r"https://HOST/\?(PROLIFIC\S+)`", TEXT)
    # As Prolific sends people, with its ids in place of these names.
    filled = re.sub(r"\{\{%(\w+)%\}\}", r"\1", found)
    assert filled.count("{") < found.count("{")
    query = dict(part.split("=") for part in filled.split("&"))
    assert read_arrival(query, Recruiting(prolific=True))
    assert read_arrival({"participant": "NAME"}, Recruiting())


def test_names_of_settings_are_those_of_the_code() -> None:
    named = set(re.findall(r"`(\w+_s)`", TEXT))
    assert named
    assert named <= {*Times.__struct_fields__, *Models.__struct_fields__}
    assert "words" in Settings.__struct_fields__


def test_the_commands_run_in_order(tmp_path: Path) -> None:
    (first, *_) = re.findall(r"```sh\npip install \.\n(.*?)```", TEXT, flags=re.DOTALL)
    make, serve = first.splitlines()
    assert run(make, tmp_path) == 0
    assert (tmp_path / "studies/pilot/study.toml").is_file()
    assert serve == "commonground collect serve studies/pilot"
    for line in (
        "commonground collect status studies/pilot",
        "commonground collect export studies/pilot OUT",
        "commonground collect backup studies/pilot BACKUPS",
    ):
        assert run(line, tmp_path) == 0
    for path in ("datasheet.md", "private/payments.csv", "extra/events.jsonl"):
        assert f"`{path}`" in TEXT
        assert (tmp_path / "OUT" / path).is_file()


def run(line: str, folder: Path) -> int:
    words = line.split()
    assert words[0] == "commonground"
    return forks.run(*words[1:], cwd=folder).returncode
