"""Measures of games, on a game that is small enough to count by hand."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.corpora.photobook.samples import OWL, SUN, message, small_log

import commonground as cg
from commonground.corpora import get_corpus
from commonground.corpora.photobook.figures.measures import (
    _measure_game,
    _pair,
    count_game,
    keep_shared,
    measure_games,
    read_games,
)
from commonground.corpora.photobook.figures.uptake import (
    collect_mentions,
    count_new_words,
    list_novelties,
    list_uptakes,
    list_words,
)
from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.segments import segment_game
from commonground.measuring import MeasuredGames
from commonground.play.simulating import simulate_corpus
from commonground.task import Gold


def make_game(
    *pages: list[tuple[str, str]], game: int = 1, agents: tuple[int, int] = (7, 9)
) -> Game:
    """A game of pages, each a list of speakers and what they said or marked."""
    log = small_log()
    first: dict[str, Any] = log["rounds"][0]
    rounds = []
    for number, said in enumerate(pages, 1):
        messages = [
            message(f"00:0{number}:{at:02}.000000", 0, speaker, text)
            for at, (speaker, text) in enumerate(said)
        ]
        rounds.append({**first, "round_nr": number, "messages": messages})
    return msgspec.convert(
        {**log, "game_id": game, "agent_ids": list(agents), "rounds": rounds}, Game
    )


def mark(speaker: str, image: str = SUN) -> tuple[str, str]:
    return speaker, f"<selection> <com> {image}"


FIRST = [("A", "A yellow sun, right?"), ("B", "yes, huge yellow"), mark("A"), mark("B", OWL)]
SECOND = [("B", "again the yellow sun"), ("A", "ok"), ("A", "huge sun"), mark("B")]


def test_words_are_in_lower_case_and_keep_what_is_inside() -> None:
    assert list_words("Don't! The g*rl's 2 dogs--ok") == (
        "don't",
        "the",
        "g*rl's",
        "2",
        "dogs",
        "ok",
    )


def test_a_page_is_counted_by_hand() -> None:
    game = make_game(FIRST, SECOND)
    counts = count_game(game, collect_mentions(game))
    assert (counts["words/1"], counts["messages/1"], counts["turns/1"]) == (7, 2, 2)
    assert (counts["words/2"], counts["messages/2"], counts["turns/2"]) == (7, 3, 2)
    assert counts["score/1"] == 3
    # Two marks in a row name one segment, whose texts are of both players.
    assert (counts["grounded/1"], counts["grounded/1/n"]) == (2, 2)
    assert (counts["grounded/2"], counts["grounded/2/n"]) == (1, 1)


def test_a_mark_that_nobody_answered_is_not_grounded() -> None:
    game = make_game([("A", "a yellow sun"), mark("A")])
    counts = count_game(game, collect_mentions(game))
    assert (counts["grounded/1"], counts["grounded/1/n"]) == (0, 1)


def test_entrainment_is_the_share_of_words_that_the_partner_used_before() -> None:
    game = make_game(FIRST, SECOND)
    mentions = collect_mentions(game)
    assert mentions["A", SUN][1] == {"yellow", "sun", "right"}
    assert mentions["B", SUN][1] == {"yes", "huge", "yellow"}
    uptakes = dict(enumerate(list_uptakes(mentions, mentions, by_page=True)))
    # B says yellow and sun, both of which A said; A says ok, huge and sun, of which B said huge.
    assert sorted(uptakes.values()) == [(2, pytest.approx(1 / 3)), (2, 1.0)]


@pytest.mark.parametrize(
    ("before", "now", "new"),
    [
        ("red sofa dog", "sofa dog", 0),  # what is left out is not new
        ("red sofa dog", "red sofa cat", 1),
        ("dog", "the brown dog", 2),
        ("sofa dog", "", 0),
        ("red dog", "dog sofa", 1),  # one left out and one added, rather than two replaced
        ("a b c", "c a b", 1),
    ],
)
def test_new_is_what_is_added_or_replaced(before: str, now: str, new: int) -> None:
    assert count_new_words(before.split(), now.split()) == new


def list_alignments_of(before: str, now: str) -> Iterator[tuple[int, int]]:
    """Yields the edits and the new words of each way to align two texts of one-letter words."""
    if not before or not now:
        yield len(before) + len(now), len(now)
        return
    replaced = int(before[0] != now[0])
    ways = [(before[1:], now[1:], replaced, replaced), (before[1:], now, 1, 0)]
    for rest, others, edit, new in [*ways, (before, now[1:], 1, 1)]:
        yield from ((e + edit, n + new) for e, n in list_alignments_of(rest, others))


@given(st.text("abc", max_size=5), st.text("abcd", max_size=5))
def test_new_words_are_those_of_the_best_of_all_alignments(before: str, now: str) -> None:
    assert count_new_words(before, now) == min(list_alignments_of(before, now))[1]


def test_novelty_compares_the_pages_of_an_image() -> None:
    game = make_game(FIRST, SECOND)
    # Then: yellow sun right yes huge yellow. Now: yellow sun ok huge sun, in which ok stands for
    # right or yes, and the last sun for yellow.
    assert list_novelties(game, segment_game(game).segments) == [(2, 2, 6)]
    counts = count_game(game, collect_mentions(game))
    assert (counts["novelty/2"], counts["novelty/2/n"]) == (2, 6)


def test_a_first_page_takes_nothing_up() -> None:
    mentions = collect_mentions(make_game(FIRST))
    assert list_uptakes(mentions, mentions, by_page=True) == []


def test_the_control_asks_what_another_partner_said() -> None:
    one = collect_mentions(make_game(FIRST, SECOND))
    other = collect_mentions(make_game([("A", "a boat"), ("B", "no boat"), mark("A")], SECOND))
    shares = [share for _, share in list_uptakes(one, other, by_page=False)]
    assert sorted(shares) == [0.0, 0.0]


def test_pairs_have_the_same_images_and_no_people_in_common() -> None:
    people = ((1, 2), (1, 3), (4, 5))
    games = [
        _measure_game(make_game(FIRST, game=n, agents=each)) for n, each in enumerate(people, 1)
    ]
    pairs = _pair(games, 0)
    assert pairs[0] == pairs[1] == 2
    assert pairs[2] in (0, 1)
    assert _pair(games[:2], 0) == {}


def find(measured: MeasuredGames, measure: str, page: int | None = None) -> float | None:
    return next(e.value for e in measured.points if (e.measure, e.page) == (measure, page))


def test_declines_compare_the_last_page_with_the_first() -> None:
    short = [("A", "sun"), mark("A")]
    measured = measure_games([make_game(FIRST, short)])
    assert find(measured, "words", 2) == 1
    assert {each.measure: each.value for each in measured.declines} == {
        "words": pytest.approx(6 / 7),
        "messages": pytest.approx(1 / 2),
        "turns": pytest.approx(1 / 2),
    }
    assert measured.coupling is None
    assert measured.points[0].low is None


def test_the_control_stands_beside_the_real_value() -> None:
    games = [make_game(FIRST, SECOND, game=n, agents=(2 * n, 2 * n + 1)) for n in range(4)]
    coupling = measure_games(games).coupling
    assert coupling is not None
    assert coupling.games == 4
    # All games are the same, so that nobody can be told from the partner.
    assert coupling.real.value == coupling.control.value == pytest.approx(2 / 3)
    assert coupling.difference.value == coupling.difference.low == 0


def test_games_on_the_same_pages_are_kept() -> None:
    one, other = make_game(FIRST), make_game(FIRST, SECOND)
    kept = keep_shared({"people": [one, other], "models": [other, other]})
    assert kept == {"people": [other], "models": [other, other]}


def test_simulated_people_need_fewer_words_and_take_words_up(tmp_path: Path) -> None:
    simulate_corpus(get_corpus("photobook"), tmp_path, dialogues=20, seed=2)
    measured = measure_games(read_games(Gold(files=[tmp_path])))
    assert (find(measured, "words", 5) or 0) < (find(measured, "words", 1) or 0)
    assert (find(measured, "entrainment", 5) or 0) > (find(measured, "entrainment", 2) or 0)
    assert all(e.low <= e.value <= e.high for e in measured.points if e.low and e.value and e.high)


def test_a_game_with_a_field_too_many_is_measured(tmp_path: Path) -> None:
    files = cg.simulate("photobook", tmp_path / "files", dialogues=6, faults=4, seed=1)
    corpus = cg.import_files("photobook", files, store=tmp_path / "store")
    assert cg.check("photobook", store=tmp_path / "store").places("CG-JSON-004")
    partners, *_ = cg.plot("photobook", "coupling", tmp_path / "store").rows
    assert partners[-1] == len(corpus)
