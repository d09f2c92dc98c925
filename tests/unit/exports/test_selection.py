"""What is chosen, and what is not."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from commonground.errors import StoreError, UsageError
from commonground.exports.selection import Selection
from commonground.schema import TABLE_NAMES
from commonground.store.opening import Store, open_store


def test_everything_is_chosen_without_a_condition(store: Store) -> None:
    selection = Selection(store)
    assert selection.corpora == tuple(store.corpora())
    assert len(selection) == store.sql("SELECT 1 FROM dialogues").num_rows
    assert selection.ids("frames") == store.corpus("frames").ids()


def test_a_whole_table_is_the_stored_one(store: Store) -> None:
    selection = Selection(store, ["photobook"])
    for name in TABLE_NAMES:
        assert selection.table("photobook", name).equals(store.corpus("photobook").table(name))


@pytest.mark.parametrize("corpus", ["frames", "photobook", "simmc"])
def test_sql_and_arrow_choose_the_same_rows(store: Store, corpus: str) -> None:
    first, *_ = store.corpus(corpus).ids()
    selection = Selection(store, [corpus], where=f"dialogue_id = '{first}'")
    assert len(selection) == 1
    for name in TABLE_NAMES:
        rows = selection.rows(f"SELECT count(*) FROM {selection.source(name)}")[0][0]
        assert selection.table(corpus, name).num_rows == rows
        everything = store.corpus(corpus).table(name).num_rows
        assert rows < everything or everything == 0 or name == "objects"


def test_only_the_objects_of_the_dialogue_come_along(store: Store) -> None:
    first, *_ = store.corpus("photobook").ids()
    selection = Selection(store, ["photobook"], where=f"dialogue_id = '{first}'")
    dialogue = store.corpus("photobook").dialogue(first)
    ids = selection.table("photobook", "objects", ["object_id"]).column(0).to_pylist()
    assert sorted(ids) == sorted(each.object_id for each in dialogue.objects)


def test_dialogues_report_progress(store: Store) -> None:
    told: list[tuple[int, int]] = []
    selection = Selection(
        store, ["frames", "mpchat"], progress=lambda *numbers: told.append(numbers)
    )
    found = [d.dialogue_id for name in selection.corpora for d in selection.dialogues(name)]
    assert found == selection.ids("frames") + selection.ids("mpchat")
    assert told == [(number, len(found)) for number in range(1, len(found) + 1)]


def test_splits_are_alternatives(store: Store) -> None:
    splits = [name for name in store.corpus("frames").splits() if name][:2]
    assert len(splits) == 2
    counts = [store.corpus("frames").splits()[name] for name in splits]
    assert len(Selection(store, splits=splits)) == sum(counts)


@pytest.mark.parametrize(
    "where", ["no_such_column = 1", "true) OR (true", "true LIMIT 1", "true -- ) x", "", "1;", "("]
)
def test_what_is_no_condition_is_refused_with_the_columns(store: Store, where: str) -> None:
    if where == "true -- ) x":  # a comment ends at the end of the line
        assert len(Selection(store, ["frames"], where=where)) == 6
        return
    with pytest.raises(StoreError, match=r"--where .* is not a condition: (.|\n)*n_events"):
        Selection(store, where=where)


def test_a_condition_that_fails_on_some_row_is_refused_too(store: Store) -> None:
    with pytest.raises(StoreError, match=r"is not a condition: Conversion(.|\n)*n_events"):
        Selection(store, ["frames"], where="CAST(dialogue_id AS INTEGER) > 3")


def test_unknown_names_are_refused(store: Store) -> None:
    with pytest.raises(UsageError, match="no split 'fold-77'"):
        Selection(store, ["frames"], ["fold-77"])
    with pytest.raises(StoreError, match="'elsewhere' is not in the store"):
        Selection(store, ["elsewhere"])
    with pytest.raises(UsageError, match="No dialogue is chosen"):
        Selection(store, where="false")


def test_a_damaged_file_is_an_error_of_the_store(simulated: Path, tmp_path: Path) -> None:
    shutil.copytree(simulated, tmp_path / "store")
    selection = Selection(open_store(tmp_path / "store"), ["frames"])
    for path in (tmp_path / "store" / "frames").rglob("events-*.parquet"):
        path.write_bytes(path.read_bytes()[:100])
    with pytest.raises(
        StoreError, match=r"events-00000\.parquet cannot be read.*import the same files again"
    ):
        selection.table("frames", "events")


def test_ids_are_in_the_order_of_the_files(store: Store) -> None:
    selection = Selection(store, where="dialogue_id IS NOT NULL")
    for name in selection.corpora:
        table = store.corpus(name).table("dialogues")
        assert selection.ids(name) == table["dialogue_id"].to_pylist()


@pytest.mark.parametrize("row", ["7", "n_events"])
def test_a_condition_that_runs_for_ever_is_stopped(
    store: Store, monkeypatch: pytest.MonkeyPatch, row: str
) -> None:
    monkeypatch.setenv("COMMONGROUND_SQL_SECONDS", "0.3")
    endless = "SELECT count(*) FROM range(100000000) a, range(100000000) b"
    where = f"n_events > ({endless} WHERE a.range + b.range = {row})"
    with pytest.raises(StoreError, match=r"stopped after 0\.3 s.*COMMONGROUND_SQL_SECONDS"):
        Selection(store, ["frames"], where=where)
