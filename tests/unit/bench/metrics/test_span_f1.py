from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.bench.metrics.span_f1 import (
    LabelledSpan,
    combine,
    combine_labels,
    score_labels,
    score_spans,
)

SPANS = st.lists(
    st.builds(
        lambda start, length, label: LabelledSpan(start, start + length, label),
        st.integers(0, 9),
        st.integers(1, 4),
        st.sampled_from("ab"),
    ),
    max_size=5,
)


def test_one_exact_one_overlapping_one_wrong() -> None:
    gold = [LabelledSpan(0, 4, "name"), LabelledSpan(10, 15, "time")]
    predicted = [
        LabelledSpan(0, 4, "name"),
        LabelledSpan(12, 20, "time"),
        LabelledSpan(10, 15, "name"),
    ]
    values = combine(score_spans(gold, predicted))
    # Exact: 1 of 3 and 1 of 2. By overlap: 2 of 3 and 2 of 2.
    assert values == pytest.approx(
        {
            "exact_precision": 1 / 3,
            "exact_recall": 0.5,
            "exact_f1": 0.4,
            "overlap_precision": 2 / 3,
            "overlap_recall": 1.0,
            "overlap_f1": 0.8,
            "all_exact": 0.0,
        }
    )


def test_each_label_has_its_own_spans() -> None:
    gold = [LabelledSpan(0, 4, "name"), LabelledSpan(6, 9, "name"), LabelledSpan(10, 15, "time")]
    predicted = [LabelledSpan(0, 4, "name"), LabelledSpan(20, 22, "city")]
    values = combine_labels(score_labels(gold, predicted))
    assert (values["name:precision"], values["name:recall"]) == (1, 0.5)
    assert (values["time:recall"], values["time:f1"]) == (0, 0)
    # Nothing is of the label that only a prediction has.
    assert not [name for name in values if name.startswith("city")]


def test_spans_that_touch_do_not_overlap() -> None:
    counts = score_spans([LabelledSpan(0, 3, "a")], [LabelledSpan(3, 5, "a")])
    assert counts["overlapping"] == counts["found"] == 0


def test_a_span_given_twice_is_right_once() -> None:
    span = LabelledSpan(0, 3, "a")
    counts = score_spans([span], [span, span])
    assert (counts["exact"], counts["predicted"], counts["all_exact"]) == (1, 2, 0)


@given(SPANS, SPANS)
def test_what_is_exact_overlaps(gold: list[LabelledSpan], predicted: list[LabelledSpan]) -> None:
    counts = score_spans(gold, predicted)
    assert counts["exact"] <= min(counts["overlapping"], counts["found"])
    assert score_spans(gold, gold)["all_exact"] == 1
