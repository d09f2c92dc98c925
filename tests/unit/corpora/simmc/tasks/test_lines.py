"""Target lines find the dialogues that they are of, and give them words and belief states."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from commonground.corpora.simmc.tasks import actions, dst, generation
from commonground.corpora.simmc.tasks.lines import read_words
from commonground.corpora.simmc.tasks.places import load_places
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
    assert {"fashion-#0:0", "fashion-#0:1", "fashion-#1:0"} <= set(found)


def test_public_dialogues_may_end_earlier(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials=dials(["one"], ["three"]))
    found = list(generation.TASK.instances(source))
    # The public form hides the last answer and has lost the second turn; the lines have both.
    assert [each.instance_id for each in found] == ["fashion-80:0", "fashion-80:1", "fashion-81:0"]
    assert [each.gold for each in found] == ["yes", "no", "well"]


def test_scores_bear_the_same_ids(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials_api_calls=calls(2, 1))
    scored = dst.TASK.score(tmp_path / "fashion_dev_dials_target.txt", source, False).instances
    assert [each.instance_id for each in scored] == names(dst.TASK, source)


def test_dialogues_to_keep_are_kept_in_lines(tmp_path: Path) -> None:
    source = gold(tmp_path, dev_dials_api_calls=calls(2, 1))
    source.dialogues = frozenset({"fashion-71"})
    lines = LINES.splitlines(keepends=True)
    (tmp_path / "predicted.txt").write_text(lines[2])
    scoring = dst.TASK.score(tmp_path / "predicted.txt", source, False)
    assert [each.instance_id for each in scoring.instances] == ["fashion-71:0"]
    assert not scoring.problems


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
    assert load_places(Gold(files=[Path("any")], corpus=Events()), "action", "assistant") == {}
