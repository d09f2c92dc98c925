"""The examples of ``docs/how-to/export.md`` run, in order, in one empty folder."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

from scripts.write_docs import ROOT
from tests.forks import find_commands


def test_the_examples_run(tmp_path: Path) -> None:
    text = (ROOT / "how-to" / "export.md").read_text(encoding="utf-8")
    environment = {**os.environ, "PATH": find_commands()}
    environment.pop("COMMONGROUND_STORE", None)
    blocks = re.findall(r"```(sh|python)\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) >= 10
    for kind, block in blocks:
        program = [sys.executable, "-c", block] if kind == "python" else ["bash", "-euc", block]
        done = subprocess.run(
            program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
