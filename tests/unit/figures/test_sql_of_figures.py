"""Tests of SQL as people read it."""

from __future__ import annotations

from commonground.figures.views import tidy_sql


def test_parts_are_indented_by_their_parentheses() -> None:
    query = """
            WITH scores AS (
    SELECT dialogue_id, sum(value) AS score FROM outcomes
    WHERE name = 'sum (both)' GROUP BY dialogue_id
            )
            SELECT score,
                   count(*) AS games
            FROM scores
    """
    assert tidy_sql(query) == (
        "WITH scores AS (\n"
        "    SELECT dialogue_id, sum(value) AS score FROM outcomes\n"
        "    WHERE name = 'sum (both)' GROUP BY dialogue_id\n"
        ")\n"
        "SELECT score,\n"
        "    count(*) AS games\n"
        "FROM scores"
    )


def test_a_parenthesis_too_many_does_no_harm() -> None:
    assert tidy_sql("SELECT 1)\n) + 2") == "SELECT 1)\n) + 2"


def test_a_comment_stands_where_the_line_below_it_does() -> None:
    query = "SELECT a,\n-- ;) by (round\nb\n-- of one corpus\nFROM t\n-- the end"
    assert tidy_sql(query) == (
        "SELECT a,\n    -- ;) by (round\n    b\n-- of one corpus\nFROM t\n-- the end"
    )
