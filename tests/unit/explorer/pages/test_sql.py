"""The page of SQL: results, faults of queries, limits, charts and examples."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from commonground.explorer.corpora import OpenCorpora
from commonground.explorer.pages.sql import build_sql_page, draw_sql

COUNT = "SELECT corpus, count(*) AS dialogues FROM dialogues GROUP BY 1 ORDER BY 1"


def test_a_query_gives_its_rows(corpora: OpenCorpora) -> None:
    page = build_sql_page(corpora, COUNT)
    assert (page.columns, page.error) == (["corpus", "dialogues"], "")
    assert page.rows == [["frames", 30], ["photobook", 30], ["taskmaster3", 30]]
    assert draw_sql(page) is None


def test_the_first_column_is_drawn_against_the_first_number(corpora: OpenCorpora) -> None:
    chart = draw_sql(build_sql_page(corpora, COUNT, "bar"))
    assert chart is not None
    assert "taskmaster3" in chart


@pytest.mark.parametrize(
    ("query", "says"),
    [
        ("selec 1", "syntax error"),
        ("SELECT nothing FROM dialogues", "nothing"),
        ("DELETE FROM dialogues", "read-only"),
        ("SELECT 1; SELECT 2", "one query"),
        ("SELECT * FROM read_csv('/etc/passwd')", "only read the tables"),
        ("COPY dialogues TO '/tmp/x'", "read-only"),
        ("SELECT CAST('cut' AS INTEGER)", "cut"),
    ],
)
def test_what_is_wrong_with_a_query_is_said_beside_it(
    client: TestClient, query: str, says: str
) -> None:
    answer = client.get("/sql", params={"q": query})
    assert answer.status_code == 400
    assert 'role="alert"' in answer.text
    assert "Traceback" not in answer.text
    twin = client.get("/sql.json", params={"q": query})
    assert (twin.status_code, twin.json()["query"]) == (400, query)
    assert says in twin.json()["error"]


def test_every_table_and_every_view_is_listed(corpora: OpenCorpora) -> None:
    for name, columns in build_sql_page(corpora).tables.items():
        page = build_sql_page(corpora, f"SELECT * FROM {name} LIMIT 1")
        assert (page.columns, page.error) == (columns, "")
    assert {"utterances", "dialogue_acts", "marks"} < set(build_sql_page(corpora).tables)


def test_only_the_first_rows_of_many_are_shown(corpora: OpenCorpora) -> None:
    page = build_sql_page(corpora, "SELECT * FROM range(5000)")
    assert (len(page.rows), page.is_cut) == (1000, True)


def test_a_page_holds_no_more_than_a_browser_can(
    corpora: OpenCorpora, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("commonground.explorer.pages.sql.LETTERS", 20_000)
    page = build_sql_page(corpora, "SELECT repeat('x', 1000000) FROM range(10)")
    # Each cell is cut to 5,000 letters and says so; of such there is room for three.
    assert (len(page.rows), page.is_cut) == (3, True)
    assert page.rows[0][0].endswith("x… (1000000 characters)")


def test_what_json_has_no_word_for_is_text(corpora: OpenCorpora) -> None:
    query = "SELECT DATE '2020-01-02', 1.5::DECIMAL(4, 2), [1, 2], NULL, 2 ** 0"
    page = build_sql_page(corpora, f"{query}, {2**127 - 1}::HUGEINT")
    assert page.rows == [["2020-01-02", 1.5, "[1, 2]", None, 1.0, str(2**127 - 1)]]


def test_corpora_that_are_not_shown_cannot_be_asked(corpora: OpenCorpora) -> None:
    only = OpenCorpora(corpora.store, names=["frames"])
    assert build_sql_page(only, COUNT).rows == [["frames", 30]]


def test_every_example_runs(corpora: OpenCorpora) -> None:
    page = build_sql_page(corpora)
    assert set(page.examples) == {"frames", "photobook", "taskmaster3"}
    for examples in page.examples.values():
        assert build_sql_page(corpora, examples[0].query).error == ""


def test_data_are_escaped(client: TestClient) -> None:
    answer = client.get("/sql", params={"q": "SELECT '<script>alert(1)</script>' AS \"<b>\""})
    assert answer.status_code == 200
    assert "<script>alert" not in answer.text
    assert "<b></bdi>" not in answer.text
