"""Frame tracking on simulated dialogues: what is scored, and how odd predictions are answered."""

from __future__ import annotations

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonground.bench.evaluation.scoring import evaluate_predictions
from commonground.corpora.frames.tasks.gold import name_split
from commonground.corpora.frames.tasks.tracking.task import OFFICIAL, TASK
from commonground.errors import SourceError, TaskError, UsageError
from commonground.play.scenarios.frames.simulate import simulate
from commonground.statistics.counts import sum_counts
from commonground.task import Gold, Problem, Scoring


@pytest.fixture(scope="module")
def released(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("frames")
    simulate(folder, dialogues=11, seed=4)
    return folder / "frames.json"


@pytest.fixture(scope="module")
def right(released: Path) -> list[dict[str, Any]]:
    """Predictions that give the annotated frames nearly all the probability."""
    dialogues: list[dict[str, Any]] = json.loads(released.read_bytes())
    for dialogue in dialogues:
        before = 1
        for turn in dialogue["turns"]:
            labels = turn["labels"]
            if turn["author"] == "user":
                acts = [answer_act(act, labels["active_frame"], before) for act in labels["acts"]]
                turn["predictions"] = {"acts": acts}
            before = len(labels["frames"]) + 1
            del turn["labels"]
    return dialogues


def answer_act(act: dict[str, Any], active: int, width: int) -> dict[str, Any]:
    """Answers an act with its own frames; bare references get a list of their own."""
    args, bare, annotated = [], set(), False
    for arg in act["args"]:
        targets = arg["val"] if arg["key"] in ("ref", "read", "write") else None
        if targets is None:
            args.append(refer(share(active, width), arg))
        for target in targets or ():
            annotated = annotated or bool(target["annotations"])
            args += [refer(share(target["frame"], width), each) for each in target["annotations"]]
            if not target["annotations"]:
                bare.add(target["frame"])
    if bare or not annotated:
        wanted = bare or {active}
        args.append(refer([0.9 if n + 1 in wanted else 0.1 for n in range(width)]))
    return {"name": act["name"], "args": args}


def share(frame: int, width: int) -> list[float]:
    return [0.75 if number + 1 == frame else 0.25 / width for number in range(width)]


def refer(shares: list[float], *annotations: dict[str, Any]) -> dict[str, Any]:
    return {"key": "ref", "val": [{"frame": shares, "annotations": list(annotations)}]}


Change = Callable[[list[dict[str, Any]]], None]


@pytest.fixture
def scorer(
    released: Path, right: list[dict[str, Any]], tmp_path: Path
) -> Callable[[Change], Scoring]:
    def run(change: Change) -> Scoring:
        dialogues = copy.deepcopy(right)
        change(dialogues)
        path = tmp_path / "predictions.json"
        path.write_text(json.dumps(dialogues))
        return TASK.score_file(path, Gold(files=[released]))

    return run


def first_shares(dialogues: list[dict[str, Any]]) -> list[float]:
    """Returns the probabilities of the first slot."""
    acts = dialogues[0]["turns"][0]["predictions"]["acts"]
    targets = [arg["val"][0] for act in acts for arg in act["args"]]
    shares: list[float] = next(each["frame"] for each in targets if each["annotations"])
    return shares


def leave(dialogues: list[dict[str, Any]]) -> None:
    """Leaves all as it is."""


def only_problem(scoring: Scoring) -> Problem:
    (problem,) = scoring.problems
    assert problem.official == OFFICIAL[problem.kind]
    return problem


def test_right_frames_are_right(scorer: Callable[[Change], Scoring]) -> None:
    scoring = scorer(leave)
    sums = sum_counts(each.counts["frames_tracking"] for each in scoring.instances)
    values = TASK.measures[0].combine(sums)
    assert scoring.problems == []
    assert values["total_accuracy"] == 1
    assert values["total_noanno_accuracy"] == 1


def test_all_folds_and_their_mean(scorer: Callable[[Change], Scoring]) -> None:
    scoring = scorer(leave)
    name = TASK.measures[2].name
    values = TASK.measures[2].combine(sum_counts(e.counts[name] for e in scoring.instances))
    folds = [values[f"fold-{fold}:total_accuracy"] for fold in range(1, 11)]
    assert folds == [1.0] * 10
    assert values["mean:total_accuracy"] == 1.0


def drop_dialogue(dialogues: list[dict[str, Any]]) -> None:
    del dialogues[0]


def drop_turn(dialogues: list[dict[str, Any]]) -> None:
    del next(each for each in dialogues if each["turns"][-1]["author"] == "user")["turns"][-1]


def drop_last_of_wizard(dialogues: list[dict[str, Any]]) -> None:
    del next(each for each in dialogues if each["turns"][-1]["author"] == "wizard")["turns"][-1]


def drop_predictions(dialogues: list[dict[str, Any]]) -> None:
    del dialogues[0]["turns"][0]["predictions"]


def drop_act(dialogues: list[dict[str, Any]]) -> None:
    del dialogues[0]["turns"][0]["predictions"]["acts"][0]


def spoil_act(dialogues: list[dict[str, Any]]) -> None:
    dialogues[0]["turns"][0]["predictions"]["acts"][0] = "inform"


def repeat_dialogue(dialogues: list[dict[str, Any]]) -> None:
    dialogues.append(dialogues[0])


def add_dialogue(dialogues: list[dict[str, Any]]) -> None:
    dialogues.append(dialogues[0] | {"id": "nobody"})


def add_junk(dialogues: list[Any]) -> None:
    dialogues.append({"id": "no turns"})


def set_nan(dialogues: list[dict[str, Any]]) -> None:
    first_shares(dialogues)[0] = float("nan")


def lengthen(dialogues: list[dict[str, Any]]) -> None:
    first_shares(dialogues).extend([0, 0])


def double(dialogues: list[dict[str, Any]]) -> None:
    first_shares(dialogues)[:] = [0.9, 0.9]


def negate(dialogues: list[dict[str, Any]]) -> None:
    first_shares(dialogues)[:] = [0.5, -0.5]


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (drop_dialogue, "missing dialogues"),
        (drop_predictions, "turns without predictions"),
    ],
)
def test_what_cannot_be_scored_is_skipped(
    scorer: Callable[[Change], Scoring], change: Change, kind: str
) -> None:
    whole = len(scorer(leave).instances)
    scoring = scorer(change)
    problem = only_problem(scoring)
    assert (problem.kind, problem.count) == (kind, 1)
    assert problem.skipped == whole - sum(bool(each.counts) for each in scoring.instances) > 0


def misspell_acts(dialogues: list[dict[str, Any]]) -> None:
    turn = dialogues[0]["turns"][0]
    turn["predictions"] = {"act": turn["predictions"]["acts"]}


def misspell_turns(dialogues: list[dict[str, Any]]) -> None:
    dialogues[0]["turn"] = dialogues[0].pop("turns")


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (drop_turn, "missing or extra turns"),
        (drop_act, "acts unlike the annotated"),
        (spoil_act, "acts unlike the annotated"),
        (misspell_acts, "predictions without acts"),
        (misspell_turns, "not dialogues"),
    ],
)
def test_what_is_predicted_and_cannot_be_read_is_wrong(
    scorer: Callable[[Change], Scoring], change: Change, kind: str
) -> None:
    right, scoring = scorer(leave), scorer(change)
    problem = only_problem(scoring)
    assert (problem.kind, problem.count, problem.skipped) == (kind, 1, 0)
    odd = [each for each in scoring.instances if each.answer is None]
    assert odd
    assert not any(each.is_missing for each in odd)
    wanted = {each.instance_id: each.counts["frames_tracking"] for each in right.instances}
    for each in odd:
        counts = each.counts["frames_tracking"]
        for name, count in wanted[each.instance_id].items():
            if name.endswith(("_cnt", "_count")):
                assert counts[name] == count
            elif name.endswith("_accuracy"):
                assert counts[name] == 0


def test_a_fold_that_cannot_be_read_counts(
    released: Path, right: list[dict[str, Any]], tmp_path: Path
) -> None:
    path, gold = tmp_path / "predictions.json", Gold(files=[released])
    kept = {"fold-2", "fold-4"}
    given = [d for d in copy.deepcopy(right) if name_split(d["user_id"]) in kept]
    for dialogue in given:
        for turn in dialogue["turns"]:
            if name_split(dialogue["user_id"]) == "fold-4" and "predictions" in turn:
                turn["predictions"] = {"act": turn["predictions"]["acts"]}
    path.write_text(json.dumps(given))
    result = evaluate_predictions(TASK, path, gold, intervals=False).result
    assert {each.split for each in result.coverage} == kept
    assert all(each.predicted == each.of > 0 for each in result.coverage)
    (problem,) = result.problems
    fold = next(each for each in result.coverage if each.split == "fold-4")
    assert (problem.kind, problem.count) == ("predictions without acts", fold.of)
    assert "found 'act'" in problem.example
    (accuracy,) = [v.value for v in result.measures[0].values if v.name == "total_noanno_accuracy"]
    assert accuracy is not None
    assert 0 < accuracy < 1


@pytest.mark.parametrize(
    ("change", "kind"),
    [
        (repeat_dialogue, "repeated dialogues"),
        (add_dialogue, "unknown dialogues"),
        (add_junk, "not dialogues"),
        (set_nan, "not a number"),
        (lengthen, "wrong number of probabilities"),
        (double, "sums above 1"),
        (negate, "not probabilities"),
        (drop_last_of_wizard, "missing last turns of the wizard"),
    ],
)
def test_what_is_odd_is_reported(
    scorer: Callable[[Change], Scoring], change: Change, kind: str
) -> None:
    problem = only_problem(scorer(change))
    assert (problem.kind, problem.count, problem.skipped) == (kind, 1, 0)


def test_certain_references_make_infinite_likelihoods(scorer: Callable[[Change], Scoring]) -> None:
    def certain(dialogues: list[dict[str, Any]]) -> None:
        acts = dialogues[0]["turns"][0]["predictions"]["acts"]
        acts[0]["args"][-1] = refer([1.0])

    assert only_problem(scorer(certain)).kind == "infinite log-likelihoods"


def test_other_values_are_reported(scorer: Callable[[Change], Scoring]) -> None:
    def rename(dialogues: list[dict[str, Any]]) -> None:
        for turn in dialogues[0]["turns"]:
            for act in turn.get("predictions", {"acts": []})["acts"]:
                for arg in act["args"]:
                    for each in arg["val"][0]["annotations"]:
                        each["val"] = "elsewhere"

    assert only_problem(scorer(rename)).kind == "other values"


@pytest.mark.parametrize("text", ["[", '"frames"', "[]", '[{"dialog_id": 3}]', '{"a": {}}'])
def test_other_files_are_refused(released: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "other.json"
    path.write_text(text)
    with pytest.raises(TaskError, match=r"other\.json"):
        TASK.score_file(path, Gold(files=[released]))


def test_nothing_scored_says_why(released: Path, tmp_path: Path) -> None:
    path = tmp_path / "empty.json"
    path.write_text('[{"id": "x", "turns": []}]')
    with pytest.raises(TaskError, match="missing dialogues: 11"):
        TASK.score_file(path, Gold(files=[released]))


def test_a_dialogue_without_turns_has_nothing_to_score(
    released: Path, right: list[dict[str, Any]], tmp_path: Path
) -> None:
    gold, path = tmp_path / "frames.json", tmp_path / "predictions.json"
    silent = {"id": "silent", "user_id": "U1", "turns": []}
    gold.write_text(json.dumps([*json.loads(released.read_bytes()), silent]))
    path.write_text(json.dumps([*right, silent]))
    found = TASK.score_file(path, Gold(files=[gold])).instances
    path.write_text(json.dumps(right))
    assert found == TASK.score_file(path, Gold(files=[released])).instances


def test_a_folder_holds_other_files_too(tmp_path: Path, released: Path) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    (folder / "facts.json").write_text('{"dialogues": 12}')
    with pytest.raises(TaskError, match=r"no right answers in .*folder: found nothing"):
        list(TASK.instances(Gold(files=[folder])))
    (folder / "frames.json").write_bytes(released.read_bytes())
    found = [each.instance_id for each in TASK.instances(Gold(files=[folder]))]
    assert found == [each.instance_id for each in TASK.instances(Gold(files=[released]))]


def test_gold_must_be_frames(tmp_path: Path, released: Path) -> None:
    other = tmp_path / "gold.json"
    other.write_text('[{"id": "x"}]')
    with pytest.raises(TaskError, match=r"no right answers in .*gold\.json: found nothing"):
        TASK.score_file(released, Gold(files=[other]))


def test_missing_predictions_and_gold(released: Path, tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="cannot be read"):
        TASK.score_file(tmp_path / "none.json", Gold(files=[released]))
    with pytest.raises(TaskError, match="nothing to score against"):
        list(TASK.instances(Gold()))
    with pytest.raises(UsageError, match="fold-1"):
        list(TASK.instances(Gold(files=[released], split="fold-11")))


def test_instances_have_the_allowed_inputs_only(released: Path) -> None:
    for instance in TASK.instances(Gold(files=[released], split="fold-3")):
        assert instance.inputs.keys() == TASK.allowed.keys()
        assert len(instance.inputs["acts"]) == len(instance.gold["acts"])
        assert instance.event is not None


def test_other_folds_are_no_strangers(
    released: Path, right: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "predictions.json"
    path.write_text(json.dumps(right))
    scoring = TASK.score_file(path, Gold(files=[released], split="fold-4"))
    assert scoring.problems == []
    assert {each.dialogue_id for each in scoring.instances} == {right[3]["id"]}


def test_a_frame_that_is_no_json_is_told(released: Path, tmp_path: Path) -> None:
    data = released.read_bytes()
    broken = tmp_path / "frames.json"
    broken.write_bytes(data.replace(b'"info":{', b'"info":{"\xff":1,'))
    assert broken.read_bytes() != data
    with pytest.raises(TaskError, match="is not JSON"):
        list(TASK.instances(Gold(files=[broken])))


def test_right_predictions_look_as_what_is_annotated(
    released: Path, right: list[dict[str, Any]], tmp_path: Path
) -> None:
    path = tmp_path / "right.json"
    path.write_text(json.dumps(right))
    scored = TASK.score_file(path, Gold(files=(released,))).instances
    assert TASK.show is not None
    assert all(TASK.show(each.gold) == TASK.show(each.predicted) for each in scored)


def test_answers_are_shown_with_the_frames_that_they_come_to() -> None:
    assert TASK.show is not None
    plain = {"key": "dst_city", "val": "Rome"}
    acts = [{"name": "inform", "args": [plain]}]
    gold = [("dst_city", "Rome in frame 2"), ("refers to", "frame 2")]
    assert TASK.show({"acts": acts, "active_frame": 2}) == [{"act": "inform", "slots": gold}]
    # The first is the likeliest; of the bare reference no frame has more than a half.
    given = [refer([0.6, 0.4], plain), refer([0.5, 0.2])]
    predicted = [{"act": "inform", "slots": [("dst_city", "Rome in frame 1")]}]
    assert TASK.show([{"name": "inform", "args": given}]) == predicted
