from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from commonground.bench.evaluation.access import run_baselines
from commonground.bench.evaluation.baselines.jobs import plan_answers, plan_baselines
from commonground.bench.evaluation.baselines.methods import explain_extra, get_baselines
from commonground.bench.evaluation.baselines.models import open_model
from commonground.bench.evaluation.baselines.results import Protocol
from commonground.bench.evaluation.baselines.run import run_baseline
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import TaskError, UsageError
from commonground.method import NothingToLearnError, TrainingSet
from commonground.store.corpus import Corpus
from commonground.task import Instance

MakeCorpus = Callable[..., Corpus]


@pytest.fixture
def corpus(make_corpus: MakeCorpus) -> Corpus:
    """Trained on two glad and two sad talks; tested on one of each."""
    train = {"a": "glad", "b": "glad", "c": "sad", "f": "sad"}
    return make_corpus(train=train, test={"d": "glad", "e": "sad"})


def accuracy(result: Any) -> float:
    value = result.measures[0].values[0].value
    assert isinstance(value, float)
    return value


def test_methods_are_scored_like_any_predictions(corpus: Corpus, tmp_path: Path) -> None:
    majority, words = (run_baseline(job) for job in plan_baselines("toy/mood", corpus=corpus))
    # The commonest mood is right for one of two; the word tells both.
    assert (accuracy(majority), accuracy(words)) == (0.5, 1.0)
    run = majority.baseline
    assert (run.learned_from.instances, run.answered.instances, majority.n) == (4, 2, 2)
    assert majority.predictions.path == "predictions-majority.json"


def test_folds_are_answered_in_one_file(make_corpus: MakeCorpus, tmp_path: Path) -> None:
    corpus = make_corpus(fold_1={"a": "glad", "b": "sad"}, fold_2={"c": "sad"})
    (job,) = plan_baselines("toy/mood", "majority", corpus=corpus, out=tmp_path / "out")
    result = run_baseline(job)
    # Fold 1 is answered sad by a model of c; fold 2 glad, the first of two equals.
    assert json.loads((tmp_path / "out/predictions-majority.json").read_text()) == {
        "a:0": "sad",
        "b:0": "sad",
        "c:0": "glad",
    }
    assert accuracy(result) == pytest.approx(1 / 3)
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == [
        "model-majority-fold-1.msgpack",
        "model-majority-fold-2.msgpack",
        "predictions-majority.json",
        "result-majority.json",
    ]
    saved = open_model(tmp_path / "out/model-majority-fold-2.msgpack")
    (again,) = plan_baselines("toy/mood", corpus=corpus, model=saved)
    assert [each.dialogue_id for each in again.plan.rounds[0].test] == ["c"]
    assert run_baseline(again).n == 1
    with pytest.raises(TaskError, match="trained on all but fold-2, so it has seen fold-1"):
        plan_baselines("toy/mood", corpus=corpus, model=saved, test="fold-1")


def test_a_saved_model_answers_alike(corpus: Corpus, tmp_path: Path) -> None:
    (job,) = plan_baselines("toy/mood", "words", corpus=corpus, seed=7, out=tmp_path / "out")
    first = run_baseline(job)
    saved = open_model(tmp_path / "out/model-words.msgpack")
    (again,) = plan_baselines("toy/mood", corpus=corpus, model=saved, out=tmp_path / "again")
    result = run_baseline(again)
    assert result.predictions.sha256 == first.predictions.sha256
    assert (result.baseline.train_s, result.baseline.seed) == (None, 7)
    assert result.baseline.data == first.store


def test_a_model_answers_another_split_but_none_that_it_learned_from(
    make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    train = {"a": "glad", "b": "glad", "c": "sad", "f": "sad"}
    talks = {"train": train, "test": {"d": "glad"}, "odd": {"g": "sad", "h": "glad", "i": "sad"}}
    corpus = make_corpus(**talks)
    (job,) = plan_baselines("toy/mood", "words", corpus=corpus, out=tmp_path)
    run_baseline(job)
    saved = open_model(tmp_path / "model-words.msgpack")
    header = saved.header
    assert (header.corpus, header.protocol.train) == ("toy", "train")
    assert header.data is not None
    assert len(header.data["sha256_of_hashes"]) == 64
    (elsewhere,) = plan_baselines("toy/mood", corpus=corpus, model=saved, test="odd")
    assert run_baseline(elsewhere).n == 3
    with pytest.raises(TaskError, match=r"trained on train: .* --test, which stands for test"):
        plan_baselines("toy/mood", corpus=corpus, model=saved, test="train")


def test_a_model_of_another_task_is_refused(corpus: Corpus, tmp_path: Path) -> None:
    (job,) = plan_baselines("toy/mood", "words", corpus=corpus, out=tmp_path)
    run_baseline(job)
    with pytest.raises(TaskError, match="is a model for toy/mood, not for frames/nlu"):
        plan_baselines(
            "frames/nlu", corpus=corpus, model=open_model(tmp_path / "model-words.msgpack")
        )


def test_an_unknown_method_is_told_before_a_result_is_asked_for(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match="method"):
        run_baselines("toy/mood", "majorty", store=corpus.store.path)


def test_a_method_must_answer_every_instance(corpus: Corpus) -> None:
    def answer_one(model: Any, instances: Iterable[Instance]) -> Iterator[Any]:
        yield "glad"

    (job,) = plan_baselines("toy/mood", "majority", corpus=corpus)
    short = msgspec.structs.replace(
        job, method=msgspec.structs.replace(job.method, predict=answer_one)
    )
    with pytest.raises(TaskError, match="'majority' gave 1 answer to 2 instances"):
        run_baseline(short)


def test_nothing_to_learn_from_is_told(corpus: Corpus) -> None:
    def learn_nothing(training: TrainingSet) -> Any:
        raise NothingToLearnError

    (job,) = plan_baselines("toy/mood", "majority", corpus=corpus)
    idle = msgspec.structs.replace(
        job, method=msgspec.structs.replace(job.method, train=learn_nothing)
    )
    told = r"'majority' of toy/mood .* none of the 4 .* \(trained on train, tested on test\)"
    with pytest.raises(TaskError, match=told):
        run_baseline(idle)


def test_a_model_of_a_holdout_answers_other_splits_whole(
    make_corpus: MakeCorpus, tmp_path: Path
) -> None:
    # Of t0 to t9, t3 and t9 are held out.
    talks: dict[str, str | None] = {f"t{i}": "glad" for i in range(10)}
    corpus = make_corpus(test=talks, odd={"a": "glad", "b": "sad"})
    task, baselines = get_task("toy/mood"), get_baselines("toy/mood")
    protocol = Protocol(kind="derived_holdout", train="test", test="test")

    def answered(test: str | None) -> tuple[str, int]:
        plan = plan_answers(task, baselines, corpus, protocol, fold=None, test=test)
        return plan.protocol.kind, plan.answered().dialogues

    assert answered(None) == answered("test") == ("derived_holdout", 2)
    assert answered("odd") == ("splits", 2)


def test_steps_are_told(corpus: Corpus) -> None:
    steps: list[tuple[int, int, str]] = []
    (job,) = plan_baselines("toy/mood", "majority", corpus=corpus)
    run_baseline(job, lambda *step: steps.append(step))
    assert steps == [(0, 3, "learning"), (1, 3, "answering"), (2, 3, "scoring")]


def test_unknown_methods_list_close_names(corpus: Corpus) -> None:
    with pytest.raises(UsageError, match="Did you mean words"):
        plan_baselines("toy/mood", "word", corpus=corpus)


def test_the_lack_of_the_extra_is_explained() -> None:
    with (
        pytest.raises(UsageError, match=r"pip install 'scikit-learn>=1\.7'"),
        explain_extra(),
    ):
        raise ModuleNotFoundError(name="sklearn.svm")
    with pytest.raises(ModuleNotFoundError), explain_extra():
        raise ModuleNotFoundError(name="elsewhere")
