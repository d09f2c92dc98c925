from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import duckdb
import pytest
from PIL import Image
from tests.thorough import a_few

from commonground.corpora import get_corpus
from commonground.files.formats import identify_document
from commonground.files.roundtrip import roundtrip_document
from commonground.files.sources import list_documents
from commonground.play.invented_pictures import COLORS
from commonground.play.scenarios.mpchat.invented_reddit import InventedReddit
from commonground.play.scenarios.mpchat.scenes import load_phrases
from commonground.play.scenarios.mpchat.simulate import divide_splits
from commonground.play.simulating import simulate_corpus
from commonground.records import UNSET
from commonground.store.importing import import_corpus
from commonground.store.importing.summary import ImportSummary

DIALOGUES = 16
FILES = ("mpchat_nrp.json", "mpchat_gpp.json", "mpchat_si.json")


@pytest.fixture(scope="module")
def corpus(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("mpchat")
    simulate_corpus(get_corpus("mpchat"), out, dialogues=DIALOGUES, seed=5)
    return out


@pytest.fixture(scope="module")
def store(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("store")


@pytest.fixture(scope="module")
def imported(corpus: Path, store: Path) -> ImportSummary:
    entry = get_corpus("mpchat")
    return import_corpus(entry, [corpus], store=store, images=corpus / "images", jobs=1)


def threads(corpus: Path, name: str) -> list[tuple[str, Any]]:
    data = json.loads((corpus / name).read_bytes())
    return [(split, thread) for split in data for thread in data[split]]


def digest(folder: Path) -> dict[str, str]:
    return {
        path.name: hashlib.sha256(path.read_bytes()).hexdigest()
        for path in folder.rglob("*")
        if path.is_file()
    }


def test_another_seed_tells_other_threads(corpus: Path, tmp_path: Path) -> None:
    simulate_corpus(get_corpus("mpchat"), tmp_path, dialogues=3, seed=6)
    other, this = digest(tmp_path), digest(corpus)
    assert all(other[name] != this[name] for name in FILES)


def test_everything_is_imported_without_a_finding(imported: ImportSummary) -> None:
    assert imported.manifest.findings == {}
    assert imported.manifest.counts["dialogues"] == DIALOGUES
    assert imported.manifest.splits == {"test": 3, "train": 10, "val": 3}


def test_every_table_of_this_corpus_is_filled(imported: ImportSummary) -> None:
    filled = {table for table, count in imported.manifest.counts.items() if count}
    assert filled == {
        "dialogues",
        "speakers",
        "events",
        "objects",
        "displays",
        "groundings",
        "candidates",
        "native",
    }


def test_round_trip(corpus: Path) -> None:
    formats = get_corpus("mpchat").formats()
    for document in list_documents([corpus]).documents:
        fmt = identify_document(document, formats)
        if fmt is not None:
            assert roundtrip_document(document, fmt).difference is None


@pytest.mark.parametrize("dialogues", a_few([1, 2, 3, 4, 7], [1, 3]))
def test_small_corpora_have_so_many_dialogues(dialogues: int, tmp_path: Path) -> None:
    simulate_corpus(get_corpus("mpchat"), tmp_path, dialogues=dialogues, seed=1)
    found = [len(threads(tmp_path, name)) for name in FILES if (tmp_path / name).exists()]
    assert sum(found) == dialogues
    assert all(found)


def test_splits_cover_all_threads() -> None:
    for count in range(40):
        splits = divide_splits(count)
        numbers = sorted(number for split in splits.values() for number in split)
        assert numbers == list(range(count))
    assert {name: len(numbers) for name, numbers in divide_splits(100).items()} == {
        "train": 70,
        "val": 15,
        "test": 15,
    }


def test_hundred_different_candidates_the_right_one_first(corpus: Path) -> None:
    for split, thread in threads(corpus, "mpchat_nrp.json"):
        if split == "train":
            assert "nrp_candidate_responses" not in thread
            continue
        for i, responses in enumerate(thread["nrp_candidate_responses"]):
            if thread["authors"][i] == thread["main_author"]:
                assert len(set(responses)) == len(responses) == 100
                assert responses[0] == thread["messages"][i]


def test_hundred_different_authors(corpus: Path) -> None:
    for split, thread in threads(corpus, "mpchat_si.json"):
        if split != "train":
            options = thread["si_candidate_authors_candidate_personas"]
            assert len({personas[0]["author"] for personas in options}) == len(options) == 100


def test_what_is_said_fits_the_element_it_is_grounded_on(corpus: Path) -> None:
    checked = 0
    for _, thread in threads(corpus, "mpchat_nrp.json"):
        for text, grounded in zip(thread["messages"], thread["grounded_personas"], strict=True):
            for persona in grounded:
                words = set(persona["title"].lower().replace(",", " ").split())
                assert words & set(text.lower().split()) & COLORS_AND_THINGS
                checked += 1
    assert checked > 5


COLORS_AND_THINGS = {
    *COLORS,
    *(f"{craft.thing}{s}" for craft in load_phrases().craft for s in ("", "s")),
}


def test_both_forms_of_optional_fields_occur(corpus: Path) -> None:
    invented = [InventedReddit(5).thread(number).thread for number in range(40)]
    without = [thread for thread in invented if not thread.has_image]
    assert {thread.file_name for thread in without} == {None, UNSET}
    told = [thread for name in FILES for _, thread in threads(corpus, name)]
    personas = [each for thread in told for each in thread["all_personas"]]
    assert all(isinstance(each["created_utcs"], float) for each in personas)
    nrp = [thread for _, thread in threads(corpus, "mpchat_nrp.json")]
    grounded = [each for thread in nrp for turn in thread["grounded_personas"] for each in turn]
    assert all(isinstance(each["created_utc"], int) for each in grounded)


def test_pictures_are_there(corpus: Path) -> None:
    files = sorted(corpus.glob("images/*/*"))
    assert {path.parent.name for path in files} == {"dialog", "persona"}
    with Image.open(files[0]) as picture:
        assert picture.size == (200, 150)
    assert max(path.stat().st_size for path in files) < 8000
    assert len(files) == sum(
        len(json.loads((corpus / f"{kind}_image_urls.json").read_bytes()))
        for kind in ("dialog", "persona")
    )


def test_uris_lead_to_pictures(corpus: Path, store: Path, imported: ImportSummary) -> None:
    data = store / "mpchat" / imported.manifest.data
    query = f"select uri from '{data}/objects-*.parquet' where kind <> 'persona_set'"
    uris = [uri for (uri,) in duckdb.connect().execute(query).fetchall()]
    assert uris
    assert all((corpus / "images" / uri).is_file() for uri in uris)
