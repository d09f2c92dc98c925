"""Files of published results: what a table comes to, and how faults in one are located."""

from __future__ import annotations

from pathlib import Path

import pytest

from commonground.bench.evaluation import tasks
from commonground.bench.evaluation.tasks import get_task, iterate_tasks, read_published
from commonground.errors import FormatError
from commonground.task import Published

TABLE = """
[[unlisted]]
tasks = ["toy/mood", "toy/size"]
text = "Nothing else."

[[table]]
source = "a page"
split = "test"
comparable = "yes"
columns = ["toy/mood accuracy %", "toy/mood loss", "toy/size f1 %"]
rows = [
    ["best", "57.24±0.63*", 1.5, 77.1],
    ["worst", 0.1, "-", "-"],
]
"""


def write(folder: Path, text: str) -> Path:
    path = folder / "published.toml"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_row_is_a_result_for_each_task_it_has_numbers_of(tmp_path: Path) -> None:
    found = read_published(write(tmp_path, TABLE))
    best, worst = found.listed["toy/mood"]
    assert best == Published(
        system="best",
        split="test",
        values={"accuracy": 0.5724, "loss": 1.5},
        source="a page",
        comparable="yes",
        deviations={"accuracy": 0.0063},
        marks={"accuracy": "*"},
    )
    assert (worst.system, worst.values) == ("worst", {"accuracy": 0.001})
    assert [each.values for each in found.listed["toy/size"]] == [{"f1": 0.771}]
    assert found.unlisted == {"toy/mood": "Nothing else.", "toy/size": "Nothing else."}


def test_a_column_may_have_the_name_that_reports_give_it(tmp_path: Path) -> None:
    table = TABLE.replace("toy/mood loss", "toy/mood accuracy (first)")
    (best, _worst) = read_published(write(tmp_path, table)).listed["toy/mood"]
    assert best.values == {"accuracy": 0.5724, "accuracy (first)": 1.5}


@pytest.mark.parametrize(
    ("right", "wrong", "told"),
    [
        ("[[table]]", "[[tables]]", "unknown field `tables`"),
        ('split = "test"\n', "", r"missing required field `split` - at `\$.table\[0\]`"),
        ("[[table]]", "[table", "Expected"),
        ("toy/mood loss", "loss", r"table 1, columns: expected TASK NAME \[%\], found 'loss'"),
        (", 1.5, 77.1", ", 77.1", "table 1, row 1: expected a system and 3 cells, found"),
        ('"best"', "1", "table 1, row 1: expected a system and 3 cells, found"),
        ("0.63*", "0.63!", r"table 1, row 1, toy/mood accuracy %: expected a number, .*'57.24±0"),
    ],
)
def test_faults_are_located(tmp_path: Path, right: str, wrong: str, told: str) -> None:
    path = write(tmp_path, TABLE.replace(right, wrong))
    with pytest.raises(FormatError, match=told) as raised:
        read_published(path)
    assert str(path) in str(raised.value)


def test_a_task_that_is_not_there_is_told(tmp_path: Path) -> None:
    path = write(tmp_path, TABLE)
    with pytest.raises(FormatError, match="there is no task 'toy/mood'"):
        tasks._add_published(path, {"toy/size": get_task("frames/nlu")})


def test_published_numbers_come_with_their_tasks() -> None:
    tasks = {task.name: task for task in iterate_tasks()}
    names = {name for each in tasks["simmc/dst"].published for name in each.values}
    assert names == {"act_f1", "slot_f1", "joint_accuracy"}
    assert all(
        0 < value < 1 for each in tasks["mpchat/si"].published for value in each.values.values()
    )
    assert "DSTC9" in tasks["simmc/retrieval"].unlisted
