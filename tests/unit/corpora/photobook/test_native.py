from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.photobook.samples import small_log

from commonground.corpora.photobook.native import (
    FORMATS,
    Domain,
    Game,
    parse_domains,
    render_domains,
)
from commonground.files.documents import iterate_records
from commonground.files.formats import FileFormat
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import Document, list_documents
from commonground.records import decode_record, encode_record

LOG, SPLITS, DOMAINS = FORMATS


def written(path: Path, data: bytes) -> Document:
    path.write_bytes(data)
    return list_documents([path]).documents[0]


def test_a_log_is_written_as_read() -> None:
    data = json.dumps(small_log()).encode()
    assert json.loads(encode_record(decode_record(data, Game))) == small_log()


def test_null_feedback_stays_null_and_empty_stays_empty() -> None:
    log = small_log()
    log["feedback"]["B"] = ""
    game = decode_record(json.dumps(log).encode(), Game).record
    assert game is not None
    assert (game.feedback.A, game.feedback.B) == (None, "")


def test_all_faults_are_reported_at_once() -> None:
    log: dict[str, Any] = small_log()
    log["game_id"] = "12"
    del log["rounds"][0]["score"]["B"]
    log["rounds"][1]["messages"][0]["mood"] = "good"
    faults = decode_record(json.dumps(log).encode(), Game).faults
    assert {(fault.path, fault.kind) for fault in faults} == {
        (".game_id", "type"),
        (".rounds[0].score.B", "missing"),
        (".rounds[1].messages[0].mood", "unknown"),
    }


def test_domains_are_one_a_line() -> None:
    data = "0: sun_sea\n1: dining_table_owl\n"
    records = list(parse_domains(data))
    assert [each.line for each in records] == [1, 2]
    assert [each.record for each in records] == [
        Domain(domain_id=0, folder="sun_sea"),
        Domain(domain_id=1, folder="dining_table_owl"),
    ]
    assert render_domains([each.record for each in records]) == data.encode()


@pytest.mark.parametrize(
    ("name", "fmt", "data"),
    [
        ("12_7_9_3.json", LOG, json.dumps(small_log()).encode()),
        ("data_splits.json", SPLITS, b'{"train": [0], "dev": [], "val": [2], "test": [1]}'),
        ("domain_ids.txt", DOMAINS, b"0: sun_sea\n1: sun_sea\n"),
    ],
)
def test_files_round_trip(name: str, fmt: FileFormat, data: bytes, tmp_path: Path) -> None:
    document = written(tmp_path / name, data)
    assert roundtrip_document(document, fmt).difference is None


@pytest.mark.parametrize("line", ["nonsense", "01: sun_sea", "1:sun_sea", "9" * 5000 + ": sun"])
def test_a_line_that_is_no_domain_is_reported_and_kept(line: str, tmp_path: Path) -> None:
    document = written(tmp_path / "domain_ids.txt", f"0: sun_sea\n{line}\n".encode())
    assert roundtrip_document(document, DOMAINS).difference is None
    _, read = iterate_records(document, DOMAINS)
    (finding,) = read.findings
    assert (finding.code, finding.source_path, read.record) == ("CG-TEXT-001", "line 2", None)


@pytest.mark.parametrize("odd", ['"3"', "3.0", "null", "[3]", "true", "None", "'3'"])
def test_an_entry_of_a_split_that_is_no_game_costs_itself(odd: str, tmp_path: Path) -> None:
    data = f'{{"train": [0, {odd}, 1], "Val": [2], "mine": null}}'.encode()
    reads = list(iterate_records(written(tmp_path / "data_splits.json", data), SPLITS))
    ids = [(read.raw.split, read.record) for read in reads if isinstance(read.record, int)]
    assert [each for each in ids if each[1] != 3] == [("train", 0), ("train", 1), ("Val", 2)]
    located = [finding.source_path for read in reads for finding in read.findings]
    assert [path for path in located if path != "$.mine"] == ["$.train[1]"]
    assert "$.mine" in located


@pytest.mark.parametrize("text", ["0: sun\u2028sea\n1: a\x1db\n", "0: sun_sea\r\n"])
def test_only_line_feeds_end_lines(text: str) -> None:
    records = [each.record for each in parse_domains(text)]
    assert render_domains(records) == text.replace("\r", "").encode()
