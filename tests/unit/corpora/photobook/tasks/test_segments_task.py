from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.photobook.samples import OWL, SEA, SUN, message, small_log

from commonground.corpora.photobook.tasks.segments.task import TASK
from commonground.errors import SourceError, TaskError, UsageError
from commonground.metric import Values
from commonground.play.scenarios.photobook.simulate import simulate
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Scoring, select_inputs

# Messages 0 and 1 are texts, 2 and 3 clicks on the sun and the owl; 7 is the text of round 2.
RIGHT = [12, 0, [0, 1], [SUN, OWL]]


@pytest.fixture
def gold(tmp_path: Path) -> Gold:
    path = tmp_path / "12_7_9_3.json"
    path.write_text(json.dumps(small_log()))
    return Gold(files=[path])


def predict(tmp_path: Path, value: Any) -> Path:
    path = tmp_path / "segments.json"
    path.write_text(value if isinstance(value, str) else json.dumps(value))
    return path


def values(scoring: Scoring, measure: str = "segment_f1") -> Values:
    combine = next(m.combine for m in TASK.measures if m.name == measure)
    return combine(sum_counts(each.counts[measure] for each in scoring.instances))


def kinds(scoring: Scoring) -> dict[str, int]:
    return {problem.kind: problem.count for problem in scoring.problems}


@pytest.mark.parametrize("form", [[RIGHT], {"12": [RIGHT[1:]]}, [["12", 0, [1, 0], [OWL, SUN]]]])
def test_right_segments(gold: Gold, tmp_path: Path, form: Any) -> None:
    scoring = TASK.score_file(predict(tmp_path, form), gold)
    assert scoring.problems == []
    assert set(values(scoring).values()) == {1.0}
    assert scoring.instances[0].predicted == scoring.instances[0].gold == [RIGHT]


def test_chains_are_right_whatever_order_segments_were_made_in(tmp_path: Path) -> None:
    # A clicks the sun after all that was said of it: the heuristic has an empty segment come last.
    said = [
        ("B", "no sea here"),
        ("A", f"<selection> <dif> {SEA}"),
        ("A", "a yellow sun"),
        ("B", f"<selection> <com> {SUN}"),
        ("B", "that one i have"),
        ("A", f"<selection> <dif> {SUN}"),
    ]
    log = small_log()
    log["rounds"][0]["messages"] = [
        message(f"00:00:{place:02d}", place, *each) for place, each in enumerate(said)
    ]
    (tmp_path / "12_7_9_3.json").write_text(json.dumps(log))
    gold = Gold(files=[tmp_path / "12_7_9_3.json"])
    (game,) = TASK.instances(gold)
    assert [row[2] for row in game.gold] == [[0, 2], []]
    assert set(values(TASK.score_file(predict(tmp_path, game.gold), gold)).values()) == {1.0}


def test_a_segment_cut_in_two(gold: Gold, tmp_path: Path) -> None:
    scoring = TASK.score_file(predict(tmp_path, [[12, 0, [0], [SUN]], [12, 0, [1], [SUN]]]), gold)
    found = values(scoring)
    assert (found["segments_f1"], found["boundaries_f1"], found["chains_f1"]) == (0, 0, 0)
    # Two of four pairs of text and image are found, and no wrong one.
    assert (found["links_precision"], found["links_recall"]) == (1, 0.5)


def test_statistics(gold: Gold, tmp_path: Path) -> None:
    rows = [[12, 0, [0], [SUN]], [12, 0, [1], [SUN, SEA]], [12, 1, [], [SUN]]]
    found = values(TASK.score_file(predict(tmp_path, rows), gold), "statistics")
    assert found == {
        "games": 1,
        "segments": 3,
        "messages_per_segment_mean": pytest.approx(2 / 3),
        "empty_segments": 1,
        "targets_per_segment_1": 2,
        "share_1": pytest.approx(2 / 3),
        "targets_per_segment_2": 1,
        "share_2": pytest.approx(1 / 3),
        # The sea's chain has one segment, the sun's three.
        "chains": 2,
        "chains_ge2": 1,
        "mean_chain": 2,
        "segments_per_chain_1": 1,
        "segments_per_chain_3": 1,
    }


@pytest.mark.parametrize(
    ("row", "kind"),
    [
        ([12, 7, [0], [SUN]], "unknown rounds"),
        ([12, 0, [7], [SUN]], "messages of another round"),
        ([12, 0, [0, 0], [SUN]], "messages repeated in a segment"),
        ([12, 0, [0], ["x.jpg"]], "images that are not displayed"),
        (RIGHT, "repeated segments"),
        ([12, "one", [0], [SUN]], "segments of another form"),
        ([12, 0, [0]], "segments of another form"),
        ([], "segments of another form"),
        ("12", "segments of another form"),
        ([99, 0, [0], [SUN]], "unknown games"),
    ],
)
def test_wrong_segments_are_told(gold: Gold, tmp_path: Path, row: Any, kind: str) -> None:
    scoring = TASK.score_file(predict(tmp_path, [RIGHT, row]), gold)
    assert kinds(scoring) == {kind: 1}
    assert values(scoring)["segments_recall"] == 1


def test_missing_games(gold: Gold, tmp_path: Path) -> None:
    path = tmp_path / "13_7_9_3.json"
    path.write_text(json.dumps(small_log() | {"game_id": 13}))
    both = Gold(files=[*gold.files, path])
    scoring = TASK.score_file(predict(tmp_path, [RIGHT]), both)
    assert kinds(scoring) == {"missing games": 1}
    assert (values(scoring)["segments_recall"], values(scoring)["all_exact"]) == (0.5, 0.5)


@pytest.mark.parametrize("rows", [[], ["no segment"], {"round": 0}])
def test_a_game_that_is_named_is_predicted(gold: Gold, tmp_path: Path, rows: Any) -> None:
    path = tmp_path / "13_7_9_3.json"
    path.write_text(json.dumps(small_log() | {"game_id": 13}))
    both = Gold(files=[*gold.files, path])
    scoring = TASK.score_file(predict(tmp_path, {"12": [RIGHT[1:]], "13": rows}), both)
    assert "missing games" not in kinds(scoring)
    assert [each.is_missing for each in scoring.instances] == [False, False]
    assert values(scoring)["segments_recall"] == 0.5


def test_a_game_without_segments_is_not_missing(gold: Gold, tmp_path: Path) -> None:
    silent = small_log() | {"game_id": 13, "rounds": []}
    path = tmp_path / "13_7_9_3.json"
    path.write_text(json.dumps(silent))
    scoring = TASK.score_file(predict(tmp_path, [RIGHT]), Gold(files=[*gold.files, path]))
    assert scoring.problems == []
    assert values(scoring)["all_exact"] == 1


def test_a_cut_off_file_counts_as_far_as_it_goes(gold: Gold, tmp_path: Path) -> None:
    text = json.dumps([RIGHT, RIGHT])[:-9]
    scoring = TASK.score_file(predict(tmp_path, text), gold)
    assert kinds(scoring) == {"truncated or unreadable files": 1}
    assert values(scoring)["segments_f1"] == 1


@pytest.mark.parametrize("value", ["[", "no JSON", "[3]", {"12": 3}, [[99, 0, [0], []]], '{"a'])
def test_nothing_to_score(gold: Gold, tmp_path: Path, value: Any) -> None:
    with pytest.raises(TaskError, match="No segment in"):
        TASK.score_file(predict(tmp_path, value), gold)


def test_an_empty_or_absent_file(gold: Gold, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="is empty"):
        TASK.score_file(predict(tmp_path, " "), gold)
    with pytest.raises(SourceError, match="cannot be read"):
        TASK.score_file(tmp_path / "none", gold)


def test_instances(gold: Gold) -> None:
    (game,) = TASK.instances(gold)
    assert (game.instance_id, game.gold) == ("12", [RIGHT])
    second = select_inputs(TASK, game, ["rounds"])["rounds"][1]
    assert second["images"] == [SUN, SEA, OWL]
    assert second["messages"][0] == [7, "B", "sun again"]


def test_gold_that_cannot_be_read(gold: Gold, tmp_path: Path) -> None:
    path = tmp_path / "1_2_3_4.json"
    path.write_text("{")
    scoring = TASK.score_file(predict(tmp_path, [RIGHT]), Gold(files=[*gold.files, path]))
    assert (scoring.problems[0].kind, scoring.problems[0].skipped) == ("unreadable records", 1)
    with pytest.raises(TaskError, match=r"no right answers in .*1_2_3_4\.json: found 1 unreadable"):
        list(TASK.instances(Gold(files=[path])))
    with pytest.raises(TaskError, match="nothing to score against"):
        list(TASK.instances(Gold()))


def test_a_split_of_files(tmp_path: Path) -> None:
    simulate(tmp_path / "c", dialogues=12, seed=1)
    splits = json.loads(next((tmp_path / "c").rglob("data_splits.json")).read_text())
    gold = Gold(files=[tmp_path / "c"], split="train")
    found = [int(each.instance_id) for each in TASK.instances(gold)]
    assert found == sorted(splits["train"])
    assert found


def test_splits_that_are_not_known(gold: Gold, tmp_path: Path) -> None:
    with pytest.raises(TaskError, match="does not say which dialogues are in split 'dev'"):
        list(TASK.instances(Gold(files=gold.files, split="dev")))
    (tmp_path / "data_splits.json").write_text('{"train": [12], "dev": []}')
    with pytest.raises(UsageError, match="There is no split 'x'"):
        list(TASK.instances(Gold(files=[tmp_path], split="x")))


def test_games_are_in_order_of_their_ids(gold: Gold, tmp_path: Path) -> None:
    (tmp_path / "3_7_9_3.json").write_text(json.dumps(small_log() | {"game_id": 3}))
    assert [each.instance_id for each in TASK.instances(Gold(files=[tmp_path]))] == ["3", "12"]
