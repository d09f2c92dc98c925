from __future__ import annotations

from pathlib import Path

from commonground.corpora import Entry
from commonground.formats import FileFormat
from commonground.reading import Options
from commonground.sources import Document
from commonground.store.identify import Identified
from commonground.store.planning import Intake, ShardJob, plan_shards


def plan(entry: Entry, sizes: list[int], jobs: int, layout: str = "array") -> list[ShardJob]:
    """Plans an import of documents of these sizes, in bytes."""
    fmt = FileFormat(name="talks", title="", pattern="", record=dict, layout=layout)  # type: ignore[arg-type]
    known = [(Document(str(i), "", None, size), fmt) for i, size in enumerate(sizes)]
    identified = Identified(known, [], [])
    intake = Intake(entry=entry, identified=identified, options=Options(entry.name))
    return plan_shards(intake, Path("folder"), jobs=jobs)


def pieces(jobs: list[ShardJob]) -> list[list[str]]:
    return [[f"{s.document.name}:{s.number}/{s.of}" for s in job.slices] for job in jobs]


def test_shards_are_of_like_size(toy: Entry) -> None:
    # 8 bytes for two workers are 4 each.
    assert pieces(plan(toy, [2, 2, 2, 2], 2)) == [["0:0/1", "1:0/1"], ["2:0/1", "3:0/1"]]


def test_a_large_list_is_dealt_out(toy: Entry) -> None:
    # 10 bytes for two workers are 5 each, so that 10 are cut in two.
    assert pieces(plan(toy, [10], 2)) == [["0:0/2"], ["0:1/2"]]


def test_a_document_of_one_record_stays_whole(toy: Entry) -> None:
    assert pieces(plan(toy, [10], 2, "document")) == [["0:0/1"]]


def test_parts_are_numbered_and_go_to_the_folder(toy: Entry) -> None:
    jobs = plan(toy, [10], 2)
    assert [(job.part, job.folder, job.corpus) for job in jobs] == [
        (0, "folder", "toy"),
        (1, "folder", "toy"),
    ]


def test_nothing_to_read_is_one_shard(toy: Entry) -> None:
    assert pieces(plan(toy, [], 4)) == [[]]
