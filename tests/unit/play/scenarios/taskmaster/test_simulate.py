from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from tests.thorough import a_few

from commonground.corpora import get_corpus
from commonground.files import simulated
from commonground.files.roundtrip import roundtrip_document
from commonground.model import Action, Dialogue
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.identify import identify_documents
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

NAMES = ("taskmaster1", "taskmaster2", "taskmaster3", "taskmaster4")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("taskmaster")
    for name in NAMES:
        entry = get_corpus(name)
        simulate_corpus(entry, folder / name, dialogues=60, seed=5)
        import_corpus(entry, [folder / name], store=folder / "store", jobs=1)
    return folder


def corpus(folder: Path, name: str) -> Corpus:
    return open_store(folder / "store").corpus(name)


def contents(folder: Path) -> dict[str, bytes]:
    files = (path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


@pytest.mark.parametrize("name", a_few(NAMES, ["taskmaster3"]))
def test_all_files_round_trip(name: str, folder: Path) -> None:
    identified = identify_documents(get_corpus(name), [folder / name])
    trips = [roundtrip_document(document, fmt) for document, fmt in identified.known]
    assert identified.left_alone == []
    assert [trip for trip in trips if trip.difference is not None] == []


@pytest.mark.parametrize("name", NAMES)
def test_every_table_is_filled_and_no_rule_fires(name: str, folder: Path) -> None:
    for table in ("dialogues", "speakers", "events", "spans", "native"):
        assert corpus(folder, name).table(table).num_rows > 0
    assert corpus(folder, name).table("findings").num_rows == 0
    assert corpus(folder, name).table("dialogues").num_rows == 60


def test_files_have_the_released_names(folder: Path) -> None:
    assert {
        "self-dialogs.json",
        "woz-dialogs.json",
        "sample.json",
        "ontology.json",
        "train-dev-test/train.csv",
    } <= contents(folder / "taskmaster1").keys()
    assert {"data/food-ordering.json", "ontology/sports.json"} <= contents(
        folder / "taskmaster2"
    ).keys()
    assert {
        "data/data_00.json",
        "ontology/apis.json",
        "ontology/entities.json",
        "reward/reward_00.json",
        "splits/train/train-aa.tsv",
    } <= contents(folder / "taskmaster3").keys()
    assert contents(folder / "taskmaster4").keys() == {
        "data/data_00.json",
        "reward/reward_00.json",
        simulated.NAME,
    }


def test_many_dialogues_are_divided_among_files(tmp_path: Path) -> None:
    simulate_corpus(get_corpus("taskmaster4"), tmp_path, dialogues=501, seed=1)
    names = sorted(path.name for path in tmp_path.glob("data/*"))
    assert names == ["data_00.json", "data_01.json"]


def ends_repeat_results(dialogue: Dialogue) -> bool:
    """Says whether each thing found is told by the assistant after it was found."""
    for number, event in enumerate(dialogue.events):
        if isinstance(event, Action) and event.name.startswith("find_"):
            later = " ".join(e.text or "" for e in dialogue.events[number:])
            if not all(value in later for value in event.result.values()):
                return False
    return True


def test_the_assistant_repeats_what_it_found(folder: Path) -> None:
    dialogues = list(corpus(folder, "taskmaster3").dialogues())
    assert all(ends_repeat_results(dialogue) for dialogue in dialogues)


def test_the_assistant_may_speak_twice_in_a_row(folder: Path) -> None:
    for name in ("taskmaster1", "taskmaster2", "taskmaster3"):
        speakers = [
            [event.speaker.lower() for event in dialogue.utterances()]
            for dialogue in corpus(folder, name).dialogues()
        ]
        pairs = [pair for each in speakers for pair in pairwise(each)]
        assert ("assistant", "assistant") in pairs


def test_text_outside_ascii_stands_before_spans(folder: Path) -> None:
    for name in NAMES:
        early = [
            span
            for dialogue in corpus(folder, name).dialogues()
            for span in dialogue.spans
            if not (dialogue.events[span.event].text or "")[: span.start_char].isascii()
        ]
        assert early


def test_segments_of_two_annotators_overlap(folder: Path) -> None:
    for name in ("taskmaster1", "taskmaster2"):
        found = False
        for dialogue in corpus(folder, name).dialogues():
            spans = dialogue.spans
            found |= any(
                a.event == b.event and a.start_char <= b.start_char < b.end_char < a.end_char
                for a, b in pairwise(spans)
            )
        assert found
