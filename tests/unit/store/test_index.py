"""The index gives back just what the tables hold."""

from __future__ import annotations

import json
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np
import pytest

from commonground.corpora import get_corpus
from commonground.errors import StoreError
from commonground.play.simulating import simulate_corpus
from commonground.store import index as index_module
from commonground.store.corpus import Corpus, Part
from commonground.store.importing import import_corpus
from commonground.store.importing.summary import ImportSummary
from commonground.store.index import CorpusIndex, make_index, open_index
from commonground.store.index import blocks as blocks_module
from commonground.store.opening import open_store
from commonground.store.tables.rebuild import parse_json

NAMES = ("frames", "mpchat", "photobook", "simmc", "taskmaster3")


@pytest.fixture(scope="module", params=NAMES)
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
    found = blocks.object_range(2, 11)
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
    assert open_index(open_toy()).folder == first
    import_toy(write_talks({"a": ["hello"], "b": ["you"]}))
    assert not first.exists()
    assert open_index(open_toy()).blocks.ids == ["a", "b"]


def test_an_index_that_fails_leaves_nothing(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    corpus = open_toy()
    data = corpus.store.path / "toy" / corpus.manifest.data
    before = sorted(data.iterdir())

    def fail(*_: object) -> None:
        raise RuntimeError("stopped")

    with monkeypatch.context() as patch:
        patch.setattr(index_module, "build_index", fail)
        with pytest.raises(RuntimeError, match="stopped"):
            open_index(corpus)
    assert sorted(data.iterdir()) == before
    assert open_index(corpus).blocks.ids == ["a"]


def test_a_store_that_cannot_be_written_is_indexed_in_the_cache(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
    monkeypatch: pytest.MonkeyPatch,
    tmp_path: Path,
) -> None:
    import_toy(write_talks({"a": ["hello"]}))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    written: list[Path] = []

    def refuse(corpus: Corpus, place: Path, *_: object) -> Path:
        written.append(place)
        if tmp_path / "cache" not in place.parents or len(written) > 2:
            raise PermissionError(13, "Permission denied")
        return make_index(corpus, place)

    monkeypatch.setattr(index_module, "make_index", refuse)
    assert open_index(open_toy()).folder.is_relative_to(tmp_path / "cache")
    assert open_index(open_toy()).blocks.ids == ["a"]
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "other"))
    with pytest.raises(StoreError, match="Permission denied") as caught:
        open_index(open_toy())
    assert "writable" in caught.value.advice


def test_a_part_has_an_index_of_its_own(corpus: Corpus, tmp_path: Path) -> None:
    ids = corpus.ids()[3:5]
    index = CorpusIndex(make_index(Part(corpus, ids), tmp_path / "index"))
    assert index.blocks.ids == ids
    assert index.blocks.dialogue(1).events == corpus.dialogue(ids[1]).events


def test_two_that_make_the_index_at_once_end_with_one(corpus: Corpus, tmp_path: Path) -> None:
    start = threading.Barrier(2)

    def make() -> Path:
        start.wait()
        return make_index(corpus, tmp_path / "index")

    with ThreadPoolExecutor(2) as pool:
        made = [each.result() for each in [pool.submit(make), pool.submit(make)]]
    assert made == [tmp_path / "index"] * 2
    assert list(tmp_path.iterdir()) == [tmp_path / "index"]
    assert CorpusIndex(tmp_path / "index").blocks.ids == corpus.ids()
