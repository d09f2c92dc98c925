"""Words, punctuation marks and runs of words."""

from __future__ import annotations

from commonground.bench.learners.ngrams import count_ngrams, split_words


def test_words_are_lower_case_and_marks_stand_alone() -> None:
    assert split_words("I'd like Été, please!") == [
        "i",
        "'",
        "d",
        "like",
        "été",
        ",",
        "please",
        "!",
    ]


def test_runs_up_to_the_longest_bear_the_prefix() -> None:
    found = count_ngrams("a b a", prefix="u:", longest=2)
    assert found == {"u:a": 1, "u:b": 1, "u:a b": 1, "u:b a": 1}


def test_no_words_give_nothing() -> None:
    assert count_ngrams("  ") == {}
