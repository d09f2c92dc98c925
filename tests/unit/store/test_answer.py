"""The result of a query is an Arrow table to those who read one, and prints small."""

from __future__ import annotations

import pickle

import duckdb
import numpy
import pandas
import polars
import pytest

from commonground.store.arrow import pa
from commonground.store.sql.answer import Answer


@pytest.fixture
def answer() -> Answer:
    return Answer(pa.table({"name": ["a\x1b", None], "n": [1_000, 2], "mean": [0.5, 1 / 3]}))


def test_it_prints_what_it_holds(answer: Answer) -> None:
    assert repr(answer) == (
        "2 rows, 3 columns\n"  # numbers to the right, plain as they are: a year is no 2,016
        "name        n      mean\n"
        "a\\u001b  1000       0.5\n"
        "–           2  0.333333"
    )
    assert repr(Answer(pa.table({"n": []}))) == "0 rows, 1 column"


def test_a_long_answer_counts_what_it_does_not_print() -> None:
    lines = repr(Answer(pa.table({"n": range(5_000)}))).splitlines()
    assert lines[0] == "5,000 rows, 1 column"
    assert lines[-1] == "and 4,986 more"


def test_it_has_what_an_arrow_table_has(answer: Answer) -> None:
    assert answer.column_names == ["name", "n", "mean"]
    assert answer["n"].to_pylist() == answer.to_pydict()["n"] == [1_000, 2]
    assert len(answer) == answer.num_rows == 2
    assert answer == answer.arrow == Answer(answer.arrow)
    assert {"to_pandas", "to_polars", "to_pylist", "arrow"} <= set(dir(answer))
    assert pickle.loads(pickle.dumps(answer)) == answer  # noqa: S301 - made here
    with pytest.raises(AttributeError, match="to_panda"):
        answer.to_panda()


def test_others_read_it_as_an_arrow_table(answer: Answer) -> None:
    assert pa.table(answer) == answer.arrow
    summed = duckdb.query("select sum(n) from answer")
    assert summed is not None
    assert summed.to_arrow_table().num_rows == 1
    assert polars.DataFrame(answer).equals(answer.to_polars())
    pandas.testing.assert_frame_equal(answer.to_pandas(), answer.arrow.to_pandas())
    assert numpy.asarray(answer).shape == (2, 3)
