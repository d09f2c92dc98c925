"""What samples hold, and how the rest is counted."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.evaluation.prompts import get_prompt
from commonground.export.formats.inspect.export import WHY
from commonground.export.formats.inspect.held_values import (
    HeldTexts,
    ValueLoss,
    has_number,
    pack_told,
)
from commonground.export.loss import Loss
from commonground.export.run import Report
from commonground.method import Told
from commonground.store.opening import Store
from commonground.task import Instance

Exporting = Callable[..., tuple[Path, Report]]


TEXTS = ('text:\nRome, please\n\nacts:\n0: {"name":"inform","val":7}', '["Café"]')


@pytest.mark.parametrize(
    ("name", "words", "text"),
    [
        (True, True, "Rome, please"),
        (True, True, "inform"),
        (True, True, "name"),
        (True, True, "Café"),
        (True, True, "7"),
        (False, True, "Rome"),  # within a text
        (False, False, "Rom"),  # a part of a word
        (False, True, "Rome, please\n\nacts:"),  # over several lines
    ],
)
def test_names_stand_alone_and_words_anywhere(name: bool, words: bool, text: str) -> None:
    held = HeldTexts(TEXTS, [3])
    assert held.has_name(text) == name
    assert held.has_words(text) == words
    assert held.events == {3}


def test_only_the_number_of_a_line_is_passed_over() -> None:
    held = HeldTexts(["said:\n0: meet me at 5: 30\n12: at 5: 30"])
    assert held.has_name("meet me at 5: 30")
    assert held.has_name("at 5: 30")
    assert not held.has_name("12: at 5: 30")


@pytest.mark.parametrize(
    ("piece", "texts"),
    [
        ('{"a":["b",1.50,true,{}],"c":[]}', ["a", "b", "1.5", "true", "{}", "c", "[]"]),
        (r'["a \"b\"","c"]', ['a "b"', "c"]),
        (r'{"a\n":["\u00e9\\",2.0]}', ["a\n", "é\\", "2.0"]),
        (r'"a\b is no JSON', [r'"a\b is no JSON']),
        ('"a, b"', ["a, b"]),
        (r'"a\\b"', [r"a\b"]),
        ('["a",""]', ["a", ""]),
        ('["a" is no JSON]', ['["a" is no JSON]']),
        ('"a" and "b"', ['"a" and "b"']),
    ],
)
def test_all_that_stands_in_a_line_is_held(piece: str, texts: list[str]) -> None:
    held = HeldTexts([f"inputs:\n{piece}"])
    assert all(map(held.has_name, texts))
    assert not held.has_name("none of them")


def test_what_a_history_goes_on_with_is_held() -> None:
    first, more = "said:\n0: hi\n1: who", "said:\n0: hi\n1: who\n2: me"
    # The last line of the third is no line of the first, though it begins like it.
    held = HeldTexts([first, more, "said:\n0: hi\n1: whose", "said:\n0: ho"])
    assert all(map(held.has_name, ("hi", "who", "me", "whose", "ho")))
    assert not held.has_name("se")


def test_json_is_held_where_all_that_is_in_it_is() -> None:
    held = HeldTexts(TEXTS, [3])
    assert held.has_json('{"name":["inform","Rome"],"val":7}')
    assert not held.has_json('{"name":"inform","val":8}')
    assert not held.has_json('{"other":"inform"}')


@pytest.mark.parametrize("blank", ['""', "null", "[]", "{}"])
def test_a_blank_is_held_where_it_stands_in_json(blank: str) -> None:
    # Inputs are parted by blank lines, and a text may say null: neither is a value.
    text = 'text:\nnull and {} or []\n\nacts:\n0: {"name":"inform"}'
    assert not HeldTexts([text]).has_json(f'{{"name":{blank}}}')
    text = f'acts:\n0: {{"name":"inform","val":{blank}}}'
    assert HeldTexts([text]).has_json(f'{{"name":{blank}}}')


def test_numbers_are_held_where_they_are_told() -> None:
    told = [Told("spans.start_char", 5, 3), Told("events.turn", 1), Told("states.active", True)]
    held = HeldTexts(TEXTS, [3], [pack_told(told)])
    assert has_number(held.list_told("spans.start_char"), 5, 3)
    assert not has_number(held.list_told("spans.start_char"), 5, 4)
    assert not has_number(held.list_told("spans.end_char"), 5, 3)
    assert has_number(held.list_told("events.turn"), 1, 8)  # told of no event in particular
    assert has_number(held.list_told("states.active"), True, 8)
    assert not has_number(held.list_told("states.active"), False, 8)
    assert not has_number(held.list_told("events.turn"), True, 8)  # a flag is no number


def test_events_that_are_told_of_are_held() -> None:
    assert HeldTexts(TEXTS, [3], [pack_told([Told("events.event", 7, 7)])]).events == {3, 7}


def test_a_dialogue_that_is_not_asked_holds_nothing() -> None:
    held = HeldTexts([])
    assert not held.is_any
    assert not held.has_words("Rome")


def test_a_table_of_which_only_keys_are_held_is_lost_whole() -> None:
    values = ValueLoss(WHY)
    values.add_rows("spans", 2)
    values.add("spans", "dialogue_id", "d", count=2, lost=0)
    values.add("spans", "label", "d", count=2, lost=2)
    values.add_rows("acts", 2)
    values.add("acts", "act", "d", count=2, lost=0)
    values.add("acts", "slot", "d", count=2, lost=1)
    loss = Loss()
    values.report(loss)
    found = [(each.kind, each.name, each.count, each.why) for each in loss.lost()]
    assert found == [("table", "spans", 2, WHY), ("column", "acts.slot", 1, WHY)]


def test_texts_that_are_asked_about_are_not_lost(store: Store, export: Exporting) -> None:
    _, report = export("inspect", "taskmaster3")
    lost = {each.name: each.count for each in report.lost}
    # Every text stands in the context of the action task, as does every API call.
    assert "events" not in lost
    assert "events.text" not in lost
    assert "events.name" not in lost
    assert lost["events.turn"] == store.corpus("taskmaster3").table("events").num_rows
    assert lost["native"] == store.corpus("taskmaster3").table("native").num_rows


def test_numbers_that_are_told_are_not_lost(store: Store, export: Exporting) -> None:
    _, report = export("inspect", "photobook", task="photobook/segments")
    lost = {each.name: each.count for each in report.lost}
    events = store.corpus("photobook").table("events")
    # All messages of a game stand in their rounds; their times and places in these do not.
    assert not {"events", "events.event", "events.segment", "displays.segment"} & lost.keys()
    assert lost["events.turn"] == lost["events.at_s"] == events.num_rows


def test_numbers_of_rows_that_are_not_there_are_lost(store: Store, export: Exporting) -> None:
    _, report = export("inspect", "frames", task="frames/nlu")
    lost = {each.name: each.count for each in report.lost}
    kinds = store.corpus("frames").table("events").column("kind").to_pylist()
    # History counts the turns, but a search has the turn of its wizard and stands nowhere.
    assert lost["events.name"] == kinds.count("action")
    assert lost["events.turn"] >= kinds.count("action")


def test_a_ranking_without_candidates_has_no_right_answer() -> None:
    instance = Instance(instance_id="t:1", dialogue_id="t", inputs={"context": []}, gold="Yes.")
    assert get_prompt("mpchat/nrp").target(instance) is None
