"""The folder for ``datasets``: loaded by the real library, and read back by ours."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest

from commonground.corpora import get_corpus
from commonground.errors import SourceError
from commonground.exports.format import get_export
from commonground.exports.formats.hf import export as hf
from commonground.exports.formats.hf.export import legal_split
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.play.simulating import simulate_corpus
from commonground.schema import TABLE_NAMES
from commonground.store.importing import import_corpus
from commonground.store.opening import Store, open_store
from tests.thorough import a_few
from tests.unit.exports.hf_reading import read_hf

from ..conftest import CORPORA, KINDS

Exporting = Callable[..., tuple[Path, Report]]


def in_order_of(ids: list[str], table: pa.Table) -> pa.Table:
    """Sorts rows by dialogue as listed, stably, those of none at the end."""
    if "dialogue_id" not in table.schema.names:
        return table
    ranks = pc.fill_null(pc.index_in(table["dialogue_id"], value_set=pa.array(ids)), len(ids))
    by_rank = pa.table({"rank": ranks, "row": pa.array(range(table.num_rows), pa.int64())})
    return table.take(by_rank.sort_by([("rank", "ascending"), ("row", "ascending")])["row"])


@pytest.mark.parametrize("corpus", a_few(CORPORA, KINDS))
def test_the_tables_come_back(corpus: str, store: Store, export: Exporting) -> None:
    out, report = export("hf", corpus, native=True)
    assert {each.name for each in report.lost} <= {"order of dialogues across splits"}
    ids = store.corpus(corpus).ids()
    found = read_hf(out)
    for name in TABLE_NAMES:
        before = in_order_of(ids, store.corpus(corpus).table(name))
        assert in_order_of(ids, found[name]).equals(before), name


def test_nested_and_flat_configurations_say_the_same(export: Exporting) -> None:
    from pyarrow import parquet

    out, _ = export("hf", "frames")
    nested = read_hf(out)
    for name in ("events", "acts", "states", "displays"):
        files = sorted((out / "data" / name).glob("*.parquet"))
        flat = pa.concat_tables([parquet.read_table(file) for file in files])
        assert flat.cast(nested[name].schema).equals(nested[name]), name


def test_rows_of_many_parts_make_few_row_groups(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from pyarrow import parquet

    rows = pa.record_batch({"text": ["x" * 100] * 10})
    splits = pa.array(["train"] * 9 + ["test"])
    # Two parts have so many letters of nine texts each, and their offsets besides.
    monkeypatch.setattr(hf, "_HELD", 2 * 9 * 100)
    with hf._Configuration(tmp_path, "events") as config:
        for _ in range(5):
            config.add(rows, splits)
    files = (tmp_path / "data" / "events").glob("*.parquet")
    groups = {each.name[:5]: parquet.read_metadata(each).num_row_groups for each in files}
    assert config.rows == {"train": 45, "test": 5}
    assert groups == {"train": 3, "test-": 1}  # of 18, 18 and 9 rows; of five


def test_the_card_carries_licence_terms_and_citation(store: Store, export: Exporting) -> None:
    yaml = pytest.importorskip("yaml", reason="needs the extra hf")
    out, _ = export("hf", "frames", "taskmaster4")
    text = (out / "README.md").read_text(encoding="utf-8")
    head = yaml.safe_load(text.split("---\n")[1])
    assert head["license"] == ["other", "cc-by-4.0"]
    assert head["configs"][0]["config_name"] == "dialogues"
    for name in ("frames", "taskmaster4"):
        manifest = get_corpus(name).manifest
        for part in (manifest.licence, manifest.terms, manifest.citation.strip()):
            assert part in text
    splits = {each["split"] for each in head["configs"][0]["data_files"]}
    released = [*store.corpus("frames").splits(), *store.corpus("taskmaster4").splits()]
    assert splits == {name.replace("-", "_") or "unsplit" for name in released}


@pytest.mark.parametrize(
    ("released", "legal"),
    [
        ("train", "train"),
        ("fold-1", "fold_1"),
        ("all", "all_"),
        (None, "unsplit"),
        ("unsplit", "unsplit_"),
        ("devé 2", "dev__2"),
    ],
)
def test_split_names_are_legal(released: str | None, legal: str) -> None:
    assert legal_split(released) == legal
    assert legal_split(released, [legal]) == f"{legal}_"


def load(out: Path, config: str, cache: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setenv("HF_HUB_OFFLINE", "1")
    monkeypatch.setenv("HF_DATASETS_OFFLINE", "1")
    datasets = pytest.importorskip("datasets", reason="needs the extra hf")
    return datasets.load_dataset(str(out), config, cache_dir=str(cache))


@pytest.mark.filterwarnings("default")
def test_datasets_loads_whole_dialogues(
    store: Store, export: Exporting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = export("hf", "photobook")
    found = load(out, "dialogues", tmp_path / "cache", monkeypatch)
    splits = store.corpus("photobook").splits()
    assert {name: len(rows) for name, rows in found.items()} == splits
    for split, rows in found.items():
        dialogues = list(store.corpus("photobook").dialogues(split))
        for row, dialogue in zip(rows, dialogues, strict=True):
            assert row["dialogue_id"] == dialogue.dialogue_id
            texts = [event["text"] for event in row["events"] if event["text"] is not None]
            assert texts == [event.text for event in dialogue.utterances()]
            arguments = [e["arguments"] for e in row["events"] if e["arguments"] is not None]
            assert arguments == [e.arguments for e in dialogue.actions() if e.arguments is not None]


@pytest.mark.filterwarnings("default")
def test_datasets_loads_every_table(
    store: Store, export: Exporting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = export("hf", "frames")
    for name in sorted(path.name for path in (out / "data").iterdir()):
        found = load(out, name, tmp_path / "cache", monkeypatch)
        rows = store.corpus("frames").table(name).num_rows
        assert sum(len(each) for each in found.values()) == rows, name


@pytest.mark.filterwarnings("default")
def test_json_can_stay_text(
    export: Exporting, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out, _ = export("hf", "frames", json_columns="text")
    found = load(out, "objects", tmp_path / "cache", monkeypatch)["unsplit"]
    assert found[0]["attributes"].startswith("{")
    assert read_hf(out)["objects"].num_rows == len(found)


@pytest.fixture
def pictured(tmp_path: Path) -> Store:
    """A store of invented games whose pictures are at hand, but for one."""
    folder = tmp_path / "photobook"
    simulate_corpus(get_corpus("photobook"), folder, dialogues=2, seed=3)
    next((folder / "images").rglob("*.jpg")).unlink()
    store = tmp_path / "store"
    import_corpus(get_corpus("photobook"), [folder], store=store, images=folder / "images")
    return open_store(store)


@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("images", ["embed", "link"])
def test_pictures_are_pictures(
    images: str, pictured: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    out = tmp_path / "out"
    run_export(get_export("hf"), Selection(pictured), out, {"images": images})
    (found,) = load(out, "objects", tmp_path / "cache", monkeypatch).values()
    sizes = [row["image"].size for row in found if row["image"] is not None]
    assert len(sizes) == len(found) - 1
    assert all(width > 0 for width, _ in sizes)
    assert read_hf(out)["objects"].equals(pictured.corpus("photobook").table("objects"))


def test_pictures_are_found_in_a_folder_whose_name_is_not_utf_8(tmp_path: Path) -> None:
    folder = tmp_path / "photobook"
    simulate_corpus(get_corpus("photobook"), folder, dialogues=1, seed=3)
    odd = (folder / "images").rename(tmp_path / os.fsdecode(b"caf\xe9"))
    import_corpus(get_corpus("photobook"), [folder], store=tmp_path / "store", images=odd)
    selection = Selection(open_store(tmp_path / "store"))
    run_export(get_export("hf"), selection, tmp_path / "out", {})
    (file,) = (tmp_path / "out" / "data" / "objects").glob("*.parquet")
    assert all(each["bytes"] for each in pq.read_table(file)["image"].to_pylist())
    with pytest.raises(SourceError, match=r"caf\\xe9.* has a name that is not UTF-8"):
        run_export(get_export("hf"), selection, tmp_path / "linked", {"images": "link"})


def test_a_picture_that_cannot_be_read_stops_the_export(pictured: Store, tmp_path: Path) -> None:
    def refuse(_path: Path) -> bytes:
        raise PermissionError(13, "Permission denied")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Path, "read_bytes", refuse)
        with pytest.raises(SourceError, match=r"jpg cannot be read: Permission denied"):
            run_export(get_export("hf"), Selection(pictured), tmp_path / "out", {})
    assert not (tmp_path / "out").exists()


def test_pictures_are_left_out_where_no_folder_was_named(export: Exporting) -> None:
    from pyarrow import parquet

    out, _ = export("hf", "photobook")
    (file,) = (out / "data" / "objects").glob("*.parquet")
    assert "image" not in parquet.read_schema(file).names
