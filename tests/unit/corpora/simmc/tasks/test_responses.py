"""Retrieval and generation, whose right answers may come from one file."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from commonground.bench.evaluation.scoring import evaluate_predictions
from commonground.bench.metrics.retrieval_ranks import (
    RETRIEVAL_RANKS,
    RETRIEVAL_RANKS_EXPECTED,
    RETRIEVAL_RANKS_PESSIMISTIC,
)
from commonground.bench.metrics.words import name_tokenizer
from commonground.corpora.simmc.tasks import actions, generation
from commonground.corpora.simmc.tasks.retrieval import task as retrieval
from commonground.errors import TaskError
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring, Task

GOLD: dict[str, Any] = {
    "system_transcript_pool": ["it is red .", "yes", "no"],
    "retrieval_candidates": [
        {
            "dialogue_idx": 3,
            "retrieval_candidates": [
                {"turn_idx": 0, "retrieval_candidates": [0, 1, 2], "gt_index": 0},
                {"turn_idx": 1, "retrieval_candidates": [2, 0, 1], "gt_index": 1},
            ],
        }
    ],
}


def score(task: Task, folder: Path, predicted: Any, *, single: bool = False) -> Scoring:
    gold = folder / "fashion_dev_dials_retrieval_candidates.json"
    gold.write_text(json.dumps(GOLD))
    (folder / "p.json").write_text(json.dumps(predicted))
    return task.score_file(
        folder / "p.json", Gold(files=[gold]), mode="single-round" if single else None
    )


def ranks(*scores: Any) -> Any:
    turns = [{"turn_id": turn, "scores": each} for turn, each in enumerate(scores)]
    return [{"dialog_id": 3, "candidate_scores": turns}]


def words(*said: Any) -> Any:
    turns = [{"turn_id": turn, "response": each} for turn, each in enumerate(said)]
    return [{"dialog_id": 3, "predictions": turns}]


def value(task: Task, scoring: Scoring, name: str, measure: int = 0) -> float | None:
    chosen = task.measures[measure]
    counts = [each.counts for each in scoring.instances]
    sums = sum_counts(each[chosen.name] for each in counts if chosen.name in each)
    return chosen.combine(sums)[name]


def kinds(scoring: Scoring) -> dict[str, int]:
    return {each.kind: each.count for each in scoring.problems}


def test_ranks_follow_the_right_place(tmp_path: Path) -> None:
    scoring = score(retrieval.TASK, tmp_path, ranks([3, 2, 1], [3, 2, 1]))
    # Ranks 1 and 2: the second turn's right candidate is number 1.
    assert value(retrieval.TASK, scoring, "mean") == 1.5
    assert not scoring.problems


RULES = (RETRIEVAL_RANKS_EXPECTED, RETRIEVAL_RANKS, RETRIEVAL_RANKS_PESSIMISTIC)


def rank_means(scoring: Scoring) -> list[float | None]:
    """Returns the mean rank by each rule: expected, official, pessimistic."""
    places = [retrieval.TASK.measures.index(rule) for rule in RULES]
    return [value(retrieval.TASK, scoring, "mean", place) for place in places]


def test_ties_help_the_official_measure_only(tmp_path: Path) -> None:
    scoring = score(retrieval.TASK, tmp_path, ranks([0, 0, 0], [0, 0, 0]))
    assert rank_means(scoring) == [2, 1, 3]
    assert kinds(scoring) == {"ties": 2}


def test_missing_turn_has_the_worst_rank_where_it_counts(tmp_path: Path) -> None:
    scoring = score(retrieval.TASK, tmp_path, ranks([3, 2, 1]))
    # Ranks 1, and 3 of 3 candidates; the script counts what is there.
    assert rank_means(scoring) == [2, 1, 2]
    assert kinds(scoring) == {"missing turns": 1}


@pytest.mark.parametrize(
    ("second", "kind"),
    [
        ([1, 2], "wrong number of scores"),
        ([1, 2, 3, 4], "wrong number of scores"),
        ([1], "right candidate without a score"),
        ([1, None, 2], "scores that cannot be compared"),
        (None, "malformed entries"),
        ("xyz", "scores that are not numbers"),
        ([True, False, True], "scores that are not numbers"),
        ([1.5, 2**53 + 1, 2**53], "whole numbers beyond a float's"),
        ([1.5, 10**400, 1], "whole numbers beyond a float's"),
        ([1, float("-inf"), 2.5], "infinite scores"),
        ([1, float("nan"), 2], "not a number"),
    ],
)
def test_wrong_scores_are_told(tmp_path: Path, second: Any, kind: str) -> None:
    assert kinds(score(retrieval.TASK, tmp_path, ranks([3, 2, 1], second)))[kind] == 1


# retrieval_evaluation.py of facebookresearch/simmc@2747421, run on such files.
@pytest.mark.parametrize(
    ("second", "rank"),
    [([1, 2], 1), ([5, 1, 2, 3, 4], 5), (["1", "2", "10"], 1), ([2, 2**53, 2**53 + 1.0], 1)],
)
def test_odd_scores_are_ranked_as_the_script_ranks_them(
    tmp_path: Path, second: Any, rank: int
) -> None:
    scoring = score(retrieval.TASK, tmp_path, ranks([3, 2, 1], second))
    # The first turn's rank is 1; the right candidate of the second is number 1.
    assert rank_means(scoring)[1] == (1 + rank) / 2


@pytest.mark.parametrize("number", [3.0, 3])
def test_a_dialogue_is_found_by_its_value(tmp_path: Path, number: float) -> None:
    predicted = ranks([3, 2, 1], [1, 2, 0])
    predicted[0]["dialog_id"] = number
    scoring = score(retrieval.TASK, tmp_path, predicted)
    assert [each.instance_id for each in scoring.instances] == ["fashion-3:0", "fashion-3:1"]
    assert not scoring.problems


@pytest.mark.parametrize("task", [actions.TASK, generation.TASK, retrieval.TASK])
def test_no_predictions_are_worth_what_the_scripts_print(tmp_path: Path, task: Task) -> None:
    """Of [], the scripts at facebookresearch/simmc@2747421 print NaN for every number."""
    (tmp_path / "predicted.json").write_text("[]")
    path = tmp_path / "fashion_dev_dials_retrieval_candidates.json"
    path.write_text(json.dumps(GOLD))
    result = evaluate_predictions(task, tmp_path / "predicted.json", Gold(files=[path])).result
    assert {each.value for measure in result.measures for each in measure.values} == {None}
    assert result.n == 0
    (problem,) = result.problems
    assert (problem.kind, "prints NaN" in problem.official) == ("no predictions", True)


def test_hidden_right_answers_are_told(tmp_path: Path) -> None:
    score(retrieval.TASK, tmp_path, ranks([3, 2, 1], [3, 2, 1]))
    first, second = GOLD["retrieval_candidates"][0]["retrieval_candidates"]
    hidden = [first, {k: v for k, v in second.items() if k != "gt_index"}]
    record = {"dialogue_idx": 3, "retrieval_candidates": hidden}
    gold = tmp_path / "fashion_teststd_dials_retrieval_candidates_public.json"
    gold.write_text(json.dumps({**GOLD, "retrieval_candidates": [record]}))
    scoring = retrieval.TASK.score_file(tmp_path / "p.json", Gold(files=[gold]))
    assert len(scoring.instances) == 1
    assert kinds(scoring)["hidden right answers"] == 1


def test_single_round_takes_last_turn(tmp_path: Path) -> None:
    scoring = score(retrieval.TASK, tmp_path, ranks([3, 2, 1], [3, 2, 1]), single=True)
    assert [each.instance_id for each in scoring.instances] == ["fashion-3:1"]


def test_candidates_are_inputs(tmp_path: Path) -> None:
    score(retrieval.TASK, tmp_path, ranks([3, 2, 1]))
    gold = Gold(files=[tmp_path / "fashion_dev_dials_retrieval_candidates.json"])
    found = list(retrieval.TASK.instances(gold))
    assert [each.gold for each in found] == [0, 1]
    assert found[1].inputs["candidates"] == ["no", "it is red .", "yes"]


def test_bleu_of_right_words_is_one(tmp_path: Path) -> None:
    scoring = score(generation.TASK, tmp_path, words("It is red.", "it is red ."))
    assert value(generation.TASK, scoring, "bleu") == pytest.approx(1)


def test_the_tokenizer_is_named(tmp_path: Path) -> None:
    scoring = score(generation.TASK, tmp_path, words("It is red.", "it is red ."))
    assert scoring.settings == {"tokenizer": name_tokenizer()}


def test_missing_words_are_0_in_corrected_measure(tmp_path: Path) -> None:
    scoring = score(generation.TASK, tmp_path, words("It is red."))
    found = [value(generation.TASK, scoring, "bleu", measure) for measure in range(2)]
    assert found == [pytest.approx(1), pytest.approx(0.5)]
    assert kinds(scoring)["missing turns"] == 1


@pytest.mark.parametrize(("said", "kind"), [("", "empty responses"), (3, "malformed entries")])
def test_wrong_words_are_told(tmp_path: Path, said: Any, kind: str) -> None:
    assert kinds(score(generation.TASK, tmp_path, words("yes", said)))[kind] == 1


def test_hidden_words_are_told(tmp_path: Path) -> None:
    gold = tmp_path / "fashion_devtest_dials_teststd_format_public.json"
    turns = [{"system_transcript": "yes"}, {"system_transcript": ""}]
    gold.write_text(json.dumps({"dialogue_data": [{"dialogue_idx": 3, "dialogue": turns}]}))
    (tmp_path / "p.json").write_text(json.dumps(words("yes", "no")))
    scoring = generation.TASK.score_file(tmp_path / "p.json", Gold(files=[gold]))
    assert kinds(scoring)["empty right answers"] == 1
    assert [each.gold for each in generation.TASK.instances(Gold(files=[gold]))] == ["yes", None]


@pytest.mark.parametrize("task", [retrieval.TASK, generation.TASK])
def test_other_tasks_files_are_refused(tmp_path: Path, task: Task) -> None:
    other = words("x") if task is retrieval.TASK else ranks([1, 2, 3])
    with pytest.raises(TaskError, match="another task"):
        score(task, tmp_path, other)


def test_a_split_may_be_spread_over_files(tmp_path: Path) -> None:
    """The file with most of the predicted dialogues gives its own, the others what it lacks."""
    files = []
    for name, numbers in (("fashion_a", (1, 2)), ("fashion_b", (3,)), ("furniture_b", (4,))):
        record = GOLD["retrieval_candidates"][0]
        records = [{**record, "dialogue_idx": number} for number in numbers]
        files.append(tmp_path / f"{name}_dials_retrieval_candidates.json")
        files[-1].write_text(json.dumps({**GOLD, "retrieval_candidates": records}))
    turns = [{"turn_id": 0, "response": "it is red ."}, {"turn_id": 1, "response": "it is red ."}]
    predicted = [{"dialog_id": number, "predictions": turns} for number in (1, 2, 3, 4)]
    (tmp_path / "p.json").write_text(json.dumps(predicted))
    scoring = generation.TASK.score_file(tmp_path / "p.json", Gold(files=files))
    # Dialogue 4 is of the other domain.
    assert {each.dialogue_id for each in scoring.instances} == {
        "fashion-1",
        "fashion-2",
        "fashion-3",
    }
    assert kinds(scoring)["unknown dialogues"] == 1


def test_what_one_file_hides_another_may_have(tmp_path: Path) -> None:
    hidden = tmp_path / "fashion_devtest_dials_retrieval_candidates_teststd_format_public.json"
    record = GOLD["retrieval_candidates"][0]
    turns = [{**each, "gt_index": None} for each in record["retrieval_candidates"]]
    records = [{**record, "retrieval_candidates": turns}]
    hidden.write_text(json.dumps({**GOLD, "retrieval_candidates": records}))
    said = [{"system_transcript": "it is red ."}, {"system_transcript": ""}]
    dials = tmp_path / "fashion_devtest_dials_teststd_format_public.json"
    dials.write_text(json.dumps({"dialogue_data": [{"dialogue_idx": 3, "dialogue": said}]}))
    (tmp_path / "p.json").write_text(json.dumps(words("it is red .", "yes")))
    scoring = generation.TASK.score_file(tmp_path / "p.json", Gold(files=[hidden, dials]))
    # Only the last turn's words are hidden in both.
    assert [each.gold for each in scoring.instances] == ["it is red .", ""]
