"""The released file, where it is: its licence allows no copy here."""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from pathlib import Path

import duckdb
import pytest

from commonground.corpora import get_corpus
from commonground.files.documents import iterate_records
from commonground.files.formats import identify_document
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import Document, list_documents
from commonground.store.importing import import_corpus
from commonground.store.layout.manifest import StoreManifest, part_files
from commonground.store.sql.query import Database

PLACE = os.environ.get("COMMONGROUND_FRAMES")
pytestmark = pytest.mark.skipif(
    PLACE is None, reason="COMMONGROUND_FRAMES names no frames.json, folder or zip"
)


@cache
def document() -> Document:
    """The file itself, once, whether it lies there plain, in a zip, or both."""
    formats = get_corpus("frames").formats()
    documents = list_documents([PLACE or ""]).documents
    return next(each for each in documents if identify_document(each, formats))


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def imported(store: Path) -> StoreManifest:
    return import_corpus(get_corpus("frames"), [document().path], store=store, jobs=1).manifest


def query(store: Path, manifest: StoreManifest, table: str, sql: str) -> dict[object, int]:
    files = [str(path) for path in part_files(store, manifest, table)]
    grouped = duckdb.read_parquet(files).aggregate(f"{sql} as value, count(*) as rows")
    return dict(grouped.fetchall())


def test_every_table_has_its_rows(imported: StoreManifest) -> None:
    assert {k: v for k, v in imported.counts.items() if k != "findings"} == {
        "dialogues": 1_369,
        "speakers": 2_738,
        "events": 25_213,
        "acts": 76_073,
        "states": 713_062,
        "objects": 17_561,
        "displays": 24_179,
        "groundings": 1_542,
        "outcomes": 2_735,
        "native": 1_369,
    }


def test_counts_are_those_of_the_manifest(imported: StoreManifest) -> None:
    stated = get_corpus("frames").manifest
    assert stated.splits == imported.splits
    for table in ("dialogues", "events", "displays"):
        assert stated.counts[table] == imported.counts[table]


def test_events(store: Path, imported: StoreManifest) -> None:
    assert query(store, imported, "events", "kind || ' ' || speaker") == {
        "utterance user": 10_407,
        "utterance wizard": 9_579,
        "action wizard": 5_227,
    }


def test_states(store: Path, imported: StoreManifest) -> None:
    # 699,205 values and 203 empty frames; 1,825 keys in 1,352 requests to compare.
    assert query(store, imported, "states", "kind") == {
        "info": 699_205,
        "empty": 203,
        "request": 7_285,
        "binary_question": 4_544,
        "compare_request": 1_825,
    }


def test_who_asks(store: Path, imported: StoreManifest) -> None:
    asked = query(store, imported, "states", "asked_by is not null")
    # 7,285 requests, 4,544 yes-or-no questions, 1,825 keys to compare.
    assert asked[True] == 13_654
    items = "(dialogue_id, event, frame, item_index) || kind"
    compared = query(
        store, imported, "states", f"case kind when 'compare_request' then {items} end"
    )
    assert len(compared.keys() - {None}) == 1_352


def test_arguments_are_those_of_the_file(store: Path, imported: StoreManifest) -> None:
    argument = "(dialogue_id, event, act_index, argument_index)"
    of_acts = f"case when layer = 'acts' and argument_index is not null then {argument} end"
    assert len(query(store, imported, "acts", of_acts).keys() - {None}) == 51_539
    reference = "(dialogue_id, event, act_index, argument_index, reference_index)"
    ranged = f"case when attributes->>'fromrange' = 'true' then {reference} end"
    assert len(query(store, imported, "acts", ranged).keys() - {None}) == 505


def test_acts_are_counted_once_in_a_layer(store: Path, imported: StoreManifest) -> None:
    counted = "SELECT layer, count(*) FROM dialogue_acts WHERE act = 'inform' GROUP BY 1"
    found = dict(Database(store, {"frames": imported}).rows(counted))
    assert found == {"acts": 10_918, "acts_without_refs": 7_720}


def test_relations(store: Path, imported: StoreManifest) -> None:
    counts = query(store, imported, "acts", "relation")
    assert counts["id"] == 4_824
    assert sum(counts.values()) == 76_073


def test_outcomes(store: Path, imported: StoreManifest) -> None:
    counts = query(store, imported, "outcomes", "name || ' ' || value")
    assert counts["rating 5.0"] == 982
    assert counts["success 1.0"] == 1_287
    assert sum(n for name, n in counts.items() if str(name).startswith("rating")) == 1_366


def test_rules_find_what_is_known(imported: StoreManifest) -> None:
    known = {r.code: r.known for r in get_corpus("frames").rules() if r.known}
    assert imported.findings == known


def test_it_comes_back_equal() -> None:
    result = roundtrip_document(document(), get_corpus("frames").formats()[0])
    assert (result.records, result.difference) == (1_369, None)


def test_every_record_is_typed() -> None:
    entry = get_corpus("frames")
    reads = iterate_records(document(), entry.formats()[0])
    authors = Counter(turn.author for read in reads for turn in read.record.turns)
    assert authors == {"user": 10_407, "wizard": 9_579}
