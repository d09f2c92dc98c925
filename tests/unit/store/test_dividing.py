"""An index that is made in parts, by any number of processes, is the one that is made at once."""

from __future__ import annotations

import hashlib
from pathlib import Path

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.thorough import a_few, thorough

from commonground.corpora import get_corpus
from commonground.play.simulating import simulate_corpus
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus, planning
from commonground.store.index import CorpusIndex, dividing
from commonground.store.index.dividing import Tables, build_index, plan_parts
from commonground.store.index.full_text import WordSequence, fold_words
from commonground.store.index.pieces import Ordinals, has_strangers
from commonground.store.layout.manifest import part_files
from commonground.store.opening import open_store


@pytest.fixture(scope="module", params=a_few(["frames", "simmc"], ("simmc",)))
def corpus(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Corpus:
    """A corpus that was imported in several files of each table."""
    name: str = request.param
    files, store = tmp_path_factory.mktemp("files"), tmp_path_factory.mktemp("store")
    simulate_corpus(get_corpus(name), files, dialogues=12, seed=3)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(planning, "LEAST_SHARD_BYTES", 1 << 12)
        import_corpus(get_corpus(name), [files], store=store, jobs=1)
    return open_store(store).corpus(name)


@pytest.fixture
def in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dividing, "ROWS", 400)


def hashes(folder: Path) -> dict[str, str]:
    return {
        str(path.relative_to(folder)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def tables_of(corpus: Corpus) -> Tables:
    return Tables(corpus.store.path, corpus.manifest)


def build(corpus: Corpus, folder: Path, jobs: int = 1) -> CorpusIndex:
    folder.mkdir()
    told: list[tuple[int, int]] = []
    build_index(tables_of(corpus), folder, lambda *step: told.append(step), jobs)
    assert told[0][0] == 0
    assert told[-1][0] == told[-1][1] > 0
    assert told == sorted(told)
    return CorpusIndex(folder)


@pytest.mark.usefixtures("in_parts")
def test_any_number_of_processes_makes_the_same_files(corpus: Corpus, tmp_path: Path) -> None:
    assert len(plan_parts(tables_of(corpus))) > 3
    for jobs in (1, 2):
        build(corpus, tmp_path / str(jobs), jobs)
    assert hashes(tmp_path / "1") == hashes(tmp_path / "2")


def test_parts_say_what_one_says(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert len(plan_parts(tables_of(corpus))) == 1
    whole = build(corpus, tmp_path / "whole")
    monkeypatch.setattr(dividing, "ROWS", 400)
    parted = build(corpus, tmp_path / "parted")
    places = range(len(whole.blocks.ids))
    assert parted.blocks.ids == whole.blocks.ids == corpus.ids()
    assert parted.blocks.object_ids == whole.blocks.object_ids
    for number in places:
        assert parted.blocks.dialogue(number) == whole.blocks.dialogue(number)
        for table in ("native", "findings", "candidates"):
            assert parted.blocks.rows(table, number) == whole.blocks.rows(table, number)
    assert parted.digest.cards(places) == whole.digest.cards(places)
    n_events = int(whole.postings.event_starts[-1])
    assert parted.digest.lines(range(n_events)) == whole.digest.lines(range(n_events))
    same_postings(parted, whole)
    same_words(parted, whole)


def same_postings(one: CorpusIndex, other: CorpusIndex) -> None:
    assert np.array_equal(one.postings.event_starts, other.postings.event_starts)
    assert one.postings.fields.keys() == other.postings.fields.keys()
    for name, field in one.postings.fields.items():
        like = other.postings.fields[name]
        assert (field.level, field.values) == (like.level, like.values)
        for code in range(len(field.values)):
            assert np.array_equal(field.numbers(code), like.numbers(code))
    assert one.postings.quantities.keys() == other.postings.quantities.keys()
    for name, values in one.postings.quantities.items():
        assert np.array_equal(values, other.postings.quantities[name], equal_nan=True)


def same_words(one: CorpusIndex, other: CorpusIndex) -> None:
    n_events = int(other.postings.event_starts[-1])
    texts = [fold_words(line.text or "") for line in other.digest.lines(range(n_events))]
    for said in [each for each in texts if len(each) > 1][::15]:
        for words in (
            WordSequence((said[0],)),
            WordSequence((said[0][:1],), prefix=True),
            WordSequence((said[0], said[1])),
            WordSequence((said[0], said[1][:2]), prefix=True),
        ):
            expected = [number for number, text in enumerate(texts) if contains(text, words)]
            for index in (one, other):
                assert index.full_text.events(words).tolist() == expected
                window = range(n_events // 3, n_events // 2)
                near = [each for each in expected if each in window]
                assert index.full_text.events(words, window).tolist() == near


def contains(text: list[str], words: WordSequence) -> bool:
    *firsts, last = words.words
    return any(
        text[at : at + len(firsts)] == firsts
        and (text[at + len(firsts)] == last or words.prefix)
        and text[at + len(firsts)].startswith(last)
        for at in range(len(text) - len(firsts))
    )


@thorough
def test_rows_that_were_written_with_other_dialogues_are_found(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dividing, "ROWS", 400)
    expected = build(corpus, tmp_path / "before")
    # The rows of the first file change places with those of the last.
    files = part_files(corpus.store.path, corpus.manifest, "displays")
    first, last = files[0], files[-1]
    before = first.read_bytes(), last.read_bytes()
    try:
        first.write_bytes(before[1])
        last.write_bytes(before[0])
        found = build(corpus, tmp_path / "after", jobs=1)
    finally:
        first.write_bytes(before[0])
        last.write_bytes(before[1])
    for number in range(len(expected.blocks.ids)):
        assert found.blocks.rows("displays", number) == expected.blocks.rows("displays", number)


def test_a_file_with_other_dialogues_is_told(corpus: Corpus) -> None:
    (first, *_, last) = part_files(corpus.store.path, corpus.manifest, "events")
    ids = Ordinals(pq.read_table(first, columns=["dialogue_id"])["dialogue_id"].to_pylist())
    assert not has_strangers(first, ids)
    assert has_strangers(last, ids)


@pytest.mark.usefixtures("in_parts")
def test_a_process_that_fails_ends_it(
    corpus: Corpus, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    plan = dividing._add_shared

    def lose_a_file(*given: object) -> list[dividing.PartFiles]:
        found: list[dividing.PartFiles] = plan(*given)  # type: ignore[arg-type]
        found[1]["events"] = [tmp_path / "not-there.parquet"]
        return found

    monkeypatch.setattr(dividing, "_add_shared", lose_a_file)
    with pytest.raises(Exception, match="not-there"):
        build(corpus, tmp_path / "index", jobs=2)
