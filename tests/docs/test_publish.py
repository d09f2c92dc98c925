"""The lines of ``docs/how-to/publish.md`` run as typed; nothing is uploaded."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from scripts.write_docs import ROOT
from tests.forks import find_commands


def test_the_lines_run(tmp_path: Path) -> None:
    pytest.importorskip("datasets")
    text = (ROOT / "how-to" / "publish.md").read_text(encoding="utf-8")
    environment = {**os.environ, "PATH": find_commands(), "HF_HOME": str(tmp_path / "hf")}
    environment |= {"HF_HUB_OFFLINE": "1"}
    environment.pop("COMMONGROUND_STORE", None)
    blocks = re.findall(r"```(sh|python)\n(.*?)```", text, flags=re.DOTALL)
    assert [kind for kind, _ in blocks] == ["sh", "python"]
    for kind, block in blocks:
        program = [sys.executable, "-c", block] if kind == "python" else ["bash", "-euc", block]
        done = subprocess.run(
            program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
    listed = set(re.findall(r"^\| `([\w.-]+)/?`", text, flags=re.MULTILINE))
    there = {path.name for path in (tmp_path / "dataset").iterdir() if path.name[0] != "."}
    assert there == listed
