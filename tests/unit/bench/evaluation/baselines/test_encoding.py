"""Baselines that read texts with a sentence encoder: when one is opened, and what names it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from tests.tiny_encoder import write_encoder

from commonground.bench.encoders.cache import FOLDER
from commonground.bench.encoders.folders import find_encoder
from commonground.bench.evaluation.access import run_baselines
from commonground.bench.evaluation.baselines.jobs import plan_baselines
from commonground.bench.evaluation.baselines.models import open_model
from commonground.bench.evaluation.baselines.results import UsedEncoder
from commonground.bench.evaluation.baselines.run import run_baseline
from commonground.errors import TaskError, UsageError
from commonground.store.corpus import Corpus

for needed in ("onnxruntime", "tokenizers"):
    pytest.importorskip(needed, reason="needs the extra encoders")

MakeCorpus = Callable[..., Corpus]


@pytest.fixture
def corpus(make_corpus: MakeCorpus) -> Corpus:
    return make_corpus(train={"a": "glad", "b": "sad"}, test={"c": "glad", "d": "sad"})


@pytest.fixture
def encoder(tmp_path: Path) -> Path:
    return write_encoder(tmp_path / "tiny")


def test_an_encoder_is_opened_where_it_is_named_or_needed(corpus: Corpus, encoder: Path) -> None:
    def names(*methods: str, encoder: Path | None = None) -> list[tuple[str, bool]]:
        jobs = plan_baselines("toy/mood", *methods, corpus=corpus, encoder=encoder)
        return [(job.method.name, job.encoder is not None) for job in jobs]

    plain = [("majority", False), ("words", False)]
    assert names() == plain
    assert names(encoder=encoder) == [*plain, ("likeness", True)]
    assert names("likeness", "words", encoder=encoder) == [("likeness", True), ("words", False)]
    with pytest.raises(UsageError, match=r"words needs no sentence encoder. Leave out --encoder"):
        names("words", encoder=encoder)
    with pytest.raises(UsageError, match="no encoder 'nowhere'"):
        names("likeness", encoder=Path("nowhere"))


def test_the_usual_encoder_is_minilm(corpus: Corpus, monkeypatch: pytest.MonkeyPatch) -> None:
    opened: list[object] = []
    monkeypatch.setattr(
        "commonground.bench.evaluation.baselines.jobs.load_encoder",
        lambda name, **_others: opened.append(name),
    )
    plan_baselines("toy/mood", "likeness", corpus=corpus)
    assert opened == ["minilm"]


def test_models_and_results_name_the_encoder(corpus: Corpus, encoder: Path, tmp_path: Path) -> None:
    out = tmp_path / "out"
    (result,) = run_baselines(
        "toy/mood", "likeness", encoder=encoder, out=out, store=corpus.store.path
    )
    used = UsedEncoder("tiny", find_encoder(encoder).hash())
    assert result.baseline.encoder == used
    saved = open_model(out / "model-likeness.msgpack")
    assert saved.header.encoder == used
    assert json.loads((out / "predictions-likeness.json").read_text()) == {
        "c:0": "glad",
        "d:0": "sad",
    }
    assert list((corpus.store.path / FOLDER).iterdir())
    (again,) = plan_baselines("toy/mood", corpus=corpus, model=saved, encoder=encoder)
    assert run_baseline(again).predictions.sha256 == result.predictions.sha256


def test_a_model_is_refused_with_another_encoder(
    corpus: Corpus, encoder: Path, tmp_path: Path
) -> None:
    (job,) = plan_baselines(
        "toy/mood", "likeness", corpus=corpus, encoder=encoder, out=tmp_path / "out"
    )
    run_baseline(job)
    saved = open_model(job.path("model", ".msgpack"))
    other = write_encoder(tmp_path / "other", seed=2)
    with pytest.raises(
        TaskError, match=r"trained with another encoder: tiny \(\w{12}\), not with o"
    ):
        plan_baselines("toy/mood", corpus=corpus, model=saved, encoder=other)
    # Its name alone does not say where a folder is.
    with pytest.raises(UsageError, match="no encoder 'tiny'"):
        plan_baselines("toy/mood", corpus=corpus, model=saved)
