"""Whole dialogues as rows: everything is there, under its event, without nulls."""

from __future__ import annotations

import msgspec

from commonground.export.selection import Selection
from commonground.export.wholes import ascii_json, read_objects, read_wholes
from commonground.store.opening import Store


def test_rows_stand_under_their_event(store: Store) -> None:
    layers = ("states", "displays", "outcomes")
    wholes = list(read_wholes(Selection(store, ["frames"]), "frames", layers))
    dialogues = list(store.corpus("frames").dialogues())
    assert [whole.dialogue_id for whole in wholes] == [d.dialogue_id for d in dialogues]
    for whole, dialogue in zip(wholes, dialogues, strict=True):
        states = [
            s for event in whole.events for s in whole.layer(event["event"]).get("states", [])
        ]
        assert [s.get("value") for s in states] == [s.value for s in dialogue.states]
        outcomes = whole.layer(None)["outcomes"]
        assert [o["name"] for o in outcomes] == [o.name for o in dialogue.outcomes]
        assert whole.layer(10**6) == {}


def test_rows_of_an_event_that_is_not_there_keep_its_number(planted: Store) -> None:
    whole = next(read_wholes(Selection(planted, ["toy"]), "toy", ("acts", "displays")))
    assert [row["event"] for row in whole.layer(None)["acts"]] == [99]
    # One display has no event at all, and one that of an event which is not there.
    assert [row.get("event") for row in whole.layer(None)["displays"]] == [None, 99]
    assert all("event" not in row for row in whole.layer(0)["acts"])


def test_rows_have_no_nulls_and_json_as_it_is(store: Store) -> None:
    whole = next(read_wholes(Selection(store, ["frames"]), "frames", ()))
    search = next(event for event in whole.events if event["kind"] == "action")
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


def test_other_letters_are_escaped() -> None:
    assert ascii_json('{"a":"é𝄞\u2028"}'.encode()) == b'{"a": "\\u00e9\\ud834\\udd1e\\u2028"}'
    assert ascii_json(b'{"a":1}') == b'{"a":1}'
