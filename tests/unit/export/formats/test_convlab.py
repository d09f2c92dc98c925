"""ConvLab's unified format, held against our reading of the rules of its checker."""

from __future__ import annotations

import ast
import json
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from typing import Any
from zipfile import ZipFile

import pytest

from commonground.errors import UsageError
from commonground.export.dialogue_rows import DialogueRows, Row
from commonground.export.formats.convlab.export import legal_splits
from commonground.export.formats.convlab.ontology import Ontology, list_entities
from commonground.export.formats.convlab.turns import Turns, find_places
from commonground.export.run import Report
from commonground.store.opening import Store

from ..conftest import CORPORA

Exporting = Callable[..., tuple[Path, Report]]


def read(out: Path, corpus: str, name: str) -> Any:
    with ZipFile(out / corpus / "data.zip") as archive:
        return json.loads(archive.read(f"data/{name}.json"))


def check_ontology(ontology: dict[str, Any]) -> dict[tuple[str, str, str, str], dict[str, Any]]:
    for domain in ontology["domains"].values():
        assert domain["description"]
        for slot in domain["slots"].values():
            assert slot["description"]
            assert not slot["is_categorical"]
    assert all(intent["description"] for intent in ontology["intents"].values())
    for name, slots in ontology["state"].items():
        assert set(slots) <= set(ontology["domains"][name]["slots"])
        assert set(slots.values()) == {""}
    known = {}
    for kind, acts in ontology["dialogue_acts"].items():
        for text in acts:
            act = ast.literal_eval(text)
            known[kind, act["intent"], act["domain"], act["slot"]] = act
    return known


def check_dialogue(name: str, dialogue: dict[str, Any], ontology: dict[str, Any]) -> None:
    prefix, split, number = dialogue["dialogue_id"].split("-")
    assert (prefix, split) == (name, dialogue["data_split"])
    assert number.isdigit()
    assert set(dialogue["domains"]) <= set(ontology["domains"])
    assert dialogue["turns"]
    speakers = [turn["speaker"] for turn in dialogue["turns"]]
    assert all(one != other for one, other in pairwise(speakers))
    assert [turn["utt_idx"] for turn in dialogue["turns"]] == list(range(len(speakers)))
    for turn in dialogue["turns"]:
        assert ("state" in turn) == (turn["speaker"] == "user")
        assert ("db_results" in turn) == (turn["speaker"] == "system")
        for domain, results in turn.get("db_results", {}).items():
            assert domain in dialogue["domains"]
            assert all(isinstance(each, dict) for each in results)
        for domain, state in turn.get("state", {}).items():
            assert list(state) == list(ontology["state"][domain])
            assert all(isinstance(value, str) for value in state.values())


def check_acts(turn: dict[str, Any], ontology: dict[str, Any], known: dict[Any, Any]) -> None:
    acts = turn["dialogue_acts"]
    assert acts["categorical"] == []
    for kind, listed in acts.items():
        for act in listed:
            assert known[kind, act["intent"], act["domain"], act["slot"]][turn["speaker"]]
            assert ("value" in act) == (kind != "binary")
            if "start" in act:
                assert turn["utterance"][act["start"] : act["end"]] == act["value"]
            if kind != "binary":
                assert act["slot"] in ontology["domains"][act["domain"]]["slots"]


@pytest.mark.parametrize("corpus", CORPORA)
def test_the_rules_of_the_checker_hold(corpus: str, export: Exporting) -> None:
    out, _ = export("convlab", corpus)
    dialogues, ontology = read(out, corpus, "dialogues"), read(out, corpus, "ontology")
    known = check_ontology(ontology)
    ids = [dialogue["dialogue_id"] for dialogue in dialogues]
    assert len(set(ids)) == len(ids)
    for dialogue in dialogues:
        assert dialogue["dataset"] == corpus
        check_dialogue(corpus, dialogue, ontology)
        for turn in dialogue["turns"]:
            check_acts(turn, ontology, known)
    assert json.loads((out / corpus / "dummy_data.json").read_bytes()) == dialogues[:10]
    assert (out / corpus / "preprocess.py").exists()


@pytest.mark.parametrize("corpus", CORPORA)
def test_nothing_said_or_done_is_lost(corpus: str, store: Store, export: Exporting) -> None:
    out, report = export("convlab", corpus)
    found = {each["original_id"]: each for each in read(out, corpus, "dialogues")}
    for dialogue in store.corpus(corpus).dialogues():
        if not any(dialogue.utterances()):
            continue
        turns = found[dialogue.dialogue_id]["turns"]
        texts = " ".join(each.text for each in dialogue.utterances())
        assert " ".join(turn["utterance"] for turn in turns) == texts
        done = [action["event"] for turn in turns for action in turn.get("actions", [])]
        acted = [n for n, event in enumerate(dialogue.events) if event.kind != "utterance"]
        assert sorted(done) == acted
        assert found[dialogue.dialogue_id].get("original_split") == dialogue.split
    lost = {each.name for each in report.lost}
    assert lost.isdisjoint({"actions of who says nothing", "dialogues", "events", "objects"})


def test_acts_and_spans_are_counted(store: Store, export: Exporting) -> None:
    out, report = export("convlab", "frames")
    lost = {each.name: each.count for each in report.lost}
    turns = [turn for each in read(out, "frames", "dialogues") for turn in each["turns"]]
    acts = sum(len(listed) for turn in turns for listed in turn["dialogue_acts"].values())
    rows = store.corpus("frames").table("acts").num_rows
    assert acts + lost["acts said twice"] == rows
    out, report = export("convlab", "taskmaster3")
    turns = [turn for each in read(out, "taskmaster3", "dialogues") for turn in each["turns"]]
    spans = store.corpus("taskmaster3").table("spans").num_rows
    assert sum(len(turn.get("spans", [])) for turn in turns) == spans
    twice = next((e.count for e in report.lost if e.name == "acts said twice"), 0)
    placed = sum(len(turn["dialogue_acts"]["non-categorical"]) for turn in turns)
    assert placed + twice == spans


def test_every_row_of_a_state_is_written_or_counted(store: Store, export: Exporting) -> None:
    out, report = export("convlab", "frames")
    turns = [turn for each in read(out, "frames", "dialogues") for turn in each["turns"]]
    states = [state for turn in turns for state in turn.get("state", {}).values()]
    written = sum(len(value.split("|")) for state in states for value in state.values() if value)
    begins = ("states of", "states that", "states within", "values", "slots without")
    lost = sum(each.count for each in report.lost if each.name.startswith(begins))
    assert written > 0
    assert written + lost == store.corpus("frames").table("states").num_rows


def make_dialogue(
    events: list[Row], annotations: dict[int | None, dict[str, list[Row]]]
) -> DialogueRows:
    speakers = [{"speaker": "u", "role": "user"}, {"speaker": "s", "role": "assistant"}]
    return DialogueRows(
        dialogue_id="d", row={}, speakers=speakers, events=events, annotations=annotations
    )


def say(event: int, speaker: str, text: str) -> Row:
    return {"event": event, "kind": "utterance", "speaker": speaker, "text": text}


def make_turns(
    dialogue: DialogueRows, *, spans_are_acts: bool = False
) -> tuple[list[Row], dict[str, int]]:
    counts: dict[str, int] = {}

    def count(name: str, number: int, event: int | None) -> None:
        counts[name] = counts.get(name, 0) + number

    ontology = Ontology("Toy", {"toys": ("colour", "size")})
    made = Turns(dialogue, "s", "toys", ontology, spans_are_acts=spans_are_acts, count=count).make()
    return made, {name: number for name, number in counts.items() if number}


def test_spans_move_with_the_text_before_them() -> None:
    # "a red one" is 9 long and the space 1, so "big" moves from 3 to 13.
    span = {"layer": "x", "start_char": 3, "end_char": 6, "text": "big", "label": "size"}
    wrong = {**span, "start_char": 0, "end_char": 2}
    dialogue = make_dialogue(
        [say(0, "u", "a red one"), say(1, "u", "or big")], {1: {"spans": [span, wrong]}}
    )
    turns, counts = make_turns(dialogue, spans_are_acts=True)
    assert [turn["utterance"] for turn in turns] == ["a red one or big"]
    first, second = turns[0]["dialogue_acts"]["non-categorical"]
    assert (first["start"], first["end"]) == (13, 16)
    assert "start" not in second
    assert counts == {"places of spans": 1}


@pytest.mark.parametrize(
    ("text", "acts", "places"),
    [
        ("a big red one", [("size", "big"), ("colour", "red")], {"big": (2, 5), "red": (6, 9)}),
        ("big, or very big", [("size", "big")], {}),  # which of the two?
        ("bigger", [("size", "big")], {}),  # a part of a word
        ("bigger is big", [("size", "big")], {"big": (10, 13)}),
        ("2 of them", [("count", "2"), ("size", "2")], {}),  # which of the slots?
        ("2 of them", [("count", "2"), ("count", "2")], {"2": (0, 1)}),  # two layers
        ("a Big one", [("size", "big")], {}),  # ConvLab's checker wants the same letters
        ("is it true", [("wifi", "true")], {}),  # a flag
        ("", [("size", "")], {}),
        ("caf\u00e9 \U0001f600 noir", [("name", "noir")], {"noir": (7, 11)}),
    ],
)
def test_places_of_values_are_found_where_there_is_no_doubt(
    text: str, acts: list[tuple[str, str]], places: dict[str, tuple[int, int]]
) -> None:
    rows: list[Row] = [{"act": "inform", "slot": slot, "value": value} for slot, value in acts]
    assert find_places(text, rows) == places
    frames: list[Row] = [{"act": "offer", "slot": "id", "value": "2", "relation": "id"}]
    assert find_places("2 of them", frames) == {}


def test_places_of_values_move_with_the_text_before_them() -> None:
    act: Row = {"act": "inform", "slot": "size", "value": "big"}
    dialogue = make_dialogue(
        [say(0, "u", "a red one"), say(1, "u", "or big")], {1: {"acts": [act]}}
    )
    turns, _ = make_turns(dialogue)
    (made,) = turns[0]["dialogue_acts"]["non-categorical"]
    assert turns[0]["utterance"][made["start"] : made["end"]] == "big"


def test_values_of_frames_have_their_places(export: Exporting) -> None:
    out, _ = export("convlab", "frames")
    turns = [turn for each in read(out, "frames", "dialogues") for turn in each["turns"]]
    acts = [act for turn in turns for act in turn["dialogue_acts"]["non-categorical"]]
    assert sum("start" in act for act in acts) > len(acts) / 3


def test_annotations_of_a_turn_of_several_utterances_say_of_which() -> None:
    act: Row = {"act": "inform", "slot": "size", "value": "big"}
    state: Row = {"kind": "info", "slot": "size", "value": "big", "active": True}
    span = {"layer": "x", "start_char": 0, "end_char": 1, "text": "o", "label": "size"}
    events = [say(0, "u", "hi"), say(1, "u", "or big"), say(2, "s", "yes"), say(3, "u", "ok")]
    layers: dict[int | None, dict[str, list[Row]]] = {
        1: {"acts": [act], "states": [state], "spans": [span]},
        3: {"acts": [act], "states": [state], "spans": [span]},
    }
    turns, _ = make_turns(make_dialogue(events, layers))
    several, _, single = turns
    assert several["dialogue_acts"]["non-categorical"][0]["event"] == 1
    assert several["spans"][0]["event"] == several["state_event"] == 1
    assert "event" not in single["dialogue_acts"]["non-categorical"][0]
    assert "event" not in single["spans"][0]
    assert "state_event" not in single


def test_what_two_layers_say_alike_is_written_once() -> None:
    act: Row = {"act": "inform", "slot": "size", "value": "big"}
    rows = [{**act, "frame": 1}, {**act, "frame": 2}, {**act, "frame": 1}, act, {"act": "greet"}]
    turns, counts = make_turns(make_dialogue([say(0, "u", "hi")], {0: {"acts": rows}}))
    acts = turns[0]["dialogue_acts"]
    assert [each["frame"] for each in acts["non-categorical"]] == [1, 2]
    assert acts["binary"] == [{"intent": "greet", "domain": "toys", "slot": ""}]
    assert counts == {"acts said twice": 2}


def test_a_state_is_that_of_the_active_frame() -> None:
    rows: list[Row] = [
        {"kind": "info", "slot": "colour", "value": "red", "active": True},
        {"kind": "info", "slot": "colour", "value": "blue", "active": True},
        {"kind": "info", "slot": "colour", "value": "pink", "active": False},
        {"kind": "info", "slot": "size", "value": "big", "active": True, "negated": True},
        {"kind": "request", "slot": "size", "active": True},
        {"kind": "info", "slot": "size", "active": True},
    ]
    turns, counts = make_turns(make_dialogue([say(0, "u", "hi")], {0: {"states": rows}}))
    assert turns[0]["state"] == {"toys": {"colour": "red|blue", "size": ""}}
    assert counts == {
        "states of other frames": 1,
        "values ruled out": 1,
        "states that are no slots with values": 1,
        "slots without a value": 1,
    }


def test_an_action_stands_on_the_turn_of_its_speaker() -> None:
    act: Row = {"kind": "action", "speaker": "s", "name": "find", "result": b'[{"id": 1}, 2]'}
    events = [{**act, "event": 0}, say(1, "u", "hi"), {**act, "event": 2}, say(3, "s", "yes")]
    events += [say(4, "u", "ok"), {**act, "event": 5}]
    turns, counts = make_turns(make_dialogue(events, {}))
    assert [[a["event"] for a in turn.get("actions", [])] for turn in turns] == [[], [0, 2, 5], []]
    assert turns[1]["db_results"] == {"toys": [{"id": 1}, {"result": 2}] * 3}
    assert counts == {}


def test_splits_are_legal_and_stay_apart() -> None:
    assert legal_splits(["fold-1", ""]) == {"fold-1": "fold_1", "": "unsplit"}
    assert legal_splits(["train", "dev", "val"]) == {
        "train": "train",
        "dev": "dev",
        "val": "validation",
    }
    assert legal_splits(["dev", "devtest"]) == {"dev": "validation", "devtest": "devtest"}


def test_attributes_stand_beside_what_an_object_is() -> None:
    rows: list[tuple[str, Row]] = [
        ("a", {"kind": "item", "attributes": b'{"colour": "red"}'}),
        ("b", {"kind": "item", "attributes": b'{"kind": "sofa"}'}),
        ("c", {"kind": "image"}),
    ]
    assert list(list_entities(iter(rows))) == [
        {"object_id": "a", "kind": "item", "colour": "red"},
        {"object_id": "b", "kind": "item", "attributes": {"kind": "sofa"}},
        {"object_id": "c", "kind": "image"},
    ]


def test_the_system_is_whom_the_user_names(export: Exporting) -> None:
    out, _ = export("convlab", "photobook", **{"as": "B"})
    for dialogue in read(out, "photobook", "dialogues"):
        for turn in dialogue["turns"]:
            said_by = {event["speaker"] for event in turn["events"]}
            assert said_by == ({"B"} if turn["speaker"] == "system" else {"A"})
    with pytest.raises(UsageError, match="No dialogue has a speaker 'Z'"):
        export("convlab", "photobook", **{"as": "Z"})


def test_the_database_finds_objects(
    export: Exporting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import importlib.util
    import sys
    from types import ModuleType

    names = ("convlab", "convlab.util", "convlab.util.unified_datasets_util")
    modules = {name: ModuleType(name) for name in names}
    modules[names[-1]].BaseDatabase = object  # type: ignore[attr-defined]
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)
    out, _ = export("convlab", "frames")
    spec = importlib.util.spec_from_file_location("db", out / "frames" / "database.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    database = module.Database()
    objects = read(out, "frames", "database")
    assert database.query("frames", {}) == objects
    kind = objects[0]["kind"]
    found = database.query("frames", {"frames": {"kind": f"nothing|{kind.upper()}"}}, topk=1)
    assert found == objects[:1]
    assert database.query("frames", {"frames": {"kind": "nothing"}}) == []
