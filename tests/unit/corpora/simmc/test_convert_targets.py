"""Target files among others: whose lines they are, and what they add, after an import."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from commonground.corpora import get_corpus
from commonground.corpora.simmc.native.targets import parse_action, parse_scene
from commonground.model import Act, Action, Dialogue, Display, Grounding, Utterance, Withheld
from commonground.store.corpus import Corpus
from commonground.store.importing import import_corpus
from commonground.store.opening import open_store

COAT = {"type": "coat", "color": ["red"], "pos": "focus"}
SCENE = "<SOM> OBJECT_0 : pos focus color ['red'] type coat <EOM>"
# The public form: two of three turns, no belief states, the last answer left out.
PUBLIC = {
    "split": "devtest_teststd-format",
    "version": 1.0,
    "year": 2020,
    "domain": "fashion",
    "dialogue_data": [
        {
            "dialogue_idx": 7,
            "domains": ["fashion"],
            "dialogue": [
                {
                    "turn_idx": 0,
                    "domain": "fashion",
                    "transcript": "Is it  warm?",
                    "system_transcript": "Very.",
                    "belief_state": {},
                    "visual_objects": {"OBJECT_0": COAT},
                },
                {
                    "turn_idx": 1,
                    "domain": "fashion",
                    "transcript": "How much?",
                    "system_transcript": "",
                    "belief_state": {},
                    "visual_objects": {},
                },
            ],
        }
    ],
}
CALLS = [
    {
        "dialog_id": 7,
        "actions": [
            {"turn_idx": turn, "action": "None", "action_supervision": None} for turn in range(3)
        ],
        "focus_images": [3, 3, 4],
    }
]
TARGETS = (
    f"User : Is it warm? {SCENE} => Belief State : "
    "DA:ASK:GET:CLOTHING [ fashion-O = OBJECT_0 ] <EOB> Very. <EOS>\n"
    f"User : Is it warm? {SCENE} System : Very. User : How much? <SOM>  <EOM> => Belief State : "
    "DA:ASK:GET:CLOTHING.price [  ] <EOB> $ 40. <EOS>\n"
    f"User : How much? <SOM>  <EOM> System : $ 40. User : I take it. {SCENE} => Belief State : "
    "DA:REQUEST:ADD_TO_CART:CLOTHING [ fashion-O = OBJECT_0 ] <EOB> Done. <EOS>\n"
)
STRANGE = "User : Hi <SOM>  <EOM> => Belief State : ERR:CHITCHAT [  ] <EOB> Hello <EOS>\n"
CHAIR = (
    "User : Turn it <SOM> OBJECT_0 : pos focus <EOM> => Belief State : "
    "DA:REQUEST:ROTATE:FURNITURE [ furniture-O = OBJECT_0 ] <EOB> OK <EOS>\n"
)
CHAIR_TASK = CHAIR.replace("OK <EOS>", "OK <EOR> Rotate [ direction = left ] <EOS>")
Importing = Callable[..., Corpus]


@pytest.fixture
def imported(tmp_path: Path) -> Importing:
    """Imports files of these names and contents."""

    def run(**files: Any) -> Corpus:
        folder = tmp_path / "files"
        folder.mkdir()
        for name, content in files.items():
            text = content if isinstance(content, str) else json.dumps(content)
            ending = "txt" if isinstance(content, str) else "json"
            (folder / f"{name}.{ending}").write_text(text, encoding="utf-8")
        import_corpus(get_corpus("simmc"), [folder], store=tmp_path / "store", jobs=1)
        return open_store(tmp_path / "store").corpus("simmc")

    return run


def plain(dialogue: Dialogue) -> list[tuple[str, int | None, str | None]]:
    return [(each.kind, each.turn, each.text or each.name) for each in dialogue.events]


def test_a_withheld_answer_is_no_utterance(imported: Importing) -> None:
    corpus = imported(fashion_devtest_dials_teststd_format_public=PUBLIC)
    (dialogue,) = corpus
    assert dialogue.events[1:] == [
        Utterance("assistant", "Very.", 0),
        Utterance("user", "How much?", 1),
        Withheld("assistant", 1),
    ]
    assert corpus.rows("SELECT n_events, n_utterances FROM dialogues") == [(4, 3)]
    assert corpus.rows("SELECT kind, text FROM events WHERE event = 3") == [("withheld", None)]


def test_targets_complete_the_public_dialogue(imported: Importing) -> None:
    corpus = imported(
        fashion_devtest_dials_teststd_format_public=PUBLIC,
        fashion_devtest_dials_api_calls=CALLS,
        fashion_devtest_dials_target=TARGETS,
    )
    (dialogue,) = corpus
    assert plain(dialogue) == [
        ("utterance", 0, "Is it  warm?"),
        ("action", 0, "None"),
        ("utterance", 0, "Very."),
        ("utterance", 1, "How much?"),
        ("action", 1, "None"),
        ("utterance", 1, "$ 40."),
        ("utterance", 2, "I take it."),
        ("action", 2, "None"),
        ("utterance", 2, "Done."),
    ]
    layer = "dials_target"
    assert dialogue.acts == [
        Act(0, layer, 0, "DA:ASK:GET:CLOTHING", 0, "fashion-O", "OBJECT_0", 0),
        Act(3, layer, 0, "DA:ASK:GET:CLOTHING.price"),
        Act(6, layer, 0, "DA:REQUEST:ADD_TO_CART:CLOTHING", 0, "fashion-O", "OBJECT_0", 0),
    ]
    buys = "DA:REQUEST:ADD_TO_CART:CLOTHING"
    assert dialogue.groundings == [
        Grounding(0, "fashion/3", "mentioned", "DA:ASK:GET:CLOTHING", "OBJECT_0"),
        Grounding(6, "fashion/3", "mentioned", buys, "OBJECT_0"),
    ]
    assert dialogue.attributes == {
        "version": 1.0,
        "targets": ["fashion_devtest_dials_target.txt line 1"],
        "public_turns": 2,
    }


def test_every_image_in_focus_is_displayed(imported: Importing) -> None:
    (dialogue,) = imported(
        fashion_devtest_dials_teststd_format_public=PUBLIC,
        fashion_devtest_dials_api_calls=CALLS,
        fashion_devtest_dials_target=TARGETS,
    )
    # The coat is image 3. At turn 1 no file but that of the calls says what is in view; at turn 2
    # the coat is, and another image is in focus.
    focus = {"source": "focus_images"}
    known = {"name": "OBJECT_0", **COAT}
    told = {"name": "OBJECT_0", **COAT, "source": "dials_target"}
    assert dialogue.displays == [
        Display("fashion/3", None, 0, None, 0, None, known),
        Display("fashion/3", None, 3, None, 0, None, focus),
        Display("fashion/3", None, 6, None, 0, None, told),
        Display("fashion/4", None, 6, None, 0, None, focus),
    ]


def test_targets_of_nobody_are_dialogues_of_their_own(imported: Importing) -> None:
    corpus = imported(
        fashion_devtest_dials_teststd_format_public=PUBLIC,
        fashion_devtest_dials_target=STRANGE + TARGETS,
        furniture_devtest_dials_target=CHAIR,
        furniture_devtest_task1_target=CHAIR_TASK,
    )
    assert sorted(corpus.ids()) == ["fashion-7", "fashion-devtest#0", "furniture-devtest#0"]
    assert plain(corpus["fashion-devtest#0"]) == [("utterance", 0, "Hi"), ("utterance", 0, "Hello")]
    chair = corpus["furniture-devtest#0"]
    assert (chair.split, chair.domain) == ("devtest", "furniture")
    assert chair.events == [
        Utterance("user", "Turn it", 0),
        Action("assistant", "Rotate", {"direction": "left"}, None, 0),
        Utterance("assistant", "OK", 0),
    ]
    turns = "DA:REQUEST:ROTATE:FURNITURE"
    assert chair.acts == [
        Act(0, "dials_target", 0, turns, 0, "furniture-O", "OBJECT_0", 0),
        Act(0, "task1_target", 0, turns, 0, "furniture-O", "OBJECT_0", 0),
        Act(1, "task1_target", 0, "Rotate", 0, "direction", "left"),
    ]


def test_targets_get_the_numbers_of_a_list_as_long(imported: Importing) -> None:
    corpus = imported(fashion_dev_dials_api_calls=CALLS, fashion_dev_dials_target=TARGETS + STRANGE)
    # Three turns and one are not the three of the only call.
    assert sorted(corpus.ids()) == ["fashion-7", "fashion-dev#0", "fashion-dev#1"]
    assert corpus["fashion-7"].utterances() == []


def test_words_come_to_calls_of_the_same_lengths(imported: Importing) -> None:
    (dialogue,) = imported(fashion_dev_dials_api_calls=CALLS, fashion_dev_dials_target=TARGETS)
    assert dialogue.dialogue_id == "fashion-7"
    assert [each.text for each in dialogue.utterances()][::2] == [
        "Is it warm?",
        "How much?",
        "I take it.",
    ]


def test_actions_and_scenes_of_both_domains_are_read() -> None:
    action = parse_action(" SpecifyInfo [ price, info ] ")
    assert action is not None
    assert action.slots == [["price"], ["info"]]
    assert parse_action("") is None
    scene = parse_scene("OBJECT_1 : pos left class_name Dining Chairs decor_style ['a b', 'c']")
    assert scene == {
        "OBJECT_1": {"pos": "left", "class_name": "Dining Chairs", "decor_style": ["a b", "c"]}
    }
