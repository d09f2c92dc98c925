"""How near a simulated side comes to people."""

from __future__ import annotations

import math
from collections import Counter
from pathlib import Path

import pytest

from commonground.corpora import get_corpus
from commonground.errors import TaskError
from commonground.stats.games.fidelity import (
    Fidelity,
    Likeness,
    Talk,
    compare_talks,
    list_talks,
    measure_length_distance,
    measure_word_distance,
)
from commonground.store.access import import_files

SAYING = [Talk([["a", "b"], ["a", "b", "c", "d"]], acts=3), Talk([["a"]], acts=1)]


def find(fidelity: Fidelity, name: str) -> Likeness:
    return next(each for each in fidelity.statistics if each.name == name)


def test_statistics_are_counted_by_hand() -> None:
    found = compare_talks(SAYING, SAYING * 2, "user")
    # 7 words in 3 texts in 2 dialogues; pairs ab, ab, bc, cd.
    assert find(found, "words").value == pytest.approx(7 / 3)
    assert find(found, "texts").value == 1.5
    assert find(found, "acts").value == pytest.approx(4 / 3)
    assert find(found, "distinct_1").value == pytest.approx(4 / 7)
    assert find(found, "distinct_2").value == pytest.approx(3 / 4)
    assert find(found, "known").value == 1
    assert find(found, "word_distance").value == pytest.approx(0)
    assert (found.dialogues, found.drawn, found.people) == (2, 2, 4)


def test_acts_are_compared_where_people_have_some() -> None:
    assert find(compare_talks(SAYING, [Talk([["a"]]), Talk([["b"]])], "user"), "acts").value is None


def test_distances_are_those_of_their_definitions() -> None:
    # Below or at 1: all of the first, half of the second.
    assert measure_length_distance(Counter([1, 1]), Counter([1, 5])) == 0.5
    assert measure_word_distance(Counter("a"), Counter("b")) == 1
    # p = (1, 0), q = (1/2, 1/2), m = (3/4, 1/4).
    expected = (math.log2(4 / 3) + math.log2(2 / 3) / 2 + math.log2(2) / 2) / 2
    assert measure_word_distance(Counter("aa"), Counter("ab")) == pytest.approx(expected)
    assert measure_word_distance(Counter(), Counter("a")) is None
    assert measure_length_distance(Counter([1]), Counter()) is None


def test_people_are_within_their_own_range_and_parrots_are_not(tmp_path: Path) -> None:
    get_corpus("frames").simulate(tmp_path / "frames", dialogues=24, seed=3)
    talks = list_talks(import_files("frames", tmp_path / "frames", store=tmp_path / "s"), "user")
    alike = compare_talks(talks[:8], talks[8:], "user")
    word = find(alike, "words")
    assert word.low is not None
    assert word.value is not None
    assert word.high is not None
    assert word.low <= word.value <= word.high
    parrot = find(compare_talks([Talk([["polly", "polly"]])] * 8, talks, "user"), "distinct_1")
    assert parrot.people_low is not None
    assert (parrot.value or 1) < parrot.people_low
    assert find(compare_talks([Talk([["polly"]])] * 8, talks, "user"), "known").value == 0


def test_what_cannot_be_compared_is_said(tmp_path: Path) -> None:
    get_corpus("frames").simulate(tmp_path / "frames", dialogues=2, seed=3)
    corpus = import_files("frames", tmp_path / "frames", store=tmp_path / "s")
    with pytest.raises(TaskError, match="no text of 'nobody'"):
        list_talks(corpus, "nobody")
    with pytest.raises(TaskError, match="too little"):
        compare_talks(SAYING, SAYING[:1], "user")
