from __future__ import annotations

from pathlib import Path

import msgspec
import pytest
from scripts.figure_pages import LISTED, gather_numbers, read_numbers, render_page, write_numbers

from commonground.errors import SourceError, StoreError, UsageError
from commonground.figures.figure_files import find_comparisons
from commonground.figures.figure_runs import choose_figures
from commonground.store.opening import Store


def test_figures_run_in_the_order_that_is_asked_for(store: Store) -> None:
    tables = list(choose_figures(store, "toy", ["words", "lines"]).run())
    assert [table.figure.name for table in tables] == ["words", "lines"]


def test_all_stands_for_the_comparisons(store: Store) -> None:
    tables = {table.figure.name: table for table in choose_figures(store, "all").run()}
    assert list(tables) == [figure.name for figure in find_comparisons()]
    # Four talks of two utterances, no action.
    assert tables["sizes"].rows == [["toy", 4, 8, 0, 2]]
    # `hello N` and `hello`: 7 and 5 characters, 2 words and 1.
    # All talks are alike: the intervals are points.
    lengths = ["toy", 4, 2.0, 2.0, 2.0, 2.0, 6.0, 1.5, 1.5, 1.5]
    assert tables["lengths"].rows == [lengths]
    assert tables["speakers"].rows == [["toy", "peer", 4, 8, 1.5, 1.5, 1.5, 100.0]]
    assert tables["actions"].rows == []
    assert tables["layers"].rows == [["toy", "acts", 4, 4, 100.0]]


def test_one_comparison_may_be_asked_for(store: Store) -> None:
    assert [f.name for f in choose_figures(store, "all", ["lengths"]).figures] == ["lengths"]
    with pytest.raises(UsageError, match="length"):
        choose_figures(store, "all", ["length"])


def test_what_was_not_imported_is_named(store: Store) -> None:
    with pytest.raises(StoreError, match="'frames' is not in the store"):
        choose_figures(store, "frames")


def test_facts_come_back_as_they_were_written(store: Store, tmp_path: Path) -> None:
    numbers = gather_numbers("toy", "Toy", 4, choose_figures(store, "toy").run())
    write_numbers(numbers, tmp_path / "new" / "toy.json")
    assert read_numbers(tmp_path / "new" / "toy.json") == numbers


def test_facts_keep_ten_digits(store: Store) -> None:
    [table] = choose_figures(store, "toy", ["words"]).run()
    table.rows[0][1] = 1 / 3
    assert gather_numbers("toy", "Toy", 4, [table]).figures[0].rows == [["toy", 0.3333333333]]


def test_facts_leave_wording_out(store: Store) -> None:
    [table] = choose_figures(store, "toy", ["words"]).run()
    wording = msgspec.structs.replace(table.figure, wording=True)
    assert (
        gather_numbers("toy", "Toy", 4, [msgspec.structs.replace(table, figure=wording)]).figures
        == ()
    )


def test_of_a_listing_the_docs_have_the_first_rows(store: Store) -> None:
    (table, *_) = choose_figures(store, "toy", ["lines"]).run()
    rows = [[f"game {number}", number] for number in range(LISTED + 2)]
    listing = msgspec.structs.replace(table.figure, listing=True, published=())
    numbers = gather_numbers(
        "toy", "Toy", 4, [msgspec.structs.replace(table, figure=listing, rows=rows)]
    )
    assert numbers.figures[0].rows == rows[:LISTED]
    page = render_page(numbers)
    assert f"\n{LISTED} of {LISTED + 2} rows.\n" in page
    assert f"game {LISTED} |" not in page


@pytest.mark.parametrize("content", [None, b"{}", b"\xff"])
def test_a_file_that_holds_no_facts_is_named(content: bytes | None, tmp_path: Path) -> None:
    path = tmp_path / "toy.json"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(SourceError, match=r"toy\.json"):
        read_numbers(path)


def test_a_page_shows_published_and_ours(store: Store) -> None:
    numbers = gather_numbers("toy", "Toy", 4, choose_figures(store, "toy").run())
    page = render_page(numbers)
    assert page.startswith("# Figures: Toy\n\nCounted in 4 imported dialogues")
    assert "| lines to learn from | 9 lines | 4 lines | differs | [1] | [2] |\n" in page
    assert "1. the toy's page\n2. It was longer once.\n" in page
    assert "| split | lines (lines) |\n|---|--:|\n| test | 4 |\n| train | 4 |\n" in page
    assert "```sql\nSELECT split" in page
