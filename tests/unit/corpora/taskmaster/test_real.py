"""Counts over the released files, where they are at hand."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from tests.released import find_released, import_released

from commonground.corpora import get_corpus
from commonground.corpora.taskmaster.native.rows import parse_split_rows
from commonground.corpora.taskmaster.native.tags import Called, parse_turns, render_turns
from commonground.files.roundtrip import roundtrip_document
from commonground.store.corpus import Corpus
from commonground.store.identify import identify_documents
from commonground.store.opening import open_store

NAMES = ("taskmaster1", "taskmaster2", "taskmaster3", "taskmaster4")


@pytest.fixture(scope="module")
def load(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Corpus]:
    return lambda name: open_store(import_released(tmp_path_factory, name)).corpus(name)


Load = Callable[[str], Corpus]


def findings(corpus: Corpus) -> dict[str, int]:
    codes = corpus.table("findings")["code"].to_pylist()
    return {code.rpartition("-")[2]: codes.count(code) for code in sorted(set(codes))}


def rows(corpus: Corpus, table: str) -> int:
    return int(corpus.table(table).num_rows)


@pytest.mark.parametrize("name", NAMES)
def test_released_files_are_written_as_read(name: str) -> None:
    identified = identify_documents(get_corpus(name), [find_released(name)])
    trips = [roundtrip_document(document, fmt) for document, fmt in identified.known]
    assert trips
    assert [trip for trip in trips if trip.difference is not None] == []
    assert [document.base for document in identified.left_alone] == ["README.md"]


def test_taskmaster_4_is_there_whole(load: Load) -> None:
    corpus = load("taskmaster4")
    kinds = corpus.table("events")["kind"].to_pylist()
    assert rows(corpus, "dialogues") == 3710
    assert (kinds.count("utterance"), kinds.count("action")) == (13915, 15395)
    assert (rows(corpus, "spans"), rows(corpus, "speakers")) == (82, 7420)


def test_taskmaster_4_calls_its_eight_apis(load: Load) -> None:
    names = load("taskmaster4").table("events")["name"].to_pylist()
    assert {name: names.count(name) for name in set(names) - {None}} == {
        "get_menu_items": 3410,
        "add_order_item": 3060,
        "get_order_details": 2960,
        "finish_order": 2760,
        "get_addons": 2295,
        "show_menu": 450,
        "update_order": 260,
        "update_order_item": 200,
    }


def test_taskmaster_4_has_the_known_errata(load: Load) -> None:
    found = findings(load("taskmaster4"))
    dialogues = {code: count for code, count in found.items() if code < "450"}
    assert dialogues == {
        "405": 82,
        "407": 575,
        "409": 75,
        "421": 28,
        "422": 44,
        "423": 75,
        "424": 100,
    }


def test_taskmaster_3_has_the_known_errata(load: Load) -> None:
    # Of 4 dialogues, 500 reward examples and 1,517 rows.
    assert findings(load("taskmaster3")) == {"316": 4, "321": 1, "333": 10, "356": 3}


def test_taskmaster_3_has_its_counts(load: Load) -> None:
    corpus = load("taskmaster3")
    kinds = corpus.table("events")["kind"].to_pylist()
    assert (kinds.count("utterance"), kinds.count("action")) == (72, 9)
    assert (rows(corpus, "dialogues"), rows(corpus, "spans")) == (4, 73)


def test_taskmaster_1_and_2_have_their_counts(load: Load) -> None:
    counts = {
        name: [rows(load(name), table) for table in ("dialogues", "events", "spans")]
        for name in ("taskmaster1", "taskmaster2")
    }
    assert counts == {"taskmaster1": [10, 271, 204], "taskmaster2": [35, 684, 562]}


def test_taskmaster_1_and_2_have_the_known_errata(load: Load) -> None:
    assert findings(load("taskmaster1")) == {"105": 1}
    assert findings(load("taskmaster2")) == {"205": 10, "207": 22}


def test_all_spans_are_their_text(load: Load) -> None:
    for name in NAMES:
        for dialogue in load(name).dialogues():
            for span in dialogue.spans:
                text = dialogue.events[span.event].text or ""
                assert text[span.start_char : span.end_char] == span.text


def test_split_rows_are_in_the_tag_language() -> None:
    data = (find_released("taskmaster3") / "splits" / "train" / "train-bc.tsv").read_bytes()
    records = [each.record for each in parse_split_rows(data.decode())]
    assert len(records) == 1517
    assert len({each.conversation_id for each in records}) == 1462
    assert sum(True in each.quoted for each in records) == 109
    calls = 0
    for each in records:
        turns = parse_turns(each.context)
        target = parse_turns(each.target, "[]")
        assert render_turns(turns) == each.context
        assert render_turns(target, "[]") == each.target
        calls += sum(isinstance(turn, Called) for turn in turns)
    assert calls == 5003
