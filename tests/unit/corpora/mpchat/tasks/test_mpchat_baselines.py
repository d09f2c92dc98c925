"""The baselines of MPChat on invented threads, learned, written and scored."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import msgspec
import pytest
from tests.thorough import a_few
from tests.tiny_encoder import count_words

from commonground.corpora.mpchat.tasks import gpp, nrp, si
from commonground.corpora.mpchat.tasks.gpp import TASK as GPP
from commonground.corpora.mpchat.tasks.nrp import TASK as NRP
from commonground.corpora.mpchat.tasks.si import TASK as SI
from commonground.method import TrainingSet
from commonground.play.scenarios.mpchat.simulate import simulate
from commonground.task import Gold, Instance

TASKS = {"nrp": (NRP, nrp.BASELINES), "gpp": (GPP, gpp.BASELINES), "si": (SI, si.BASELINES)}


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("mpchat")
    simulate(folder, dialogues=150, seed=4)
    return folder


def load(name: str, released: Path, split: str) -> list[Instance]:
    task, _ = TASKS[name]
    return list(task.instances(Gold(files=[released / f"mpchat_{name}.json"], split=split)))


@cache
def run(name: str, method: str, released: Path) -> float:
    """Learns, answers and scores; gives the mean reciprocal rank."""
    task, baselines = TASKS[name]
    [baseline] = [each for each in baselines.methods if each.name == method]
    asked = [msgspec.structs.replace(x, gold=None) for x in load(name, released, "test")]
    model = baseline.learn(TrainingSet(load(name, released, "train"), 1, count_words))
    path = released / f"{name}-{method}.jsonl"
    baselines.write(zip(asked, baseline.answer(model, asked, count_words), strict=True), path)
    gold = Gold(files=[released / f"mpchat_{name}.json"], split="test")
    scoring = task.score_file(path, gold)
    assert len(scoring.instances) == len(asked)
    assert scoring.problems == []  # above all no ties, which would favour the right one
    counts = [each.counts["recall_at_k"] for each in scoring.instances]
    return sum(each["reciprocal"] for each in counts) / len(counts)


@pytest.mark.parametrize("name", a_few(TASKS, ["gpp"]))
def test_every_method_is_scored(name: str, released: Path) -> None:
    methods = [each.name for each in TASKS[name][1].methods]
    assert len(methods) == len(set(methods)) == 11
    rates = {method: run(name, method, released) for method in methods}
    assert rates["random"] < 0.2
    assert rates["linear"] > rates["random"]
    assert rates["encoder"] > rates["random"]


def test_vectors_find_an_element_without_learning(released: Path) -> None:
    assert run("gpp", "encoder-cosine", released) > 2 * run("gpp", "random", released)


def test_a_message_finds_its_element(released: Path) -> None:
    assert run("gpp", "tfidf", released) > 2 * run("gpp", "random", released)


def test_the_right_candidate_is_not_found_by_its_place(released: Path) -> None:
    [chance] = [each for each in nrp.BASELINES.methods if each.name == "random"]
    asked = load("nrp", released, "test")
    firsts = [scores[0] for scores in chance.predict(chance.learn(TrainingSet([], 1)), asked)]
    assert 0.3 < sum(firsts) / len(firsts) < 0.7
    assert next(iter(chance.predict(chance.learn(TrainingSet([], 1)), asked[:1])))[0] == firsts[0]
    assert next(iter(chance.predict(chance.learn(TrainingSet([], 2)), asked[:1])))[0] != firsts[0]


def test_without_candidates_nothing_is_answered(released: Path, tmp_path: Path) -> None:
    asked = load("nrp", released, "train")[:2]
    for baseline in nrp.BASELINES.methods[:3]:
        answers = list(baseline.predict(baseline.learn(TrainingSet(asked, 1)), asked))
        assert answers == [[], []]
    nrp.BASELINES.write(zip(asked, answers, strict=True), tmp_path / "none.jsonl")
    assert (tmp_path / "none.jsonl").read_bytes() == b""
