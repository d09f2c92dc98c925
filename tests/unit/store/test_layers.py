"""Layers of labels join an import, stay with it, and leave what was released alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from starlette.testclient import TestClient
from tests.thorough import a_few

from commonground.corpora import get_corpus
from commonground.errors import FormatError, StoreError, UsageError
from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.server.app import create_app
from commonground.files.listings import hash_file
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.label_files import Decision, Label, LabelFile, read_labels
from commonground.store.label_tables import read_label_table, write_label_table
from commonground.store.layers import add_layer, list_layers, read_layer, remove_layer
from commonground.store.layout.integrity import verify_import
from commonground.store.layout.manifest import load_manifest
from commonground.store.opening import open_store

TALKS = {"a": ["hello", "is it late?"], "b": ["no", "why?"]}
ROWS = "SELECT dialogue_id, event, slot, value FROM acts WHERE layer = 'asks' ORDER BY ALL"


def make_file(*labels: tuple[str, int, str], layer: str = "asks", **fields: Any) -> LabelFile:
    """A file of labels: each of a dialogue, an event, and the answers' first letters."""
    words = {"y": "yes", "n": "no"}
    made = [
        Label(
            dialogue_id=dialogue,
            event=event,
            votes=[(f"W{n:04}", words[each]) for n, each in enumerate(votes)],
            label=words[max(set(votes), key=votes.count)],
        )
        for dialogue, event, votes in labels
    ]
    values: dict[str, Any] = {"corpus": "toy", "question": "Does it ask?", "people": 3, **fields}
    return LabelFile(layer=layer, answers=["yes", "no"], labels=made, **values)


TWO = make_file(("a", 1, "yyn"), ("b", 0, "nnn"))


@pytest.fixture
def store(import_toy: Callable[..., Any], write_talks: Callable[..., Path], tmp_path: Path) -> Path:
    import_toy(write_talks(TALKS))
    return tmp_path / "store"


def test_labels_join_the_events_by_sql(store: Path, open_toy: Callable[[], Corpus]) -> None:
    made = add_layer(store, "labels.json", TWO)
    assert (made.labels, made.decided) == (2, 2)
    found = open_toy().rows(
        "SELECT text, value, attributes ->> '$.votes[2][1]' FROM acts "
        "JOIN events USING (corpus, dialogue_id, event) WHERE layer = 'asks' ORDER BY text"
    )
    assert found == [("is it late?", "yes", "no"), ("no", "no", "no")]


def test_a_dialogue_has_them_as_acts(store: Path, open_toy: Callable[[], Corpus]) -> None:
    before = open_toy()["a"]
    add_layer(store, "labels.json", TWO)
    (act,) = [each for each in open_toy()["a"].acts if each.layer == "asks"]
    assert (act.event, act.act, act.slot, act.value) == (1, "label", "event", "yes")
    assert act.attributes["question"] == "Does it ask?"
    assert [each for each in open_toy()["a"].acts if each.layer != "asks"] == before.acts


def test_the_store_is_whole_and_readers_of_before_are_not_disturbed(store: Path) -> None:
    early = open_store(store).corpus("toy")
    add_layer(store, "labels.json", TWO)
    assert early.rows(ROWS) == []
    manifest = load_manifest(store, "toy")
    assert manifest is not None
    assert list(verify_import(store, manifest)) == []
    assert open_store(store).corpus("toy").manifest.counts["acts"] == manifest.counts["acts"]


def test_a_layer_that_was_added_is_replaced_by_one_of_its_name(
    store: Path, open_toy: Callable[[], Corpus]
) -> None:
    add_layer(store, "labels.json", TWO)
    add_layer(store, "labels.json", make_file(("b", 1, "nyn"), layer="other"))
    add_layer(store, "labels.json", make_file(("b", 1, "yyy")))
    assert open_toy().rows(ROWS) == [("b", 1, "event", "yes")]
    manifest = open_toy().manifest
    assert sorted(each.name for each in manifest.layers) == ["asks", "other"]
    assert len({each.part for each in manifest.layers}) == 2


Import = Callable[[dict[str, list[str]]], dict[str, int]]


@pytest.fixture
def again(import_toy: Callable[..., Any], write_talks: Callable[..., Path]) -> Import:
    """Imports other talks, and returns what became of the layer's labels."""

    def run(talks: dict[str, list[str]]) -> dict[str, int]:
        (kept,) = import_toy(write_talks(talks), force=True, replace=True).layers
        counts = msgspec.to_builtins(kept)
        assert counts.pop("name") == "asks"
        return {name: count for name, count in counts.items() if count}

    return run


def check_whole(store: Path) -> None:
    manifest = load_manifest(store, "toy")
    assert manifest is not None
    assert list(verify_import(store, manifest)) == []


def test_labels_stay_when_the_corpus_is_imported_again(
    store: Path, again: Import, open_toy: Callable[[], Corpus]
) -> None:
    add_layer(store, "labels.json", TWO)
    before = open_toy().rows(ROWS)
    assert again(TALKS) == {"kept": 2}
    assert open_toy().rows(ROWS) == before
    check_whole(store)


def test_labels_go_where_their_words_go(
    store: Path, again: Import, open_toy: Callable[[], Corpus]
) -> None:
    add_layer(store, "labels.json", make_file(("a", 0, "nnn"), ("a", 1, "yyn"), ("b", 0, "nnn")))
    assert again({**TALKS, "a": ["hm", "hello", "well", "is it late?"]}) == {"kept": 1, "moved": 2}
    assert open_toy().rows(ROWS) == [
        ("a", 1, "event", "no"),
        ("a", 3, "event", "yes"),
        ("b", 0, "event", "no"),
    ]
    check_whole(store)


def test_of_the_same_words_said_twice_the_right_ones_are_found(
    store: Path, again: Import, open_toy: Callable[[], Corpus]
) -> None:
    said = ["yes", "is it?", "yes", "no", "yes"]
    add_layer(store, "labels.json", TWO)
    again({"a": said, "b": TALKS["b"]})
    add_layer(store, "labels.json", make_file(("a", 2, "yyy"), ("a", 4, "nnn")))
    assert again({"a": ["so", *said], "b": ["no"]}) == {"moved": 2}
    assert open_toy().rows(ROWS) == [("a", 3, "event", "yes"), ("a", 5, "event", "no")]


def test_labels_are_set_aside_and_come_back(
    store: Path, again: Import, open_toy: Callable[[], Corpus]
) -> None:
    add_layer(store, "labels.json", TWO)
    assert again({"b": TALKS["b"]}) == {"kept": 1, "aside": 1}
    assert open_toy().rows(ROWS) == [("b", 0, "event", "no")]
    check_whole(store)
    manifest = load_manifest(store, "toy")
    assert manifest is not None
    assert [(e.labels, e.aside) for e in list_layers(store, [manifest])] == [(1, 1)]
    # Other words in its place are not what was labelled.
    assert again({"a": ["hello", "is it early?"]}) == {"aside": 2}
    assert open_toy().rows(ROWS) == []
    check_whole(store)
    assert again({**TALKS, "a": ["oh", *TALKS["a"]]}) == {"back": 2}
    assert open_toy().rows(ROWS) == [("a", 2, "event", "yes"), ("b", 0, "event", "no")]
    check_whole(store)
    remove_layer(store, "toy", "asks")
    check_whole(store)


def test_a_layer_that_was_added_without_hashes_is_taken_over(
    store: Path, again: Import, open_toy: Callable[[], Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as patched:
        patched.setattr("commonground.store.layers.OF", "nothing")
        add_layer(store, "labels.json", TWO)
    assert again({**TALKS, "a": ["hm", *TALKS["a"]]}) == {"kept": 1, "moved": 1}
    assert open_toy().rows(ROWS) == [("a", 2, "event", "yes"), ("b", 0, "event", "no")]


def test_a_layer_outlives_a_manifest_of_another_version(
    store: Path, again: Import, open_toy: Callable[[], Corpus]
) -> None:
    add_layer(store, "labels.json", TWO)
    path = store / "toy/manifest.json"
    path.write_bytes(path.read_bytes().replace(b'"schema_version": ', b'"schema_version": 9'))
    assert again(TALKS) == {"kept": 2}
    assert len(open_toy().rows(ROWS)) == 2


@pytest.mark.parametrize("damage", a_few([b"", b"{", b"\xff", b"[]"], [b"{"]))
def test_a_layer_outlives_a_damaged_manifest(
    store: Path, again: Import, open_toy: Callable[[], Corpus], damage: bytes
) -> None:
    add_layer(store, "labels.json", TWO)
    assert again({"b": TALKS["b"]}) == {"kept": 1, "aside": 1}
    (store / "toy/manifest.json").write_bytes(damage)
    assert again(TALKS) == {"kept": 1, "back": 1}
    assert len(open_toy().rows(ROWS)) == 2
    assert [each.question for each in open_toy().manifest.layers] == ["Does it ask?"]
    check_whole(store)


def test_of_a_damaged_manifest_no_damaged_layer_is_left_behind(
    store: Path, import_toy: Callable[..., Any], write_talks: Callable[..., Path]
) -> None:
    add_layer(store, "labels.json", TWO)
    (part,) = store.glob("toy/data-*/acts-50000.parquet")
    whole = part.read_bytes()
    for path in (part, store / "toy/manifest.json"):
        path.write_bytes(b"")
    with pytest.raises(StoreError, match=r"manifest\.json is damaged, and labels in .*data-"):
        import_toy(write_talks(TALKS), force=True)
    part.write_bytes(whole)
    (kept,) = import_toy(write_talks(TALKS), force=True).layers
    assert kept.kept == 2


@pytest.mark.parametrize("damage", a_few([b"", b"nothing"], [b"nothing"]))
def test_no_import_goes_on_without_a_damaged_layer(
    store: Path,
    import_toy: Callable[..., Any],
    write_talks: Callable[..., Path],
    open_toy: Callable[[], Corpus],
    damage: bytes,
) -> None:
    add_layer(store, "labels.json", TWO)
    manifest = load_manifest(store, "toy")
    assert manifest is not None
    part = store / "toy" / manifest.data / manifest.layers[0].part
    whole = part.read_bytes()
    part.write_bytes(damage + whole[len(damage) :] if damage else damage)
    with pytest.raises(StoreError, match=r"asks of toy is damaged: acts-50000\.parquet"):
        import_toy(write_talks(TALKS), force=True)
    part.write_bytes(whole)
    import_toy(write_talks(TALKS), force=True)
    assert len(open_toy().rows(ROWS)) == 2
    check_whole(store)


def test_two_labels_never_share_a_place(
    store: Path, again: Import, open_toy: Callable[[], Corpus]
) -> None:
    add_layer(store, "labels.json", TWO)
    again({"a": ["hi", "yes", "so", "yes", "bye"], "b": ["no"]})
    add_layer(store, "labels.json", make_file(("a", 1, "yyy"), ("a", 3, "nnn")))
    counts = again({"a": ["x", "z", "yes", "t"], "b": ["no"]})
    assert counts["aside"] >= 1
    places = open_toy().rows("SELECT event FROM acts WHERE layer = 'asks'")
    assert len(places) == len(set(places))


def test_verify_tells_labels_that_stand_elsewhere(store: Path) -> None:
    add_layer(store, "labels.json", TWO)
    manifest = load_manifest(store, "toy")
    assert manifest is not None
    part = store / "toy" / manifest.data / manifest.layers[0].part
    rows = [{**row, "event": 1 - row["event"]} for row in pq.read_table(part).to_pylist()]
    pq.write_table(pa.Table.from_pylist(rows, schema=pq.read_schema(part)), part)
    size, digest = part.stat().st_size, hash_file(part)
    manifest.parts = [
        msgspec.structs.replace(each, size=size, sha256=digest) if each.name == part.name else each
        for each in manifest.parts
    ]
    (damage,) = verify_import(store, manifest)
    assert damage.what == "has 2 labels of layer asks at other events than they were given to"


def test_a_file_that_knows_its_words_is_not_added_elsewhere(
    store: Path, again: Import, open_toy: Callable[[], Corpus]
) -> None:
    add_layer(store, "labels.json", make_file(("a", 1, "yyn")))
    ((said,),) = open_toy().rows("SELECT attributes ->> '$.of' FROM acts WHERE layer = 'asks'")
    file = make_file(("a", 1, "yyn"))
    file = msgspec.structs.replace(file, labels=[msgspec.structs.replace(file.labels[0], of=said)])
    again({**TALKS, "a": ["hm", *TALKS["a"]]})
    add_layer(store, "labels.json", file)
    assert open_toy().rows(ROWS) == [("a", 2, "event", "yes")]
    again({**TALKS, "a": ["hm", "hello"]})
    with pytest.raises(StoreError, match="with the words that were labelled"):
        add_layer(store, "labels.json", file)


def test_a_layer_is_taken_away(store: Path, open_toy: Callable[[], Corpus]) -> None:
    counts = open_toy().manifest.counts.get("acts", 0)
    add_layer(store, "labels.json", TWO)
    remove_layer(store, "toy", "asks")
    assert open_toy().rows(ROWS) == []
    assert open_toy().manifest.counts["acts"] == counts
    with pytest.raises(UsageError, match="No layer 'asks' was added"):
        remove_layer(store, "toy", "asks")


def test_how_far_people_agree_is_listed(store: Path) -> None:
    add_layer(store, "labels.json", TWO)
    manifest = load_manifest(store, "toy")
    assert manifest is not None
    (found,) = list_layers(store, [manifest])
    assert (found.corpus, found.name, found.question) == ("toy", "asks", "Does it ask?")
    # Of the six pairs of votes, the two of W0002 in the first label differ; both count.
    assert found.agreement["pairwise"] == pytest.approx(4 / 6)
    assert found.agreement["unanimous"] == 0.5
    # Krippendorff: totals yes 2, no 4; observed 2 of 6, expected 16 / 30.
    assert found.agreement["alpha"] == pytest.approx(1 - (2 / 6) / (16 / 30))


@pytest.mark.parametrize(
    ("file", "message"),
    [
        (make_file(("a", 1, "yyy"), ("c", 0, "yyy")), r"labels.json: \$.labels\[1\]: .*'c'"),
        (make_file(("a", 2, "yyy")), r"toy has no event 2 in a dialogue 'a'"),
        (make_file(), "has no labels"),
    ],
)
def test_what_cannot_be_added_is_refused(
    store: Path, open_toy: Callable[[], Corpus], file: LabelFile, message: str
) -> None:
    data = open_toy().manifest.data
    with pytest.raises(StoreError, match=message):
        add_layer(store, "labels.json", file)
    assert open_toy().manifest.data == data


def test_a_released_layer_stays_as_it_is(tmp_path: Path) -> None:
    files, store = tmp_path / "files", tmp_path / "store"
    simulate_corpus(get_corpus("frames"), files, dialogues=2, seed=1)
    import_corpus(get_corpus("frames"), [files], store=store, jobs=1)
    corpus = open_store(store).corpus("frames")
    for layer in ("acts", "frames"):  # one of acts, one of states
        file = make_file((corpus.ids()[0], 1, "yyy"), corpus="frames", layer=layer)
        with pytest.raises(StoreError, match=f"has a released layer '{layer}'"):
            add_layer(store, "labels.json", file)
    file = make_file((corpus.ids()[0], 1, "yyy"), corpus="frames")
    acts = corpus.table("acts").num_rows
    assert add_layer(store, "labels.json", file).labels == 1
    assert open_store(store).corpus("frames").table("acts").num_rows == acts + 1


def test_a_corpus_must_be_imported_first(store: Path) -> None:
    with pytest.raises(StoreError, match="frames is not in the store"):
        add_layer(store, "labels.json", make_file(("a", 1, "yyy"), corpus="frames"))


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (b'"version":1', b'"version":9', "is of version 9"),
        (b'"label":"yes"', b'"label":"no"', r"\$.labels\[0\].label: expected yes, found no"),
        (b'"W0002","no"', b'"W0002","perhaps"', r"\$.labels\[0\].votes: expected one of yes, no"),
        (b'"layer"', b'"lager"', "is not a file of labels"),
        (b'"layer":"asks"', b'"layer":""', r"\$.layer: expected letters, .*found ''"),
        (b'"layer":"asks"', b'"layer":"../asks"', r"found '../asks'"),
        (b'"W0001"', b'"W0000"', r"\$.labels\[0\].votes: .* found two of 'W0000'"),
        (b'"event":0', b'"event":-1', r"\$.labels\[1\]: expected an event from 0"),
        (b'"dialogue_id":"b","event":0', b'"dialogue_id":"a","event":1', r"of the same event"),
    ],
)
def test_a_file_of_labels_is_checked(old: bytes, new: bytes, message: str) -> None:
    import msgspec

    data = msgspec.json.encode(TWO)
    assert read_labels("x.json", data) == TWO
    with pytest.raises(FormatError, match=message):
        read_labels("x.json", data.replace(old, new, 1))


def test_labels_are_searched_by_layer_and_value(store: Path) -> None:
    add_layer(store, "labels.json", TWO)
    opened = OpenCorpora(open_store(store)).get("toy")
    ids = list(opened.index.blocks.ids)

    def find(query: str) -> list[str]:
        return [ids[each] for each in np.flatnonzero(opened.searcher.search(query).dialogues)]

    assert find("layer:asks") == ["a", "b"]
    assert (find("layer:asks/yes"), find("layer:asks/no")) == (["a"], ["b"])
    with pytest.raises(UsageError, match="No layer is 'asks/maybe'"):
        find("layer:asks/maybe")
    (facet,) = [each for each in opened.count_facets("") if each.field == "layer"]
    assert {each.label for each in facet.values} >= {"asks", "asks/yes", "asks/no"}
    page = TestClient(create_app(OpenCorpora(open_store(store)))).get("/toy/d/a").text
    assert "<b>asks</b>" in page


DECIDED = msgspec.structs.replace(
    TWO,
    layer="asks-adjudicated",
    labels=[
        msgspec.structs.replace(
            TWO.labels[0], label="no", decision=Decision("no", "Kim", "2026-01-02", "=not really")
        ),
        TWO.labels[1],
    ],
)


@pytest.mark.parametrize("file", [TWO, DECIDED])
def test_a_layer_goes_out_as_csv_and_comes_in_again(store: Path, file: LabelFile) -> None:
    add_layer(store, "labels.json", file)
    table = write_label_table(read_layer(store, "toy", file.layer)).encode()
    assert b"'=not" in table or b"Kim" not in table
    read = read_label_table("labels.csv", table, {})
    assert [each.votes for each in read.labels] == [each.votes for each in file.labels]
    remove_layer(store, "toy", file.layer)
    add_layer(store, "labels.csv", read)
    again = read_layer(store, "toy", file.layer)
    assert [(e.label, e.decision) for e in again.labels] == [
        (e.label, e.decision) for e in file.labels
    ]


def test_a_table_of_ones_own_needs_three_columns(store: Path) -> None:
    table = b"dialogue_id,event,answer\na,1,yes\na,1,no\na,1,yes\nb,0,no\n"
    said = {"corpus": "toy", "layer": "mine", "question": "Does it ask?"}
    made = add_layer(store, "mine.csv", read_label_table("mine.csv", table, said))
    assert (made.labels, made.decided) == (2, 2)
    (first, _) = read_layer(store, "toy", "mine").labels
    assert first.votes == [("P1", "yes"), ("P2", "no"), ("P3", "yes")]


@pytest.mark.parametrize(
    ("table", "message"),
    [
        (b"dialogue_id,event\na,1\n", "missing: answer"),
        (b"", "missing: dialogue_id, event, answer"),
        (b"dialogue_id,event,answer\na,x,yes\n", "line 2: event: expected a number"),
        (b"dialogue_id,event,answer\na,1,\n", "line 2: answer: expected a value"),
        (b"dialogue_id,event,answer,person\na,1,yes,W1\na,1,no,W1\n", "two of 'W1'"),
        (b"\xff", "not CSV in UTF-8"),
    ],
)
def test_what_is_wrong_with_a_table_is_said(table: bytes, message: str) -> None:
    said = {"corpus": "toy", "layer": "mine", "question": "Does it ask?"}
    with pytest.raises(FormatError, match=message):
        read_label_table("mine.csv", table, said)


def test_a_table_says_whose_labels_it_has() -> None:
    with pytest.raises(FormatError, match=r"expected one layer, .*found none") as caught:
        read_label_table("mine.csv", b"dialogue_id,event,answer\na,1,yes\n", {})
    assert "--layer" in caught.value.advice


def test_labels_are_rows_of_a_view(store: Path, open_toy: Callable[[], Corpus]) -> None:
    add_layer(store, "labels.json", DECIDED)
    found = open_toy().rows(
        "SELECT text, label, candidate, question, decided_by FROM labels JOIN utterances "
        "USING (corpus, dialogue_id, event) ORDER BY text"
    )
    assert found == [
        ("is it late?", "no", None, "Does it ask?", "Kim"),
        ("no", "no", None, "Does it ask?", None),
    ]
