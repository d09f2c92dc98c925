from __future__ import annotations

import re

import pytest

from commonground.explorer.rendering.fragments import beside, render_spans, sensible
from commonground.model import Span


def span(start: int, end: int, label: str) -> Span:
    return Span(0, "layer", start, end, "", label)


@pytest.mark.parametrize(
    ("number", "text"),
    [(854.2984, "854.3"), (3747.47, "3,747"), (0.011591, "0.01159"), (38.0, "38")],
)
def test_a_number_has_the_digits_that_count(number: float, text: str) -> None:
    assert sensible(number) == text


@pytest.mark.parametrize(
    ("ours", "theirs", "text"),
    [(1.159073, 1.2, "1.16"), (854.2984, 852, "854.3"), (28.58353, 28.58353, "28.58353")],
)
def test_a_number_beside_a_published_one_is_as_exact(ours: float, theirs: float, text: str) -> None:
    assert beside(ours, theirs) == text
    assert beside(2502, 2506) == "2,502"
    assert beside(100, 90) == "100"


def test_text_without_spans_is_escaped() -> None:
    assert render_spans("a <b>", []) == "a &lt;b&gt;"


def test_a_span_is_underlined_and_labelled() -> None:
    assert render_spans("see Jaws now", [span(4, 8, "movie")]) == (
        'see <span class="span lane-0">Jaws<span class="span-label">movie</span></span> now'
    )


def test_labels_of_one_stretch_share_an_underline() -> None:
    made = render_spans("Jaws", [span(0, 4, "a"), span(0, 4, "b"), span(0, 4, "a")])
    assert made == '<span class="span lane-0">Jaws<span class="span-label">a, b</span></span>'


def test_overlaps_lie_in_lanes_and_lose_no_text() -> None:
    # "bcd" and "de" overlap in "d": the shorter is nearest to the text.
    made = render_spans("abcdef", [span(1, 4, "long"), span(3, 5, "short")])
    assert '<span class="span lane-1"><span class="span lane-0">d' in made
    assert re.sub(r"<span class=\"span-label\">\w+</span>|<[^>]+>", "", made) == "abcdef"


def test_spans_outside_the_text_are_cut() -> None:
    assert "lane" not in render_spans("ab", [span(2, 9, "x"), span(1, 1, "y")])
    assert "b<span" in render_spans("ab", [span(1, 9, "x")])
