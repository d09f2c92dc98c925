from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.taskmaster.samples import COFFEE, TICKETS

from commonground.corpora import get_corpus
from commonground.corpora.taskmaster.tasks.actions.task import TASK, show_target
from commonground.errors import SourceError, TaskError
from commonground.metric import Values
from commonground.play.scenarios.taskmaster.simulate import simulate
from commonground.statistics.counts import sum_counts
from commonground.store.importing import import_corpus
from commonground.store.opening import load
from commonground.task import Gold, Scoring, select_inputs

CALL = "[PN]find_movies[PAN]location[PAV]Köln"
TEXT = "[A]One moment, I look."
ROWS = [
    ("<U>A drama?<S>", CALL, "dlg-1"),
    ("<PR>find_movies<PRAN>name.movie<PRAV>Nebel<C><U>A drama?<PN>find_movies", TEXT, "dlg-1"),
    ("<U>Hello", "nothing that is tagged", "dlg-2"),
]


def write_rows(path: Path, rows: list[tuple[str, str, str]]) -> Gold:
    path.write_text("".join("\t".join(row) + "\n" for row in rows), "utf-8")
    return Gold(files=[path])


@pytest.fixture
def rows(tmp_path: Path) -> Gold:
    return write_rows(tmp_path / "test-aa.tsv", ROWS)


@pytest.fixture
def raw(tmp_path: Path) -> Gold:
    path = tmp_path / "data_00.json"
    path.write_text(json.dumps([TICKETS]), "utf-8")
    return Gold(files=[path])


def predict(tmp_path: Path, lines: list[Any]) -> Path:
    path = tmp_path / "predicted.txt"
    texts = [line if isinstance(line, str) else json.dumps(line) for line in lines]
    path.write_text("\n".join(texts) + "\n", "utf-8")
    return path


def values(scoring: Scoring, measure: str) -> Values:
    combine = next(m.combine for m in TASK.measures if m.name == measure)
    return combine(sum_counts(s.counts[measure] for s in scoring.instances if measure in s.counts))


def kinds(scoring: Scoring) -> dict[str, int]:
    return {problem.kind: problem.count for problem in scoring.problems}


UNREADABLE_GOLD = {"rows without a readable target": 1}


def test_right_targets_by_line(rows: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, [CALL, TEXT]), rows)
    assert kinds(scoring) == UNREADABLE_GOLD
    assert values(scoring, "argument_f1")["exact_match"] == 1
    assert values(scoring, "exact_target") == {"exact_target": 1}
    assert values(scoring, "bleu")["bleu"] == pytest.approx(1)


def test_one_wrong_argument(rows: Gold, tmp_path: Path) -> None:
    wrong = {
        "instance_id": "test-aa.tsv:1",
        "call": {"name": "find_movies", "arguments": {"location": "Bonn", "name.genre": "drama"}},
    }
    right = {"instance_id": "test-aa.tsv:2", "text": "one MOMENT,  i look."}
    scoring = TASK.score_file(predict(tmp_path, [wrong, right]), rows)
    found = values(scoring, "argument_f1")
    # The API is right; of two arguments none is, of one in the gold none is found.
    assert (found["name_accuracy"], found["call_f1"], found["argument_f1"]) == (1, 1, 0)
    assert values(scoring, "exact_target") == {"exact_target": 0.5}


def test_a_released_row_with_a_predicted_target(rows: Gold, tmp_path: Path) -> None:
    lines = ["\t".join(ROWS[0]), "\t".join(("<U>Another context", TEXT, "dlg-1"))]
    scoring = TASK.score_file(predict(tmp_path, lines), rows)
    assert kinds(scoring) == UNREADABLE_GOLD | {"rows of another context": 1}
    assert values(scoring, "argument_f1")["exact_match"] == 0.5


def test_missing_is_wrong_though_no_call_was_due(rows: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, [CALL]), rows)
    assert kinds(scoring) == UNREADABLE_GOLD | {"missing instances": 1}
    found = values(scoring, "argument_f1")
    assert (found["name_accuracy"], found["exact_match"]) == (0.5, 0.5)
    assert values(scoring, "bleu") == {"bleu": 0}


def test_what_is_wrong_with_lines(rows: Gold, tmp_path: Path) -> None:
    first = {"instance_id": "test-aa.tsv:1", "target": CALL}
    lines = [first, first, {"instance_id": "x"}, {"target": TEXT}, '{"instance_id": "test-']
    scoring = TASK.score_file(predict(tmp_path, lines), rows)
    assert kinds(scoring) == UNREADABLE_GOLD | {
        "repeated instances": 1,
        "unknown instances": 1,
        "lines without instance_id": 1,
        "lines that are not JSON": 1,
        "missing instances": 1,
    }


@pytest.mark.parametrize(
    "bad",
    [
        {"target": "no tags"},
        {"target": "[U]The user's."},
        {"target": TEXT + TEXT},
        {"target": 3},
        {"text": 3},
        {"call": "find_movies"},
        {"call": {"name": None}},
        {},
    ],
)
def test_unreadable_predictions(rows: Gold, tmp_path: Path, bad: dict[str, Any]) -> None:
    lines = [{"instance_id": "test-aa.tsv:1"} | bad, {"instance_id": "test-aa.tsv:2", "text": ""}]
    scoring = TASK.score_file(predict(tmp_path, lines), rows)
    assert kinds(scoring) == UNREADABLE_GOLD | {"unreadable predictions": 1}
    assert scoring.instances[0].predicted is None


def test_lines_too_many(rows: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, [CALL, TEXT, TEXT]), rows)
    assert kinds(scoring) == UNREADABLE_GOLD | {"lines too many": 1}


@pytest.mark.parametrize("lines", [[{"instance_id": "x"}], ["[{]"], [""], ["[1, 2]"]])
def test_nothing_to_score(rows: Gold, tmp_path: Path, lines: list[Any]) -> None:
    with pytest.raises(TaskError, match=r"No line of|is empty"):
        TASK.score_file(predict(tmp_path, lines), rows)


def test_files_that_are_not_there(rows: Gold, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        TASK.score_file(tmp_path / "none", rows)


def test_gold_that_holds_nothing(tmp_path: Path) -> None:
    path = predict(tmp_path, [CALL])
    with pytest.raises(TaskError, match="nothing to score against"):
        TASK.score_file(path, Gold())
    with pytest.raises(TaskError, match=r"no right answers in .*predicted\.txt: found nothing"):
        TASK.score_file(path, Gold(files=[path]))


def test_a_split_of_rows_but_not_of_dialogues(rows: Gold, raw: Gold, tmp_path: Path) -> None:
    path = predict(tmp_path, [CALL, TEXT])
    assert TASK.score_file(path, Gold(files=rows.files, split="test")).instances
    with pytest.raises(TaskError, match="no right answers"):
        TASK.score_file(path, Gold(files=rows.files, split="dev"))
    with pytest.raises(TaskError, match="split 'test'"):
        TASK.score_file(path, Gold(files=raw.files, split="test"))


def test_instances_of_rows(rows: Gold) -> None:
    first, second = TASK.instances(rows)
    assert (first.instance_id, first.dialogue_id, first.gold) == ("test-aa.tsv:1", "dlg-1", CALL)
    history = second.inputs["history"]
    assert [next(iter(turn)) for turn in history] == ["user", "call", "response"]
    assert select_inputs(TASK, first, ["context"]) == {"context": "<U>A drama?<S>"}
    with pytest.raises(TaskError, match="does not allow"):
        select_inputs(TASK, first, ["response"])


def test_instances_of_dialogues(raw: Gold) -> None:
    # Events: user, call, "Wait.", "Nebel."; the last follows words of the agent itself.
    call, wait = TASK.instances(raw)
    assert (call.instance_id, call.gold) == ("dlg-tickets:1", CALL)
    assert (wait.event, wait.gold) == (2, "[A]Wait.")
    assert wait.inputs["context"].startswith("<PR>find_movies<PRAN>name.movie_1<PRAV>Nebel<C><U>")


def test_requests_of_generation_4(tmp_path: Path) -> None:
    path = tmp_path / "data_00.json"
    path.write_text(json.dumps([COFFEE]), "utf-8")
    gold = Gold(files=[path])
    targets = [each.gold for each in TASK.instances(gold)]
    # A request that is no JSON, and none at all, are there too.
    assert targets[:2] == ["[PN]get_menu_items[PAN]query[PAV]té", "[PN]show_menu"]
    scoring = TASK.score_file(predict(tmp_path, targets), gold)
    assert values(scoring, "exact_target") == {"exact_target": 1}


def test_unreadable_dialogues_are_told(tmp_path: Path, raw: Gold) -> None:
    path = tmp_path / "data_01.json"
    path.write_text('[{"conversation_id": 1}]')
    gold = Gold(files=[*raw.files, path])
    scoring = TASK.score_file(predict(tmp_path, [CALL]), gold)
    assert kinds(scoring) == {"unreadable records": 1, "missing instances": 1}
    assert scoring.problems[0].skipped == 1


@pytest.mark.parametrize("corpus", ["taskmaster3", "taskmaster4"])
def test_gold_targets_of_a_simulated_corpus_are_right(corpus: str, tmp_path: Path) -> None:
    simulate(tmp_path / "c", corpus=corpus, dialogues=20, seed=1)
    for part in ("data", "splits"):
        folder = tmp_path / "c" / part
        if not folder.is_dir():
            continue
        gold = Gold(files=[folder])
        targets = [{"instance_id": i.instance_id, "target": i.gold} for i in TASK.instances(gold)]
        scoring = TASK.score_file(predict(tmp_path, targets), gold)
        assert not scoring.problems
        assert values(scoring, "exact_target") == {"exact_target": 1}


def test_an_import_gives_its_rows_in_order_of_lines(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    write_rows(folder / "test-aa.tsv", ROWS[:1] * 11)
    write_rows(folder / "dev.tsv", ROWS[:1])
    (folder / "data_00.json").write_text(json.dumps([TICKETS]), "utf-8")
    import_corpus(get_corpus("taskmaster3"), [folder], store=tmp_path / "store", jobs=1)
    for source in (Gold(files=[folder]), Gold(corpus=load("taskmaster3", tmp_path / "store"))):
        found = [each.instance_id for each in TASK.instances(source)]
        assert found == ["dev.tsv:1", *(f"test-aa.tsv:{line}" for line in range(1, 12))]
        source.split = "dev"
        assert [each.instance_id for each in TASK.instances(source)] == ["dev.tsv:1"]


def test_rows_stand_for_the_dialogues_that_they_are_made_of(rows: Gold, raw: Gold) -> None:
    both = Gold(files=[*rows.files, *raw.files])
    assert list(TASK.instances(both)) == list(TASK.instances(rows))


def test_folders_may_hold_other_files(tmp_path: Path) -> None:
    simulate(tmp_path / "c", corpus="taskmaster4", dialogues=3, seed=1)
    whole = list(TASK.instances(Gold(files=[tmp_path / "c"])))
    assert whole == list(TASK.instances(Gold(files=[tmp_path / "c" / "data"])))


def test_two_dialogues_of_one_id_are_two_instances(tmp_path: Path) -> None:
    path = tmp_path / "data_00.json"
    path.write_text(json.dumps([TICKETS, TICKETS]), "utf-8")
    found = [each.instance_id for each in TASK.instances(Gold(files=[path]))]
    assert found == ["dlg-tickets:1", "dlg-tickets:2", "dlg-tickets~2:1", "dlg-tickets~2:2"]


def test_predictions_that_are_no_text_or_a_folder(rows: Gold, tmp_path: Path) -> None:
    path = tmp_path / "p" / "x.txt"
    path.parent.mkdir()
    path.write_bytes(b"[A]\xff")
    with pytest.raises(TaskError, match="not UTF-8 at byte 3"):
        TASK.score_file(path, rows)
    with pytest.raises(SourceError, match="cannot be read"):
        TASK.score_file(path.parent, rows)


def test_targets_are_shown_as_words_and_calls() -> None:
    shown = show_target("[PN]find[PAN]city[PAV]Oslo")
    assert shown == {"text": None, "call": "find", "arguments": {"city": "Oslo"}}
    assert show_target("[A]hello") == {"text": "hello", "call": None, "arguments": {}}
