"""The page on talks about trips says what the code does, and its commands lead to figures."""

from __future__ import annotations

import csv
import os
import re
import subprocess
from pathlib import Path

from tests import forks
from tests.thorough import thorough

from commonground.play.scenarios.frames import material, rules
from commonground.play.scenarios.frames.game.state import MOST_TURNS

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "collect-frames.md"
TEXT = PAGE.read_text(encoding="utf-8")


def run(line: str, folder: Path) -> subprocess.CompletedProcess[str]:
    words = line.split()
    assert words[0] == "commonground"
    environment = {**os.environ, "COMMONGROUND_STORE": str(folder / "store")}
    return forks.run(*words[1:], cwd=folder, env=environment)


@thorough
def test_the_commands_lead_from_a_study_to_figures(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    done = {}
    for line in lines:
        if not re.search(r"serve|FOLDER", line):
            ended = run(line, tmp_path)
            assert ended.returncode == 0, ended.stdout + ended.stderr
            done[line] = ended.stdout
    imported = done["commonground import frames OUT"]
    assert "no errors" in imported
    assert "warning" not in done["commonground check frames"]
    for task in ("nlu", "tracking"):
        (said,) = (text for line, text in done.items() if f"baseline frames/{task}" in line)
        assert "trained on" in said
    for command in ("export studies/trips OUT", "replay studies/trips s0001"):
        assert f"`commonground collect {command}`" in TEXT
    assert run("commonground collect export studies/trips EMPTY", tmp_path).returncode == 0


def test_faults_of_a_list_are_said_as_the_page_says(tmp_path: Path) -> None:
    (said,) = re.findall(r"`packages\.csv, (line 3, .*?)`", TEXT.replace("\n", " "))
    folder = tmp_path / "FOLDER"
    folder.mkdir()
    flight = ("2027-06-01 08:30", "120", "2027-06-08 10:00", "130", "7")
    hotel = ("Elm House", "3.5 star hotel", "8.1", "FREE_WIFI;SPA", "park")
    with (folder / "packages.csv").open("w", newline="", encoding="utf-8") as stream:
        writer = csv.writer(stream)
        writer.writerow(material.COLUMNS)
        for city, seat in (("Arden", "ECONOMY"), ("Beck", "FIRST")):
            writer.writerow((city, "Brook", "Nowhere", seat, "812.5", *flight, *hotel))
    make = "commonground collect new studies/mine --scenario frames --material FOLDER"
    assert make in TEXT
    refused = run(make, tmp_path)
    assert refused.returncode != 0
    assert said in refused.stderr.replace("\n", " ")
    path = folder / "packages.csv"
    path.write_text(path.read_text(encoding="utf-8").replace("FIRST", "BUSINESS"), "utf-8")
    made = run(make, tmp_path)
    assert made.returncode == 0, made.stderr
    assert "material for 8 dialogues" in made.stdout


def test_the_numbers_are_those_of_the_code() -> None:
    assert f"at most {MOST_TURNS} turns and {rules.LIMIT_S // 60} minutes" in TEXT.replace(
        "\n", " "
    )
    assert f"batches of {material._CARDS_PER_PIECE}," in TEXT
