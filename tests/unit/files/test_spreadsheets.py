"""One function says what a spreadsheet would run, and one reads what people saved in one."""

from __future__ import annotations

import csv
import io

import pytest

from commonground.errors import FormatError
from commonground.files.spreadsheets import MARK, disarm, read_sheet, write_sheet


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


HEAD = "id,city,price\n"


@pytest.mark.parametrize(
    ("data", "words", "advice"),
    [
        (HEAD.replace(",", ";").encode(), "line 1: .* commas, found semicolons", "with commas"),
        (HEAD.replace(",", "\t").encode(), "line 1: .* commas, found tabs", "with commas"),
        (b"", "line 1: the columns id, city, price are missing", "Add"),
        (b"id,city\n", "line 1: the column price is missing", "Add"),
        (b"id,city,id,price\n", "line 1: the column id is there twice", "Leave one"),
        (HEAD.encode() + b"1,Brook\n", "line 2, price: .*: 3, found 2", "in quotes"),
        (HEAD.encode() + b"1,Brook,1,200\n", "line 2, behind price: .*: 3, found 4", "in quotes"),
        (HEAD.encode("utf-16"), "line 1: expected UTF-8, found UTF-16", "CSV UTF-8"),
        ((HEAD + "1,Köln,3\n").encode("latin-1"), "line 2, city: .* byte 0xf6", "CSV UTF-8"),
        ((HEAD + '1,"a\nKöln",3\n').encode("latin-1"), "line 3, city: .* byte 0xf6", "CSV UTF-8"),
        ((HEAD + "1,a,3\nö,a,3\n").encode("latin-1"), "line 3, id: .* byte 0xf6", "CSV UTF-8"),
        ("id,städte\n".encode("latin-1"), "line 1: .* byte 0xe4", "CSV UTF-8"),
    ],
)
def test_what_is_wrong_with_a_table_is_said_with_its_place_and_remedy(
    data: bytes, words: str, advice: str
) -> None:
    with pytest.raises(FormatError, match=rf"^my\.csv, {words}") as caught:
        read_sheet("my.csv", data, ("id", "city", "price"))
    assert advice in (caught.value.advice or "")


def test_cells_are_read_as_they_are_written() -> None:
    text = HEAD.strip() + ',more\n1,Köln,3,\n2,"a\nb",,x\n'
    for data in (text.encode(), text.encode("utf-8-sig"), text.replace("\n", "\r\n").encode()):
        first, second = read_sheet("my.csv", data, ("id", "city", "price"))
        assert first == (2, {"id": "1", "city": "Köln", "price": "3", "more": ""})
        assert second.line == 4
        assert second.cells["city"].splitlines() == ["a", "b"]
