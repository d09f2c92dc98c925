from __future__ import annotations

import os
import re

import pytest
from tests.unit.corpora.photobook.samples import OWL, SEA, SUN, small_game

from commonground.corpora.photobook.convert import Context, convert
from commonground.corpora.photobook.view.page import PhotoBookView, build_view, short_name
from commonground.explorer.dialogue import draw_dialogue, render_dialogue
from commonground.explorer.links import Links
from commonground.explorer.rendering.environment import Shell
from commonground.model import Action, Dialogue, Display, Grounding, Utterance
from commonground.store.opening import open_store

SHELL = Shell(links=Links(), corpora=["photobook"], corpus="photobook")


def small() -> Dialogue:
    return convert(small_game(), Context())


def clicks(*marks: tuple[str, str, str]) -> Dialogue:
    """A round in which A sees SUN and SEA, B sees SUN and OWL, with marks by speaker."""
    dialogue = Dialogue(
        dialogue_id="1",
        displays=[
            Display(image, player, None, 1, position)
            for player, images in (("A", (SUN, SEA)), ("B", (SUN, OWL)))
            for position, image in enumerate(images)
        ],
    )
    for speaker, label, image in marks:
        arguments = {"label": label, "image": image}
        dialogue.groundings.append(Grounding(len(dialogue.events), image, "selected", label))
        dialogue.events.append(Action(speaker, "selection", arguments, segment=1))
    return dialogue


def render(dialogue: Dialogue) -> str:
    return render_dialogue(draw_dialogue("photobook", dialogue), SHELL)


def test_each_round_has_both_pages_with_what_is_shared() -> None:
    view = build_view(small())
    # The first round has 7 messages, the second 2.
    assert [(each.number, each.first, each.last) for each in view.stages] == [(1, 0, 6), (2, 7, 8)]
    a, b = view.stages[0].grids
    assert [(each.image, each.highlighted, each.shared) for each in a.tiles] == [
        (SUN, True, 1),
        (SEA, False, None),
    ]
    assert [(each.image, each.shared) for each in b.tiles] == [(OWL, None), (SUN, 1)]
    assert (a.score, b.score, a.submitted, b.submitted) == (2, 1, [4], [5])
    assert [each.detail for each in view.outline] == ["A 2, B 1", "A 0, B 3"]


def test_names_of_images_are_in_the_same_order_in_every_process() -> None:
    assert list(build_view(small()).names) == sorted([OWL, SEA, SUN])


@pytest.mark.parametrize(
    ("label", "image", "right"),
    [("common", SUN, True), ("different", SUN, False), ("common", SEA, False)],
)
def test_a_mark_is_right_if_the_partner_has_the_image(label: str, image: str, right: bool) -> None:
    view = build_view(clicks(("A", label, image)))
    assert view.marks[0].right is right


def test_marks_keep_their_history_player_by_player() -> None:
    marks = [("A", "different", SUN), ("B", "common", SUN), ("A", "common", SUN)]
    view = build_view(clicks(*marks))
    (sun, _), _ = (grid.tiles for grid in view.stages[0].grids)
    told = [(each.event, each.label, each.before, each.right) for each in sun.marks]
    assert told == [(0, "different", None, False), (2, "common", "different", True)]
    assert view.marks[1].before is None


def test_a_mark_on_an_image_of_the_partner_is_a_stray() -> None:
    view = build_view(clicks(("A", "common", OWL)))
    (stray,) = view.stages[0].grids[0].strays
    assert (stray.event, stray.image, stray.right) == (0, OWL, None)
    assert "not on own page" in render(clicks(("A", "common", OWL)))


def test_a_chain_follows_an_image_through_the_rounds() -> None:
    chains = build_view(small()).chains
    # Both texts of round 1 stand before the marks on SUN and OWL; that of round 2 has no mark.
    lines = [(line.event, line.speaker) for line in chains[0].rounds[0][0].lines]
    assert (chains[0].number, chains[0].image, lines) == (1, SUN, [(0, "A"), (1, "B")])
    assert chains[0].rounds[0][0].others == [OWL]
    assert [len(each) for each in chains[0].rounds] == [1, 0]
    assert build_view(small()).about == {0: [SUN, OWL], 1: [SUN, OWL]}


def test_the_page_links_images_to_their_chains_and_rows_to_events() -> None:
    page = render(small())
    assert page.count('href="#chain-1"') == 4  # SUN on both pages in both rounds
    assert '<article class="chain" id="chain-1"' in page
    assert re.findall(r'data-mode|data-set-mode="(\w+)"', page) == ["all", "a", "b"]
    assert "marks" in page
    assert "✓" in page
    assert page.count('class="stage round"') == 2


def test_a_game_without_displays_or_scores_has_a_page() -> None:
    dialogue = Dialogue(dialogue_id="1", events=[Utterance("A", "hm", segment=1)])
    view = build_view(dialogue)
    assert [each.score for each in view.stages[0].grids] == [None, None]
    assert "Round 1" in render(dialogue)


def test_an_empty_game_has_a_page() -> None:
    assert build_view(Dialogue(dialogue_id="1")).stages == []
    assert "Game" in render(Dialogue(dialogue_id="1"))


@pytest.mark.parametrize(
    ("image", "name"),
    [
        ("a_b/COCO_train2014_000000012034.jpg", "12034"),
        ("a_b/COCO_train2014_000000000000.jpg", "000000000000"),
        ("odd.name", "odd"),
        ("a/no_number.png", "no_number"),
    ],
)
def test_images_go_by_their_number(image: str, name: str) -> None:
    assert short_name(image) == name


@pytest.mark.skipif(
    "COMMONGROUND_READ_STORE" not in os.environ, reason="COMMONGROUND_STORE is not set"
)
def test_odd_games_of_the_release_have_pages() -> None:
    store = open_store(os.environ["COMMONGROUND_READ_STORE"])
    if "photobook" not in store.corpora():
        pytest.skip("the store has no photobook")
    corpus = store.corpus("photobook")
    # The numbers are those of the corpus notes: strays, a score of 4, a missing questionnaire.
    if len(corpus) != 2502:
        pytest.skip("the store has no released photobook")
    seen: dict[str, PhotoBookView] = {}
    for game in ("1188", "1340", "1386", "122", "1218"):
        dialogue = corpus.dialogue(game)
        seen[game] = build_view(dialogue)
        assert f"Game <bdi>{game}</bdi>" in render(dialogue)
    assert [len(each.strays) for each in seen["1188"].stages[1].grids] == [2, 0]
    assert seen["1188"].stages[1].grids[0].score == 4
    # Game 1386, round 5: one selection is of an own image that was not highlighted.
    tiles = [tile for grid in seen["1386"].stages[4].grids for tile in grid.tiles]
    assert sum(bool(tile.marks) and not tile.highlighted for tile in tiles) >= 1
