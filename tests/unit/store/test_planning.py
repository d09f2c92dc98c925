from __future__ import annotations

from pathlib import Path

import pytest

import commonground.store.importing.planning as planning
from commonground.corpora import Entry
from commonground.files.formats import FileFormat
from commonground.files.reading import Options
from commonground.files.sources import Document
from commonground.store.identify import Identified
from commonground.store.importing.planning import Intake, ShardJob, plan_shards


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(planning, "LEAST_SHARD_BYTES", 4)


def plan(entry: Entry, sizes: list[int], layout: str = "array") -> list[ShardJob]:
    """Plans an import of documents of these sizes, in bytes; shards have 4 bytes or more."""
    fmt = FileFormat(name="talks", title="", pattern="", record=dict, layout=layout)  # type: ignore[arg-type]
    known = [(Document(str(i), "", None, size), fmt) for i, size in enumerate(sizes)]
    identified = Identified(known, [], [])
    intake = Intake(entry=entry, identified=identified, options=Options(entry.name))
    return plan_shards(intake, Path("folder"))


def pieces(jobs: list[ShardJob]) -> list[list[str]]:
    return [[f"{s.document.name}:{s.number}/{s.of}" for s in job.slices] for job in jobs]


def test_shards_are_of_like_size(toy: Entry) -> None:
    assert pieces(plan(toy, [2, 2, 2, 2])) == [["0:0/1", "1:0/1"], ["2:0/1", "3:0/1"]]
    # 3 and 3 are nearer to 4 than 6 is.
    assert pieces(plan(toy, [3, 3, 1])) == [["0:0/1"], ["1:0/1", "2:0/1"]]


def test_a_large_import_has_sixteen_shards(toy: Entry) -> None:
    assert len(plan(toy, [10] * 160)) == 16  # of 100 bytes


def test_the_largest_import_has_no_more_shards_than_can_be_kept_account_of(
    toy: Entry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(planning, "MOST_SHARD_BYTES", 4)
    monkeypatch.setattr(planning, "MOST_SHARDS", 20)
    assert len(plan(toy, [1] * 1000)) == 20  # of 50 bytes


def test_a_large_list_is_dealt_out(toy: Entry) -> None:
    assert pieces(plan(toy, [8])) == [["0:0/2"], ["0:1/2"]]


def test_a_document_of_one_record_stays_whole(toy: Entry) -> None:
    assert pieces(plan(toy, [10], "document")) == [["0:0/1"]]


def test_parts_are_numbered_and_go_to_the_folder(toy: Entry) -> None:
    jobs = plan(toy, [8])
    assert [(job.part, job.folder, job.corpus) for job in jobs] == [
        (0, "folder", "toy"),
        (1, "folder", "toy"),
    ]


def test_nothing_to_read_is_one_shard(toy: Entry) -> None:
    assert pieces(plan(toy, [])) == [[]]
