"""``commonground publish``: says what is uploaded and where, and asks first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner

from commonground.cli import publish
from commonground.corpora import Entry, get_corpus
from commonground.errors import UsageError
from commonground.exports.hub import Upload
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus

OWN = ("--to", "hf", "--licence", "CC BY 4.0")
Run = Callable[..., str]


@pytest.fixture
def pushed(monkeypatch: pytest.MonkeyPatch) -> list[Upload]:
    found: list[Upload] = []

    def push(_folder: Path, upload: Upload) -> str:
        found.append(upload)
        return f"{upload.address}/commit/abc"

    monkeypatch.setattr("commonground.exports.hub.push", push)
    return found


@pytest.fixture
def run(toy: Entry, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Run:
    """Publishes four invented talks, without questions, and returns what is printed."""
    monkeypatch.setattr("commonground.store.arrow.forgo_pandas", lambda: None)
    monkeypatch.setattr(publish, "_find_questions", lambda _store, _left_out: None)
    monkeypatch.delenv("HF_ENDPOINT", raising=False)
    simulate_corpus(toy, tmp_path / "files", dialogues=4, seed=1)
    import_corpus(toy, [tmp_path / "files"], store=tmp_path / "store")

    def call(*words: str) -> str:
        words = (str(tmp_path / "set"), *words, "--store", str(tmp_path / "store"))
        return CliRunner().invoke(publish.command, words, catch_exceptions=False).output

    return call


def test_without_a_repository_nothing_is_uploaded(run: Run, pushed: list[Upload]) -> None:
    printed = run(*OWN)
    assert "4 dialogues in" in printed
    assert "Complete" in printed
    assert pushed == []


def test_files_and_address_are_shown_before_the_upload(run: Run, pushed: list[Upload]) -> None:
    printed = run(*OWN, "--repo", "lab/talks", "--private", "--yes")
    assert "README.md" in printed
    assert "https://huggingface.co/datasets/lab/talks (private)" in printed
    assert "Uploaded: https://huggingface.co/datasets/lab/talks/commit/abc" in printed
    assert [each.private for each in pushed] == [True]


def test_scripts_have_to_say_yes(run: Run, pushed: list[Upload]) -> None:
    with pytest.raises(UsageError, match="has to be confirmed"):
        run(*OWN, "--repo", "lab/talks")
    assert pushed == []


def test_wrong_names_are_refused_before_anything_is_written(
    run: Run, tmp_path: Path, pushed: list[Upload]
) -> None:
    with pytest.raises(UsageError, match="Unknown licence 'mine'"):
        run("--to", "hf", "--licence", "mine")
    with pytest.raises(UsageError, match="names no repository"):
        run(*OWN, "--repo", "talks")
    assert not (tmp_path / "set").exists()
    assert pushed == []


def test_tasks_without_questions_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("inspect_ai", reason="inspect_ai is not installed")
    monkeypatch.setattr("commonground.store.arrow.forgo_pandas", lambda: None)
    simmc = get_corpus("simmc")
    simulate_corpus(simmc, tmp_path / "files", dialogues=2, seed=1)
    for path in (tmp_path / "files").rglob("*candidates*"):
        path.unlink()
    import_corpus(simmc, [tmp_path / "files"], store=tmp_path / "store", check=False)
    words = (str(tmp_path / "set"), *OWN, "--no-images", "--store", str(tmp_path / "store"))
    done = CliRunner().invoke(publish.command, words, catch_exceptions=False)
    named = [line for line in done.stderr.splitlines() if line.startswith("Left out of eval.yaml")]
    assert [line.split()[4] for line in named] == ["simmc/retrieval"]
    listed = (tmp_path / "set" / "eval.yaml").read_text(encoding="utf-8")
    assert "simmc_generation" in listed
    assert "simmc_retrieval" not in listed


def test_of_a_selection_no_questions_are_written(run: Run) -> None:
    assert "Only of whole corpora are questions" in run(*OWN, "--where", "n_utterances > 0")
    assert "Only of whole corpora" not in run(*OWN)
