from __future__ import annotations

import numpy as np
import pytest

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.pages.browse import build_browse_page
from commonground.explorer.search.histograms import draw_histograms

ALL = np.ones(6, dtype=bool)


@pytest.mark.parametrize("query", ["", "the", "score:>10 the", "events:>5 -split:test"])
def test_a_bar_leads_to_as_many_as_it_counts(photobook: OpenCorpus, query: str) -> None:
    page = build_browse_page(photobook, query=query)
    assert "events" in page.histograms
    for drawn in page.histograms.values():
        for each in drawn.bins:
            if not each.count:
                continue
            found = photobook.select(each.query).found.dialogues
            # A bar takes the place of a range of its own field, and keeps all else.
            asked = photobook.select(query).found.dialogues
            assert np.count_nonzero(found & asked) == each.count, each.query


def test_half_points_are_one_bar_each() -> None:
    values = np.array([1, 1.5, 2, 4, 5, np.nan])
    (drawn,) = draw_histograms({"rating": values}, ALL, "", [])
    assert [each.count for each in drawn.bins] == [1, 1, 1, 0, 0, 0, 1, 0, 1]
    assert drawn.bins[1].query == "rating:1.5"
    assert drawn.title == "Rating"


def test_few_different_numbers_need_no_histogram() -> None:
    assert draw_histograms({"success": np.array([0, 1, 1, 0, 1, 0])}, ALL, "", []) == []
