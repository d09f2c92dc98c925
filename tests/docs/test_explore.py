"""The page on the explorer says what the code does."""

from __future__ import annotations

from pathlib import Path

from commonground.explorer.search.language import FIELDS, parse_query

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "explore.md"


def test_the_table_of_fields_is_that_of_the_code() -> None:
    text = PAGE.read_text(encoding="utf-8")
    rows = [
        f"| `{each.name}` | {', '.join(f'`{name}`' for name in each.also)} | {each.meaning} "
        f"| `{each.example}` |"
        for each in FIELDS
    ]
    assert "\n".join(rows) in text


def test_the_example_is_a_query() -> None:
    text = PAGE.read_text(encoding="utf-8")
    query = next(line for line in text.splitlines() if line.startswith("speaker:A"))
    assert len(parse_query(query, ("score",))) == 7
