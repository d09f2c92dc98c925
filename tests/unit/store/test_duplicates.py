"""Dialogues of one id in several shards."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import commonground as cg
from commonground.corpora import get_corpus
from commonground.store.importing import import_corpus, planning


def imported(
    folder: Path, store: Path, names: list[list[str]], monkeypatch: pytest.MonkeyPatch, shard: int
) -> list[tuple[object, ...]]:
    """Imports files of dialogues with these ids and returns ids and files as they are stored."""
    (released,) = cg.simulate("taskmaster3", folder / "released", dialogues=1).rglob("data_*.json")
    (dialogue,) = json.loads(released.read_text(encoding="utf-8"))
    files = folder / "data"
    files.mkdir()
    for number, ids in enumerate(names):
        records = [{**dialogue, "conversation_id": each} for each in ids]
        (files / f"data_{number:02}.json").write_text(json.dumps(records), encoding="utf-8")
    monkeypatch.setattr(planning, "LEAST_SHARD_BYTES", shard)
    import_corpus(get_corpus("taskmaster3"), [files], store=store, jobs=1)
    return cg.load("taskmaster3", store).rows(
        "select dialogue_id, source_file from dialogues order by source_file, source_path"
    )


NAMES = [["a", "b", "a"], ["c", "b", "a~2"], ["d"], ["a", "e", "b"]]


def test_shards_give_the_ids_that_one_would(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    found = []
    for shard in (1, 1 << 30):
        folder = tmp_path / str(shard)
        folder.mkdir()
        found.append(imported(folder, folder / "store", NAMES, monkeypatch, shard))
    assert found[0] == found[1]
    ids = [str(row[0]) for row in found[0]]
    assert len(set(ids)) == len(ids) == 10
    assert {"a", "a~2", "a~2~2", "a~3", "b~2", "b~3"} <= set(ids)
