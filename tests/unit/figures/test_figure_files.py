from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any, cast

import pytest

from commonground.errors import FormatError
from commonground.figure import Figure, PublishedValue
from commonground.figures.figure_files import read_figure

HEADER = """\
title = "Sizes"
caption = "Dialogues by size."
row_dialogues = ["size"]

[columns]
size = "size"
share = {title = "share", unit = "%", digits = 1}
"""
QUERY = """\
WITH sized AS (
    SELECT n_events AS size, dialogue_id FROM dialogues
), row_dialogues AS (
    SELECT size, dialogue_id FROM sized
)
SELECT size, 1.0 AS share FROM row_dialogues
"""
Read = Callable[..., Figure]


def load(_name: str) -> ModuleType:
    return cast("ModuleType", SimpleNamespace(compute=lambda _data: [[1, 1.0]]))


@pytest.fixture
def read(tmp_path: Path) -> Read:
    def write(header: str = HEADER, query: str | None = QUERY, **shared: str) -> Figure:
        path = tmp_path / ("sizes.toml" if query is None else "sizes.sql")
        path.write_text(header if query is None else f"/*\n{header}*/\n{query}", encoding="utf-8")
        (tmp_path / "published.toml").write_text("\n".join(shared.values()), encoding="utf-8")
        return read_figure(path, load)

    return write


def published(*fields: str) -> str:
    return HEADER + "\n".join(["[[published]]", 'source = "here"', *fields]) + "\n"


def test_the_file_names_the_figure_and_its_header_the_columns(read: Read) -> None:
    figure = read()
    assert figure.name == "sizes"
    assert [(c.name, c.title, c.unit, c.digits) for c in figure.columns] == [
        ("size", "size", "", None),
        ("share", "share", "%", 1),
    ]


def test_what_is_behind_a_row_is_asked_with_all_that_it_needs(read: Read) -> None:
    row_dialogues = read().row_dialogues
    assert row_dialogues is not None
    assert row_dialogues.query == QUERY.rpartition("\nSELECT")[0] + (
        "\nSELECT size, dialogue_id FROM row_dialogues"
    )


def test_a_header_alone_names_what_computes(read: Read) -> None:
    figure = read(
        'compute = "counting:compute"\nrow_dialogues_compute = "counting:compute"\n' + HEADER, None
    )
    assert figure.query is None
    assert figure.compute is not None
    assert figure.row_dialogues is not None
    assert figure.row_dialogues.compute is not None


@pytest.mark.parametrize(
    ("fields", "rows"),
    [
        (['name = "n"', 'measure = "all"', "value = 3"], [("n", {"measure": "all"}, 3)]),
        (['measure = "all"', "value = 3"], [("all", {"measure": "all"}, 3)]),
        (['name = "n"', "row = {size = 2}", "value = 3"], [("n", {"size": 2}, 3)]),
        (
            ['name = "of {size}"', 'by = "size"', "values = {1 = 3, x = 4}"],
            [("of 1", {"size": 1}, 3), ("of x", {"size": "x"}, 4)],
        ),
    ],
)
def test_published_numbers_name_their_rows(read: Read, fields: list[str], rows: Any) -> None:
    found: tuple[PublishedValue, ...] = read(published(*fields)).published
    assert [(each.name, each.row, each.value) for each in found] == rows


def test_sources_are_looked_up(read: Read) -> None:
    header = published('name = "n"', "value = 1").replace('"here"', '"@paper"')
    (value,) = read(header, shared='[sources]\npaper = "The paper, table 2"').published
    assert value.source == "The paper, table 2"
    with pytest.raises(FormatError, match=r"sizes.sql: .*published.toml has no 'paper'"):
        read(header)


@pytest.mark.parametrize(
    ("header", "query", "fault"),
    [
        ("title = 1\n", QUERY, r"sizes.sql: .*Expected `str`.*title"),
        ("title\n", QUERY, r"sizes.sql: "),
        ("colour = 1\n" + HEADER, QUERY, r"sizes.sql: .*colour"),
        (HEADER, "SELECT 1", r"sizes.sql: `row_dialogues` needs a part"),
        ('compute = "counting:nothing"\n' + HEADER, None, r"counting.py has no function 'nothing'"),
        (published('name = "n"'), QUERY, r"'n' has no value"),
    ],
)
def test_what_is_wrong_is_said_with_the_file(
    read: Read, header: str, query: str | None, fault: str
) -> None:
    with pytest.raises(FormatError, match=fault):
        read(header, query)


def test_a_file_without_a_header_is_no_figure(tmp_path: Path) -> None:
    (tmp_path / "x.sql").write_text("SELECT 1", encoding="utf-8")
    with pytest.raises(FormatError, match="begins with a comment"):
        read_figure(tmp_path / "x.sql", load)
