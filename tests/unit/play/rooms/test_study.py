"""A whole study, played by scripted people through the real server while things go wrong."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from tests.thorough import thorough

ROOT = Path(__file__).parents[4]


@thorough
def test_a_study_is_played_with_faults_and_all_of_it_is_there() -> None:
    command = [sys.executable, "-m", "benchmarks.study", "--games", "1", "--browsers", "0"]
    done = subprocess.run(
        [*command, "--speed", "150", "--faults", "2"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=900,
    )
    said = done.stdout
    assert done.returncode == 0, said + done.stderr
    made = dict(re.findall(r"^  ([a-z][^:]+): (\d+)$", said, flags=re.MULTILINE))
    assert made["kill -9 of the server"] == "1"
    assert int(made["repeated acts"]) > 0
    assert int(made["cut lines"]) > 0
    assert re.search(r"ok   complete games exported: 1 of 1", said)
    assert "FAIL" not in said
    assert len(re.findall(r"^ +[1-5] +\d", said, flags=re.MULTILINE)) == 5
