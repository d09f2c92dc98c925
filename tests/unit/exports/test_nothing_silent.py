"""Every text of every table is in what was written, or its column is counted as lost."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pyarrow.parquet as pq
import pytest

from commonground.errors import UsageError
from commonground.exports.format import Export
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.schema import TABLES
from commonground.store.opening import Store
from tests.thorough import a_few

from .planted import TABLE_OF, find_marks, mark
from .variants import is_of_rows, list_all_variants, name_variant

TEXTS = {"as": mark("speakers", "speaker", 100)}
"""A value of each option that may be any text, as far as planted dialogues have one."""

VARIANTS = list_all_variants(TEXTS)


SINGLE = [(export, options) for export, options in VARIANTS if len(options) < 2]
"""What every run tries: each value of each option, but not each two of them together."""


def read_all(out: Path) -> str:
    """Returns all that was written, but for the report, as one text."""
    texts = []
    for path in sorted(out.rglob("*")):
        if path.suffix == ".parquet":
            texts.append(str(pq.read_table(path).to_pylist()))
        elif path.is_file() and path.name != "loss.json":
            # Binary, perhaps: texts that are not compressed stand in it as they are.
            texts.append(path.read_bytes().decode("utf-8", "replace"))
    return "\n".join(texts)


@cache
def list_marks(store: Store) -> list[tuple[str, str, list[list[str]]]]:
    """Lists table, column and the marks in each of its values, where it has any."""
    found = []
    for table in TABLES:
        rows = store.corpus("toy").table(table.name)
        for column in table.columns:
            if column.type in ("text", "json"):
                values = [v for v in rows.column(column.name).to_pylist() if v is not None]
                marks = [find_marks(value, table.name, column.name) for value in values]
                if any(marks):
                    found.append((table.name, column.name, marks))
    return found


def count_missing(store: Store, written: str) -> Iterator[tuple[str, str, int, int]]:
    """Yields table, column, how many marked values are missing, and how many others there are."""
    for table, column, marks in list_marks(store):
        missing = sum(any(m not in written for m in each) for each in marks)
        yield table, column, missing, marks.count([])


def count_rows(export: Export, report: Report, table: str) -> int:
    """Returns how many rows of a table are lost one by one, or with their dialogues."""
    return sum(each.count for each in report.lost if is_of_rows(export, each, table))


@pytest.mark.parametrize(
    ("export", "options"), a_few(VARIANTS, SINGLE), ids=[name_variant(*each) for each in VARIANTS]
)
def test_a_text_is_written_or_counted(
    export: Export, options: dict[str, object], planted: Store, tmp_path: Path
) -> None:
    out = tmp_path / "out"
    try:
        report = run_export(export, Selection(planted, ["toy"]), out, options)
    except UsageError as error:
        if not options:
            raise
        pytest.skip(f"these options do not go together: {error}")
    lost = {each.name: each for each in report.lost if each.kind in ("table", "column")}
    checked = set()
    for table, column, missing, others in count_missing(planted, read_all(out)):
        told = lost.get(f"{table}.{column}")
        if table in lost:
            # What another table points at, such as an object's id, may be there because of it.
            assert missing or column in ("object_id", "dialogue_id"), (table, column)
        else:
            count = told.count if told else 0
            # Nothing is silently lost, and nothing said to be lost that is there.
            assert missing <= count + count_rows(export, report, table), (table, column)
            assert count <= missing + others, (table, column)
        checked.add(table)
    assert checked == {"dialogues", *TABLE_OF.values()}
