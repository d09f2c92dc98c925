"""Whatever writes an output leaves the old one or the new one, whole, when it is killed."""

from __future__ import annotations

import importlib
import json
import os
import random
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import msgspec
import pytest

from commonground.cli import _file_names
from commonground.play.sessions.keeping import ENDING
from tests.faults.tracing import LONG
from tests.thorough import a_few

TESTS = Path(__file__).parents[1]
OUTPUTS = frozenset({"out", "output", "html_file", "per_instance"})
"""Names of what commands are given to write to."""


class Writer(msgspec.Struct, frozen=True):
    """A command that writes ``{out}``, once and then with another content.

    Attributes:
        old: the words of the first time.
        new: the words of the second time.
        by_file: whether each file is whole by itself, and not all of them together.
    """

    old: str
    new: str
    by_file: bool = False


WRITERS = {
    "play": Writer("info", "play photobook --a script --b script --games 2 --out {out}/games"),
    "baseline": Writer(
        "baseline toy/mood --method majority --out {out} --limit 2",
        "baseline toy/mood --method majority --out {out}",
        by_file=True,
    ),
    "evaluate": Writer(
        "evaluate toy/mood --predictions old.json --per-instance {out}/scored",
        "evaluate toy/mood --predictions new.json --per-instance {out}/scored",
    ),
    "export": Writer(
        "export csv {out}/tables --corpus toy --split train",
        "export csv {out}/tables --corpus toy",
    ),
    "leaderboard": Writer(
        "leaderboard by-chance {out}/board --store boards --no-replies --force",
        "leaderboard by-chance by-script {out}/board --store boards --no-replies --force",
    ),
    "play --measure": Writer(
        "play photobook --measure people=games --out {out}",
        "play photobook --measure again=games --out {out}",
        by_file=True,
    ),
    "play --fork": Writer(
        "info", "play photobook --schedule games --fork 0@3 --b script --out {out}/forks"
    ),
    "new-corpus": Writer("info", "new-corpus greetings {out}"),
    "publish": Writer(
        "publish {out}/set --to hf --corpus toy --split train --licence 'CC BY 4.0'",
        "publish {out}/set --to hf --corpus toy --licence 'CC BY 4.0'",
    ),
    "report": Writer(
        "report runs/result-majority.json --figures {out}",
        "report runs/result-majority.json runs/result-words.json --figures {out}",
        by_file=True,
    ),
    "schema": Writer("schema taskmaster3 --out {out}", "schema toy --out {out}", by_file=True),
    "show": Writer("show toy t1 --html {out}/talk.html", "show toy t2 --html {out}/talk.html"),
    "simulate": Writer("info", "simulate toy {out}/files"),
    "site": Writer(
        "site {out}/pages --dialogues 1 --jobs 1", "site {out}/pages --dialogues 2 --jobs 1"
    ),
    "sql": Writer(
        'sql "select range from range(99999)" --output {out}/x.csv',
        'sql "select range + 1 from range(99999)" --output {out}/x.csv',
    ),
    "stats": Writer(
        "stats toy --out {out} --store other", "stats toy --out {out} --store store", by_file=True
    ),
    "study-models": Writer(
        "info",
        "study-models photobook --seats people,script --schedule games --games 1 --out {out}",
        by_file=True,
    ),
    "tasks": Writer(
        "tasks instances toy/mood --out {out}/x.jsonl --without-gold",
        "tasks instances toy/mood --out {out}/x.jsonl",
    ),
}
KINDS = ("baseline", "export", "play", "sql")
"""What every run kills: a writer of files one by one, of a folder, of games, and of one file.

That all others write as these do is a test of ``tests/unit/files/test_outputs.py``.
"""

ELSEWHERE = {
    "collect": "tests/unit/play/rooms/test_serving.py",
    "demo": "tests/unit/cli/test_demo.py",
    "fetch": "tests/unit/test_fetching.py",
}
"""Writers that go on where they were stopped, and where they are tested."""


def has_output(command: click.Command) -> bool:
    if isinstance(command, click.Group):
        with click.Context(command) as context:
            names = command.list_commands(context)
            return any(has_output(command.get_command(context, name)) for name in names)  # type: ignore[arg-type]
    return any(each.name in OUTPUTS for each in command.params)


def test_every_command_that_writes_is_killed_here() -> None:
    modules = {name: f"commonground.cli.{file}" for name, file in _file_names().items()}
    writing = {n for n, m in modules.items() if has_output(importlib.import_module(m).command)}
    assert writing == {name.split()[0] for name in WRITERS} | set(ELSEWHERE)


class Bench:
    """A folder with a small store, and a process that runs and kills commands in it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.out = folder / "out"
        (folder / "tmp").mkdir()
        self._environment = {
            **os.environ,
            "COMMONGROUND_CORPORA": str(TESTS / "corpora"),
            "COMMONGROUND_STORE": str(folder / "store"),
            "TMPDIR": str(folder / "tmp"),
            "XDG_CACHE_HOME": str(folder / "cache"),
        }
        self._process = subprocess.Popen(
            [sys.executable, str(TESTS / "faults" / "killing.py")],
            cwd=folder,
            env=self._environment,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def run(
        self,
        words: str,
        moment: float = 0,
        before: str | None = None,
        folder: Path | None = None,
    ) -> str:
        """Runs a command; says how it ended and how often it touched what is written.

        Args:
            words: the command.
            moment: when to kill it; 0 to let it end.
            before: what the folder of outputs is made to look like first; null to leave it.
            folder: the folder that moments are touches of; null for that of outputs.
        """
        asked = {
            "folder": str(folder or self.out),
            "before": before and str(self.folder / before),
            "words": shlex.split(words.format(out=self.out)),
            "moment": moment,
        }
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._process.stdin.write(json.dumps(asked) + "\n")
        self._process.stdin.flush()
        return self._process.stdout.readline().strip()

    def make_cards(self) -> None:
        """Makes the report cards that a leaderboard is of."""
        card = "--task photobook/segments --dialogues 2 --store boards"
        for words in (
            "simulate photobook games --dialogues 4",
            "import photobook games --store boards --jobs 1",
            f"report-card by-chance --chance {card}",
            f"report-card by-script --scripted {card}",
        ):
            assert self.run(words).startswith("0 ")

    def left_over(self) -> list[str]:
        """Lists what no command wanted to leave."""
        hidden = [path.name for path in self.out.rglob(".*") if path.name[-12:-9] in ("new", "old")]
        listed = self.folder.glob("cache/commonground/places-*/*")
        work = (self.folder / "tmp").glob("commonground-*")
        return [*hidden, *(path.name for path in listed), *(path.name for path in work)]

    def close(self) -> None:
        self._process.communicate(timeout=300)


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Bench]:
    folder = tmp_path_factory.mktemp("killed")
    bench = Bench(folder)
    for store, number in (("store", 4), ("other", 6)):
        files = folder / f"files-{number}"
        assert bench.run(f"simulate toy {files} --dialogues {number}").startswith("0 ")
        assert bench.run(f"import toy {files} --store {store} --jobs 1").startswith("0 ")
    assert bench.run(f"baseline toy/mood --store store --out {folder / 'runs'}").startswith("0 ")
    for name, mood in (("old", "glad"), ("new", "sad")):
        told = {f"t{n}:{line}": mood for n in range(4) for line in (0, 1)}
        (folder / f"{name}.json").write_text(json.dumps(told), encoding="utf-8")
    yield bench
    bench.close()


def read_all(folder: Path) -> dict[str, Any]:
    """Reads all files that are not hidden; the seconds in a result are of no matter.

    Nor are games that a play keeps until its output stands.
    """
    found: dict[str, Any] = {}
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder)
        if path.name.endswith(ENDING):
            continue
        if path.is_file() and not any(".new-" in part or ".old-" in part for part in name.parts):
            found[name.as_posix()] = path.read_bytes()
            if path.name.startswith("result-"):
                value = json.loads(found[name.as_posix()])
                value["baseline"] |= {"train_s": 0, "answer_s": 0}
                found[name.as_posix()] = value
    return found


def choose_moments(touches: int, seed: str) -> list[float]:
    """Chooses the last and one between; in the long tests more of them, and by the clock."""
    chance = random.Random(seed)
    first, last = (2, 5) if LONG else (0, 1)
    ends = {*range(1, 1 + first), *range(max(1, touches - last + 1), touches + 1)}
    between = chance.sample(range(1, touches + 1), min(max(1, last // 2), touches))
    by_clock = [chance.uniform(0.01, 0.4) for _ in range(first)]
    return [*sorted(ends.union(between)), *by_clock]


@pytest.mark.parametrize("name", a_few(sorted(WRITERS), KINDS))
def test_a_writer_that_is_killed_leaves_the_old_or_the_new(bench: Bench, name: str) -> None:
    writer = WRITERS[name]
    if name == "leaderboard":
        bench.make_cards()
    assert bench.run(writer.old, before="nothing")[:2] == "0 "
    old = read_all(bench.out)
    before = bench.folder / f"before-{name}"
    bench.out.rename(before)
    code, touches = bench.run(writer.new, before=before.name).split()
    new = read_all(bench.out)
    assert (code, new == old) == ("0", False)
    assert int(touches) >= 1
    killed = 0
    moments = choose_moments(int(touches), name)
    for moment in moments:
        killed += bench.run(writer.new, moment, before=before.name) == "killed"
        found = read_all(bench.out)
        if writer.by_file:
            assert old.keys() <= found.keys() | new.keys(), (name, moment)
            for file, data in found.items():
                assert data in (old.get(file), new.get(file)), (name, moment, file)
        else:
            assert found in (old, new), (name, moment)
        bench.run("info", before=None)  # the next command of any kind tidies up after the dead
        assert bench.left_over() == [], (name, moment)
        assert read_all(bench.out) in (found, old, new)
    assert killed > len(moments) // 2  # some come, by the clock, when all is over


@pytest.mark.parametrize("jobs", a_few([1, 2], [2]))
def test_a_check_that_is_killed_leaves_nothing_for_long(bench: Bench, jobs: int) -> None:
    """With two processes, too, of which the other may outlive the one that is killed."""
    words = f"check toy {bench.folder / 'files-4'} --jobs {jobs}"
    work = bench.folder / "tmp"
    code, touches = bench.run(words, folder=work).split()
    assert (code, int(touches) > 3) == ("0", True)
    left = 0
    for moment in (3, 4, int(touches) // 2, int(touches)):
        assert bench.run(words, moment, folder=work) == "killed"
        left += bench.left_over() != []
        bench.run("info")
        assert bench.left_over() == [], moment
    assert left >= 2
