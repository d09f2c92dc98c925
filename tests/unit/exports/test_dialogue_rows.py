"""Whole dialogues as rows: everything is there, under its event, without nulls."""

from __future__ import annotations

import msgspec

from commonground.exports.dialogue_rows import read_dialogues, read_objects
from commonground.exports.selection import Selection
from commonground.store.opening import Store


def test_rows_stand_under_their_event(store: Store) -> None:
    layers = ("states", "displays", "outcomes")
    rows_of_all = list(read_dialogues(Selection(store, ["frames"]), "frames", layers))
    dialogues = list(store.corpus("frames").dialogues())
    assert [rows.dialogue_id for rows in rows_of_all] == [d.dialogue_id for d in dialogues]
    for rows, dialogue in zip(rows_of_all, dialogues, strict=True):
        states = [
            s for event in rows.events for s in rows.annotated_at(event["event"]).get("states", [])
        ]
        assert [s.get("value") for s in states] == [s.value for s in dialogue.states]
        outcomes = rows.annotated_at(None)["outcomes"]
        assert [o["name"] for o in outcomes] == [o.name for o in dialogue.outcomes]
        assert rows.annotated_at(10**6) == {}


def test_rows_of_an_event_that_is_not_there_keep_its_number(planted: Store) -> None:
    rows = next(read_dialogues(Selection(planted, ["toy"]), "toy", ("acts", "displays")))
    assert [row["event"] for row in rows.annotated_at(None)["acts"]] == [99]
    # One display has no event at all, and one that of an event which is not there.
    assert [row.get("event") for row in rows.annotated_at(None)["displays"]] == [None, 99]
    assert all("event" not in row for row in rows.annotated_at(0)["acts"])


def test_rows_have_no_nulls_and_json_as_it_is(store: Store) -> None:
    rows = next(read_dialogues(Selection(store, ["frames"]), "frames", ()))
    search = next(event for event in rows.events if event["kind"] == "action")
    assert isinstance(search["arguments"], msgspec.Raw)
    assert None not in search.values()
    assert "text" not in search


def test_objects_are_those_used(store: Store) -> None:
    chosen = Selection(
        store, ["frames"], where=f"dialogue_id = '{store.corpus('frames').ids()[0]}'"
    )
    dialogue = next(iter(store.corpus("frames").dialogues()))
    used = {key for key, _ in read_objects(chosen, "frames")}
    assert used == {each.object_id for each in dialogue.objects}
