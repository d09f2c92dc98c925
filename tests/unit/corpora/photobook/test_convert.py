from __future__ import annotations

import copy
from datetime import datetime

import pytest
from tests.unit.corpora.photobook.samples import OWL, SEA, SUN, small_game

from commonground.corpora.photobook.convert import Context, convert, image_object, prepare
from commonground.corpora.photobook.native import Domain, Game
from commonground.files.reading import ConversionError, Options, SideRecord
from commonground.model import (
    Action,
    Dialogue,
    Display,
    Grounding,
    Object,
    Outcome,
    Speaker,
    Utterance,
)


def made(game: Game | None = None, context: Context | None = None) -> Dialogue:
    return convert(game or small_game(), context or Context({12: ["dev"]}, {3: "sun_sea"}))


def test_the_dialogue() -> None:
    dialogue = made()
    assert dialogue.dialogue_id == "12"
    assert dialogue.split == "dev"
    assert dialogue.domain == "sun_sea"
    assert dialogue.started_at == datetime(2024, 5, 6, 7, 8, 9, 10)
    assert dialogue.attributes == {"domain_id": 3}


def test_players_are_peers() -> None:
    assert made().speakers == [Speaker("A", "peer", "7"), Speaker("B", "peer", "9")]


def test_every_message_is_an_event() -> None:
    # 01:09 is 69 s; the clock goes on in round 2, where 01:00:01 is 3601 s.
    common = {"label": "common", "image": SUN}
    different = {"label": "different", "image": OWL}
    answers = {"col": 5, "partner_u": 4, "self_u": 3, "text": " so much fun"}
    assert made().events == [
        Utterance("A", "a yellow sun?", 0, 1, 0.0),
        Utterance("B", "yes", 1, 1, 5.25),
        Action("A", "selection", common, None, 2, 1, 7.5),
        Action("B", "selection", different, None, 2, 1, 69.0),
        Action("A", "feedback", None, None, 2, 1, 70.0),
        Action("B", "feedback", None, None, 2, 1, 72.5),
        Action("B", "next_round", None, None, 2, 1, 73.0),
        Utterance("B", "sun again", 0, 2, 3601.0),
        Action("B", "usr_feedback", answers, None, 1, 2, 3602.0),
    ]


def test_selections_point_at_images() -> None:
    assert made().groundings == [
        Grounding(2, SUN, "selected", "common"),
        Grounding(3, OWL, "selected", "different"),
    ]


def test_displays_are_grids_by_round_and_viewer() -> None:
    displays = made().displays
    assert displays[:4] == [
        Display(SUN, "A", None, 1, 0, True),
        Display(SEA, "A", None, 1, 1, False),
        Display(OWL, "B", None, 1, 0, True),
        Display(SUN, "B", None, 1, 1, False),
    ]
    assert [each.segment for each in displays] == [1] * 4 + [2] * 4


def test_images_are_objects_once() -> None:
    objects = made().objects
    assert [each.object_id for each in objects] == [SUN, SEA, OWL]
    attributes = {"folder": "sun_sea", "coco_id": 700001}
    assert objects[0] == Object(SUN, "image", "sun and sea 700001", SUN, attributes)


def test_titles_keep_object_types_of_two_words_whole() -> None:
    path = "dining_table_laptop/COCO_train2014_000000700009.jpg"
    assert image_object(path).title == "dining table and laptop 700009"
    assert image_object("dining_table_laptop/x.jpg").attributes == {"folder": "dining_table_laptop"}


def test_scores_and_answers_are_outcomes() -> None:
    assert made().outcomes == [
        Outcome("score", 2, None, "A", 1),
        Outcome("score", 1, None, "B", 1),
        Outcome("score", 0, None, "A", 2),
        Outcome("score", 3, None, "B", 2),
        Outcome("col", 5, None, "B"),
        Outcome("partner_u", 4, None, "B"),
        Outcome("self_u", 3, None, "B"),
        Outcome("comment", None, "so much fun", "B"),
    ]


def test_feedback_of_another_form_is_kept_as_text() -> None:
    game = small_game()
    game.feedback.B = "loved it"
    assert made(game).outcomes[-1] == Outcome("feedback", None, "loved it", "B")


@pytest.mark.parametrize(
    "text",
    [
        "<3",
        "<selection> <maybe> x",
        "<selection>",
        "<usr_feedback> fine",
        "<feedback> ",
        "<FEEDBACK>",
    ],
)
def test_what_only_looks_like_a_tag_is_text(text: str) -> None:
    game = small_game()
    game.rounds[0].messages[0].message = text
    assert made(game).events[0] == Utterance("A", text, 0, 1, 0.0)


def test_without_side_files_the_folder_names_the_domain() -> None:
    dialogue = made(context=Context())
    assert (dialogue.split, dialogue.domain) == (None, "sun_sea")


def test_side_files_are_gathered() -> None:
    sides = [
        SideRecord("data_splits.json", "splits", "$.train[0]", 5, "train"),
        SideRecord("data_splits.json", "splits", "$.mine[0]", 12, "mine"),
        SideRecord("domain_ids.txt", "domains", "line 4", Domain(domain_id=3, folder="sun_sea")),
    ]
    context = prepare(sides, Options("photobook", "pictures"))
    assert context.splits_of == {5: ["train"], 12: ["mine"]}
    assert context.folder_of == {3: "sun_sea"}
    assert context.images == "pictures"


def test_fewer_flags_than_images_leave_the_rest_unsaid() -> None:
    game = small_game()
    game.rounds[0].highlighted.A.pop()
    assert made(game).displays[1].highlighted is None


def test_converting_changes_nothing() -> None:
    game = small_game()
    before = copy.deepcopy(game)
    made(game)
    assert game == before


@pytest.mark.parametrize("stamp", ["noon", "", "00:00:60", "00:01:nan", "00:01:inf", "00:01:-1"])
def test_a_time_that_is_none_costs_itself(stamp: str) -> None:
    game = small_game()
    game.rounds[1].messages[1].timestamp = stamp
    times = [event.at_s for event in made(game).events]
    assert times == [*(event.at_s for event in made().events[:-1]), None]


@pytest.mark.parametrize(("stamp", "at_s"), [("24:00:01.5", 86401.5), ("1 day, 0:01:10", 86470.0)])
def test_a_game_may_last_longer_than_a_day(stamp: str, at_s: float) -> None:
    game = small_game()
    game.rounds[1].messages[1].timestamp = stamp
    assert made(game).events[-1].at_s == at_s


def test_a_start_that_is_none_costs_itself() -> None:
    game = small_game()
    game.start_time = "yesterday"
    assert made(game).started_at is None


def test_each_agent_needs_a_label() -> None:
    game = small_game()
    game.agent_labels.pop()
    with pytest.raises(ConversionError, match="one label per agent"):
        made(game)


@pytest.mark.parametrize(
    ("given", "kept"), [("so\nmuchfun", "so much fun"), ("so***fun", "so***fun")]
)
def test_a_comment_has_its_spaces_unless_its_words_differ(given: str, kept: str) -> None:
    game = small_game()
    game.feedback.B = f"col:5<&>partner_u:4<&>self_u:3<&>text:{given}"
    assert made(game).outcomes[-1] == Outcome("comment", None, kept, "B")
