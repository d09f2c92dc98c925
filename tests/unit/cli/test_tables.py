"""Tables for the terminal: nothing is broken at any width."""

from __future__ import annotations

import io
import random

import pytest
from rich.console import Console
from rich.text import Text

from commonground.bench.evaluation.reporting import Number
from commonground.cli._options import new_table, number_cell, print_rich
from commonground.cli._tables import Sheet, wrap_words

PATH = "$.rounds[4].messages[17].timestamp"


def draw(sheet: Sheet, width: int) -> list[str]:
    file = io.StringIO()
    Console(file=file, width=width, highlight=False).print(sheet, overflow="ignore", crop=False)
    return file.getvalue().splitlines()


def test_a_table_that_fits_is_drawn_as_one() -> None:
    sheet = new_table("method", "f1", right=("f1",))
    sheet.add_row("linear", Text("0.687\n.675–.698"))
    assert draw(sheet, 40) == [
        "",
        " method          f1",
        " ──────────────────",
        " linear       0.687",
        "          .675–.698",
        "",
    ]


def test_numbers_that_do_not_fit_beside_each_other_stand_below() -> None:
    sheet = new_table("method", "a", "b", "c", right=("a", "b", "c"))
    sheet.add_row("linear", "111.111", "222.222", "333.333")
    # 2 edges, 6 of method, and for each number a gap of 3 and 7 characters: 28 hold two.
    lines = [line.split() for line in draw(sheet, 28)]
    assert [words for words in lines if "linear" in words] == [
        ["linear", "111.111", "222.222"],
        ["linear", "333.333"],
    ]


def test_a_table_of_numbers_only_repeats_the_first() -> None:
    sheet = new_table("round", "a", "b", right=("round", "a", "b"))
    sheet.add_row("1", "111.111", "222.222")
    # 2 edges, 5 of "round", and a gap and 7 characters for each number: 20 hold one.
    lines = [line.split() for line in draw(sheet, 20)]
    assert [words for words in lines if "1" in words] == [["1", "111.111"], ["1", "222.222"]]


def test_words_that_do_not_fit_are_written_as_records() -> None:
    sheet = new_table("file", "path", "count", right=("count",))
    sheet.add_row("logs/1188_633_867_53.json", PATH, "3,420")
    assert draw(sheet, 60) == [
        "",
        "file    logs/1188_633_867_53.json",
        f"path    {PATH}",
        "count   3,420",
        "",
    ]
    assert draw(sheet, 20) == [
        "",
        "file",
        "  logs/1188_633_867_53.json",
        "path",
        f"  {PATH}",
        "count",
        "  3,420",
        "",
    ]


@pytest.mark.parametrize("width", [10, 40, 80, 100, 120])
def test_no_word_is_ever_broken(width: int) -> None:
    dice = random.Random(width)
    for _ in range(20):
        right = [dice.random() < 0.5 for _ in range(dice.randint(1, 7))]
        sheet = Sheet([f"heading {n}" for n in range(len(right))], right)
        cells = [[str(dice.randrange(10 ** dice.randint(1, 30))) for _ in right] for _ in range(3)]
        for row in cells:
            sheet.add_row(*row)
        words = {word for line in draw(sheet, width) for word in line.split()}
        assert {cell for row in cells for cell in row} <= words


def test_brackets_in_cells_are_no_markup() -> None:
    sheet = new_table("path")
    sheet.add_row("$[/b][red]")
    assert " $[/b][red]" in draw(sheet, 80)


def test_lines_wrap_between_words_and_keep_their_indent() -> None:
    told = [each.plain for each in wrap_words(Text(f"  at {PATH} or there\n\nend"), 20)]
    assert told == ["  at", f"  {PATH}", "  or there", "", "end"]


@pytest.mark.parametrize(
    ("number", "cell"),
    [
        (None, "–"),
        (Number(None), "–"),
        (Number(0.5), "0.500"),
        (Number(0.655, 0.648, 0.667), "0.655\n.648–.667"),
        (Number(1.0, 0.9996, 1.0), "1.000\n1.000–1.000"),
        (Number(-0.01, -0.02, 0.0), "-0.010\n-0.020 to 0.000"),
        (Number(12.34, 9.5, 15.0), "12.3\n9.500–15.0"),
    ],
)
def test_intervals_stand_below_without_the_zero(number: Number | None, cell: str) -> None:
    assert number_cell(number).plain == cell


def test_a_pipe_is_as_wide_as_columns_says(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    words = "word " * 40  # 40 words of 5 characters: 24 in a line of 120, 8 in one of 40
    for columns, lines in (("", 2), ("40", 5), ("0", 2), ("wide", 2)):
        monkeypatch.setenv("COLUMNS", columns)
        print_rich(words)
        assert len(capsys.readouterr().out.splitlines()) == lines
