"""Files of scored instances: what they say, and which of them cannot be read."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from commonground.bench.evaluation.instances import write_scored
from commonground.errors import FormatError
from commonground.explorer.results.files import ResultFile
from commonground.explorer.results.runs import ResultFiles
from commonground.task import Scored


def test_each_instance_has_the_main_numbers_of_its_task(runs: ResultFiles) -> None:
    _, file = runs.choose("first")
    assert file.task is not None
    assert [each.title for each in file.measured] == ["precision", "recall", "f1", "mrr"]
    assert file.values_of(0)["set_f1:precision"] == 1.0
    # Nothing was chosen: a share of nothing is undefined, while one of one was missed.
    assert file.values_of(1)["set_f1:precision"] is None
    assert file.values_of(1)["set_f1:recall"] == 0.0
    assert file.right.tolist() == [True, False, False, False]
    assert file.scored.tolist() == [True, True, True, False]
    assert {name: flags.tolist() for name, flags in file.kinds.items()} == {
        "none": [False, False, False, True],
        "value": [False, False, True, False],
        "missed": [False, True, False, False],
    }


def test_numbers_of_some_instances_are_those_of_summed_counts(runs: ResultFiles) -> None:
    _, file = runs.choose("first")
    # Of three targets one was chosen, beside one that is none.
    summed = file.sum_up(np.array([True, True, True, True]))
    assert summed[:2] == [pytest.approx(1 / 2), pytest.approx(1 / 3)]
    assert file.sum_up(np.zeros(4, dtype=bool))[0] is None


def test_instances_lead_to_their_events(runs: ResultFiles) -> None:
    _, file = runs.choose("first")
    rows = file.rows([2, 0])
    assert [each.instance_id.rpartition(":")[2] for each in rows] == ["2", "0"]
    assert all(isinstance(each.event, int) for each in rows)


def test_counts_of_no_known_task_are_shown_as_they_are(tmp_path: Path) -> None:
    row = Scored(instance_id="1", dialogue_id="d", counts={"f1": {"n": 2}}, gold="a", predicted="a")
    write_scored([row], tmp_path / "out.parquet")
    file = ResultFile(tmp_path / "out.parquet")
    assert (file.task, file.values_of(0), file.rows([0])[0].event) == (None, {"f1:n": 2.0}, None)


def test_an_answer_of_another_form_than_its_task_shows_stands_as_it_is(tmp_path: Path) -> None:
    names = ("instance_id", "dialogue_id", "gold", "predicted", "exact_target")
    values = ("1", "d", '"[A]hello"', '"[no tag"', '{"n":1,"exact":0}')
    table = pa.table({name: [value] for name, value in zip(names, values, strict=True)})
    table = table.replace_schema_metadata({"commonground.task": "taskmaster3/actions"})
    pq.write_table(table, tmp_path / "out.parquet")
    difference = ResultFile(tmp_path / "out.parquet").rows([0])[0].difference
    assert difference.predicted is not None
    assert difference.gold[0].piece.value == "hello"
    assert difference.predicted[0].piece.value == "[no tag"


def test_a_file_without_a_column_is_refused(tmp_path: Path) -> None:
    pq.write_table(pa.table({"instance_id": ["1"]}), tmp_path / "out.parquet")
    with pytest.raises(FormatError, match="no column 'dialogue_id'"):
        ResultFile(tmp_path / "out.parquet")
