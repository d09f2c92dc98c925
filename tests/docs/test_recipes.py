"""Each recipe runs as it stands, and answers what its heading asks."""

from __future__ import annotations

import os
import re
import subprocess
import sys

import pytest
from scripts.write_docs import ROOT
from tests.forks import find_commands

TEXT = (ROOT / "how-to" / "recipes.md").read_text(encoding="utf-8")
ANSWERS = {
    "Are noun phrases used again": r"5 +\d+ +0\.\d",
    "Do people who switch frames": r"rating +dialogues +switches +error\n0 +\d\.0 +\d",
    "Which arguments of calls": r"name\.movie +\d+ of +[1-9]",
    "How often does the assistant": r"taskmaster3 +\d+ +0\.\d",
    "Where is a word said": r"frames +(assistant|user) +[1-9]",
    "Utterances as a dataframe": r"fold-\d+ +user",
    "How large are the splits": r"photobook.*train",
    "The pictures that the players": r"(?s)A 0 .*jpg.*B 5 .*jpg",
    "In which games was an image": r"dialogue_id +wrong\n0 +\d+ +[1-9]",
    "Is one system better": r"overlap",
    "Load an export": r"^20 \{",
}
"""What stands in the answer to each heading, of the invented dialogues."""


@pytest.fixture(scope="module")
def answers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    """What is printed below each heading; one process runs all of the page."""
    folder = tmp_path_factory.mktemp("recipes")
    environment = os.environ | {
        "PATH": find_commands(),
        "COMMONGROUND_STORE": str(folder / "store"),
        "HF_HOME": str(folder / "hf"),
    }
    (setting_up,) = re.findall(r"```sh\n(.*?)```", TEXT, flags=re.DOTALL)
    parts = re.findall(r"^## (.*?)\n.*?```python\n(.*?)```", TEXT, re.DOTALL | re.MULTILINE)
    program = "".join(f"print('## ' + {heading!r})\n{block}\n" for heading, block in parts)
    for command in (["bash", "-euc", setting_up], [sys.executable, "-c", program]):
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stderr
    return dict(re.findall(r"^## (.*?)\n(.*?)(?=^## |\Z)", done.stdout, re.DOTALL | re.MULTILINE))


@pytest.mark.parametrize("heading", ANSWERS)
def test_a_recipe_answers(answers: dict[str, str], heading: str) -> None:
    (found,) = (text for name, text in answers.items() if name.startswith(heading))
    assert re.search(ANSWERS[heading], found, re.MULTILINE), found


def test_every_recipe_is_asked(answers: dict[str, str]) -> None:
    assert len(answers) == len(ANSWERS)
