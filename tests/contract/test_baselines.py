"""Every baseline: learned on a simulated corpus, saved, read, and alike every time."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from commonground.bench.evaluation.baselines.jobs import plan_baselines
from commonground.bench.evaluation.baselines.methods import iterate_baselines
from commonground.bench.evaluation.baselines.models import SavedModel, open_model
from commonground.bench.evaluation.baselines.run import Job, list_answers, run_baseline
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import TaskError
from commonground.store.corpus import Corpus
from tests.contract.conftest import Simulate
from tests.thorough import a_few
from tests.tiny_encoder import write_encoder

METHODS = {(each.task, m.name): m for each in iterate_baselines() for m in each.methods}
TRIED = {method: (task, method) for task, method in METHODS}
"""A task of each method; for other tasks it learns in the same way, of other features."""


def write_vectors(corpus: Corpus, path: Path) -> Path:
    """Writes vectors of a corpus's pictures, by the numbers in their names."""
    names = [name for (name,) in corpus.rows("select distinct uri from objects order by 1")]
    vectors = [[len(name), *np.bincount([ord(c) % 8 for c in name], minlength=8)] for name in names]
    np.savez(path, names=names, vectors=vectors)
    return path


def find_encoder(task: str, method: str, folder: Path) -> Path | None:
    """Writes a small encoder for a method that needs one."""
    if not METHODS[task, method].encodes:
        return None
    for needed in ("onnxruntime", "tokenizers"):
        pytest.importorskip(needed, reason="needs the extra encoders")
    return write_encoder(folder)


def take_job(task: str, corpus: Corpus, method: str, out: Path, given: dict[str, Any]) -> Job:
    """Returns the job of a method, with two folds where a task has ten: each is one more model."""
    job = plan_baselines(task, method, corpus=corpus, out=out, **given)[0]
    if len(job.plan.rounds) > 2:
        del job.plan.rounds[2:]
        answered = frozenset(x.dialogue_id for each in job.plan.rounds for x in each.test)
        job.plan.gold = msgspec.structs.replace(job.plan.gold, dialogues=answered)
    return job


def write_answers(job: Job, path: Path) -> bytes:
    """Learns and answers, and returns the file of predictions, which is not scored again."""
    job.baselines.write(list_answers(job), path)
    return path.read_bytes()


def check_refusals(task: str, corpus: Corpus, saved: SavedModel, given: dict[str, Any]) -> None:
    """Checks that a model says what it was trained on, and is asked nothing of that."""
    header, method = saved.header, METHODS[task, saved.header.method]
    assert (header.corpus, header.learned_from.instances > 0) == (corpus.name, True)
    assert (header.encoder is not None) == (method.encodes or method.sees)
    assert header.data is not None
    # Of a hold-out, what was held out can still be asked of the split that it was cut from.
    seen = header.protocol.train if header.protocol.kind == "splits" else None
    seen = seen or next((name for name in corpus.splits() if name != header.fold), None)
    if seen and header.protocol.kind != "derived_holdout":
        with pytest.raises(TaskError, match="was trained on"):
            plan_baselines(task, corpus=corpus, model=saved, test=seen, **given)
    others = msgspec.structs.replace(header, data=header.data | {"splits": "others"})
    with pytest.raises(TaskError, match="was trained on other splits"):
        plan_baselines(
            task, corpus=corpus, model=msgspec.structs.replace(saved, header=others), **given
        )


@pytest.mark.parametrize(("task", "method"), a_few(METHODS, TRIED.values()))
def test_a_baseline_is_alike_every_time(
    task: str, method: str, simulate: Simulate, tmp_path: Path
) -> None:
    corpus = simulate(get_task(task).corpora[0]).corpus
    given: dict[str, Any] = {"encoder": find_encoder(task, method, tmp_path / "encoder")}
    if METHODS[task, method].sees:
        given["vectors"] = write_vectors(corpus, tmp_path / "vectors.npz")
    job = take_job(task, corpus, method, tmp_path / "first", given)
    first = run_baseline(job)
    # Public forms hide some right answers, so a few instances may be left out.
    assert first.skipped < first.n, first.problems
    predicted = job.path("predictions", job.baselines.ending).read_bytes()
    again = take_job(task, corpus, method, tmp_path / "again", given)
    assert write_answers(again, tmp_path / "again.out") == predicted
    saved = open_model(job.path("model", ".msgpack", job.plan.rounds[0].name))
    check_refusals(task, corpus, saved, given)
    (by_model,) = plan_baselines(task, corpus=corpus, model=saved, **given)
    said = write_answers(by_model, tmp_path / "by_model.out")
    if len(job.plan.rounds) == 1:
        assert said == predicted


@pytest.mark.thorough
@pytest.mark.parametrize("task", ["frames/nlu", "simmc/dst"])
def test_where_nothing_is_drawn_every_seed_gives_the_same(
    task: str, simulate: Simulate, tmp_path: Path
) -> None:
    corpus = simulate(get_task(task).corpora[0]).corpus
    given: dict[str, Any] = {"encoder": find_encoder(task, "encoder", tmp_path / "encoder")}
    jobs = [take_job(task, corpus, "encoder", tmp_path, given | {"seed": s}) for s in (1, 2)]
    assert [job.seed for job in jobs] == [1, 2]
    first, second = [write_answers(job, tmp_path / f"{job.seed}.out") for job in jobs]
    assert first == second


@pytest.mark.thorough
@pytest.mark.parametrize(("task", "method"), METHODS)
def test_a_baseline_is_alike_in_every_process(
    task: str, method: str, simulate: Simulate, tmp_path: Path
) -> None:
    """Sets have another order in each, and sums of the same numbers in another order differ."""
    corpus = simulate(get_task(task).corpora[0]).corpus
    encoder = find_encoder(task, method, tmp_path / "encoder")
    words = ["--encoder", str(encoder)] if encoder else []
    if METHODS[task, method].sees:
        words = ["--vectors", str(write_vectors(corpus, tmp_path / "vectors.npz"))]
    if "fold-1" in corpus.splits():
        words += ["--test", "fold-1"]
    command = [sys.executable, "-m", "commonground", "baseline", task, "--method", method]
    found = []
    for seed in ("1", "2"):
        out = tmp_path / seed
        options = ["--store", str(corpus.store.path), "--out", str(out)]
        hashing = os.environ | {"PYTHONHASHSEED": seed}
        subprocess.run([*command, *words, *options], check=True, capture_output=True, env=hashing)
        kept = [each for each in out.iterdir() if not each.name.startswith("result")]
        found.append({each.name: each.read_bytes() for each in kept})
    assert found[0]
    assert found[0] == found[1]
