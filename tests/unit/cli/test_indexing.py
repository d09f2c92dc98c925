"""What is said on standard error while indexes are made."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from commonground.cli._indexing import open_indexes
from commonground.explorer.corpora import OpenCorpora
from commonground.store.importing.summary import ImportSummary
from commonground.store.opening import open_store


@pytest.fixture
def store(
    write_talks: Callable[..., Path], import_toy: Callable[..., ImportSummary], tmp_path: Path
) -> Path:
    import_toy(write_talks({"t1": ["one"], "t2": ["two"]}))
    return tmp_path / "store"


def test_without_a_terminal_lines_say_that_an_index_is_made(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_indexes(OpenCorpora(open_store(store)))
    out, errors = capsys.readouterr()
    first, second = errors.splitlines()
    assert (out, first) == ("", "Indexing toy: 2 dialogues, once for this import ...")
    assert re.fullmatch(r"Indexed toy in \d+\.\d s", second)


def test_nothing_is_said_where_the_index_is_there(
    store: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    open_indexes(OpenCorpora(open_store(store)))
    capsys.readouterr()
    open_indexes(OpenCorpora(open_store(store)))
    assert capsys.readouterr() == ("", "")
