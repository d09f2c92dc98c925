"""The index gives back just what the tables hold."""

from __future__ import annotations

import json
import shutil
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import numpy as np
import pytest
from tests.thorough import a_few

from commonground.corpora import get_corpus
from commonground.errors import StoreError
from commonground.play.simulating import simulate_corpus
from commonground.store import index as index_module
from commonground.store.corpus import Corpus, CorpusPart
from commonground.store.importing import import_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.index import NAME, CorpusIndex, make_index, open_index
from commonground.store.index import blocks as blocks_module
from commonground.store.layout.integrity import verify_import
from commonground.store.layout.manifest import data_folder, save_manifest
from commonground.store.opening import open_store
from commonground.store.tables.rebuild import parse_json

NAMES = ("frames", "mpchat", "photobook", "simmc", "taskmaster3")


@pytest.fixture(scope="module", params=a_few(NAMES, ["photobook"]))
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    name: str = request.param
    files, store = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("store")
    simulate_corpus(get_corpus(name), files, dialogues=20, seed=3)  # more than a block
    import_corpus(get_corpus(name), [files], store=store, jobs=1)
    return open_store(store).corpus(name)


def test_dialogues_are_those_of_the_tables(corpus: Corpus) -> None:
    blocks = open_index(corpus).blocks
    assert blocks.ids == corpus.ids()
    for number, expected in enumerate(corpus.dialogues()):
        found = blocks.dialogue(number)
        for each in (found, expected):
            each.objects.sort(key=lambda shown: shown.object_id)
        assert found == expected


def test_objects_are_read_across_blocks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(blocks_module, "OBJECT_BLOCK", 4)
    simulate_corpus(get_corpus("photobook"), tmp_path / "files", dialogues=2, seed=3)
    import_corpus(get_corpus("photobook"), [tmp_path / "files"], store=tmp_path / "s", jobs=1)
    corpus = open_store(tmp_path / "s").corpus("photobook")
    blocks = open_index(corpus).blocks
    listed = {each["object_id"]: each["title"] for each in corpus.table("objects").to_pylist()}
    found = blocks.object_rows(range(2, 11))
    assert [each.object_id for each in found] == blocks.object_ids[2:11]
    assert [each.title for each in found] == [listed[each.object_id] for each in found]
    chosen = [blocks.object_ids[place] for place in (9, 1, 5)]
    assert [each.object_id for each in blocks.objects([*chosen, "none"])] == chosen[1:] + chosen[:1]


@pytest.mark.parametrize("text", ['"\\ud800"', "1e400", "-0.0", '{"a": [1, null], "b": {}}'])
def test_json_of_a_block_is_what_python_reads(text: str) -> None:
    assert repr(parse_json(text)) == repr(json.loads(text))


def test_findings_and_records_are_those_of_the_tables(corpus: Corpus) -> None:
    blocks = open_index(corpus).blocks
    query = "SELECT count(*) FROM findings WHERE corpus = ? AND dialogue_id = ?"
    for number, dialogue_id in enumerate(blocks.ids):
        assert blocks.rows("native", number)["json"] == corpus.native(dialogue_id)
        count = corpus.rows(query, [corpus.name, dialogue_id])[0][0]
        assert len(blocks.findings(number)) == count


def test_cards_and_lines_are_those_of_the_tables(corpus: Corpus) -> None:
    index = open_index(corpus)
    starts = index.postings.event_starts
    for number, dialogue in enumerate(corpus.dialogues()):
        (card,) = index.digest.cards([number])
        said = [each.text for each in dialogue.utterances()]
        assert (card.dialogue_id, card.n_events) == (dialogue.dialogue_id, len(dialogue.events))
        assert card.opening == next((text[:240] for text in said if text), "")
        lines = index.digest.lines(range(starts[number], starts[number + 1]))
        assert [(line.text, line.name) for line in lines] == [
            (event.text, event.name) for event in dialogue.events
        ]


def test_postings_are_those_of_the_tables(corpus: Corpus) -> None:
    postings = open_index(corpus).postings
    field = postings.fields["speaker"]
    query = "SELECT count(*) FROM events WHERE corpus = ? AND speaker = ?"
    for code, value in enumerate(field.values):
        numbers = field.numbers(code)
        assert len(numbers) == corpus.rows(query, [corpus.name, value])[0][0]
        assert np.all(np.diff(numbers) > 0)


def test_scores_of_parts_are_summed_and_answers_averaged(tmp_path: Path) -> None:
    simulate_corpus(get_corpus("photobook"), tmp_path / "files", dialogues=6, seed=3)
    import_corpus(get_corpus("photobook"), [tmp_path / "files"], store=tmp_path / "s", jobs=1)
    corpus = open_store(tmp_path / "s").corpus("photobook")
    quantities = open_index(corpus).postings.quantities
    query = "SELECT {}(value) FROM outcomes WHERE dialogue_id = ? AND name = ?"
    for number, dialogue_id in enumerate(corpus.ids()):
        for how, name in (("sum", "score"), ("avg", "col")):
            expected = corpus.rows(query.format(how), [dialogue_id, name])[0][0]
            assert quantities[name][number] == pytest.approx(expected)


def test_the_index_goes_with_its_import(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    first = open_index(open_toy()).folder
    import_toy(write_talks({"a": ["hello"], "b": ["you"]}))
    assert not first.exists()
    assert open_index(open_toy()).blocks.ids == ["a", "b"]


def test_an_import_lists_the_files_of_its_index(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    corpus = open_toy()
    data = data_folder(corpus.store.path, corpus.manifest)
    there = [each.relative_to(data) for each in (data / NAME).rglob("*") if each.is_file()]
    assert sorted(map(str, there)) == [each.name for each in corpus.manifest.index]
    assert list(verify_import(corpus.store.path, corpus.manifest)) == []


@pytest.mark.parametrize("damage", ["removed", "cut", "changed"])
def test_a_damaged_index_is_named_and_mended(
    damage: str,
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> None:
    files = write_talks({"a": ["hello"]})
    import_toy(files)
    corpus = open_toy()
    name = f"{NAME}/events.arrow"
    path = data_folder(corpus.store.path, corpus.manifest) / name
    if damage == "removed":
        path.unlink()
    else:
        data = path.read_bytes()
        path.write_bytes(data[:-8] if damage == "cut" else bytes([*data[:-1], data[-1] ^ 1]))
    assert [each.where for each in verify_import(corpus.store.path, corpus.manifest)] == [name]
    if damage != "changed":
        with pytest.raises(StoreError, match=r"damaged: index.*events\.arrow"):
            open_index(open_toy())
    # The tables can be asked all the same.
    assert open_toy().rows("SELECT count(*) FROM events")[0][0] == 1
    import_toy(files)
    assert open_index(open_toy()).blocks.ids == ["a"]
    assert list(verify_import(open_toy().store.path, open_toy().manifest)) == []


@pytest.fixture
def without_index(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> Corpus:
    """An import as earlier versions wrote them."""
    import_toy(write_talks({"a": ["hello"]}))
    corpus = open_toy()
    shutil.rmtree(data_folder(corpus.store.path, corpus.manifest) / NAME)
    save_manifest(corpus.store.path, msgspec.structs.replace(corpus.manifest, index=[]))
    return open_toy()


def test_an_import_of_an_earlier_version_gets_an_index(without_index: Corpus) -> None:
    assert open_index(without_index).blocks.ids == ["a"]
    assert list(verify_import(without_index.store.path, without_index.manifest)) == []


def test_an_index_that_fails_leaves_nothing(
    without_index: Corpus, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = data_folder(without_index.store.path, without_index.manifest)
    before = sorted(data.iterdir())

    def fail(*_: object, **__: object) -> None:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(index_module, "build_index", fail)
        with pytest.raises(StoreError, match="Permission denied") as caught:
            open_index(without_index)
    assert "import toy again" in caught.value.advice
    assert sorted(data.iterdir()) == before
    assert open_index(without_index).blocks.ids == ["a"]


def test_a_part_has_an_index_of_its_own(corpus: Corpus, tmp_path: Path) -> None:
    ids = corpus.ids()[3:5]
    make_index(CorpusPart(corpus, ids), tmp_path / "index")
    index = CorpusIndex(tmp_path / "index")
    assert index.blocks.ids == ids
    assert index.blocks.dialogue(1).events == corpus.dialogue(ids[1]).events


def test_two_that_make_the_index_at_once_end_with_one(corpus: Corpus, tmp_path: Path) -> None:
    start = threading.Barrier(2)

    def make() -> None:
        start.wait()
        make_index(corpus, tmp_path / "index")

    with ThreadPoolExecutor(2) as pool:
        for each in [pool.submit(make), pool.submit(make)]:
            each.result()
    assert list(tmp_path.iterdir()) == [tmp_path / "index"]
    assert CorpusIndex(tmp_path / "index").blocks.ids == corpus.ids()
