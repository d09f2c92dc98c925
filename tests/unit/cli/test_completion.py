"""Completion with the Tab key, in each shell that is at hand, by what its users put in a file."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from click.testing import CliRunner
from tests.forks import find_commands

from commonground.cli import group

BASH = """
{setup}
COMP_WORDS=({words}) COMP_CWORD={last}
_commonground_completion commonground
printf '%s\\n' "${{COMPREPLY[@]}}"
"""
ZSH = """
{setup}
compadd() {{ print -l -- $completions }}
_describe() {{ print -l -- ${{completions_with_descriptions%%:*}} }}
words=({words}) CURRENT={last}+1
$_comps[commonground]
"""
FISH = """
{setup}
complete -C "{words}"
"""
SHELLS = {
    "bash": (("bash", "--norc", "-c"), BASH),
    "zsh": (("zsh", "-f", "-c"), ZSH),
    "fish": (("fish", "--no-config", "-c"), FISH),
}
TYPED = {
    "commonground expo": ["export"],
    "commonground import taskmaster": [f"taskmaster{number}" for number in (1, 2, 3, 4)],
    "commonground collect ser": ["serve"],
    "commonground serve --op": ["--open"],
    "commonground sql --format cs": ["csv"],
    "commonground info fra": ["frames"],
    "commonground nosuchcommand x": [],
    "commonground round": [],
    "commonground tasks est": ["estimate"],
    "commonground export chat out --corpus fra": ["frames"],
    "commonground layer export photob": ["photobook"],
}
"""What is offered for what was typed."""


MOST_S = 120
"""A shell that waits for an answer is ended after so many seconds."""


def complete(shell: str, setup: str, typed: str, folder: Path) -> list[str]:
    """Returns what a shell offers after ``typed``."""
    program, template = SHELLS[shell]
    script = template.format(setup=setup, words=typed, last=typed.count(" "))
    done = subprocess.run(
        [*program, script],
        cwd=folder,
        env={**os.environ, "PATH": find_commands(), "HOME": str(folder)},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        timeout=MOST_S,
    )
    assert (done.returncode, done.stderr) == (0, "")
    return [line.partition("\t")[0] for line in done.stdout.splitlines() if line]


@pytest.mark.parametrize("shell", SHELLS)
def test_the_line_of_the_help_completes_what_is_typed(shell: str, tmp_path: Path) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    told = CliRunner().invoke(group, ["--help"]).output
    (setup,) = re.findall(rf"^ *(.*=?{shell}_source.*)$", told, re.MULTILINE)
    offered = {typed: complete(shell, setup, typed, tmp_path) for typed in TYPED}
    assert offered == TYPED


ASKED = {
    "bash": ({"COMP_WORDS": "commonground expo", "COMP_CWORD": "1"}, "plain,export\n"),
    "zsh": ({"COMP_WORDS": "commonground expo", "COMP_CWORD": "1"}, "plain\nexport\nWrite "),
    "fish": ({"COMP_WORDS": "commonground expo", "COMP_CWORD": "expo"}, "plain,export\tWrite "),
}


@pytest.mark.parametrize("shell", ASKED)
def test_a_shell_that_is_not_at_hand_is_answered_in_its_way(shell: str) -> None:
    variables, answer = ASKED[shell]
    environment = {**os.environ, "PATH": find_commands(), **variables}
    for kind in ("source", "complete"):
        environment["_COMMONGROUND_COMPLETE"] = f"{shell}_{kind}"
        done = subprocess.run(["commonground"], env=environment, capture_output=True, text=True)
        assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith(answer)
