"""Toy corpora with splits of one's choice."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from commonground.bench.evaluation import tasks
from commonground.bench.evaluation.baselines import methods as baselines
from commonground.cli import main
from commonground.corpora import Entry
from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store

MakeCorpus = Callable[..., Corpus]
Evaluate = Callable[..., str]


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
