"""The page on shopping talks says what the code does, and its commands lead to a figure."""

from __future__ import annotations

import os
import re
from pathlib import Path

import pytest
from tests import forks
from tests.thorough import thorough

from commonground.errors import FormatError
from commonground.play.scenarios.simmc.fashion.material import read_material
from commonground.play.scenarios.simmc.furniture.strokes import DOMINANCE
from commonground.play.scenarios.simmc.game import talk
from commonground.play.scenarios.simmc.shop import catalogues, items

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "collect-simmc.md"
TEXT = PAGE.read_text(encoding="utf-8")
FLAT = " ".join(TEXT.split())


def run(line: str, folder: Path) -> str:
    words = line.split()
    assert words[0] == "commonground"
    environment = {**os.environ, "COMMONGROUND_STORE": str(folder / "store")}
    done = forks.run(*words[1:], cwd=folder, env=environment)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@thorough
def test_the_commands_lead_from_a_study_to_a_figure(tmp_path: Path) -> None:
    blocks = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines()]
    done = {line: run(line, tmp_path) for line in lines if not re.search("serve|FOLDER", line)}
    assert done["commonground check simmc"].strip() == "Nothing found."
    assert "SearchDatabase" in done["commonground stats simmc --figure actions"]
    assert "action_accuracy" in done["commonground baseline simmc/actions --method majority"]
    for path in re.findall(r"`((?:simmc_fashion|extra)/[\w.]+)`", TEXT):
        assert (tmp_path / "OUT" / path).is_file(), path


def test_a_catalogue_of_ones_own_needs_what_the_page_says(tmp_path: Path) -> None:
    named = FLAT.partition("at least the columns")[2].partition("and may have")[0]
    columns = re.findall(r"`(\w+)`", named)
    values = {"id": "{}", "type": "coat", "price": "$30", "color": "red; blue"}
    row = ",".join(values.get(each, "4") for each in columns)
    rows = [row.format(number) for number in range(10)]
    path = tmp_path / "catalogue.csv"
    path.write_text("\n".join([",".join(columns), *rows]), encoding="utf-8")
    (material,) = read_material(tmp_path)
    assert material.items[0].facts["color"] == ["red", "blue"]
    for column in columns:
        path.write_text("\n".join([",".join(columns).replace(column, "x"), *rows]), "utf-8")
        with pytest.raises(FormatError, match=f"the column {column} is missing"):
            read_material(tmp_path)


def test_the_fault_that_is_quoted_is_said_so(tmp_path: Path) -> None:
    named = FLAT.partition("at least the columns")[2].partition("and may have")[0]
    columns = re.findall(r"`(\w+)`", named)
    priced = ({"id": "1", "type": "coat", "price": price} for price in ("$30", "cheap"))
    rows = [",".join(each.get(column, "4") for column in columns) for each in priced]
    text = "\n".join([",".join(columns), *rows])
    (tmp_path / "catalogue.csv").write_text(text, encoding="utf-8")
    with pytest.raises(FormatError) as caught:
        read_material(tmp_path)
    assert f"{caught.value.message} {caught.value.advice}" in FLAT


def test_names_are_those_of_the_code() -> None:
    order = FLAT.partition("priorities of the authors' script:")[2].partition("What is shared")[0]
    assert re.findall(r"`(\w+)`", order) == [*DOMINANCE, "None"]
    assert all(f"`{side}`" in FLAT for side in items.DIRECTIONS[1:])
    assert talk.refuse_text("a <EOS> b") is not None
    for name in (catalogues.FASHION_FILE, catalogues.FURNITURE_FILE, catalogues.OWN_FILE):
        assert f"`{name}`" in FLAT
