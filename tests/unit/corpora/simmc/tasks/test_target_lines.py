"""Target lines find the dialogues that they are of, and give them words and belief states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

import commonground as cg
from commonground.corpora.simmc.tasks import actions, generation
from commonground.corpora.simmc.tasks.dst import task as dst
from commonground.corpora.simmc.tasks.inputs import load_places
from commonground.corpora.simmc.tasks.target_lines import parse_call, read_words
from commonground.errors import TaskError
from commonground.task import Gold, Instance, Task

LINES = (
    "User : one <SOM>  <EOM> => Belief State : A [ fashion-O = OBJECT_0 ] <EOB> yes <EOS>\n"
    "User : one <SOM>  <EOM> System : yes User : two <SOM>  <EOM> => Belief State : B [  ] <EOB> "
    "no <EOR> None [  ] <EOS>\n"
    "User : three <SOM>  <EOM> => Belief State : C [  ] <EOB> well <EOS>\n"
)
CALL = {"turn_idx": 0, "action": "None", "action_supervision": None}


def gold(folder: Path, **files: Any) -> Gold:
    (folder / "fashion_dev_dials_target.txt").write_text(LINES)
    for name, value in files.items():
        (folder / f"fashion_{name}.json").write_bytes(msgspec.json.encode(value))
    return Gold(files=sorted(folder.iterdir()))


def calls(*lengths: int) -> list[Any]:
    """Dialogues 70, 71 and so on with so many API calls."""
    return [
        {"dialog_id": 70 + place, "actions": [CALL] * length, "focus_images": [1] * length}
        for place, length in enumerate(lengths)
    ]


def dials(*said: list[str]) -> Any:
    turns = [[{"transcript": each, "system_transcript": ""} for each in mine] for mine in said]
    listed = [{"dialogue_idx": 80 + place, "dialogue": each} for place, each in enumerate(turns)]
    return {"dialogue_data": listed}


def names(task: Task, source: Gold) -> list[str]:
    return [each.instance_id for each in task.instances(source)]


def test_api_calls_of_the_same_lengths_give_numbers(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials_api_calls=calls(2, 1))
    found: list[Instance] = list(actions.TASK.instances(source))
    assert [each.instance_id for each in found] == ["fashion-70:0", "fashion-70:1", "fashion-71:0"]
    assert [each.inputs["transcript"] for each in found] == ["one", "two", "three"]
    assert found[1].inputs["history"][0]["system_transcript"] == "yes"
    assert "context" not in found[0].inputs


@pytest.mark.parametrize(
    "files",
    [
        {"dev_dials_api_calls": calls(1, 2)},  # other lengths
        {"devtest_dials_api_calls": calls(2, 1)},  # of another split
        {"dev_dials": dials(["one", "four"], ["three"])},  # other words
        {"dev_dials": dials(["one", "two", "more"], ["three"])},  # longer
    ],
)
def test_other_dialogues_give_no_numbers(tmp_path: Path, files: Any) -> None:
    found = names(dst.TASK, gold(tmp_path, **files))
    assert {"fashion-dev#0:0", "fashion-dev#0:1", "fashion-dev#1:0"} <= set(found)


def test_public_dialogues_may_end_earlier(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials=dials(["one"], ["three"]))
    found = list(generation.TASK.instances(source))
    # The public form hides the last answer and has lost the second turn; the lines have both.
    assert [each.instance_id for each in found] == ["fashion-80:0", "fashion-80:1", "fashion-81:0"]
    assert [each.gold for each in found] == ["yes", "no", "well"]


def test_scores_bear_the_same_ids(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials_api_calls=calls(2, 1))
    scored = dst.TASK.score_file(tmp_path / "fashion_dev_dials_target.txt", source).instances
    assert [each.instance_id for each in scored] == names(dst.TASK, source)


def test_dialogues_to_keep_are_kept_in_lines(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials_api_calls=calls(2, 1))
    source.dialogues = frozenset({"fashion-71"})
    lines = LINES.splitlines(keepends=True)
    (tmp_path / "predicted.txt").write_text(lines[2])
    scoring = dst.TASK.score_file(tmp_path / "predicted.txt", source)
    assert [each.instance_id for each in scoring.instances] == ["fashion-71:0"]
    assert [each.kind for each in scoring.problems] == ["divisions by zero"]  # it has no slots


def said(*dialogues: tuple[int, int]) -> bytes:
    """Predictions: so many turns of each dialogue, all of them `no`."""
    turns = [[{"turn_id": turn, "response": "no"} for turn in range(n)] for _name, n in dialogues]
    named = zip(dialogues, turns, strict=True)
    return msgspec.json.encode([{"dialog_id": d[0], "predictions": each} for d, each in named])


def test_lines_have_the_answers_that_public_dialogues_hide(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials=dials(["one"], ["three"]))
    (tmp_path / "p.json").write_bytes(said((80, 2), (81, 1)))
    scoring = generation.TASK.score_file(tmp_path / "p.json", source)
    assert [(each.instance_id, each.gold) for each in scoring.instances] == [
        ("fashion-80:0", "yes"),
        ("fashion-80:1", "no"),
        ("fashion-81:0", "well"),
    ]
    assert {each.kind for each in scoring.problems} <= {"other tokenizer"}


def test_predictions_of_the_same_lengths_give_numbers(tmp_path: Path) -> None:
    source = gold(tmp_path)
    (tmp_path / "p.json").write_bytes(said((5, 2), (6, 1)))
    scoring = generation.TASK.score_file(tmp_path / "p.json", source)
    assert [each.instance_id for each in scoring.instances] == [
        "fashion-5:0",
        "fashion-5:1",
        "fashion-6:0",
    ]
    (tmp_path / "p.json").write_bytes(said((5, 1), (6, 2)))
    with pytest.raises(TaskError, match="no right answers with numbers"):
        generation.TASK.score_file(tmp_path / "p.json", source)


def test_answers_to_keep_are_kept_in_lines(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials_api_calls=calls(2, 1))
    source.dialogues = frozenset({"fashion-71"})
    (tmp_path / "p.json").write_bytes(said((71, 1)))
    scoring = generation.TASK.score_file(tmp_path / "p.json", source)
    assert [each.gold for each in scoring.instances] == ["well"]


CALLED = (
    "User : one <SOM>  <EOM> => Belief State : A [  ] <EOB> yes <EOR> Rotate [ direction = left, "
    "position = center ] <EOS>\n"
    "User : two <SOM>  <EOM> => Belief State : A [  ] <EOB> yes <EOR> None [  ] <EOS>\n"
)


def test_calls_in_lines_are_right_answers(tmp_path: Path) -> None:
    (tmp_path / "furniture_dev_dials_target.txt").write_text(
        CALLED.replace("<EOR> None [  ] ", "").replace(
            "<EOR> Rotate [ direction = left, position = center ] ", ""
        )
    )
    (tmp_path / "furniture_dev_task1_target.txt").write_text(CALLED)
    source = Gold(files=sorted(tmp_path.iterdir()))
    turn = {"turn_id": 0, "action": "Rotate", "action_log_prob": {"Rotate": 0.0, "None": -9.0}}
    right = {"attributes": {"direction": "left", "position": "center"}}
    predicted = [{"dialog_id": number, "predictions": [turn | right]} for number in (8, 9)]
    (tmp_path / "p.json").write_bytes(msgspec.json.encode(predicted))
    scoring = actions.TASK.score_file(tmp_path / "p.json", source)
    found = [each.counts["simmc_actions"] for each in scoring.instances]
    assert [each["actions_correct"] for each in found] == [1, 0]
    assert [each.gold for each in actions.TASK.instances(source)] == [
        {
            "action": "Rotate",
            "action_supervision": {"args": {"direction": "left", "position": "center"}},
        },
        {"action": "None", "action_supervision": {"args": {}}},
    ]


@pytest.mark.parametrize(
    ("line", "domain", "supervision"),
    [
        ("<EOR> SpecifyInfo [ price, info ] <EOS>", "fashion", {"attributes": ["price", "info"]}),
        ("<EOR> SearchDatabase [  ] <EOS>", "fashion", {"attributes": []}),
        ("<EOR> AddToCart [  ] <EOS>", "fashion", None),
        ("<EOR> SearchFurniture [ color =  ] <EOS>", "furniture", {"args": {"color": ""}}),
        ("<EOR> Rotate [ direction = up ] <EOS>", None, {"args": {"direction": "up"}}),
    ],
)
def test_calls_are_read_as_released(line: str, domain: str | None, supervision: Any) -> None:
    found = parse_call(f"a <EOB> yes {line}", domain)
    assert found is not None
    assert found["action_supervision"] == supervision
    assert parse_call("a <EOB> yes <EOS>", domain) is None


def test_latest_words_are_read() -> None:
    assert read_words("User : one <SOM> x <EOM> System : a User : two <SOM>  <EOM>") == "two"


class Events:
    """Stands for an imported corpus: its events, as SQL gives them."""

    name = "simmc"

    def rows(self, _query: str, parameters: list[Any]) -> list[tuple[Any, ...]]:
        assert parameters == ["simmc", "action", "assistant"]
        return [("fashion-70", 0, 1), ("fashion-70", 1, 4)]


def test_store_tells_where_turns_stand() -> None:
    found = load_places(Gold(corpus=Events()), "action", "assistant")
    assert found == {"fashion-70:0": 1, "fashion-70:1": 4}
    assert load_places(Gold(files=[Path("any")]), "action", "assistant") == {}


def public_dialogue(number: int, words: str) -> dict[str, Any]:
    turn = {"turn_idx": 0, "domain": "fashion", "transcript": words, "system_transcript": ""}
    return {"dialogue_idx": number, "domains": ["fashion"], "dialogue": [turn]}


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """A store whose split `test` has dialogues of `devtest`, and two of `dev` without a number."""
    files = tmp_path / "files"
    files.mkdir()
    (files / "fashion_dev_dials_target.txt").write_text(LINES)
    other = LINES.replace("one", "ten").replace("two", "twelve").replace("three", "thirty")
    (files / "fashion_devtest_dials_target.txt").write_text(other)
    said = [public_dialogue(80, "ten"), public_dialogue(81, "thirty")]
    public = msgspec.json.encode({"dialogue_data": said})
    (files / "fashion_devtest_dials_teststd_format_public.json").write_bytes(public)
    names = ("fashion-81", "fashion-dev#0", "fashion-dev#1")
    rows = ["id,split", *(f"{each},test" for each in names), "fashion-80,train"]
    (tmp_path / "mine.csv").write_text("\n".join(rows))
    store = tmp_path / "store"
    cg.import_files("simmc", files, splits=tmp_path / "mine.csv", store=store)
    assert cg.load("simmc", store).splits() == {"test": 3, "train": 1}
    return store


@pytest.mark.parametrize(
    ("task", "method"), [("simmc/dst", "majority"), ("simmc/generation", "frequent")]
)
def test_lines_without_a_number_are_in_splits_of_ones_own(
    task: str, method: str, mixed: Path, tmp_path: Path
) -> None:
    asked = {each.instance_id for each in cg.instances(task, split="test", store=mixed)}
    assert asked == {"fashion-81:0", "fashion-dev#0:0", "fashion-dev#0:1", "fashion-dev#1:0"}
    (result,) = cg.run_baselines(
        task, method, train="train", test="test", store=mixed, out=tmp_path / "out"
    )
    assert [(each.split, each.predicted, each.of) for each in result.coverage] == [("test", 4, 4)]
    odd = {"other contexts", "missing turns", "extra turns", "unknown dialogues"}
    assert odd.isdisjoint(each.kind for each in result.problems)
    evaluation = cg.evaluate(task, result.predictions.path, split="test", store=mixed)
    assert {each.instance_id for each in evaluation.instances} == asked
