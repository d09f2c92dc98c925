from __future__ import annotations

from collections import Counter
from datetime import timedelta
from pathlib import Path

import pytest
from tests.released import find_released, import_released
from tests.thorough import thorough

from commonground.corpora import get_corpus
from commonground.corpora.photobook.log import Log, load_logs
from commonground.files.formats import identify_document
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import list_documents
from commonground.store.layout.manifest import StoreManifest
from commonground.store.opening import open_store


@pytest.fixture(scope="module")
def released() -> Path:
    return find_released("photobook")


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return import_released(tmp_path_factory, "photobook")


@pytest.fixture(scope="module")
def imported(store: Path) -> StoreManifest:
    return open_store(store).manifests["photobook"]


@pytest.fixture(scope="module")
def logs(released: Path) -> list[Log]:
    return load_logs("logs", released)


def count(store: Path, table: str, column: str) -> dict[str | None, int]:
    values = open_store(store).corpus("photobook").table(table)[column]
    return {each["values"]: each["counts"] for each in values.value_counts().to_pylist()}


def test_every_released_file_is_written_as_read(released: Path) -> None:
    formats = get_corpus("photobook").formats()
    for document in list_documents([released]).documents:
        fmt = identify_document(document, formats)
        if fmt is not None:
            assert roundtrip_document(document, fmt).difference is None, document.name


def test_rows_of_the_tables(imported: StoreManifest) -> None:
    counts = imported.counts
    expected = {
        "dialogues": 2502,
        "speakers": 5004,
        "events": 294_370,
        "displays": 150_120,
        "groundings": 79_536,
        "objects": 360,
    }
    assert {table: counts[table] for table in expected} == expected


def test_kinds_of_events(store: Path) -> None:
    assert count(store, "events", "name") == {
        None: 164_296,
        "selection": 79_536,
        "feedback": 25_456,
        "next_round": 20_078,
        "usr_feedback": 5_004,
    }


def test_labels_of_selections(store: Path) -> None:
    labels = count(store, "groundings", "label")
    assert labels == {"common": 42_701, "different": 36_835}


def test_splits(imported: StoreManifest) -> None:
    expected = {"train": 1689, "val": 377, "test": 374, "dev": 62}
    assert imported.splits == expected
    assert get_corpus("photobook").manifest.splits == expected


def test_each_rule_finds_what_is_known(imported: StoreManifest) -> None:
    known = {rule.code: rule.known for rule in get_corpus("photobook").rules() if rule.known}
    assert imported.findings == known


@thorough
def test_the_processor_loads_all_games(logs: list[Log]) -> None:
    assert [log.game_id for log in logs] == list(range(2502))
    starts = [log.start_time for log in logs]
    assert starts == sorted(starts)
    assert max(log.total_score for log in logs) == 31


def test_published_means(logs: list[Log]) -> None:
    games = len(logs)
    duration = sum((log.duration for log in logs), timedelta()) / games
    assert duration.total_seconds() == pytest.approx(854.298, abs=0.001)
    assert sum(log.total_score for log in logs) / games == pytest.approx(28.58353, abs=0.00001)


def test_published_mean_durations_of_rounds(logs: list[Log]) -> None:
    totals: Counter[int] = Counter()
    for log in logs:
        for each in log.rounds:
            assert each.duration is not None
            totals[each.round_nr] += each.duration // timedelta(microseconds=1)
    means = [round(totals[number] / len(logs) / 1_000_000, 2) for number in range(1, 6)]
    assert means == [196.90, 152.96, 133.49, 119.17, 112.13]


def test_object_types_are_pairs(logs: list[Log]) -> None:
    domains = {tuple(log.domains) for log in logs}
    assert len(domains) == 30
    assert {len(pair) for pair in domains} == {2}
