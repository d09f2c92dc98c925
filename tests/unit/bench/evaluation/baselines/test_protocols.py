from __future__ import annotations

from collections.abc import Callable

import msgspec
import pytest

from commonground.bench.evaluation.baselines.methods import get_baselines
from commonground.bench.evaluation.baselines.protocols import Plan, make_plans
from commonground.bench.evaluation.baselines.selecting import hold_out
from commonground.bench.evaluation.tasks import get_task
from commonground.errors import TaskError, UsageError
from commonground.method import Baselines
from commonground.store.corpus import Corpus
from commonground.task import Instance

MakeCorpus = Callable[..., Corpus]

# Of t0 to t59, sha256 modulo 10 is 0 for these.
HELD_OUT = ["t3", "t9", "t45", "t46", "t49", "t57"]


def plan(corpus: Corpus, baselines: Baselines | None = None, **options: str | int) -> list[Plan]:
    chosen = baselines or get_baselines("toy/mood")
    return make_plans(get_task("toy/mood"), chosen, corpus, **options)  # type: ignore[arg-type]


def ids(instances: list[Instance]) -> list[str]:
    return [each.dialogue_id for each in instances]


def test_released_splits_are_used_where_both_are_there(make_corpus: MakeCorpus) -> None:
    (found,) = plan(make_corpus(train={"a": "glad", "b": "sad"}, test={"c": "sad"}))
    (one,) = found.rounds
    assert found.protocol.kind == "splits"
    assert (ids(one.train), ids(one.test)) == (["a", "b"], ["c"])
    assert (found.gold.split, found.gold.dialogues) == ("test", None)


def test_another_released_split_is_learned_from_where_the_usual_is_lacking(
    make_corpus: MakeCorpus,
) -> None:
    (found,) = plan(make_corpus(dev={"a": "glad"}, test={"c": "sad"}))
    assert found.protocol.describe() == "trained on dev, tested on test"


def test_no_method_sees_right_answers_or_forbidden_inputs(make_corpus: MakeCorpus) -> None:
    (found,) = plan(make_corpus(train={"a": "glad"}, test={"c": "sad"}))
    (one,) = found.rounds
    assert [each.gold for each in one.test] == [None]
    assert [each.gold for each in one.train] == ["glad"]
    # The task allows `text` only; its instances have `speaker`, too.
    assert one.test[0].inputs == {"text": "hm sad"}


def test_each_fold_is_answered_by_a_model_of_the_others(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(fold_1={"a": "glad"}, fold_10={"b": "sad"}, fold_2={"c": "sad"})
    (found,) = plan(corpus)
    assert found.protocol.kind == "folds"
    assert [(one.name, ids(one.train), ids(one.test)) for one in found.rounds] == [
        ("fold-1", ["c", "b"], ["a"]),
        ("fold-2", ["a", "b"], ["c"]),
        ("fold-10", ["a", "c"], ["b"]),
    ]
    assert found.gold.dialogues == frozenset("abc")
    # Each dialogue is learned from twice but is there once.
    assert found.learned_from().dialogues == 3


def test_a_fold_that_is_named_is_answered_by_a_model_of_the_others(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(fold_1={"a": "glad"}, fold_2={"b": "sad"}, fold_3={"c": "sad"})
    unnamed = msgspec.structs.replace(get_baselines("toy/mood"), train_split=None, test_split=None)
    (found,) = plan(corpus, unnamed, test="fold-2")
    assert [(one.name, ids(one.train), ids(one.test)) for one in found.rounds] == [
        ("fold-2", ["a", "c"], ["b"])
    ]
    assert found.protocol.describe() == "fold-2 predicted by a model trained on the others"
    assert (found.gold.split, found.gold.dialogues) == ("fold-2", frozenset("b"))
    with pytest.raises(UsageError, match="or, of folds, --test alone"):
        plan(corpus, unnamed, train="fold-2")


def test_dialogues_without_right_answers_are_not_asked(make_corpus: MakeCorpus) -> None:
    (found,) = plan(make_corpus(train={"a": "glad"}, test={"b": None, "c": "sad"}))
    assert ids(found.rounds[0].test) == ["c"]


def test_else_a_tenth_is_held_out_and_said_so(make_corpus: MakeCorpus) -> None:
    (found,) = plan(make_corpus(odd={f"t{i}": "glad" for i in range(60)}))
    (one,) = found.rounds
    assert ids(one.test) == HELD_OUT
    assert len(one.train) == 54
    assert found.gold.dialogues == frozenset(HELD_OUT)
    assert "derived_holdout" in found.protocol.describe()


def test_a_split_that_is_alone_has_the_tenth_held_out_of_it(make_corpus: MakeCorpus) -> None:
    (found,) = plan(make_corpus(test={f"t{i}": "glad" for i in range(20)}))
    assert (found.protocol.kind, found.gold.split) == ("derived_holdout", "test")
    assert ids(found.rounds[0].test) == ["t3", "t9"]


def test_too_little_for_a_holdout_is_an_error(make_corpus: MakeCorpus) -> None:
    # The only dialogue is held out, so there is nothing to learn from.
    with pytest.raises(TaskError, match=r"0 to learn from and 1 to test on \(derived.*--train"):
        plan(make_corpus(odd={"t0": "glad"}))


def test_named_splits_come_first(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(train={"a": "glad"}, test={"b": "sad"}, dev={"c": "sad"})
    (found,) = plan(corpus, test="dev")
    assert (ids(found.rounds[0].test), found.gold.split) == (["c"], "dev")
    with pytest.raises(UsageError, match="There is no split 'tset'"):
        plan(corpus, test="tset")
    with pytest.raises(UsageError, match="cannot be used both"):
        plan(corpus, test="train")


def test_named_splits_without_right_answers_are_an_error(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(train={"a": "glad"}, dev={"c": None})
    with pytest.raises(TaskError, match="'train' and 'dev', one has no right answers"):
        plan(corpus, test="dev")


def test_a_limit_cuts_both_and_narrows_the_gold(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(train={"a": "glad", "b": "sad"}, test={"c": "sad", "d": "sad"})
    (found,) = plan(corpus, limit=1)
    assert (ids(found.rounds[0].train), ids(found.rounds[0].test)) == (["a"], ["c"])
    assert found.gold.dialogues == frozenset("c")
    assert "at most 1 dialogue of each" in found.protocol.describe()


def test_parts_are_planned_each_by_itself(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(train={"x1": "glad", "y1": "sad"}, test={"x2": "sad", "y2": "sad"})
    divided = msgspec.structs.replace(
        get_baselines("toy/mood"), part=lambda each: each.dialogue_id[0]
    )
    x, y = plan(corpus, divided)
    assert (x.protocol.part, ids(x.rounds[0].train), ids(x.rounds[0].test)) == ("x", ["x1"], ["x2"])
    assert (y.protocol.part, y.gold.dialogues) == ("y", frozenset({"y2"}))
    assert [each.protocol.part for each in plan(corpus, divided, part="y")] == ["y"]
    with pytest.raises(UsageError, match="There is no part 'z'"):
        plan(corpus, divided, part="z")


def test_a_part_without_the_named_splits_does_not_stop_the_others(make_corpus: MakeCorpus) -> None:
    corpus = make_corpus(dev={"x1": "glad"}, test={"x2": "sad", "y2": "sad"})
    divided = msgspec.structs.replace(
        get_baselines("toy/mood"), part=lambda each: each.dialogue_id[0]
    )
    assert [each.protocol.part for each in plan(corpus, divided, train="dev")] == ["x"]
    with pytest.raises(TaskError, match="'dev' and 'test', one has no right answers"):
        plan(corpus, divided, train="dev", part="y")


def test_the_holdout_is_the_same_everywhere(make_corpus: MakeCorpus) -> None:
    (found,) = plan(make_corpus(odd={f"t{i}": "glad" for i in range(60)}))
    assert hold_out(found.rounds[0].train + found.rounds[0].test) == set(HELD_OUT)


def test_of_a_few_dialogues_one_is_held_out(make_corpus: MakeCorpus) -> None:
    (found,) = plan(make_corpus(odd={f"t{i}": "glad" for i in range(3)}))
    assert (len(found.rounds[0].train), len(found.rounds[0].test)) == (2, 1)
    (again,) = plan(make_corpus(odd={f"t{i}": "glad" for i in reversed(range(3))}))
    assert ids(again.rounds[0].test) == ids(found.rounds[0].test)
