"""A process that is ended from outside tidies up after itself."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from commonground.cli._ending import Ending
from commonground.corpora import Entry
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus

SLOW = """
import signal, sys, time
# What a shell has started in the background ignores it.
signal.signal(signal.SIGINT, signal.default_int_handler)
import commonground.corpora as corpora
corpora.__path__.append(sys.argv.pop(1))
import importlib
module, name = sys.argv.pop(1).rsplit(".", 1)
module = importlib.import_module(module)
function = getattr(module, name)
def slow(*args, **options):
    done = function(*args, **options)
    print("ready", flush=True)
    time.sleep(600)
    return done
setattr(module, name, slow)
from commonground.cli import main
main()
"""
"""Runs a command in which one function, when it is done, says so and sleeps."""


def start(function: str, *words: str) -> subprocess.Popen[str]:
    toy_folder = str(Path(__file__).parents[2] / "corpora")
    process = subprocess.Popen(
        [sys.executable, "-c", SLOW, toy_folder, function, *words],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    return process


@pytest.fixture
def files(toy: Entry, tmp_path: Path) -> Path:
    (tmp_path / "files").mkdir()
    simulate_corpus(toy, tmp_path / "files", dialogues=3, seed=1)
    import_corpus(toy, [tmp_path / "files"], store=tmp_path / "store")
    return tmp_path / "files"


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)], ids=["kill", "Ctrl-C"]
)
def test_an_export_that_is_ended_leaves_nothing(
    files: Path, tmp_path: Path, number: signal.Signals, code: int
) -> None:
    store = str(tmp_path / "store")
    words = ["export", "csv", str(tmp_path / "out"), "--store", store]
    process = start("commonground.exports.run.count_columns", *words)
    assert [each.name[:9] for each in tmp_path.glob(".out*")] == [".out.new-"]
    process.send_signal(number)
    _, told = process.communicate(timeout=300)
    assert process.returncode == code
    assert told.strip() == f"Stopped. Nothing was written to {tmp_path / 'out'}."
    assert {each.name for each in tmp_path.iterdir()} == {"files", "store"}


def test_an_import_that_is_ended_leaves_the_one_before(files: Path, tmp_path: Path) -> None:
    folder = tmp_path / "store" / "toy"
    before = sorted(each.name for each in folder.iterdir())
    words = ["import", "toy", str(files), "--force", "--store", str(tmp_path / "store")]
    process = start("commonground.store.importing.sum_up", *words)
    assert len(list(folder.glob("data-*"))) == 2
    process.send_signal(signal.SIGTERM)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 143
    assert told.strip() == "Stopped. What was in the store before is untouched."
    assert sorted(each.name for each in folder.iterdir()) == before


def test_games_that_are_stopped_speak_of_no_store(tmp_path: Path) -> None:
    out = tmp_path / "played"
    words = ["play", "photobook", "--games", "1", "--out", str(out)]
    process = start("commonground.play.sessions.play_sessions", *words)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 130
    # The one game was finished.
    kept = tmp_path / "played.unfinished.jsonl"
    assert told.strip() == (
        f"Stopped. What was finished is in {kept}; repeat the command to continue. "
        f"Nothing was written to {out}."
    )
    assert kept.read_bytes().count(b"\n") == 1
    assert not out.exists()


def test_a_signal_is_an_interruption_once_and_only_inside() -> None:
    before = signal.getsignal(signal.SIGTERM)
    ending = Ending()
    with ending.handled():
        with pytest.raises(KeyboardInterrupt):
            os.kill(os.getpid(), signal.SIGTERM)
        os.kill(os.getpid(), signal.SIGTERM)  # a second one does not disturb the tidying up
    assert ending.signal == signal.SIGTERM
    assert signal.getsignal(signal.SIGTERM) == before
