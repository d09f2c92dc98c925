from __future__ import annotations

from collections import Counter
from itertools import permutations

import pytest
from tests.unit.corpora.photobook.samples import simulated_game, small_game

from commonground.corpora.photobook.rules._pages import build_pages
from commonground.corpora.photobook.rules.display import (
    Shown,
    display_size,
    highlights,
    matches_schedule,
)
from commonground.corpora.photobook.schedule import (
    ROUNDS,
    SLOTS,
    Use,
    follows_schedule,
    load_schedules,
    schedule_name,
)


def pages(name: str) -> list[dict[str, Use]]:
    schedule = load_schedules()[name]

    def use(slot: str, letters: str) -> str:
        return "X" if slot.upper() in letters else "o" if slot in letters else "-"

    pairs = zip(schedule.A, schedule.B, strict=True)
    return [{f"img-{s}": (use(s, a), use(s, b)) for s in SLOTS} for a, b in pairs]


@pytest.mark.parametrize("name", ["I", "II"])
def test_each_page_shows_six_and_highlights_three(name: str) -> None:
    schedule = load_schedules()[name]
    for speaker in ("A", "B"):
        assert len(schedule.shown(speaker)) == ROUNDS
        for letters in schedule.shown(speaker):
            assert len(set(letters.lower())) == 6
            assert sum(letter.isupper() for letter in letters) == 3


def test_pages_have_two_to_four_common_images() -> None:
    common = Counter(
        len(set(a.lower()) & set(b.lower()))
        for schedule in load_schedules().values()
        for a, b in zip(schedule.A, schedule.B, strict=True)
    )
    assert set(common) == {2, 3, 4}


def test_odd_domains_follow_the_second_schedule() -> None:
    assert [schedule_name(domain_id) for domain_id in (0, 1, 60)] == ["I", "II", "I"]


@pytest.mark.parametrize("name", ["I", "II"])
def test_any_order_of_the_pages_follows(name: str) -> None:
    for order in list(permutations(pages(name)))[::17]:
        assert follows_schedule(order, name)


def test_the_other_schedule_does_not_follow() -> None:
    assert not follows_schedule(pages("I"), "II")
    assert not follows_schedule(pages("I")[:4], "I")


def test_a_moved_highlight_does_not_follow() -> None:
    changed = pages("I")
    (page, image) = changed[0], "img-j"
    assert page[image] == ("X", "-")
    page[image] = ("o", "-")
    assert not follows_schedule(changed, "I")


def test_the_goal_is_the_label_of_each_highlighted_image() -> None:
    page = build_pages(small_game())[0]
    assert set(page.a.goal.values()) == {"common"}  # the sun, which B sees too
    assert set(page.b.goal.values()) == {"different"}  # the owl


def test_equal_pages_are_examined_once() -> None:
    first, second = simulated_game(), simulated_game()
    first.rounds[0].common.reverse()
    assert all(a is b for a, b in zip(build_pages(first), build_pages(second), strict=True))


def test_small_displays_are_faults() -> None:
    shown = Shown([page.grid for page in build_pages(small_game())], "I")
    sizes = list(display_size(shown))
    assert len(sizes) == len(list(highlights(shown))) == 4
    assert sizes[0].found == "2 images, 2 different"
    assert not list(matches_schedule(shown))  # only games of five rounds can follow one
