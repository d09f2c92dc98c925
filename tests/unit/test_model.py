"""The classes of dialogues and the tables hold the same."""

from __future__ import annotations

from typing import Any

import pytest

from commonground.model import Action, EventRow, Utterance, Withheld
from commonground.schema import get_table
from commonground.store.tables.columns import ROW_STRUCTS


def test_a_row_of_events_has_every_column_in_order() -> None:
    joined = ("split", "role")
    assert ("corpus", *EventRow.__struct_fields__) == (*get_table("events").names, *joined)


@pytest.mark.parametrize("kind", [Utterance, Action, Withheld])
def test_an_event_says_something_of_every_column_of_its_own(kind: Any) -> None:
    own = set(get_table("events").names) - {"corpus", "dialogue_id", "event"}
    assert {name for name in own if not hasattr(kind, name)} == set()
    assert set(kind.__struct_fields__) <= own


@pytest.mark.parametrize("table", ROW_STRUCTS)
def test_an_annotation_has_the_columns_of_its_table(table: str) -> None:
    own = set(get_table(table).names) - {"corpus", "dialogue_id"}
    assert set(ROW_STRUCTS[table].__struct_fields__) == own
