from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from commonground.errors import UsageError
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.pages.parts.columns import (
    cut_bar,
    head_column,
    list_columns,
    measure_bars,
)
from commonground.printing import sort_naturally


def shown(opened: OpenCorpus, *asked: str) -> list[str]:
    return [each.name for each in list_columns(opened, asked, "") if each.shown]


def test_what_is_asked_for_is_shown_in_its_order(photobook: OpenCorpus) -> None:
    assert {"events", "score"} <= set(shown(photobook))
    assert shown(photobook, "score", "utterances") == ["utterances", "score"]
    with pytest.raises(UsageError, match="no column 'scor'"):
        list_columns(photobook, ["scor"], "")


def test_a_heading_sorts_high_then_low_then_as_released(photobook: OpenCorpus) -> None:
    sort, seen = "", []
    for _ in range(3):
        column = {each.name: each for each in list_columns(photobook, (), sort)}["score"]
        seen.append((column.order, column.next_sort))
        sort = column.next_sort or ""
    assert seen == [(None, "score-down"), ("down", "score-up"), ("up", "")]


def test_every_heading_sorts(photobook: OpenCorpus) -> None:
    assert head_column("game", "").next_sort == "id-up"
    assert head_column("game", "id-up").next_sort == "id-down"
    index = photobook.index
    ids = [index.blocks.ids[each] for each in photobook.select("", "id-up").ordinals]
    assert ids == sort_naturally(index.blocks.ids)
    cards = index.digest.cards(photobook.select("", "findings-down").ordinals.tolist())
    found = [each.findings for each in cards]
    assert found == sorted(found, reverse=True)
    cards = index.digest.cards(photobook.select("", "split-down").ordinals.tolist())
    splits = [each.split for each in cards if each.split is not None]
    assert splits == sorted(splits, reverse=True)
    assert [each.split for each in cards][: len(splits)] == splits, "those without one come last"
    for column in list_columns(photobook, (), ""):
        assert column.next_sort in {each.name for each in photobook.sorts()}


def test_bars_begin_at_nought(photobook: OpenCorpus) -> None:
    low, high = measure_bars(photobook)["events"]
    assert low == 0
    assert high == photobook.index.postings.quantities["n_events"].max()
    assert [cut_bar(each, (0, 8)) for each in (0, 2, 8)] == [0, 25, 100]
    assert cut_bar(3, (3, 3)) == 100


def test_the_list_has_the_columns_of_its_address(client: TestClient) -> None:
    text = client.get("/photobook/?columns=score,events&density=dense&sort=score-down").text
    assert 'aria-sort="descending"' in text
    assert 'data-column="domain"' not in text
    assert 'class="listing stacked dense"' in text
    assert "columns=score%2Cevents&amp;density=dense" in text  # further pages keep it
    assert client.get("/photobook/?columns=scor&q=").status_code == 400


def test_a_row_shows_pictures_and_numbers(client: TestClient) -> None:
    first = client.get("/photobook/browse.json").json()["dialogues"][0]
    text = client.get("/photobook/").text
    assert len(first["pictures"]) > 1
    assert first["preview"] in text
    assert text.count('class="minibar"') > 25
    assert client.get("/frames/browse.json").json()["dialogues"][0]["pictures"] == []


def test_a_low_row_begins_near_the_word_that_was_looked_for(client: TestClient) -> None:
    def longest(density: str) -> tuple[int, str]:
        address = f"/photobook/browse.json?q=the&density={density}"
        rows = client.get(address).json()["dialogues"]
        texts = [hit["text"] for row in rows for hit in row["hits"] if hit["text"]]
        cut = max(texts, key=lambda each: len(each["text"]))
        (start, end), *_ = cut["marks"]
        return len(cut["text"]), cut["text"][start:end].lower()

    (low, low_word), (roomy, word) = longest("dense"), longest("")
    assert low < roomy
    assert (low_word, word) == ("the", "the")
