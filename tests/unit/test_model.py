"""The classes of dialogues and the tables hold the same."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from commonground import schema
from commonground.model import Action, EventRow, Json, Utterance, Withheld
from commonground.schema import TABLES, VIEWS, Column, get_table
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


@pytest.mark.parametrize("table", [*TABLES, *VIEWS], ids=lambda table: table.name)
def test_every_column_is_described(table: schema.Table) -> None:
    assert [column.name for column in table.columns if not column.doc] == []


class Kite(msgspec.Struct):
    """A kite.

    Attributes:
        maker: who made it: ``A``, ``B``, ...
        tail: its length in metres; several tails are added
            up; None: it has none.
        notes: what people said of it, if any.
        flights: when it flew.
    """

    maker: str
    tail: float | None = None
    notes: Json = None
    flights: list[str] = []


def test_columns_come_from_annotations_and_docstrings() -> None:
    assert schema.read_columns(Kite, first="tail") == (
        Column(
            "tail", "float", "Its length in metres; several tails are added up.", "It has none."
        ),
        Column("maker", "text", "Who made it: `A`, `B`, ..."),
        Column("notes", "json", "What people said of it.", "None."),
    )
