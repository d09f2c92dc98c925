"""The examples of more pages run, in order, each page in an empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.write_docs import ROOT
from tests.forks import find_commands
from tests.thorough import a_few

PAGES = (
    *("figures.md", "play.md", "draw-dialogues.md", "own-data.md", "your-tools.md", "worlds.md"),
    "fork-games.md",
)


@pytest.mark.parametrize("name", a_few(PAGES, PAGES[2:]))
def test_the_examples_run(name: str, tmp_path: Path) -> None:
    environment = {**os.environ, "PATH": find_commands()}
    environment.pop("COMMONGROUND_STORE", None)
    text = (ROOT / "how-to" / name).read_text(encoding="utf-8")
    blocks = re.findall(r"```(sh|python)\n(.*?)```", text, flags=re.DOTALL)
    assert blocks
    for kind, block in blocks:
        program = [sys.executable, "-c", block] if kind == "python" else ["bash", "-euc", block]
        done = subprocess.run(
            program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
