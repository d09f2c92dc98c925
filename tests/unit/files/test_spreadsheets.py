"""One function says what a spreadsheet would run; every CSV for people asks it."""

from __future__ import annotations

import csv
import io

import pytest

from commonground.files.spreadsheets import MARK, disarm, write_sheet


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-5", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1", "＠x"]
)
def test_a_text_that_would_run_stands_behind_a_quote(text: str) -> None:
    assert disarm(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "plain", "5-1", "'=1", " =1", "ä", "None"])
def test_any_other_text_stays(text: str) -> None:
    assert disarm(text) == text


def test_a_sheet_is_marked_and_runs_nothing() -> None:
    sheet = write_sheet(["name", "score"], [["=1+1", -5], ['say "hi", ok', None], ["東京", 2.5]])
    assert sheet.startswith(MARK)
    assert list(csv.reader(io.StringIO(sheet.removeprefix(MARK)))) == [
        ["name", "score"],
        ["'=1+1", "-5"],
        ['say "hi", ok', ""],
        ["東京", "2.5"],
    ]


def test_a_sheet_without_rows_has_its_headings() -> None:
    assert write_sheet(["name", "score"], []) == f"{MARK}name,score\n"
