"""The page from zero to the first paid participant works as typed, line by line."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import tomllib
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from tests.forks import Fork, find_commands
from tests.unit.play.collect.prolific.fake import TOKEN, FakeProlific, run_prolific
from tests.unit.play.rooms.midway import Crowd

from commonground.play.collect.prolific.api import ADDRESS
from commonground.play.collect.setup.study import open_study

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "first-study.md"
TEXT = PAGE.read_text(encoding="utf-8")
BLOCKS = re.findall(r"```(sh|toml|text)\n(.*?)```", TEXT, flags=re.DOTALL)
STUDY = "studies/spring"


def list_lines() -> Iterator[str]:
    for kind, block in BLOCKS:
        if kind == "sh":
            yield from block.splitlines()


def settle(study: Path) -> None:
    """Writes what the page says into the settings and the consent text, as a reader would."""
    (settings,) = [block for kind, block in BLOCKS if kind == "toml"]
    path = study / "study.toml"
    text = path.read_text(encoding="utf-8")
    table = ""
    for line in settings.splitlines():
        if line.startswith("["):
            table = line
            if f"\n{table}" not in text:
                text += f"\n{table}\n"
        elif line:
            name = line.partition(" = ")[0]
            start = text.index(f"\n{table}") if table else 0
            head, rest = text[:start], text[start:]
            found = re.search(rf"^(# )?{name} = .*$", rest, flags=re.MULTILINE)
            if found is None:
                rest += f"{line}\n"
            else:
                rest = rest[: found.start()] + line + rest[found.end() :]
            text = head + rest
    assert tomllib.loads(text)["quotas"]["sessions"] == 20
    path.write_text(text, encoding="utf-8")
    consent = study / "consent" / "en.md"
    (words, _) = [block for kind, block in BLOCKS if kind == "text"]
    told = re.sub(r"\[\[Say who you are.*?\]\]", words.strip(), consent.read_text("utf-8"))
    consent.write_text(told, encoding="utf-8")


@pytest.fixture
def prolific() -> Iterator[FakeProlific]:
    with run_prolific() as fake:
        yield fake


def test_the_lines_lead_to_a_paid_study(tmp_path: Path, prolific: FakeProlific) -> None:
    environment = {**os.environ, "PATH": find_commands(), ADDRESS: prolific.address}
    environment |= {"PROLIFIC_TOKEN": TOKEN, "COMMONGROUND_STORE": str(tmp_path / "store")}
    folder = tmp_path / STUDY
    said: dict[str, str] = {}
    for line in list_lines():
        if line.startswith("export "):
            continue
        if " serve " in line:
            serve(line, folder)
            continue
        if " export " in line:
            play(folder)
        typed = line.replace("NAME", name_somebody(folder)) if "NAME" in line else line
        done = subprocess.run(
            ["bash", "-euc", typed],
            cwd=tmp_path,
            env=environment,
            input="y\n",
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, f"{line}\n{done.stdout}\n{done.stderr}"
        said[line] = done.stdout
        if " new " in line:
            settle(folder)
        if " erase " in line:
            with closing(open_study(folder).open_identities()) as identities:
                assert typed.split()[-1] not in identities.list_all()
    assert said[f"commonground collect preflight {STUDY}"].startswith("Ready")
    for name in ("datasheet.md", "private/payments.csv", "extra/events.jsonl"):
        assert (tmp_path / "OUT" / name).is_file()
    assert "*to be filled in*" in (tmp_path / "OUT" / "datasheet.md").read_text("utf-8")


def serve(line: str, folder: Path) -> None:
    words = line.replace(STUDY, str(folder)).split()[1:]
    process = Fork(*words, "--port", "0", "--monitor-port", "0")
    assert "http" in process.stdout.readline()
    process.kill()
    process.wait()
    process.stdout.close()


def play(folder: Path) -> None:
    """Has two people play a game to its end, without pages."""
    crowd = Crowd(folder)
    try:
        crowd.play_through()
    finally:
        crowd.close()


def name_somebody(folder: Path) -> str:
    with closing(open_study(folder).open_identities()) as identities:
        return next(iter(identities.list_all()))


def test_the_two_lines_are_what_caddy_reads(tmp_path: Path) -> None:
    caddy = shutil.which("caddy") or os.environ.get("COMMONGROUND_CADDY")
    if caddy is None:
        pytest.skip("caddy is not installed")
    (_, lines) = [block for kind, block in BLOCKS if kind == "text"]
    (tmp_path / "Caddyfile").write_text(lines, encoding="utf-8")
    done = subprocess.run(
        [caddy, "adapt", "--config", str(tmp_path / "Caddyfile")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert '"dial":"127.0.0.1:8770"' in done.stdout
    assert '"study.example.org"' in done.stdout
