"""``stats`` as a user types it."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from importlib.util import find_spec
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from commonground.cli import stats
from commonground.corpora import Entry
from commonground.errors import UsageError
from commonground.files import simulated
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus

Run = Callable[..., str]


@pytest.fixture
def run(toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Runs a command on a store of four talks, taken for released, and returns what it prints."""
    monkeypatch.setattr("commonground.store.arrow.forgo_pandas", lambda: None)
    (tmp_path / "files").mkdir()
    simulate_corpus(toy, tmp_path / "files", dialogues=4, seed=1)
    (tmp_path / "files" / simulated.NAME).unlink()
    import_corpus(toy, [tmp_path / "files"], store=tmp_path / "store")

    def call(command: click.Command, *words: str) -> str:
        words = (*words, "--store", str(tmp_path / "store"))
        return CliRunner().invoke(command, words, catch_exceptions=False).output

    return call


def test_tables_stand_with_the_published_numbers(run: Run) -> None:
    printed = run(stats.command, "toy")
    assert "Lines of a split  [lines]" in printed
    assert "lines to learn from (lines)" in printed
    assert "differs   [1] [2]" in printed
    assert "[2] It was longer once." in printed
    assert "SELECT" not in printed


def test_simulated_data_is_not_compared(toy: Entry, tmp_path: Path) -> None:
    from commonground.cli import import_, simulate

    folder, store = str(tmp_path / "demo"), ["--store", str(tmp_path / "store")]
    runner = CliRunner()
    assert runner.invoke(simulate.command, ["toy", folder, "--dialogues", "4"]).exit_code == 0
    imported = runner.invoke(import_.command, ["toy", folder, *store])
    assert "left alone" not in imported.output
    printed = runner.invoke(stats.command, ["toy", *store]).output
    assert "Lines of a split" in printed
    assert printed.endswith("Simulated data, not compared with published numbers.\n")
    assert "lines to learn from" not in printed
    found = json.loads(runner.invoke(stats.command, ["toy", "--json", *store]).output)
    assert [(each["simulated"], each["comparisons"]) for each in found["figures"]] == [
        (True, []),
        (True, []),
    ]


def test_queries_are_printed_when_asked_for(run: Run) -> None:
    assert "SELECT split, sum(n_events)" in run(stats.command, "toy", "--sql")


def test_long_tables_say_how_much_is_left_out(run: Run) -> None:
    printed = run(stats.command, "toy", "--figure", "lines", "--rows", "1")
    assert "1 of 2 rows" in printed
    assert "train" not in printed.split("1 of 2 rows")[0]


def test_json_holds_rows_and_links(run: Run) -> None:
    found = json.loads(run(stats.command, "toy", "--json"))
    assert found["corpus"] == "toy"
    assert [each["name"] for each in found["figures"]] == ["lines", "words"]
    assert found["figures"][0]["rows"] == [["test", 4], ["train", 4]]
    assert found["figures"][0]["links"] == ["split:test", "split:train"]


def test_figures_are_listed(run: Run) -> None:
    assert [each["name"] for each in json.loads(run(stats.command, "toy", "--list", "--json"))] == [
        "lines",
        "words",
    ]
    assert "Lines of a split" in run(stats.command, "toy", "--list")


def test_all_compares(run: Run) -> None:
    assert "How large the corpora are" in run(stats.command, "all", "--figure", "sizes")


def test_figures_are_written(run: Run, tmp_path: Path) -> None:
    pytest.importorskip("vl_convert")
    printed = run(stats.command, "toy", "--out", str(tmp_path / "out"))
    assert printed.startswith("2 figures, 4 files in ")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "lines.csv",
        "lines.png",
        "lines.svg",
        "words.csv",
    ]


def test_matplotlib_alone_draws_what_stats_writes(
    run: Run, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("matplotlib")
    monkeypatch.setattr(
        "commonground.figures.drawing.plain.find_spec",
        lambda name: None if name == "vl_convert" else find_spec(name),
    )
    monkeypatch.setitem(sys.modules, "vl_convert", None)
    run(stats.command, "toy", "--out", str(tmp_path / "out"), "--format", "pdf")
    run(stats.command, "toy", "--out", str(tmp_path / "out"))
    begin = {path.suffix: path.read_bytes()[:4] for path in (tmp_path / "out").glob("lines.*")}
    assert begin.keys() == {".csv", ".pdf", ".png", ".svg"}
    assert begin[".pdf"] == b"%PDF"
    assert begin[".png"] == b"\x89PNG"


def test_figures_are_drawn_for_papers(run: Run, tmp_path: Path) -> None:
    asked = ("--figure", "lines", "--columns", "2", "--format", "pdf", "--font", "serif")
    run(stats.command, "toy", "--out", str(tmp_path / "out"), *asked)
    written = {path.name: path.read_bytes()[:4] for path in (tmp_path / "out").iterdir()}
    assert written.keys() == {"lines.csv", "lines.pdf"}
    assert written["lines.pdf"] == b"%PDF"


def test_an_unknown_figure_is_an_error(run: Run) -> None:
    with pytest.raises(UsageError, match="lines"):
        run(stats.command, "toy", "--figure", "line")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("--font", "serif"), "--font needs --out."),
        (("--out", "drawn", "--rows", "40"), "--rows prints, and --out writes files."),
        (("--out", "drawn", "--list"), "--list prints, and --out writes files."),
    ],
)
def test_options_that_would_do_nothing_are_refused(
    run: Run, words: tuple[str, ...], said: str
) -> None:
    with pytest.raises(UsageError, match=re.escape(said)):
        run(stats.command, "toy", *words)
