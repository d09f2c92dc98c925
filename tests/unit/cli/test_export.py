"""``commonground export`` as a user types it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonground.cli.export import command
from commonground.corpora import Entry
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus


@pytest.fixture
def store(toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setattr("commonground.store.arrow.forgo_pandas", lambda: None)
    (tmp_path / "files").mkdir()
    simulate_corpus(toy, tmp_path / "files", dialogues=3, seed=1)
    import_corpus(toy, [tmp_path / "files"], store=tmp_path / "store")
    return tmp_path / "store"


def test_an_export_says_what_it_wrote(store: Path, tmp_path: Path) -> None:
    words = ["csv", str(tmp_path / "out"), "--corpus", "toy", "--store", str(store)]
    result = CliRunner().invoke(command, words, catch_exceptions=False)
    assert result.exit_code == 0
    assert "3 dialogues of toy in" in result.output
    assert "Nothing was lost." in result.output
    assert (tmp_path / "out" / "toy" / "events.csv").exists()


def test_options_of_the_group_and_of_the_format_are_the_same(store: Path, tmp_path: Path) -> None:
    words = ["--store", str(store), "--json", "csv", str(tmp_path / "out")]
    result = CliRunner().invoke(command, words, catch_exceptions=False)
    report = json.loads(result.output)
    assert report["corpora"] == {"toy": 3}
    assert report == json.loads((tmp_path / "out" / "loss.json").read_text(encoding="utf-8"))


def test_the_list_names_every_format() -> None:
    result = CliRunner().invoke(command, ["--list", "--json"], catch_exceptions=False)
    assert "csv" in [each["name"] for each in json.loads(result.output)]
    assert "csv" in CliRunner().invoke(command, [], catch_exceptions=False).output
