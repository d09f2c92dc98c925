from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path

import pytest
from tests.unit.corpora.frames.samples import simulated

from commonground.corpora import get_corpus
from commonground.corpora.frames.convert import convert
from commonground.corpora.frames.native import FORMATS, FramesDialogue, Slot
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import list_documents
from commonground.play.simulating import simulate_corpus
from commonground.records import UNSET
from commonground.store.importing import import_corpus


def write(out: Path, dialogues: int, seed: int) -> bytes:
    simulate_corpus(get_corpus("frames"), out, dialogues=dialogues, seed=seed)
    return (out / "frames.json").read_bytes()


def test_more_dialogues_start_with_the_same(tmp_path: Path) -> None:
    few, many = (json.loads(write(tmp_path / str(n), n, 5)) for n in (3, 8))
    assert many[:3] == few


@pytest.mark.parametrize("count", [0, 1])
def test_small_corpora_are_json(tmp_path: Path, count: int) -> None:
    assert len(json.loads(write(tmp_path, count, 1))) == count


def test_it_reads_back_equal(tmp_path: Path) -> None:
    write(tmp_path, 25, 2)
    (document,) = list_documents([tmp_path / "frames.json"]).documents
    assert roundtrip_document(document, FORMATS[0]).difference is None


def test_it_fills_all_tables_and_splits_without_findings(tmp_path: Path) -> None:
    write(tmp_path / "in", 30, 2)
    entry = get_corpus("frames")
    done = import_corpus(entry, [tmp_path / "in"], store=tmp_path / "store", jobs=1).manifest
    filled = {"acts", "states", "objects", "displays", "groundings", "outcomes", "speakers"}
    assert filled | {"dialogues", "events", "native"} == {t for t, n in done.counts.items() if n}
    assert done.findings == {}
    assert set(done.splits) == set(entry.manifest.splits)


def test_offers_are_grounded_in_what_the_search_found() -> None:
    for record in simulated():
        dialogue = convert(record)
        offers = sum(act.name == "offer" for t in record.turns for act in t.labels.acts)
        assert len(dialogue.groundings) == offers


def test_times_of_events_never_go_back() -> None:
    for record in simulated():
        times = [each.at_s or 0 for each in convert(record).events]
        assert times == sorted(times)


def slots_of(records: Iterable[FramesDialogue]) -> list[Slot]:
    return [s for r in records for t in r.turns for a in t.labels.acts for s in a.args]


def test_every_kind_of_value_occurs() -> None:
    slots = slots_of(simulated())
    assert {type(each.val) for each in slots} == {str, bool, int, list, type(UNSET)}
    assert {"ref", "read", "write", "id"} <= {each.key for each in slots}
    notes = [n for s in slots if isinstance(s.val, list) for r in s.val for n in r.annotations]
    assert {type(each.val) for each in notes} == {str, bool, type(None), type(UNSET)}
    ranges = [r.fromrange for s in slots if isinstance(s.val, list) for r in s.val]
    assert set(ranges) == {True, False}


def test_every_field_of_a_search_occurs() -> None:
    searches = [s for r in simulated() for t in r.turns if t.db for s in t.db.search]
    for field in searches[0].__struct_fields__:
        assert any(getattr(each, field) is not UNSET for each in searches), field


def test_every_part_of_a_frame_occurs() -> None:
    frames = [f for r in simulated() for t in r.turns for f in t.labels.frames]
    assert any(frame.requests for frame in frames)
    assert any(frame.binary_questions for frame in frames)
    assert any(frame.compare_requests for frame in frames)
    assert any(each.negated for f in frames for values in f.info.values() for each in values)
