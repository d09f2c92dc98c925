"""Layers of labels join an import, stay with it, and leave what was released alone."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora import get_corpus
from commonground.errors import FormatError, StoreError, UsageError
from commonground.labelling.layers import Label, LabelFile, read_labels
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.layers import add_layer, list_layers, remove_layer
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


def test_layers_stay_when_the_corpus_is_imported_again(
    store: Path,
    import_toy: Callable[..., Any],
    write_talks: Callable[..., Path],
    open_toy: Callable[[], Corpus],
) -> None:
    add_layer(store, "labels.json", TWO)
    import_toy(write_talks(TALKS), force=True)
    assert len(open_toy().rows(ROWS)) == 2
    import_toy(write_talks({"a": TALKS["a"]}))
    assert open_toy().rows(ROWS) == [("a", 1, "event", "yes")]


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
    get_corpus("frames").simulate(files, dialogues=2, seed=1)
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
    ],
)
def test_a_file_of_labels_is_checked(old: bytes, new: bytes, message: str) -> None:
    import msgspec

    data = msgspec.json.encode(TWO)
    assert read_labels("x.json", data) == TWO
    with pytest.raises(FormatError, match=message):
        read_labels("x.json", data.replace(old, new, 1))
