"""Printed commands of servers, studies, figures and reports, run as they are printed.

`test_hints_run.py` runs each in a process of its own; here one process runs all but the servers.
"""

# ruff: noqa: S310 - only addresses of this machine are opened
from __future__ import annotations

import json
import re
import shlex
import shutil
import signal
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from tests import forks
from tests.thorough import thorough

from commonground.cli import main

ROOT = Path(__file__).parents[3]
Run = Callable[[str], tuple[int, str]]


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Run:
    """Runs a command line in a folder of the test: exit status, and what it prints."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("COMMONGROUND_STORE", raising=False)
    monkeypatch.setattr("commonground.store.arrow.forgo_pandas", lambda: None)

    def call(line: str) -> tuple[int, str]:
        words = shlex.split(line.removeprefix("commonground "))
        monkeypatch.setattr("sys.argv", ["commonground", *words])
        with pytest.raises(SystemExit) as stopped:
            main()
        return int(stopped.value.code or 0), "".join(capsys.readouterr())

    return call


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder where Frames is imported, and one baseline of it was run."""
    folder = tmp_path_factory.mktemp("frames")
    for line in (
        "simulate frames files --dialogues 20",
        "import frames files",
        "baseline frames/nlu --method majority --out 'my runs'",
    ):
        done = forks.run(*shlex.split(line), cwd=folder)
        assert done.returncode == 0, done.stderr
    return folder


@pytest.fixture
def frames(run: Run, imported: Path, tmp_path: Path) -> Run:
    """Runs a command line in such a folder."""
    shutil.copytree(imported, tmp_path, dirs_exist_ok=True)
    return run


def find_command(printed: str, start: str) -> str:
    """Returns the command in a text that begins so, up to the end of its line or its mark."""
    found = re.search(rf"commonground {start}[^`\n,]*", printed)
    assert found, printed
    return found[0].strip()


@contextmanager
def serving(command: str) -> Iterator[str]:
    """Runs a printed command that serves, on free ports; yields its address."""
    words = shlex.split(command.removeprefix("commonground "))
    ports = ["--port", "0", *(["--monitor-port", "0"] if words[0] == "collect" else [])]
    server = forks.Fork(*words, *ports)
    try:
        lines = iter(server.stdout.readline, "")
        yield next(found[0] for line in lines if (found := re.search(r"http://[^\s?]+", line)))
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(timeout=300)
        server.stdout.close()


def test_a_new_study_is_served_as_it_says(run: Run) -> None:
    advice = find_command(run("collect serve nothing")[1], "collect new")
    code, printed = run(f"{advice} 'my study' --scenario photobook")
    assert code == 0
    with (
        serving(find_command(printed, "collect serve")) as address,
        urllib.request.urlopen(address) as page,
    ):
        assert page.status == 200


def test_scripts_with_errors_are_listed_again(run: Run, tmp_path: Path) -> None:
    scripts = tmp_path / "my scripts"
    scripts.mkdir()
    (scripts / "Bad.script").write_text("nonsense {{", encoding="utf-8")
    code, printed = run("collect new look --scenario taskmaster4 --material 'my scripts'")
    assert code == 1
    assert "no_conversation" in run(find_command(printed, "collect lint-scripts"))[1]


def test_a_query_without_units_can_be_tried(frames: Run, tmp_path: Path) -> None:
    query = "select dialogue_id, event, 'a' as candidate from events where false"
    (tmp_path / "named").mkdir()
    (tmp_path / "named" / "labelling.toml").write_text(
        "layer = 'named'\ncorpus = 'frames'\nquestion = 'Which?'\n"
        f"store = '../commonground-store'\nquery = \"{query}\"\n"
    )
    code, printed = frames("collect new s --scenario labelling --material named")
    assert code == 1, printed
    command = find_command(printed, "sql QUERY").replace("QUERY", shlex.quote(query))
    assert frames(command)[0] == 0


def test_a_model_of_another_task_is_used_as_advised(frames: Run) -> None:
    code, printed = frames(
        "baseline frames/tracking --model 'my runs/model-majority-fold-1.msgpack'"
    )
    assert code == 1
    code, printed = frames(find_command(printed, "baseline frames/nlu --model"))
    assert code == 0, printed


def test_a_result_for_a_report_is_written_as_advised(frames: Run, tmp_path: Path) -> None:
    code, printed = frames("report files/frames.json")
    assert code == 1
    baseline = find_command(printed, "baseline TASK").replace("TASK", "frames/nlu")
    evaluate = find_command(printed, "evaluate TASK").replace("TASK", "frames/nlu")
    evaluate = evaluate.replace("ANSWERS", "'my runs/predictions-majority.jsonl'")
    for command in (f"{baseline} --method majority", evaluate):
        code, printed = frames(command)
        assert code == 0, printed
        result, _ = json.JSONDecoder().raw_decode(printed)  # the baseline says more on stderr
        (tmp_path / "result.json").write_text(json.dumps(result), encoding="utf-8")
        assert "frames/nlu" in frames("report result.json")[1]


@thorough
def test_the_page_of_results_is_served_as_advised(frames: Run, tmp_path: Path) -> None:
    code, printed = frames("serve --results absent.parquet")
    assert code == 1
    command = find_command(printed, "evaluate TASK").replace("TASK", "frames/nlu")
    command = command.replace("ANSWERS", "'my runs/predictions-majority.jsonl'")
    assert frames(command.replace("FILE", "scored.parquet"))[0] == 0
    with serving("commonground serve") as address:
        with pytest.raises(urllib.error.HTTPError) as refused:
            urllib.request.urlopen(f"{address}results")
        advice = find_command(refused.value.read().decode(), "serve --results FILE")
    advice = advice.partition(" (")[0].replace("FILE", "scored.parquet")
    with serving(advice) as address, urllib.request.urlopen(f"{address}results") as answer:
        page = answer.read().decode()
    assert "<title>Results · scored" in page


@thorough
def test_figures_of_the_docs_are_printed_and_drawn_as_they_say(frames: Run, tmp_path: Path) -> None:
    page = (ROOT / "docs" / "figures" / "frames.md").read_text(encoding="utf-8")
    code, printed = frames(find_command(page, "stats frames"))
    assert code == 0
    assert "Simulated data" in printed
    command = find_command(page, "stats frames --out FOLDER")
    assert frames(command)[0] == 0
    assert list((tmp_path / "FOLDER").glob("*.svg"))
