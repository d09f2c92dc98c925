"""The walk of ``docs/how-to/evaluate-models.md``, with two models that are on this machine."""

from __future__ import annotations

import os
import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
from scripts.write_docs import ROOT
from tests.forks import find_commands
from tests.thorough import thorough
from tests.unit.bench.inspect_tasks.stub import Said, serve

pytest.importorskip("inspect_ai")
pytest.importorskip("openai")


def choose(_number: int, body: dict[str, Any]) -> Said:
    """The small model names the first picture, the large one the last."""
    content = body["messages"][-1]["content"]
    text = content if isinstance(content, str) else content[0]["text"]
    images = re.findall(r'^\d+: "(.*)"$', text.partition("images:\n")[2], flags=re.MULTILINE)
    return Said(f'["{images[0 if body["model"] == "small" else -1]}"]')


@thorough
def test_the_walk_ends_in_a_table_of_two_models(tmp_path: Path) -> None:
    text = (ROOT / "how-to" / "evaluate-models.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```sh\n(.*?)```", text, flags=re.DOTALL)
    assert len(blocks) == 3
    printed = ""
    with serve(choose) as stub:
        environment = {
            **os.environ,
            "PATH": find_commands(),
            "LOCAL_BASE_URL": stub.url,
            "LOCAL_API_KEY": "none",
        }
        environment.pop("COMMONGROUND_STORE", None)
        for block in blocks:
            done = subprocess.run(
                ["bash", "-euc", block],
                cwd=tmp_path,
                env=environment,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
            )
            assert done.returncode == 0, f"{block}\n{done.stdout}\n{done.stderr}"
            printed = done.stdout
    assert {body["model"] for body in stub.asked} == {"small", "large"}
    for model in ("small", "large"):
        assert f"openai-api/local/{model}" in printed
    # A number with its interval, such as .050–.190 below .120.
    assert re.search(r"\.\d{3}–\d?\.\d{3}", printed)
    assert "approximate randomisation over dialogues" in " ".join(printed.split())
