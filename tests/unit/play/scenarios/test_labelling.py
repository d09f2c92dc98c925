"""A labelling study of one's own: its material comes of a query, and its labels join the store."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from commonground.corpora import Entry, get_corpus
from commonground.errors import CommongroundError
from commonground.model import Action, Dialogue, Utterance, Withheld
from commonground.play.labelling.adjudicating import Decided
from commonground.play.labelling.ballots import Ballot
from commonground.play.labelling.layers import LabelledUnit
from commonground.play.scenarios import get_scenario
from commonground.play.scenarios.labelling.material import (
    MATERIAL,
    WITHHELD,
    describe_event,
    invent_material,
)
from commonground.play.scenarios.labelling.rules import SCENARIO
from commonground.play.sessions import play_sessions, seat_players
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.label_files import Decision, read_labels
from commonground.store.layers import add_layer
from commonground.store.opening import open_store

ALL = "SELECT dialogue_id, event FROM events ORDER BY ALL"
TALKS = {"a": ["hello", "is it late?", "yes"], "b": ["no", "why?"]}


@pytest.fixture
def ask(
    import_toy: Callable[..., Any], write_talks: Callable[..., Path], tmp_path: Path
) -> Callable[..., list[LabelledUnit]]:
    """Imports talks and reads the material of a study that asks of them."""
    import_toy(write_talks(TALKS))
    folder = tmp_path / "study"
    folder.mkdir()

    def run(query: str = ALL, **fields: Any) -> list[LabelledUnit]:
        values = {"layer": "asks", "corpus": "toy", "question": "Does it ask?"}
        values |= {"store": "../store", "query": query, **fields}
        lines = [f"{name} = {json.dumps(value)}" for name, value in values.items()]
        (folder / "labelling.toml").write_text("\n".join(lines), encoding="utf-8")
        return list(MATERIAL.read(folder))

    return run


def test_each_event_of_the_query_is_a_unit(ask: Callable[..., list[LabelledUnit]]) -> None:
    units = ask(context=1, people=2)
    assert [unit.id for unit in units] == ["a:0", "a:1", "a:2", "b:0", "b:1"]
    third = units[2]
    assert [(line.speaker, line.text) for line in third.context] == [
        ("ann", "is it late?"),
        ("ann", "yes"),
    ]
    assert (third.question, third.answers, third.people) == ("Does it ask?", ("yes", "no"), 2)
    assert [each.text for each in third.candidates] == [""]
    assert (third.corpus, third.dialogue_id, third.event) == ("toy", "a", 2)


def test_rows_of_one_event_are_its_candidates(ask: Callable[..., list[LabelledUnit]]) -> None:
    query = """
        SELECT 'b' AS dialogue_id, 1 AS event, unnest(['x', 'y']) AS candidate,
            unnest(['the ox', NULL]) AS text, unnest(['kind', 'angry']) AS gold
    """
    (unit,) = ask(query, answers=["kind", "angry"])
    assert [(each.id, each.text) for each in unit.candidates] == [("x", "the ox"), ("y", "y")]
    assert unit.gold == {"x": "kind", "y": "angry"}


def test_the_query_may_stand_in_a_file(
    ask: Callable[..., list[LabelledUnit]], tmp_path: Path
) -> None:
    (tmp_path / "study" / "units.sql").write_text(ALL, encoding="utf-8")
    assert len(ask("units.sql")) == 5


@pytest.mark.parametrize(
    ("query", "fields", "message"),
    [
        ("SELECT dialogue_id FROM events", {}, "query: the result lacks event; its columns are"),
        ("SELECT dialogue_id, event, speaker FROM events", {}, "the result has speaker"),
        (f"SELECT * FROM ({ALL}) WHERE false", {}, "query: the result has no rows"),
        ("SELECT nothing FROM events", {}, "query: .*nothing"),
        ("SELECT 'c' AS dialogue_id, 0 AS event", {}, "row 1: expected event 0 of dialogue 'c'"),
        ("SELECT 'a' AS dialogue_id, 9 AS event", {}, "row 1: .*found 3 events"),
        ("SELECT 'a' AS dialogue_id, -1 AS event", {}, "row 1: event: expected a number from 0"),
        (f"SELECT *, 'perhaps' AS gold FROM ({ALL})", {}, "row 1: gold: expected one of yes, no"),
        (ALL, {"answers": ["yes"]}, "answers: expected 2 to 9 answers, found 1"),
        (ALL, {"question": " "}, "question = ' ' is not allowed"),
        (ALL, {"layer": "a/b"}, "layer = 'a/b' is not allowed"),
        (ALL, {"people": 0}, "people = 0 is not allowed"),
        (ALL, {"colour": "red"}, "colour"),
        (ALL, {"corpus": "frames"}, "'frames' is not in the store"),
        ("missing.sql", {}, "missing.sql: No such file"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(
    ask: Callable[..., list[LabelledUnit]], query: str, fields: dict[str, Any], message: str
) -> None:
    with pytest.raises(CommongroundError, match=message):
        ask(query, **fields)


def test_a_folder_without_a_plan_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CommongroundError, match=r"labelling\.toml: No such file"):
        MATERIAL.read(tmp_path)


def test_pictures_and_titles_come_from_the_objects_of_the_corpus(tmp_path: Path) -> None:
    files, store = tmp_path / "files", tmp_path / "store"
    simulate_corpus(get_corpus("photobook"), files, dialogues=2, seed=1)
    images = files / "images"
    import_corpus(get_corpus("photobook"), [files], store=store, images=images, jobs=1)
    (tmp_path / "labelling.toml").write_text(
        """
        layer = "named"
        corpus = "photobook"
        question = "Does the line name this picture?"
        store = "store"
        query = '''
            SELECT dialogue_id, events.event, object_id AS candidate FROM events
            JOIN displays USING (corpus, dialogue_id, segment)
            WHERE kind = 'utterance' AND viewer = speaker AND events.event < 3
            ORDER BY ALL
        '''
        """,
        encoding="utf-8",
    )
    units = MATERIAL.read(tmp_path)
    assert MATERIAL.pictures is not None
    folder = MATERIAL.pictures(tmp_path)
    assert folder is not None
    assert {len(unit.candidates) for unit in units} == {6}
    assert all((folder / str(c.picture)).is_file() for unit in units for c in unit.candidates)


def test_marks_are_judged_by_their_pictures(tmp_path: Path) -> None:
    files, store = tmp_path / "files", tmp_path / "store"
    simulate_corpus(get_corpus("photobook"), files, dialogues=1, seed=1)
    images = files / "images"
    import_corpus(get_corpus("photobook"), [files], store=store, images=images, jobs=1)
    (tmp_path / "labelling.toml").write_text(
        """
        layer = "earned"
        corpus = "photobook"
        question = "Could the player know this?"
        store = "store"
        query = "SELECT dialogue_id, event FROM events WHERE name = 'selection' ORDER BY ALL"
        """,
        encoding="utf-8",
    )
    judged = [unit.context[-1] for unit in MATERIAL.read(tmp_path)]
    assert all(line.is_action and (images / str(line.picture)).is_file() for line in judged)
    assert {line.text.partition(" as ")[0] for line in judged} == {"marks this picture"}


def ballots(unit: LabelledUnit, *answers: str, start: int = 0) -> list[Ballot]:
    return [
        Ballot(unit, start + n, start + n, dict.fromkeys([c.id for c in unit.candidates], answer))
        for n, answer in enumerate(answers)
    ]


def test_what_people_said_becomes_a_file_of_labels(
    ask: Callable[..., list[LabelledUnit]],
) -> None:
    first, second, third, *_ = ask()
    skips = [Ballot(third, n, 20 + n, {}, "unclear") for n in range(3)]
    by_model = [msgspec.structs.replace(each, by_model=True) for each in ballots(first, "no")]
    cast = [*ballots(first, "yes", "no", "yes"), *ballots(second, "no", "no"), *skips, *by_model]
    files = {each.path: each.data for each in SCENARIO.release(cast)}
    assert sorted(files) == ["extra/model_votes.json", "labels/asks.csv", "labels/asks.json"]
    made = read_labels("asks.json", files["labels/asks.json"])
    assert (made.layer, made.corpus, made.question, made.people) == (
        "asks",
        "toy",
        "Does it ask?",
        3,
    )
    (label,) = made.labels
    assert (label.dialogue_id, label.event, label.label) == ("a", 0, "yes")
    assert label.votes == [("W0000", "yes"), ("W0001", "no"), ("W0002", "yes")]
    assert made.skipped == 1


def test_decisions_stand_in_a_layer_beside_the_votes(
    ask: Callable[..., list[LabelledUnit]], tmp_path: Path
) -> None:
    first, second, *_ = ask()
    cast = [*ballots(first, "yes", "no", "yes"), *ballots(second, "no", "no", "yes", start=9)]
    decided = Decided(first.id, "event", "no", "Kim", 1_700_000_000_000_000, "look again")
    files = {each.path: each.data for each in SCENARIO.release([*cast, decided])}
    votes, made = (
        read_labels(name, files[f"labels/{name}.json"]) for name in ("asks", "asks-adjudicated")
    )
    assert [each.label for each in votes.labels] == ["yes", "no"]
    assert [each.label for each in made.labels] == ["no", "no"]
    assert made.labels[0].votes == votes.labels[0].votes
    decision = Decision("no", "Kim", "2023-11-14T22:13:20+00:00", "look again")
    assert [each.decision for each in made.labels] == [decision, None]
    add_layer(tmp_path / "store", "made", made)
    query = "SELECT label, decided_by FROM labels WHERE layer = 'asks-adjudicated' ORDER BY event"
    assert open_store(tmp_path / "store").rows(query) == [("no", "Kim"), ("no", None)]


def test_scripted_people_label_a_study_and_its_layer_joins_the_store(
    ask: Callable[..., list[LabelledUnit]], tmp_path: Path
) -> None:
    ask()
    scenario, out = get_scenario("labelling"), tmp_path / "OUT"
    out.mkdir()
    seats = seat_players(scenario, {})
    played = play_sessions(scenario, seats, out, sessions=20, seed=1, material=tmp_path / "study")
    assert played.complete == played.sessions > 0
    (path,) = out.glob("labels/*.json")
    layer = add_layer(tmp_path / "store", path.name, read_labels(path.name, path.read_bytes()))
    assert layer.labels == layer.decided > 0
    query = "SELECT count(*) FROM acts WHERE layer = 'asks' AND value IN ('yes', 'no')"
    assert open_store(tmp_path / "store").corpus("toy").rows(query) == [(layer.labels,)]


@pytest.mark.usefixtures("objects")
def test_the_store_may_be_in_an_object_store(
    ask: Callable[..., list[LabelledUnit]],
    write_talks: Callable[..., Path],
    toy: Entry,
    tmp_path: Path,
) -> None:
    store, out = Path("s3://talks/st"), tmp_path / "OUT"
    import_corpus(toy, [write_talks({"afar": ["who?"]})], store=store)
    assert [unit.id for unit in ask(store="s3://talks/st")] == ["afar:0"]
    scenario = get_scenario("labelling")
    out.mkdir()
    seats = seat_players(scenario, {})
    play_sessions(scenario, seats, out, sessions=20, seed=1, material=tmp_path / "study")
    (path,) = out.glob("labels/*.json")
    add_layer(store, path.name, read_labels(path.name, path.read_bytes()))
    found = open_store(store).rows("SELECT layer, dialogue_id FROM acts")
    assert found == [("asks", "afar")]


def test_invented_lines_are_the_same_for_the_same_seed() -> None:
    assert invent_material(100, 4) == invent_material(100, 4) != invent_material(100, 5)
    assert sum(each.gold is not None for each in invent_material(300, 4)) == 3
    assert {each.known["event"] for each in invent_material(100, 4)} == {"yes", "no"}


@pytest.mark.parametrize(
    ("corpus", "event", "shown"),
    [
        ("toy", Utterance("ann", "hello"), "hello"),
        (
            "toy",
            Action("ann", "FindFlights", {"city": "Rome", "days": [3, {"to": 4}], "none": ""}),
            "find flights: city Rome, days 3, 4",
        ),
        ("toy", Action("ann", "next_page"), "next page"),
        ("toy", Action("ann", "call", ["x"]), "call: x"),
        ("toy", Withheld("ann"), WITHHELD),
        (
            "photobook",
            Action("A", "selection", {"label": "common", "image": "cats/COCO_00003.jpg"}),
            "marks this picture as one that both players see",
        ),
        ("photobook", Action("A", "next_round"), "goes on to the next page"),
        (
            "photobook",
            Action("A", "usr_feedback", {"col": 5, "partner_u": 5, "self_u": 5, "text": "fun "}),
            "rates the game and writes: “fun”",
        ),
        (
            "simmc",
            Action("wizard", "SearchFurniture", {"furnitureType": "Lamps", "color": ""}),
            "searches the shop: Lamps",
        ),
        ("simmc", Action("wizard", "Rotate", {"direction": "up"}), "turns the item: up"),
        ("simmc", Action("wizard", "None"), "does nothing in the shop"),
        (
            "taskmaster3",
            Action(
                "assistant",
                "book_tickets",
                {"name.movie": "Solo", "num.tickets": "two", "time.showing": "4pm", "x_id": "7"},
            ),
            "book tickets: movie Solo, number of tickets two, showing time 4pm",
        ),
        (
            "frames",
            Action(
                "wizard",
                "search",
                {"ORIGIN_CITY": "Rome", "NUM_ADULTS": "2", "RESULT_LIMIT": "10"},
                [{}],
            ),
            "searches for a trip: from Rome, adults: 2; finds 1 package",
        ),
    ],
)
def test_events_of_all_kinds_are_said_in_words(corpus: str, event: Any, shown: str) -> None:
    dialogue = Dialogue(dialogue_id="d", speakers=[], events=[event])
    assert describe_event(corpus, dialogue, 0) == shown
