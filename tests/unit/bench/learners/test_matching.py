from __future__ import annotations

import math

import pytest

from commonground.bench.learners.matching import Matcher, count_terms

TEXTS = ["a red kite", "a blue kite", "a tent"]


def test_words_are_counted_once_a_text() -> None:
    counts = count_terms(["kite kite", "Tent"])
    assert (counts.texts, counts.terms, counts.counts.tolist()) == (2, ["kite", "tent"], [1, 1])
    assert counts.mean_length == 1.5


def test_the_same_words_match_fully() -> None:
    matcher = Matcher(count_terms(TEXTS))
    assert matcher.cosine("red kite", "kite red") == pytest.approx(1)
    assert matcher.cosine("red", "blue") == matcher.cosine("", "blue") == 0


def test_a_cosine_worked_out() -> None:
    matcher = Matcher(count_terms(TEXTS))
    # Of three texts, one has "tent" and three have "a": weights 1 + ln(4/2) and 1 + ln(4/4).
    tent, a = 1 + math.log(2), 1.0
    assert matcher.cosine("tent", "a tent") == pytest.approx(tent / math.hypot(tent, a))


def test_rare_words_decide() -> None:
    matcher = Matcher(count_terms(TEXTS))
    for score in (matcher.score_tfidf, matcher.score_bm25):
        scores = score("a red one", ["a blue kite", "red paint", "tent"])
        assert scores[1] > scores[0] > scores[2] == 0


def test_bm25_worked_out() -> None:
    # One of two texts has "red"; a text has 1.5 words in the mean, the candidate has 2.
    matcher = Matcher(count_terms(["red kite", "tent"]))
    information = math.log(1 + 1.5 / 1.5)
    damping = 1.5 * (0.25 + 0.75 * 2 / 1.5)
    [score] = matcher.score_bm25("red", ["red car"])
    assert score == pytest.approx(information * 2.5 / (1 + damping))


def test_without_any_text_to_learn_from() -> None:
    matcher = Matcher(count_terms([]))
    assert matcher.score_bm25("red", ["red", "blue"])[1] == 0
    assert matcher.cosine("red", "red") == pytest.approx(1)
