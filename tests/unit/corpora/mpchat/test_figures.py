"""The figures of a few threads worked out by hand."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from tests.unit.corpora.mpchat.samples import LOAF, SHED, gpp_thread, nrp_thread, si_thread

from commonground.corpora import get_corpus
from commonground.figures.figure_files import get_figure
from commonground.figures.tables import StoreData
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

WORDS_OF_TITLES = len(str(LOAF["title"]).split()) + len(str(SHED["title"]).split())


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> StoreData:
    """A thread of each task, that of nrp told again for another main author."""
    folder = tmp_path_factory.mktemp("mpchat")
    threads = {
        "nrp": {"train": [nrp_thread() | {"main_author": "oar_ben"}], "val": [nrp_thread()]},
        "gpp": {"val": [gpp_thread()]},
        "si": {"val": [si_thread()]},
    }
    for task, splits in threads.items():
        path = folder / f"mpchat_{task}.json"
        path.write_text(json.dumps({"train": [], "val": [], "test": []} | splits), "utf-8")
    store = tmp_path_factory.mktemp("store")
    import_corpus(get_corpus("mpchat"), [folder], store=store, jobs=1)
    return StoreData(open_store(store), "mpchat")


def run(data: StoreData, name: str, *columns: str) -> list[list[Any]]:
    """Returns the rows of a figure; of some columns where they are named."""
    table = data.run(get_figure("mpchat", name))
    names = [each.name for each in table.figure.columns]
    places = [names.index(each) for each in columns or names]
    return [[row[place] for place in places] for row in table.rows]


def find_row_dialogues(data: StoreData, name: str) -> dict[str, set[str]]:
    """Returns the dialogues of each row of a figure."""
    found = data.find_row_dialogues(get_figure("mpchat", name))
    return {row: set(ids) for row, ids in found.items()}


def test_the_overview_counts_messages_once(data: StoreData) -> None:
    found = dict(run(data, "overview"))
    # Four dialogues of the same three messages.
    assert (found["dialogues"], found["messages"], found["different messages"]) == (4, 12, 3)
    # "look at my fence", "which green is that?", "the same as on my shed": 4, 4, 6 words.
    assert found["words per message"] == pytest.approx(14 / 3)
    # rye_anna and oar_ben; the one whose account is gone is not counted.
    assert (found["authors"], found["main authors"]) == (2, 2)
    # The loaf, the shed, and the boat; the thread of si has no image.
    assert (found["persona elements"], found["dialogues with an image"]) == (3, 3)


def test_splits_are_of_a_task(data: StoreData) -> None:
    table = data.run(get_figure("mpchat", "splits"))
    # oar_ben says nothing, rye_anna two of three messages.
    assert table.rows == [
        ["nrp", "train", 1, 3, 3.0, 0],
        ["nrp", "val", 1, 3, 3.0, 2],
        ["gpp", "val", 1, 3, 3.0, 2],
        ["si", "val", 1, 3, 3.0, 2],
    ]
    assert table.links()[2] == "split:val id:gpp*"
    assert run(data, "lengths") == [[3, 4, 100.0]]
    assert run(data, "communities") == [["gardens", 4, 100.0]]


def test_personas_and_what_of_them_is_given(data: StoreData) -> None:
    # Both main authors have loaf and shed.
    assert run(data, "personas") == [[2, 2, 100.0]]
    # nrp gives the shed in both dialogues, gpp the loaf with one message, si both elements.
    assert run(data, "candidate-elements", "task", "given", "mean", "most") == [
        ["nrp", 2, 1.0, 1],
        ["gpp", 1, 1.0, 1],
        ["si", 1, 2.0, 2],
    ]
    # Three elements; one picture of a post. The boat has no address.
    assert run(data, "images") == [["persona element", 3, 2, 0], ["post", 1, 1, 0]]


def test_the_papers_statistics_are_of_whole_dialogues(data: StoreData) -> None:
    table = data.run(get_figure("mpchat", "statistics"))
    # The same three messages twice, told for oar_ben, who says none of them, and for rye_anna,
    # who says two; the shed grounds the third in both. The other author's account is gone.
    common = [2.0, 2.0, pytest.approx(14 / 3), pytest.approx(WORDS_OF_TITLES / 2)]
    assert table.rows == [
        ["train", 1, 1, 1, 3, 1, 0, 1, *common],
        ["val", 1, 1, 1, 3, 1, 2, 1, *common],
        ["all", 2, 2, 1, 6, 2, 2, 2, *common],
    ]
    totals = [each.ours for each in table.comparisons() if each.name.endswith(", all")]
    assert totals == [2, 2, 1, 6]


def test_labels_and_grounded_messages(data: StoreData) -> None:
    # Both nrp dialogues have one pair of each label.
    assert run(data, "labels") == [
        ["E", "grounded", 2, 50.0],
        ["(strong) I", "ungrounded", 2, 50.0],
    ]
    # Only rye_anna's messages count: one of two is grounded, by the shed alone.
    found = run(data, "grounded-messages", "task", "messages", "grounded", "elements")
    assert found == [["nrp", 2, 50.0, 1.0], ["gpp", 2, 50.0, 1.0]]


def test_votes_on_one_message_count_once(data: StoreData) -> None:
    found = {name: number for name, number, _unit in run(data, "agreement")}
    # The shed has 1, 0, 1, the loaf 0, 0, 0, of the same three workers.
    assert (found["pairs of message and element"], found["workers"]) == (2, 3)
    assert found["votes for entailed"] == pytest.approx(100 / 3)
    assert found["pairs with three equal votes"] == found["pairs entailed by majority vote"] == 50.0
    # Ordered pairs that agree: 2 of 6 and 6 of 6.
    assert found["pairs of votes that agree"] == pytest.approx(100 * 8 / 12)
    # Differing pairs of the shed: 4 / 2. Of all six votes, 2 and 4: 16. 1 - 5 * 2 / 16.
    assert found["Krippendorff's alpha"] == pytest.approx(0.375)
    # Observed (1/3 + 1) / 2 = 6/9, by chance (2/6)^2 + (4/6)^2 = 5/9: (1/9) / (4/9).
    assert found["Fleiss' kappa"] == pytest.approx(0.25)
    assert run(data, "votes") == [[0, 1, 50.0], [2, 1, 50.0]]
    assert run(data, "workers") == [[0, 3]]


def test_candidates_go_by_task(data: StoreData) -> None:
    # Two candidates in every ranking, all different.
    assert run(data, "candidates") == [
        ["nrp", "train", 1, 1, 2, 2, 2],
        ["nrp", "val", 1, 1, 2, 2, 2],
        ["gpp", "val", 1, 1, 2, 2, 2],
        ["si", "val", 1, 1, 2, 2, 2],
    ]


def test_bars_lead_to_their_dialogues(data: StoreData) -> None:
    nrp, gpp, si = (f"{task}-ddd444-gfff666-rye_anna" for task in ("nrp", "gpp", "si"))
    again = "nrp-ddd444-gfff666-oar_ben"
    # Each pair counts once, and is in both dialogues of nrp.
    assert find_row_dialogues(data, "votes") == {"votes/0": {nrp, again}, "votes/2": {nrp, again}}
    assert find_row_dialogues(data, "workers") == {"workers/0": {nrp, again}}
    assert find_row_dialogues(data, "labels") == {
        "labels/E/grounded": {nrp, again},
        "labels/(strong) I/ungrounded": {nrp, again},
    }
    # oar_ben says nothing, so no message of the main author is there.
    assert find_row_dialogues(data, "grounded-messages") == {
        "grounded-messages/nrp": {nrp},
        "grounded-messages/gpp": {gpp},
    }
    assert find_row_dialogues(data, "personas") == {"personas/2": {nrp, again, gpp, si}}
    # The thread of si has no image of its post.
    assert find_row_dialogues(data, "images") == {
        "images/post": {nrp, again, gpp},
        "images/persona element": {nrp, again, gpp, si},
    }


def test_without_votes_there_is_no_agreement(tmp_path: Path) -> None:
    path = tmp_path / "mpchat_si.json"
    path.write_text(json.dumps({"train": [si_thread()], "val": [], "test": []}), "utf-8")
    import_corpus(get_corpus("mpchat"), [path], store=tmp_path / "store", jobs=1)
    data = StoreData(open_store(tmp_path / "store"), "mpchat")
    found = {name: number for name, number, _unit in run(data, "agreement")}
    assert found["Krippendorff's alpha"] is found["votes for entailed"] is None
    assert run(data, "votes") == run(data, "workers") == []
