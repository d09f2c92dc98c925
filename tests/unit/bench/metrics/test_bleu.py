from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.bench.metrics.bleu import combine, score_text, sentence_bleu, std_err
from commonground.statistics.counts import sum_counts

WORDS = st.lists(st.sampled_from("abcd"), max_size=8)


def test_four_words_of_which_three_match() -> None:
    # Matches: 3 of 4 words, 2 of 3 pairs, 1 of 2 triples, none (so 0.1) of 1; equally long.
    expected = (3 / 4 * 2 / 3 * 1 / 2 * 0.1) ** 0.25
    assert sentence_bleu(list("abcd"), list("abcx")) == pytest.approx(expected)


def test_a_short_answer_is_penalised() -> None:
    # All n-grams match up to 4, and 4 words stand for 6.
    expected = math.exp(1 - 6 / 4)
    assert sentence_bleu(["a", "b", "c", "d", "e", "f"], ["a", "b", "c", "d"]) == pytest.approx(
        expected
    )


def test_an_answer_shorter_than_the_order() -> None:
    # 1 of 1; the orders above count 0.1 of 1 each; 1 word stands for 2.
    expected = math.exp(1 - 2) * 0.001**0.25
    assert sentence_bleu(["a", "b"], ["a"]) == pytest.approx(expected)


def test_repeated_words_match_as_often_as_they_are_wanted() -> None:
    # One of three words, and nothing else: (1/3 · 0.1/2 · 0.1/1 · 0.1/1)^(1/4), 3 words for 1.
    expected = (1 / 3 * 0.05 * 0.1 * 0.1) ** 0.25
    assert sentence_bleu(["a"], ["a", "a", "a"]) == pytest.approx(expected)


@pytest.mark.parametrize("hypothesis", [[], ["x"]])
def test_no_word_in_common_is_zero(hypothesis: list[str]) -> None:
    assert sentence_bleu(["a", "b"], hypothesis) == 0.0
    assert sentence_bleu([], hypothesis) == 0.0


@given(WORDS, WORDS)
def test_bleu_is_between_zero_and_one(one: list[str], other: list[str]) -> None:
    assert 0 <= sentence_bleu(one, other) <= 1 + 1e-12


def test_texts_are_lower_cased_and_averaged() -> None:
    pairs = [("A lamp for You", "a LAMP for you"), ("A lamp", "no")]
    sums = sum_counts(score_text(*pair, str.split) for pair in pairs)
    # 1 and 0: mean 1/2, spread 1/2.
    assert combine(sums)["bleu"] == pytest.approx(0.5)
    assert std_err(sums)["bleu"] == pytest.approx(0.5 / math.sqrt(2))
