from __future__ import annotations

from pathlib import Path
from typing import Any

import duckdb
import pytest
from tests.released import find_released, import_released
from tests.thorough import thorough

from commonground.corpora import get_corpus
from commonground.corpora.simmc.native.targets import parse_targets, render_acts
from commonground.files.roundtrip import roundtrip_document
from commonground.store.identify import identify_documents
from commonground.store.layout.manifest import StoreManifest, part_files
from commonground.store.opening import open_store

ACTIONS = {
    "SpecifyInfo": 11_687,
    "None": 7_886,
    "SearchDatabase": 5_185,
    "AddToCart": 4_353,
    "SearchMemory": 995,
}
"""Of fashion, from the files of API calls."""
FURNITURE_ACTIONS = {
    "AddToCart": 704,
    "FocusOnFurniture": 566,
    "NavigateCarousel": 193,
    "None": 2_517,
    "Rotate": 478,
    "SearchFurniture": 1_259,
    "SpecifyInfo": 1_638,
}
"""Of devtest, from the target lines; an action for each of the 7,355 turns."""


class Imported:
    """An import of the released files."""

    def __init__(self, name: str, store: Path) -> None:
        self.store = store
        self.manifest: StoreManifest = open_store(store).manifests[name]

    def rows(self, table: str, query: str) -> list[Any]:
        parts = [str(path) for path in part_files(self.store, self.manifest, table)]
        query = query.replace("TABLE", f"read_parquet({parts})")
        with duckdb.connect() as connection:
            return connection.execute(query).fetchall()


@pytest.fixture(scope="module")
def imported(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return Imported("simmc", import_released(tmp_path_factory, "simmc", "simmc1"))


@pytest.fixture(scope="module")
def imported2(tmp_path_factory: pytest.TempPathFactory) -> Imported:
    return Imported("simmc2", import_released(tmp_path_factory, "simmc2"))


@pytest.mark.parametrize(("name", "folder"), [("simmc", "simmc1"), ("simmc2", "simmc2")])
def test_released_files_are_written_as_read(name: str, folder: str) -> None:
    for document, fmt in identify_documents(get_corpus(name), [find_released(folder)]).known:
        assert roundtrip_document(document, fmt).difference is None, document.name


@thorough
def test_targets_complete_the_public_devtest(imported: Imported) -> None:
    # The public files have 3,321 and 3,991 turns of them, the target files all.
    rows = imported.rows(
        "dialogues",
        "select domain, count(*), sum(n_utterances)::int // 2 from TABLE "
        "where split = 'devtest' group by 1 order by 1",
    )
    assert rows == [("fashion", 982, 5397), ("furniture", 960, 7355)]


@thorough
def test_actions_of_train_dev_and_devtest(imported: Imported) -> None:
    query = "select name, count(*) from TABLE where kind = 'action' and dialogue_id {} group by 1"
    fashion = imported.rows("events", query.format("like 'fashion-%'"))
    assert dict(fashion) == ACTIONS
    furniture = imported.rows("events", query.format("like 'furniture-%'"))
    assert dict(furniture) == FURNITURE_ACTIONS


@thorough
def test_every_line_of_the_targets_is_a_turn(imported: Imported) -> None:
    rows = imported.rows(
        "acts",
        "select layer, count(distinct (dialogue_id, event)) from TABLE a "
        "where layer like '%target' and act like '%:%' group by 1 order by 1",
    )
    # 3,513 and 5,397 lines of fashion, 4,827 and 7,355 of furniture, these twice.
    assert rows == [("dials_target", 21_092), ("task1_target", 7_355)]


@thorough
def test_the_image_in_focus_of_each_turn_is_displayed(imported: Imported) -> None:
    (row,) = imported.rows(
        "displays",
        "select count(distinct (dialogue_id, event)) from TABLE where dialogue_id like 'fashion-%' "
        "and object_id not like '%OBJECT%'",
    )
    # All 30,106 turns of the files of API calls have one.
    assert row == (sum(ACTIONS.values()),)


@thorough
def test_splits_of_all_dialogues(imported: Imported) -> None:
    assert imported.manifest.splits == {"dev": 1_295, "devtest": 1_942, "train": 3_929}


@thorough
def test_candidates_have_one_right_answer_a_turn(imported: Imported) -> None:
    rows = imported.rows("candidates", "select gold, count(*) from TABLE group by 1 order by 1")
    assert rows == [(False, 882_090), (True, 8_910)]


@thorough
def test_each_number_of_a_dialogue_is_one_image(imported: Imported) -> None:
    rows = imported.rows(
        "displays",
        "select count(*), count(distinct object_id) from (select dialogue_id, "
        "attributes->>'name' as thing, min(object_id) as object_id from TABLE "
        "where dialogue_id like 'fashion-%' and attributes->>'name' is not null "
        "group by 1, 2 having count(distinct object_id) > 1)",
    )
    assert rows == [(0, 0)]


@pytest.mark.parametrize("name", ["simmc", "simmc2"])
def test_every_rule_finds_what_is_known(name: str, request: pytest.FixtureRequest) -> None:
    done: Imported = request.getfixturevalue("imported" if name == "simmc" else "imported2")
    found = done.manifest.findings
    rules = get_corpus(name).rules()
    wrong = {
        rule.code: (rule.known, found.get(rule.code, 0))
        for rule in rules
        if (rule.known or 0) != found.get(rule.code, 0)
    }
    assert not wrong
    assert {code for code in found if code.startswith("CG-SIMMC")} <= {r.code for r in rules}


@thorough
def test_only_missing_words_are_reported_besides(imported: Imported, imported2: Imported) -> None:
    others = {k: v for k, v in imported.manifest.findings.items() if "SIMMC" not in k}
    assert others == {"CG-DATA-004": 5_223}
    assert not [code for code in imported2.manifest.findings if "SIMMC" not in code]


@thorough
def test_every_belief_state_of_the_targets_is_read(imported: Imported) -> None:
    for path in find_released("simmc1").rglob("*_target.txt"):
        for each in parse_targets(path.read_bytes().decode()):
            given = each.text.split("=> Belief State :")[1].split("<EOB>")[0]
            assert render_acts(each.record.acts) == given.strip()


def test_version_2_counts(imported2: Imported) -> None:
    assert imported2.manifest.splits == {"dev": 563, "mini": 10}
    assert imported2.manifest.counts["events"] == 2 * (3_494 + 88)
