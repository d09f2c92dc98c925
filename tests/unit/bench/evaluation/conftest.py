"""Toy corpora with splits of one's choice, and a store of small invented corpora."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from tests.sharing import build_once, keep_open

from commonground.bench.evaluation import tasks
from commonground.bench.evaluation.baselines import methods as baselines
from commonground.cli import main
from commonground.corpora import Entry, get_corpus
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store

MakeCorpus = Callable[..., Corpus]
Evaluate = Callable[..., str]
CORPORA = ("frames", "mpchat", "photobook", "simmc", "taskmaster3")


@pytest.fixture(scope="session")
def store(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A store of four invented dialogues of one corpus of each kind, which tests only read."""

    def build(folder: Path) -> None:
        for name in CORPORA:
            simulate_corpus(get_corpus(name), folder / name, dialogues=4, seed=1)
            import_corpus(get_corpus(name), [folder / name], store=folder / "store")

    with keep_open(build_once(tmp_path_factory, "evaluated", build) / "store") as store:
        yield store


@pytest.fixture
def found_anew() -> Iterator[None]:
    """Lets tasks and baselines be looked for again, before and after."""
    for forget in (tasks._find_tasks.cache_clear, baselines._find_baselines.cache_clear):
        forget()
    yield
    for forget in (tasks._find_tasks.cache_clear, baselines._find_baselines.cache_clear):
        forget()


@pytest.fixture
def make_corpus(
    toy: Entry, found_anew: None, tmp_path: Path, import_toy: Callable[..., ImportSummary]
) -> MakeCorpus:
    """Imports talks of one line each, ``hm`` said in a mood, split by split."""

    def make(**splits: dict[str, str | None]) -> Corpus:
        path = tmp_path / "talks.json"
        talks = {
            split.replace("_", "-"): [
                {"talk_id": name, "lines": [{"who": "ann", "says": f"hm {mood}", "mood": mood}]}
                for name, mood in moods.items()
            ]
            for split, moods in splits.items()
        }
        path.write_text(json.dumps(talks), encoding="utf-8")
        import_toy(path)
        return open_store(tmp_path / "store").corpus("toy")

    return make


@pytest.fixture
def run_evaluate(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> Evaluate:
    """Runs ``commonground evaluate toy/mood`` and returns what it prints."""

    def run(*words: str) -> str:
        store = str(tmp_path / "store")
        command = ["commonground", "evaluate", "toy/mood", *words, "--store", store]
        monkeypatch.setattr("sys.argv", command)
        with pytest.raises(SystemExit) as stopped:
            main()
        out, err = capsys.readouterr()
        assert not stopped.value.code, err
        return out

    return run
