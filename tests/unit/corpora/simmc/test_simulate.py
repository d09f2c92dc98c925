from __future__ import annotations

from pathlib import Path

import duckdb
from tests.unit.corpora.simmc.shelf import Shelf

from commonground.corpora import get_corpus
from commonground.play.simulating import simulate_corpus
from commonground.store.importing import import_corpus
from commonground.store.layout.manifest import part_files
from commonground.store.opening import open_store

TABLES = {"spans", "acts", "states", "objects", "displays", "groundings", "candidates"}


def test_released_names_are_written(shelf: Shelf) -> None:
    names = {document.base for document, _ in shelf.known}
    assert names >= {"fashion_train_dials.json", "furniture_metadata.csv", "dev_dialog_ids"}
    assert "furniture_devtest_dials_teststd_format_public.json" in names
    assert {fmt.name for _, fmt in shelf.known} == set(shelf.entry.manifest.formats)


def test_all_tables_are_filled(shelf: Shelf, tmp_path: Path) -> None:
    images = shelf.folder / "images"
    done = import_corpus(shelf.entry, [shelf.folder], store=tmp_path, images=images)
    assert done.manifest.counts["dialogues"] == 20
    assert done.manifest.findings == {}
    assert done.manifest.counts.keys() >= TABLES
    assert set(done.manifest.splits) == {"train", "dev", "devtest"}
    parts = [str(path) for path in part_files(tmp_path, done.manifest, "objects")]
    with duckdb.connect() as connection:
        rows = connection.execute(f"select uri from read_parquet({parts})").fetchall()
    assert all((images / uri).is_file() for (uri,) in rows)


def test_version_2_tables_are_filled(shelf2: Shelf, tmp_path: Path) -> None:
    done = import_corpus(shelf2.entry, [shelf2.folder], store=tmp_path)
    assert done.manifest.findings == {}
    assert TABLES - {"spans", "candidates"} <= done.manifest.counts.keys()


def test_what_is_said_of_an_item_is_true(shelf: Shelf) -> None:
    told = 0
    for record in shelf.records("fashion_train_dials.json"):
        items = {number: item for item, number in record["dialogue_coref_map"].items()}
        for turn in record["dialogue"]:
            for label in turn["system_turn_label"]:
                for slot, value in label["slots"]:
                    if slot == "brand":
                        item = items[label["objects"][0]["obj_idx"]]
                        brand = shelf.context.catalogue[f"fashion/{item}"].attributes["brand"]
                        assert value == brand
                        told += 1
    assert told


def test_references_are_in_view_or_were(shelf: Shelf) -> None:
    for record in shelf.records("furniture_train_dials.json"):
        seen: set[str] = set()
        for turn in record["dialogue"]:
            seen |= turn["visual_objects"].keys()
            for act in turn["belief_state"]:
                assert {v for slot, v in act["slots"] if slot == "furniture-O"} <= seen


def test_scenes_of_a_room_share_its_picture_as_released(tmp_path: Path) -> None:
    simulate_corpus(get_corpus("simmc2"), tmp_path, dialogues=30, seed=1)
    names = {path.stem for path in (tmp_path / "images").glob("*.png")}
    assert names
    assert not any(name.startswith("m_") for name in names)
    import_corpus(
        get_corpus("simmc2"), [tmp_path], store=tmp_path / "st", images=tmp_path / "images", jobs=1
    )
    scenes = (
        open_store(tmp_path / "st")
        .corpus("simmc2")
        .rows("SELECT object_id, uri FROM objects WHERE kind = 'scene'")
    )
    assert any(scene.startswith("m_") for scene, _ in scenes)
    assert all(uri == f"{scene.removeprefix('m_')}.png" for scene, uri in scenes)
