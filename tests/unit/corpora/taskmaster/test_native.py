from __future__ import annotations

import json
from typing import Any

import pytest
from tests.unit.corpora.taskmaster.samples import COFFEE, PLAIN, TICKETS, copy

from commonground.corpora import get_corpus
from commonground.corpora.taskmaster.native.dialogues import FORMATS, CoffeeDialogue, TicketDialogue
from commonground.files.dividing import recognise_document
from commonground.files.formats import identify_document
from commonground.files.sources import Document
from commonground.records import decode_record, encode_record

BY_NAME = {fmt.name: fmt for fmt in FORMATS}
RECORDS = {"dialogs1": PLAIN, "dialogs2": PLAIN, "dialogs3": TICKETS, "dialogs4": COFFEE}


def identify(corpus: str, name: str) -> str | None:
    fmt = identify_document(Document(name, name, None, 0), get_corpus(corpus).formats())
    return None if fmt is None else fmt.name


@pytest.mark.parametrize(
    ("corpus", "name", "expected"),
    [
        ("taskmaster1", "TM-1/woz-dialogs.json", "dialogs1"),
        ("taskmaster1", "train-dev-test/dev.csv", "splits1"),
        ("taskmaster2", "data/flights.json", "dialogs2"),
        ("taskmaster2", "TM-2/ontology/flights.json", "ontology2"),
        ("taskmaster2", "flights.json", "dialogs2"),
        ("taskmaster3", "data/data_07.json", "dialogs3"),
        ("taskmaster3", "splits/train/train-bc.tsv", "splits3"),
        ("taskmaster3", "train.tsv", "splits3"),
        ("taskmaster4", "data/data_07.json", "dialogs4"),
        ("taskmaster4", "README.md", None),
    ],
)
def test_files_are_known_by_name(corpus: str, name: str, expected: str | None) -> None:
    assert identify(corpus, name) == expected


def test_a_file_of_another_name_is_known_by_its_fields() -> None:
    formats = get_corpus("taskmaster4").formats()
    found = recognise_document(json.dumps([COFFEE]).encode(), formats)
    assert found is not None
    assert found.name == "dialogs4"
    assert recognise_document(json.dumps([PLAIN]).encode(), formats) is None


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_written_as_they_were_read(name: str) -> None:
    decoded = decode_record(json.dumps(RECORDS[name]).encode(), BY_NAME[name].record)
    assert decoded.faults == []
    assert json.loads(encode_record(decoded)) == RECORDS[name]


def test_absent_and_empty_lists_stay_apart() -> None:
    record = copy(TICKETS)
    record["utterances"][1]["segments"] = []
    decoded = decode_record(json.dumps(record).encode(), TicketDialogue)
    assert json.loads(encode_record(decoded)) == record


@pytest.mark.parametrize(
    ("name", "record"),
    [
        ("dialogs3", COFFEE),
        ("dialogs4", TICKETS),
        ("dialogs3", PLAIN),
        ("dialogs4", PLAIN),
        ("dialogs1", TICKETS),
        ("dialogs2", COFFEE),
    ],
)
def test_another_generation_is_a_fault(name: str, record: dict[str, Any]) -> None:
    decoded = decode_record(json.dumps(record).encode(), BY_NAME[name].record)
    assert decoded.record is None
    assert any(fault.kind != "unknown" for fault in decoded.faults)


def test_the_fault_says_which_generation_was_expected() -> None:
    faults = decode_record(json.dumps(TICKETS).encode(), CoffeeDialogue).faults
    vertical = next(fault for fault in faults if fault.path == ".vertical")
    assert (vertical.expected, vertical.found) == ("'Coffee'", "Movie Tickets")
