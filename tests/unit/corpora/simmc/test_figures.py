"""The figures of a few turns worked out by hand, and of the released files where they are."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import pytest
from tests.released import import_released
from tests.thorough import thorough

from commonground.corpora import get_corpus
from commonground.figures.figure_files import get_figure
from commonground.figures.tables import StoreData
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

PLACE = os.environ.get("COMMONGROUND_DATA")

COAT = {"type": "coat", "color": ["red", "blue"], "pos": "focus", "pattern": []}


def belief(act: str, *slots: tuple[str, str]) -> dict[str, Any]:
    return {"act": act, "slots": [list(slot) for slot in slots]}


def turn(number: int, things: dict[str, Any], *beliefs: dict[str, Any]) -> dict[str, Any]:
    return {
        "turn_idx": number,
        "domain": "fashion",
        "transcript": "This one?",
        "system_transcript": "Yes.",
        "belief_state": list(beliefs),
        "visual_objects": things,
    }


# The first turn refers to what is in view, the second to that, gone now, and to a stranger.
TRAIN = {
    "split": "train",
    "version": 1.0,
    "year": 2020,
    "domain": "fashion",
    "dialogue_data": [
        {
            "dialogue_idx": 1,
            "domains": ["fashion"],
            "dialogue": [
                turn(
                    0,
                    {"OBJECT_0": COAT},
                    belief("DA:ASK:GET:CLOTHING.price", ("fashion-O", "OBJECT_0")),
                ),
                turn(
                    1,
                    {},
                    belief("DA:ASK:GET:CLOTHING", ("fashion-O", "OBJECT_0")),
                    belief(
                        "DA:INFORM:PREFER", ("fashion-O", "OBJECT_5"), ("fashion-O", "OBJECT_0")
                    ),
                ),
            ],
        }
    ],
}


def call(turn_idx: int, action: str, **given: Any) -> dict[str, Any]:
    return {"turn_idx": turn_idx, "action": action, "action_supervision": given or None}


CALLS = [
    {
        "dialog_id": 1,
        "actions": [
            call(0, "SpecifyInfo", attributes=["price", "brand"]),
            call(1, "SearchDatabase", attributes=["price"], focus=7),
        ],
        "focus_images": [3, 3],
    },
    {"dialog_id": 2, "actions": [call(0, "AddToCart")], "focus_images": [3]},
]
IGNORED = "User : Hi <SOM>  <EOM> => Belief State : ERR:CHITCHAT [  ] <EOB> Hi <EOS>\n"
# A dialogue of two turns: no slot, then a thing that only the first turn showed.
DEV = (
    "User : Hi <SOM> OBJECT_1 : pos focus <EOM> => Belief State : ERR:CHITCHAT [  ] <EOB> A <EOS>\n"
    "User : Hi <SOM> OBJECT_1 : pos focus <EOM> System : A User : It <SOM>  <EOM> => "
    "Belief State : DA:ASK:GET:CLOTHING [ fashion-O = OBJECT_1, fashion-color = red ] <EOB> A <EOS>"
)
CHAIRS = (
    "User : Turn it <SOM> OBJECT_0 : pos focus <EOM> => Belief State : "
    "DA:REQUEST:ROTATE:FURNITURE [ furniture-O = OBJECT_0 ] <EOB> OK <EOR> Rotate [  ] <EOS>"
)


def open_data(corpus: str, place: Path, store: Path) -> StoreData:
    import_corpus(get_corpus(corpus), [place], store=store, jobs=1)
    return StoreData(open_store(store), corpus)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> StoreData:
    folder = tmp_path_factory.mktemp("simmc")
    files = {
        "fashion_train_dials.json": json.dumps(TRAIN),
        "fashion_train_dials_api_calls.json": json.dumps(CALLS),
        "fashion_train_dials_target.txt": IGNORED,
        "fashion_dev_dials_target.txt": DEV,
        "furniture_devtest_dials_target.txt": CHAIRS.replace("<EOR> Rotate [  ] ", ""),
        "furniture_devtest_task1_target.txt": CHAIRS,
    }
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return open_data("simmc", folder, tmp_path_factory.mktemp("store"))


def run(data: StoreData, name: str) -> list[list[Any]]:
    return data.run(get_figure(data.corpus, name)).rows


def find_row_dialogues(data: StoreData, name: str) -> dict[str, list[str]]:
    found = data.find_row_dialogues(get_figure(data.corpus, name))
    return {row: sorted(set(dialogues)) for row, dialogues in found.items()}


def test_splits_count_dialogues_with_and_without_words(data: StoreData) -> None:
    # Of train: dialogue 1 has two turns and four utterances, dialogue 2 one action only, and the
    # line of targets is a dialogue of its own; those of dev and devtest are one dialogue each.
    assert run(data, "splits") == [
        ["fashion", "train", 3, 4, pytest.approx(4 / 3), 2, 6],
        ["fashion", "dev", 1, 2, 2, 1, 4],
        ["furniture", "devtest", 1, 1, 1, 1, 2],
    ]
    assert run(data, "rounds") == [
        [1, "fashion", 2, 50.0],
        [1, "furniture", 1, 100.0],
        [2, "fashion", 2, 50.0],
    ]


def test_actions_and_what_they_ask_for(data: StoreData) -> None:
    third = pytest.approx(100 / 3)
    assert run(data, "actions") == [
        ["AddToCart", "fashion", 1, third],
        ["Rotate", "furniture", 1, 100],
        ["SearchDatabase", "fashion", 1, third],
        ["SpecifyInfo", "fashion", 1, third],
    ]
    # The focus of a search is one item, so no row.
    assert run(data, "action-attributes") == [
        ["price (attributes)", "SearchDatabase", 1],
        ["brand (attributes)", "SpecifyInfo", 1],
        ["price (attributes)", "SpecifyInfo", 1],
    ]
    assert find_row_dialogues(data, "action-attributes") == {
        "action-attributes/price (attributes)/SpecifyInfo": ["fashion-1"],
        "action-attributes/brand (attributes)/SpecifyInfo": ["fashion-1"],
        "action-attributes/price (attributes)/SearchDatabase": ["fashion-1"],
    }


def test_belief_states_come_from_dialogues_before_targets(data: StoreData) -> None:
    # The train targets are of an annotated split; of two devtest files one is read.
    assert run(data, "belief-turns") == [
        ["fashion", "train", 1, 2, 1.5, None, None, 100.0, None, None],
        ["fashion", "dev", 1, 2, 1.0, None, None, 50.0, None, None],
        ["furniture", "devtest", 1, 1, 1.0, None, None, 100.0, None, None],
    ]
    # Fashion has five acts: ASK:GET in both turns of train and in dev, PREFER, and chitchat.
    assert run(data, "belief-acts") == [
        ["DA:ASK:GET", "fashion", 3, 60.0],
        ["DA:INFORM:PREFER", "fashion", 1, 20.0],
        ["DA:REQUEST:ROTATE", "furniture", 1, 100.0],
        ["ERR:CHITCHAT", "fashion", 1, 20.0],
    ]
    # O four times in train and once in dev, color once.
    assert run(data, "belief-slots") == [
        ["O", "fashion", 5, pytest.approx(500 / 6)],
        ["O", "furniture", 1, 100.0],
        ["color", "fashion", 1, pytest.approx(100 / 6)],
    ]
    assert run(data, "target-actions") == [["Rotate", "furniture", 1, 100.0]]
    # Targets whose dialogues no file tells are dialogues of their own.
    assert find_row_dialogues(data, "belief-turns") == {
        "belief-turns/fashion/train": ["fashion-1"],
        "belief-turns/fashion/dev": ["fashion-dev#0"],
        "belief-turns/furniture/devtest": ["furniture-devtest#0"],
    }


def test_targets_are_of_the_dialogues_that_they_were_imported_into(tmp_path: Path) -> None:
    calls = [
        {"dialog_id": 7, "actions": [call(0, "None"), call(1, "None")]},
        {"dialog_id": 5, "actions": [call(0, "None")]},
    ]
    files = {
        "fashion_dev_dials_target.txt": DEV + "\n" + IGNORED,
        "fashion_dev_dials_api_calls.json": json.dumps(calls),
        # Two dialogues of devtest where the targets have one: a choice of other ones.
        "furniture_devtest_dials_target.txt": CHAIRS,
        "furniture_devtest_dials_api_calls.json": json.dumps(calls),
    }
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    data = open_data("simmc", tmp_path, tmp_path / "store")
    # The first target dialogue is 7: chitchat, then a thing shown earlier; the other is 5.
    assert find_row_dialogues(data, "belief-turns") == {
        "belief-turns/fashion/dev": ["fashion-5", "fashion-7"],
        "belief-turns/furniture/devtest": ["furniture-devtest#0"],
    }
    assert find_row_dialogues(data, "belief-acts") == {
        "belief-acts/ERR:CHITCHAT/fashion": ["fashion-5", "fashion-7"],
        "belief-acts/DA:ASK:GET/fashion": ["fashion-7"],
        "belief-acts/DA:REQUEST:ROTATE/furniture": ["furniture-devtest#0"],
    }
    assert find_row_dialogues(data, "references") == {
        "references/visible/furniture": ["furniture-devtest#0"],
        "references/shown earlier/fashion": ["fashion-7"],
    }


def test_references_go_by_what_was_in_view(data: StoreData) -> None:
    # Fashion: OBJECT_0 in view; then it (once a turn) and OBJECT_1 of dev earlier; OBJECT_5 never.
    assert run(data, "references") == [
        ["visible", "fashion", 1, 25.0],
        ["visible", "furniture", 1, 100.0],
        ["shown earlier", "fashion", 2, 50.0],
        ["shown earlier", "furniture", 0, 0.0],
        ["never shown", "fashion", 1, 25.0],
        ["never shown", "furniture", 0, 0.0],
    ]


def test_annotated_acts_and_slots_link_to_dialogues(data: StoreData) -> None:
    table = data.run(get_figure("simmc", "acts"))
    assert [row[2] for row in table.rows] == [1, 1, 1]
    assert table.links()[0] == 'figure:"acts/DA:ASK:GET:CLOTHING/user"'
    assert find_row_dialogues(data, "acts")["acts/DA:ASK:GET:CLOTHING/user"] == ["fashion-1"]
    assert run(data, "slots") == [["fashion-O", "user", 4]]


def test_things_and_their_attributes(data: StoreData) -> None:
    rows = {name: (items, values) for name, _domain, items, values in run(data, "attributes")}
    # One coat of two colours; an empty list says nothing.
    assert rows["color"] == (1, 2)
    assert rows["type"] == (1, 1)
    assert "pattern" not in rows
    # The coat is picture 3, which is in focus in both dialogues.
    assert find_row_dialogues(data, "attributes")["attributes/color/fashion"] == [
        "fashion-1",
        "fashion-2",
    ]
    # Nothing is in view in two of five turns; in dialogue 1's second, the image in focus is.
    assert run(data, "in-view") == [
        [0, "fashion", 2, pytest.approx(40)],
        [1, "fashion", 3, pytest.approx(60)],
        [1, "furniture", 1, 100],
    ]


def said(act: str, *objects: int, **values: str) -> dict[str, Any]:
    facts = {"slot_values": values, "request_slots": [], "objects": list(objects)}
    return {"act": act, "act_attributes": facts}


def test_simmc2_counts_scenes_mentions_and_doubts(tmp_path: Path) -> None:
    turns = [
        {
            "turn_idx": number,
            "transcript": "Which?",
            "system_transcript": "That.",
            "transcript_annotated": said("ASK:GET", *things, type="hat"),
            "system_transcript_annotated": said("INFORM:GET"),
            **doubt,
        }
        for number, things, doubt in [(0, (4, 5), {"disambiguation_label": 1}), (1, (), {})]
    ]
    dialogue = {
        "dialogue": turns,
        "dialogue_idx": 9,
        "domain": "fashion",
        "mentioned_object_ids": [4, 5],
        "scene_ids": {"0": "m_one", "1": "m_two"},
    }
    whole = {"split": "dev", "year": 2021, "domain": "fashion", "dialogue_data": [dialogue]}
    path = tmp_path / "simmc2_dials_dstc10_dev.json"
    path.write_text(json.dumps(whole | {"version": "simmc_2_dstc10"}), encoding="utf-8")
    data = open_data("simmc2", path, tmp_path / "store")
    assert run(data, "splits") == [["fashion", "dev", 1, 2, 2.0, 1, 4]]
    # Of two user utterances one mentions two things; the assistant's mention none.
    assert run(data, "mentions") == [
        [0, "user", 1, 50.0],
        [0, "assistant", 2, 100.0],
        [2, "user", 1, 50.0],
    ]
    assert find_row_dialogues(data, "mentions") == {
        "mentions/0/user": ["9"],
        "mentions/0/assistant": ["9"],
        "mentions/2/user": ["9"],
    }
    assert run(data, "ambiguity") == [["ambiguous", 1, 50.0], ["not annotated", 1, 50.0]]
    assert run(data, "scenes") == [[2, 1, 100.0]]
    assert run(data, "acts") == [["ASK:GET", "user", 2], ["INFORM:GET", "assistant", 2]]
    assert run(data, "slots") == [["type", "user", 2]]


@pytest.fixture(scope="module")
def real(tmp_path_factory: pytest.TempPathFactory) -> StoreData:
    return StoreData(open_store(import_released(tmp_path_factory, "simmc", "simmc1")), "simmc")


@thorough
def test_the_released_files_have_the_published_dialogues(real: StoreData) -> None:
    found = {
        each.name: each.ours
        for name in ("splits", "belief-turns")
        for each in real.run(get_figure("simmc", name)).comparisons()
        if each.agrees
    }
    assert set(found) == {
        *(f"dialogues of fashion {split}" for split in ("train", "dev", "devtest")),
        # The state tracking targets tell of all dialogues of furniture dev.
        *(f"dialogues of furniture {split}" for split in ("dev", "devtest")),
        *(f"dialogues with belief states of fashion {split}" for split in ("dev", "devtest")),
        *(f"dialogues with belief states of furniture {split}" for split in ("dev", "devtest")),
    }


@thorough
def test_the_released_files_have_the_counted_turns(real: StoreData) -> None:
    turns = {(split, domain): number for domain, split, _, number, *_ in run(real, "splits")}
    assert turns["train", "fashion"] == 21_196
    assert turns["devtest", "fashion"] == 5_397
    actions = {(action, domain): number for action, domain, number, _ in run(real, "actions")}
    assert actions["SpecifyInfo", "fashion"] == 11_687
    belief = {(d, s): turns for d, s, _, turns, *_ in run(real, "belief-turns")}
    assert (belief["furniture", "dev"], belief["furniture", "devtest"]) == (4_827, 7_355)
    shares = {(where, d): round(share, 1) for where, d, _, share in run(real, "references")}
    assert shares["visible", "fashion"] == 53.1
    assert shares["never shown", "furniture"] == 1.6
