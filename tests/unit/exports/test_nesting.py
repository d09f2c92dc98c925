"""Nesting rows in dialogues and taking them out again."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from commonground.errors import StoreError
from commonground.exports.formats.hf import nesting
from commonground.exports.formats.hf.nesting import nest_dialogues
from commonground.schema import get_table
from commonground.store.tables.columns import DIALOGUE_TABLES, arrow_schema
from tests.unit.exports.hf_reading import unnest_table

VALUES = {
    "text": st.text(max_size=3),
    "json": st.sampled_from(["{}", "[1]"]),
    "int": st.integers(0, 9),
    "float": st.floats(0, 1),
    "bool": st.booleans(),
    "timestamp": st.datetimes(),
}


class Tables:
    """Stands in for a selection of one corpus."""

    def __init__(self, tables: dict[str, pa.Table], size: int) -> None:
        self._tables = tables
        self._size = size

    def ids(self, _corpus: str) -> list[str]:
        return list(self._tables["dialogues"]["dialogue_id"].to_pylist())

    def table(self, _corpus: str, name: str) -> pa.Table:
        return self._tables[name]

    def batches(self, _corpus: str, name: str) -> Iterator[Any]:
        yield from self._tables[name].to_batches(max_chunksize=self._size)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, pa.Table]:
    """Up to five dialogues, with up to three rows of some tables each."""
    ids = [f"d{number}" for number in range(draw(st.integers(1, 5)))]
    found = {"dialogues": draw_rows(draw, "dialogues", ids)}
    for name in DIALOGUE_TABLES:
        owners = [one for one in ids for _ in range(draw(st.integers(0, 3)))]
        found[name] = draw_rows(draw, name, owners)
    return found


def draw_rows(draw: st.DrawFn, name: str, owners: list[str]) -> pa.Table:
    drawn = draw(st.lists(st.none() | st.integers(0, 9), min_size=1, max_size=3))
    columns: dict[str, Any] = {"corpus": ["toy"] * len(owners), "dialogue_id": owners}
    for column in get_table(name).columns[2:]:
        values = [draw(st.none() | VALUES[column.type]) for _ in drawn]
        columns[column.name] = [values[row % len(values)] for row in range(len(owners))]
    return pa.table(columns, schema=arrow_schema(name))


@settings(deadline=None, max_examples=20)
@given(tables(), st.integers(1, 4), st.integers(1, 3))
def test_rows_come_out_as_they_went_in(before: dict[str, pa.Table], size: int, chunk: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(nesting, "CHUNK", chunk)
        nested = pa.concat_tables(nest_dialogues(Tables(before, size), "toy"))  # type: ignore[arg-type]
    assert nested.num_rows == before["dialogues"].num_rows
    for name, table in before.items():
        assert unnest_table(nested, name).equals(table), name


def test_rows_out_of_order_are_refused() -> None:
    schema = arrow_schema("speakers")
    rows = [{"corpus": "toy", "dialogue_id": one, "speaker": "a", "role": "peer"} for one in "ba"]
    found = {name: arrow_schema(name).empty_table() for name in DIALOGUE_TABLES}
    found["speakers"] = pa.Table.from_pylist(rows, schema=schema)
    dialogues = [{"corpus": "toy", "dialogue_id": one} for one in "ab"]
    found["dialogues"] = pa.Table.from_pylist(dialogues, schema=arrow_schema("dialogues"))
    with pytest.raises(StoreError, match="rows of toy/speakers are out of order"):
        list(nest_dialogues(Tables(found, 10), "toy"))  # type: ignore[arg-type]
