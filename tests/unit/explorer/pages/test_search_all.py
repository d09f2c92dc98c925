from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.pages.search_all import EXAMPLES, build_search_page
from commonground.explorer.search.language import QueryError


def test_every_corpus_is_asked(corpora: OpenCorpora) -> None:
    page = build_search_page(corpora, query="the")
    assert {each.corpus for each in page.corpora} == set(corpora.names)
    counts = [len(corpora.get(each.corpus).select("the").ordinals) for each in page.corpora]
    assert [each.dialogues for each in page.corpora] == counts == sorted(counts, reverse=True)
    assert page.found == sum(counts) > 0
    for each in page.corpora:
        assert len(each.examples) == min(EXAMPLES, each.events or 0)


def test_a_field_that_a_corpus_lacks_is_no_fault_in_another(corpora: OpenCorpora) -> None:
    page = build_search_page(corpora, query="score:>1")
    answers = {each.corpus: each for each in page.corpora}
    assert answers["photobook"].dialogues
    assert answers["frames"].dialogues is None
    assert "score" in str(answers["frames"].problem)


def test_a_query_that_fits_nowhere_is_explained(corpora: OpenCorpora, client: TestClient) -> None:
    with pytest.raises(QueryError, match="never closed"):
        build_search_page(corpora, query='"')
    assert client.get("/search?q=%22").status_code == 400


def test_the_page_leads_to_the_list_and_to_the_event(client: TestClient) -> None:
    text = client.get("/search?q=the").text
    first = client.get("/search.json?q=the").json()["corpora"][0]
    example = first["examples"][0]
    assert f'href="/{first["corpus"]}/?q=the"' in text
    place = f"/d/{example['dialogue_id']}?q=the#e{example['hit']['event']}"
    assert f'href="/{first["corpus"]}{place}"' in text
    assert "<mark>" in text


def test_the_first_page_asks_all_and_shows_each(client: TestClient, corpora: OpenCorpora) -> None:
    text = client.get("/").text
    assert 'action="/search"' in text
    assert text.count('<svg class="lengths"') == len(corpora)
    assert text.count("/photobook/picture/") == 8
    assert text.count('<svg class="talks"') == len(corpora) - 1
