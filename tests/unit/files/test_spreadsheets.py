"""One function says what a spreadsheet would run; every CSV for people asks it."""

from __future__ import annotations

import pytest

from commonground.files.spreadsheets import disarm


@pytest.mark.parametrize(
    "text", ["=1", "+1", "-5", "@SUM(1)", "\t=1", "\r=1", "\n=1", "＝1", "＠x"]
)
def test_a_text_that_would_run_stands_behind_a_quote(text: str) -> None:
    assert disarm(text) == f"'{text}"


@pytest.mark.parametrize("text", ["", "plain", "5-1", "'=1", " =1", "ä", "None"])
def test_any_other_text_stays(text: str) -> None:
    assert disarm(text) == text
