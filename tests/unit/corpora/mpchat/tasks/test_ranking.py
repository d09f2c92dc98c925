"""How scores of candidates are read, and how odd ones are answered."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.mpchat.tasks.ranking_samples import (
    gold_of,
    right_lines,
    score,
    values_of,
)

from commonground.bench.evaluation.tasks import get_task
from commonground.corpora.mpchat.tasks.gpp import TASK as GPP
from commonground.corpora.mpchat.tasks.nrp import TASK
from commonground.corpora.mpchat.tasks.ranking import OFFICIAL
from commonground.corpora.mpchat.tasks.si import TASK as SI
from commonground.errors import SourceError, TaskError, UsageError
from commonground.task import Gold, Published, Scoring, Task


@pytest.fixture(scope="module")
def gold(tmp_path_factory: pytest.TempPathFactory) -> Gold:
    return gold_of(TASK, tmp_path_factory.mktemp("mpchat"), None)


@pytest.fixture
def lines(gold: Gold) -> list[Any]:
    return list(right_lines(TASK, gold))


def kinds(scoring: Scoring) -> dict[str, tuple[int, int]]:
    assert all(each.official == OFFICIAL[each.kind] for each in scoring.problems)
    return {each.kind: (each.count, each.skipped) for each in scoring.problems}


def test_missing_instances_are_skipped(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    scoring = score(TASK, tmp_path, gold, lines[1:])
    assert kinds(scoring) == {"missing instances": (1, 1)}
    assert [each.is_missing for each in scoring.instances] == [True] + [False] * (len(lines) - 1)
    assert not scoring.instances[0].counts


def test_wrong_number_of_scores(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    lines[0]["scores"].pop()
    scoring = score(TASK, tmp_path, gold, lines)
    assert kinds(scoring) == {"wrong number of scores": (1, 0)}
    assert scoring.instances[0].counts["recall_at_k"]["reciprocal"] == 0
    assert "expected 100 candidates, found 99 scores" in scoring.problems[0].example


def test_labels(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    lines[0] |= {"label": 100}
    lines[1] |= {"label": 1}
    scoring = score(TASK, tmp_path, gold, lines)
    assert kinds(scoring) == {"labels out of range": (1, 0), "labels other than 0": (1, 0)}
    found = [each.counts["recall_at_k"]["reciprocal"] for each in scoring.instances[:2]]
    assert found == [0, 0.5]


def test_nan_is_reported(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    lines[0]["scores"][0] = float("nan")
    scoring = score(TASK, tmp_path, gold, lines)
    assert kinds(scoring) == {"not a number": (1, 0)}
    counts = scoring.instances[0].counts
    assert counts["recall_at_k"]["reciprocal"] == 1
    assert counts["recall_at_k_pessimistic"]["reciprocal"] == 0.01


def test_infinite_scores_are_reported(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    lines[0]["scores"][5] = float("-inf")
    scoring = score(TASK, tmp_path, gold, lines)
    assert kinds(scoring) == {"infinite scores": (1, 0)}
    assert scoring.instances[0].counts["recall_at_k"]["reciprocal"] == 1


def test_ties_are_reported(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    lines[0]["scores"] = [0.5] * 100
    scoring = score(TASK, tmp_path, gold, lines)
    assert kinds(scoring) == {"ties": (1, 0)}
    counts = scoring.instances[0].counts
    # Of 100 equals any may be first: the headline is the mean, with both ends beside it.
    mean = sum(1 / rank for rank in range(1, 101)) / 100
    assert counts["recall_at_k"]["reciprocal"] == pytest.approx(mean)
    assert counts["recall_at_k"]["hits@1"] == 0.01
    assert counts["recall_at_k_optimistic"]["reciprocal"] == 1
    assert counts["recall_at_k_pessimistic"]["reciprocal"] == 0.01


def test_repeated_and_unknown_instances(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    wrong = lines[0] | {"scores": [0.0, *lines[0]["scores"][1:]]}
    stranger = lines[0] | {"dialogue_id": "nobody"}
    scoring = score(TASK, tmp_path, gold, [wrong, *lines, stranger])
    assert kinds(scoring) == {"unknown instances": (1, 0), "repeated instances": (1, 0)}
    assert values_of(TASK, scoring)["recall@1"] == 1


def test_cut_off_line(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    scoring = score(TASK, tmp_path, gold, [*lines[:-1], json.dumps(lines[-1])[:-9], ""])
    assert kinds(scoring) == {"unreadable lines": (1, 0), "missing instances": (1, 1)}


def test_a_line_that_names_an_instance_counts_as_wrong(
    gold: Gold, lines: list[Any], tmp_path: Path
) -> None:
    lines[0]["score"] = lines[0].pop("scores")
    scoring = score(TASK, tmp_path, gold, lines)
    assert kinds(scoring) == {"unreadable lines": (1, 0)}
    assert "missing required field `scores`" in scoring.problems[0].example
    assert not any(each.is_missing for each in scoring.instances)
    assert values_of(TASK, scoring)["recall@1"] == 1 - 1 / len(lines)


def test_matrix_is_the_same(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    rows = [line["scores"] for line in lines]
    by_line = score(TASK, tmp_path, gold, lines)
    for text in (json.dumps(rows), json.dumps({"logits": rows}, indent=1)):
        assert score(TASK, tmp_path, gold, [text]).instances == by_line.instances


def test_matrix_with_nan(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    rows = [line["scores"] for line in lines]
    rows[0][5] = float("nan")
    assert kinds(score(TASK, tmp_path, gold, [json.dumps(rows)])) == {"not a number": (1, 0)}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ('{"dialogue_id": "x"}', "no line of scores: line 1"),
        ("[[1, 2]", "not a matrix of scores, or was cut off"),
        ('[{"dialog_id": 1}]', "not a matrix of scores"),
        ("[[1, 2]]", "1 row of scores, and the gold threads have"),
        ('{"logits": [[1]], "labels": []}', "1 row and 0 labels"),
        ('{"dialogue_id": "x", "turn": 0, "scores": [1]}', "unknown instances: 1"),
    ],
)
def test_what_cannot_be_scored(gold: Gold, tmp_path: Path, text: str, message: str) -> None:
    with pytest.raises(TaskError, match=message.replace("[", r"\[")):
        score(TASK, tmp_path, gold, [text])


def test_odd_numbers_of_candidates(tmp_path: Path) -> None:
    thread = {"messages": ["a"], "message_ids": ["1"], "authors": ["A"], "main_author": "A"}
    numbers = (3, 2, 101)
    threads = [
        thread | {"candidate_personas": [], "nrp_candidate_responses": [["a"] * n]} for n in numbers
    ]
    path = tmp_path / "threads.json"
    path.write_text(json.dumps({"val": threads}))
    rows = [list(range(n)) for n in numbers]
    scoring = score(TASK, tmp_path, Gold(files=[path]), [json.dumps(rows)])
    assert kinds(scoring) == {
        "candidates that differ in number": (1, 0),
        "too many candidates": (1, 1),
    }


def test_gold_of_another_task_is_refused(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    with pytest.raises(TaskError, match=r"no right answers in .*mpchat_nrp\.json"):
        score(GPP, tmp_path, gold, lines)


def test_gold_that_is_missing(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    broken = tmp_path / "broken.json"
    broken.write_text('{"val": [')
    with pytest.raises(TaskError, match=r"no right answers in .*broken\.json"):
        score(TASK, tmp_path, Gold(files=[broken]), lines)
    with pytest.raises(TaskError, match="nothing to score against"):
        score(TASK, tmp_path, Gold(), lines)
    with pytest.raises(TaskError, match=r"of train has candidates to rank: the first is"):
        score(TASK, tmp_path, Gold(files=gold.files, split="train"), lines)
    with pytest.raises(UsageError, match="test"):
        score(TASK, tmp_path, Gold(files=gold.files, split="tset"), lines)


def test_a_missing_file_is_told(gold: Gold, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        TASK.score_file(tmp_path / "none", gold)


def test_a_folder_holds_other_files_too(gold: Gold, lines: list[Any], tmp_path: Path) -> None:
    folder = gold.files[0].parent
    # One is of addresses of pictures: an object of texts, not of lists of threads.
    assert (folder / "dialog_image_urls.json").exists()
    assert len(score(TASK, tmp_path, Gold(files=[folder]), lines).instances) == len(lines)


@pytest.mark.parametrize(("task", "count"), [(TASK, 17), (GPP, 24), (SI, 10)])
def test_published_numbers_stand_beside_ours(task: Task, count: int) -> None:
    published = get_task(task.name).published
    assert len(published) == count
    for each in published:
        assert each.split == "test"
        assert 0 < each.values["recall@1"] < each.values["mrr"] < 1
        assert each.deviations.keys() == (set() if is_single(each) else each.values.keys())
    marked = [each.system for each in published if each.marks]
    assert marked
    assert not [each for each in marked if "persona" not in each]


def is_single(published: Published) -> bool:
    """Whether a system was run once: nothing was learned."""
    return "zero-shot" in published.system or published.system.startswith("IR baseline")


def test_published_numbers_are_those_of_the_slides() -> None:
    (line,) = [
        each for each in get_task("mpchat/nrp").published if each.system == "SBERT+ViT, persona"
    ]
    # 65.29±0.66** and 75.08±0.43** on slide 14
    assert line.values == {"recall@1": 0.6529, "mrr": 0.7508}
    assert line.deviations == {"recall@1": 0.0066, "mrr": 0.0043}
    assert line.marks == {"recall@1": "**", "mrr": "**"}
