"""What people have in place of the released files is named, and what to do is said."""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
from pathlib import Path

import pytest

from commonground.corpora import get_corpus
from commonground.errors import FormatError
from commonground.store.arrow import pa, pq
from commonground.store.importing import import_corpus

DIALOGUE = {"conversation_id": "x", "instruction_id": "coffee", "utterances": []}


def refusal(path: Path, corpus: str = "taskmaster1") -> str:
    with pytest.raises(FormatError) as error:
        import_corpus(get_corpus(corpus), [path], store=path.parent / "store")
    return str(error.value)


@pytest.mark.parametrize(
    ("value", "title"),
    [
        (
            [{"dataset": "d", "data_split": "test", "dialogue_id": "1", "turns": []}],
            "ConvLab's unified format",
        ),
        (
            {"D--train--1": {"original dialog id": "", "new dialog id": "1", "log": []}},
            "DialogStudio's format",
        ),
        (
            {"features": [], "rows": [{"row_idx": 0, "row": {}}]},
            "rows of the Hugging Face dataset viewer",
        ),
    ],
)
def test_files_of_other_projects_are_named(tmp_path: Path, value: object, title: str) -> None:
    path = tmp_path / "train.json"
    path.write_text(json.dumps(value))
    said = refusal(path)
    assert f"train.json is {title}." in said
    assert "commonground fetch taskmaster1 FOLDER" in said


def test_tables_are_named_with_the_corpus_whose_fields_they_have(tmp_path: Path) -> None:
    path = tmp_path / "games.parquet"
    fields = ("game_id", "domain_id", "agent_ids", "rounds", "scores")
    pq.write_table(pa.table({field: [1] for field in fields}), path)
    said = refusal(path)
    assert "games.parquet is a Parquet table, as dataset hubs have them." in said
    assert "photobook, game log" in said
    assert "commonground fetch photobook FOLDER" in said
    path.write_bytes(b"no table")
    assert "commonground fetch taskmaster1 FOLDER" in refusal(path)


def test_json_lines_of_released_records_become_a_file_that_is_read(tmp_path: Path) -> None:
    path = tmp_path / "its rows.jsonl"
    path.write_text(json.dumps(DIALOGUE) + "\n" + json.dumps({**DIALOGUE, "conversation_id": "y"}))
    said = refusal(path)
    assert "Its rows have the fields of taskmaster1, Taskmaster-1 dialogues." in said
    command = said.rpartition("released form of them: ")[2]
    assert command == f"jq -s . '{path}' > '{tmp_path / 'its rows.json'}'"
    if shutil.which("jq") is None:
        pytest.skip("jq is not installed")
    subprocess.run(["bash", "-c", command], check=True)
    made = tmp_path / "its rows.json"
    summary = import_corpus(get_corpus("taskmaster1"), [made], store=tmp_path / "store")
    assert summary.manifest.counts["dialogues"] == 2


def test_json_lines_and_packed_files_are_known_by_what_they_hold(tmp_path: Path) -> None:
    path = tmp_path / "rows.json"
    path.write_text(f"{json.dumps(DIALOGUE)}\n" * 2)
    said = refusal(path)
    assert "rows.json is JSON Lines, as dataset hubs have them. Its rows have the fields of" in said
    assert f"mv {path} {path}.jsonl && jq -s . {path}.jsonl > {path}" in said
    path.write_bytes(gzip.compress(b"[]"))
    said = refusal(path)
    assert f"rows.json is compressed. Unpack it: mv {path} {path}.gz && gunzip -k {path}.gz" in said


def test_lines_of_games_become_a_log_each(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    game = {"game_id": 1, "agent_ids": [2, 3], "domain_id": 4, "rounds": []}
    path.write_text(json.dumps(game) + "\n\n" + json.dumps({**game, "game_id": 5}))
    command = refusal(path, "photobook").rpartition("released form of them: ")[2]
    subprocess.run(["bash", "-c", command], check=True)
    assert sorted(each.name for each in tmp_path.glob("*.json")) == ["1_2_3_4.json", "5_2_3_4.json"]


def test_a_packed_file_alone_is_refused_with_the_command(tmp_path: Path) -> None:
    path = tmp_path / "self-dialogs.json.gz"
    path.write_bytes(gzip.compress(json.dumps([DIALOGUE]).encode()))
    assert f"self-dialogs.json.gz is compressed. Unpack it: gunzip -k {path}" in refusal(path)


def test_a_packed_file_beside_others_is_named_until_it_is_unpacked(tmp_path: Path) -> None:
    folder = tmp_path / "in"
    folder.mkdir()
    (folder / "self-dialogs.json").write_text(json.dumps([DIALOGUE]))
    packed = folder / "woz-dialogs.json.gz"
    packed.write_bytes(gzip.compress(json.dumps([{**DIALOGUE, "conversation_id": "y"}]).encode()))
    (folder / "notes.txt.gz").write_bytes(b"")
    entry, store = get_corpus("taskmaster1"), tmp_path / "store"
    summary = import_corpus(entry, [folder], store=store)
    (unread,) = summary.unreadable
    assert (unread.name, unread.code) == ("woz-dialogs.json.gz", "CG-SOURCE-005")
    assert f"gunzip -k {packed}" in unread.reason
    assert summary.left_alone == ["notes.txt.gz"]
    (folder / "woz-dialogs.json").write_bytes(gzip.decompress(packed.read_bytes()))
    again = import_corpus(entry, [folder], store=store)
    assert (again.unreadable, again.manifest.counts["dialogues"]) == ([], 2)
