from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.taskmaster.samples import COFFEE, PLAIN, TICKETS, copy

from commonground.corpora.taskmaster.tasks.spans.task import TASK
from commonground.errors import TaskError
from commonground.metric import Values
from commonground.play.scenarios.taskmaster.simulate import simulate
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring

# "A drama in Köln?": Köln is 11 to 15.
KOELN = {"start": 11, "end": 15, "label": "location"}


@pytest.fixture
def gold(tmp_path: Path) -> Gold:
    path = tmp_path / "data_00.json"
    path.write_text(json.dumps([TICKETS]), "utf-8")
    return Gold(files=[path])


def predict(tmp_path: Path, *spans: Any, **more: Any) -> Path:
    path = tmp_path / "predicted.jsonl"
    rows: list[Any] = [{"instance_id": "dlg-tickets:0", "spans": list(spans)} | more]
    rows += [{"instance_id": f"dlg-tickets:{event}", "spans": []} for event in (2, 3)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")
    return path


def values(scoring: Scoring, measure: str = "span_f1") -> Values:
    combine = next(m.combine for m in TASK.measures if m.name == measure)
    return combine(sum_counts(each.counts[measure] for each in scoring.instances))


def kinds(scoring: Scoring) -> dict[str, int]:
    return {problem.kind: problem.count for problem in scoring.problems}


def test_right_spans(gold: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, KOELN), gold)
    assert (values(scoring)["exact_f1"], values(scoring)["all_exact"]) == (1, 1)
    assert values(scoring, "span_f1_by_label")["location:f1"] == 1
    assert not scoring.problems


def test_an_overlapping_and_a_wrong_span(gold: Gold, tmp_path: Path) -> None:
    spans = [KOELN | {"start": 8}, KOELN | {"label": "name.movie"}]
    found = values(TASK.score_file(predict(tmp_path, *spans), gold))
    # Of two predicted spans one overlaps, and the only gold one is found.
    assert (found["exact_f1"], found["overlap_precision"], found["overlap_recall"]) == (0, 0.5, 1)


@pytest.mark.parametrize(
    "bad", [3, {}, KOELN | {"start": "11"}, KOELN | {"end": True}, KOELN | {"label": None}]
)
def test_spans_of_another_form_are_wrong(gold: Gold, tmp_path: Path, bad: Any) -> None:
    scoring = TASK.score_file(predict(tmp_path, KOELN, bad), gold)
    assert kinds(scoring) == {"spans of another form": 1}
    assert values(scoring)["exact_precision"] == 0.5


@pytest.mark.parametrize("place", [{"start": -1}, {"end": 17}, {"start": 15}])
def test_spans_outside_the_text(gold: Gold, tmp_path: Path, place: dict[str, int]) -> None:
    scoring = TASK.score_file(predict(tmp_path, KOELN | place), gold)
    assert kinds(scoring) == {"spans outside the text": 1}
    assert values(scoring)["exact_f1"] == 0


def test_missing_unknown_and_listless_lines(gold: Gold, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    rows = [{"instance_id": "dlg-tickets:0"}, {"instance_id": "dlg-tickets:1", "spans": []}]
    rows.append({"instance_id": "dlg-tickets:2", "spans": []})
    path.write_text("\n".join(map(json.dumps, rows)))
    scoring = TASK.score_file(path, gold)
    # Event 1 is a call.
    assert kinds(scoring) == {
        "unknown instances": 1,
        "lines without a list of spans": 1,
        "missing instances": 1,
    }


def test_no_list_of_spans_at_all(gold: Gold, tmp_path: Path) -> None:
    path = tmp_path / "p.jsonl"
    path.write_text('{"instance_id": "dlg-tickets:0", "target": "[A]Hi"}')
    with pytest.raises(TaskError, match=r"No line of .* has a list of spans"):
        TASK.score_file(path, gold)


def test_a_released_file_with_predicted_segments(gold: Gold, tmp_path: Path) -> None:
    predicted = copy(TICKETS)
    predicted["utterances"][1]["text"] = "Wait!"
    path = tmp_path / "predicted.json"
    path.write_text(json.dumps([predicted, COFFEE, 3]))
    scoring = TASK.score_file(path, gold)
    assert values(scoring)["exact_f1"] == 1
    assert kinds(scoring) == {
        "unreadable records in the predictions": 1,
        "other texts": 1,
        "unknown instances": 2,
    }
    assert sum(problem.skipped for problem in scoring.problems) == 0


def test_a_dialogue_that_cannot_be_read_is_named(gold: Gold, tmp_path: Path) -> None:
    other = copy(TICKETS) | {"conversation_id": "dlg-other"}
    (tmp_path / "data_01.json").write_text(json.dumps([other]), "utf-8")
    misspelt = {"conversation_id": "dlg-other", "utterance": other["utterances"]}
    path = tmp_path / "predicted.json"
    path.write_text(json.dumps([TICKETS, misspelt]))
    scoring = TASK.score_file(path, Gold(files=[*gold.files, tmp_path / "data_01.json"]))
    assert kinds(scoring) == {"unreadable records in the predictions": 1}
    assert not any(each.is_missing for each in scoring.instances)
    assert values(scoring)["exact_recall"] == 0.5


@pytest.mark.parametrize("text", ["[]", "[3]", json.dumps([COFFEE]), '[{"conversation_id'])
def test_a_released_file_with_nothing_of_it(gold: Gold, tmp_path: Path, text: str) -> None:
    path = tmp_path / "predicted.json"
    path.write_text(text)
    with pytest.raises(TaskError, match="No utterance of"):
        TASK.score_file(path, gold)


def test_instances_of_every_generation(tmp_path: Path) -> None:
    path = tmp_path / "self-dialogs.json"
    path.write_text(json.dumps([PLAIN, TICKETS, COFFEE]))
    found = {each.instance_id: each for each in TASK.instances(Gold(files=[path]))}
    assert list(found)[:3] == ["dlg-plain:0", "dlg-plain:1", "dlg-tickets:0"]
    assert found["dlg-plain:1"].inputs["history"] == [["ASSISTANT", "Hello?"]]
    assert len(found["dlg-plain:1"].gold) == 3
    assert found["dlg-tickets:0"].gold == [KOELN]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
def test_gold_spans_of_a_simulated_corpus_are_right(number: int, tmp_path: Path) -> None:
    simulate(tmp_path / "c", corpus=f"taskmaster{number}", dialogues=12, seed=1)
    named = tmp_path / "c" / ("self-dialogs.json" if number == 1 else "data")
    gold = Gold(files=[named])
    path = tmp_path / "p.jsonl"
    rows = [{"instance_id": i.instance_id, "spans": i.gold} for i in TASK.instances(gold)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    scoring = TASK.score_file(path, gold)
    assert not scoring.problems
    assert values(scoring)["all_exact"] == 1
