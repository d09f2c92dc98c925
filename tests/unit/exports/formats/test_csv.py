"""CSV keeps every value, null and empty apart."""

from __future__ import annotations

from collections.abc import Callable
from csv import DictReader
from pathlib import Path

import pandas
import pytest
from pyarrow import csv

from commonground.exports.format import get_export
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.schema import TABLES
from commonground.store.opening import Store, open_store
from commonground.store.tables.columns import arrow_schema

HOW_TO = Path(__file__).parents[4] / "docs" / "how-to" / "export.md"
KEEP_NULLS = {"strings_can_be_null": True, "quoted_strings_can_be_null": False, "null_values": [""]}


def test_for_spreadsheets_nothing_runs(
    write_talks: Callable[..., Path], import_toy: Callable[..., object], tmp_path: Path
) -> None:
    said = ["=HYPERLINK(1)", "+1", "-1", "@x", "\tx", "＝1", "5-1", "'", ""]
    import_toy(write_talks({"=t": said}))
    selection = Selection(open_store(tmp_path / "store"), ["toy"])
    assert run_export(get_export("csv"), selection, tmp_path / "plain").lost == []
    report = run_export(get_export("csv"), selection, tmp_path / "safe", {"for_spreadsheets": True})
    texts, changed = {}, 0
    for name in ("plain", "safe"):
        for file in (tmp_path / name / "toy").glob("*.csv"):
            with file.open(
                encoding="utf-8-sig" if name == "safe" else "utf-8", newline=""
            ) as lines:
                texts[name, file.stem] = list(DictReader(lines))
    for (name, table), rows in texts.items():
        for row, plain in zip(rows, texts["plain", table], strict=True):
            for column, cell in row.items():
                if name == "safe" and cell != plain[column]:
                    assert cell == f"'{plain[column]}", (table, column)
                    changed += 1
                assert name == "plain" or not cell.startswith(tuple("=+-@\t＝")), (table, column)
    assert [row["text"] for row in texts["safe", "events"]] == [
        *(f"'{text}" for text in said[:6]),
        *said[6:],
    ]
    assert [(each.name, each.count) for each in report.lost] == [("texts like formulas", changed)]


@pytest.mark.parametrize(("for_spreadsheets", "mark"), [(True, "\ufeff"), (False, "")])
def test_a_table_without_rows_has_its_heading(
    store: Store,
    export: Callable[..., tuple[Path, Report]],
    for_spreadsheets: bool,
    mark: str,
) -> None:
    out, _ = export("csv", "frames", for_spreadsheets=for_spreadsheets)
    empty = [each for each in TABLES if not store.corpus("frames").table(each.name).num_rows]
    assert empty
    for table in empty:
        (line,) = (out / "frames" / f"{table.name}.csv").read_text("utf-8").splitlines()
        assert line == mark + ",".join(f'"{name}"' for name in table.names)


def test_words_for_nothing_survive_as_documented(
    write_talks: Callable[..., Path], import_toy: Callable[..., object], tmp_path: Path
) -> None:
    said = ["None", "NA", "null", "nan", "N/A", ""]
    import_toy(write_talks({"t": said}))
    run_export(
        get_export("csv"), Selection(open_store(tmp_path / "store"), ["toy"]), tmp_path / "o"
    )
    assert 'keep_default_na=False, na_values=[""]' in HOW_TO.read_text(encoding="utf-8")
    path = tmp_path / "o/toy/events.csv"
    frame = pandas.read_csv(path, keep_default_na=False, na_values=[""])
    assert frame.text[:5].to_list() == said[:5]


def test_every_table_comes_back(store: Store, export: Callable[..., tuple[Path, Report]]) -> None:
    out, report = export("csv", "frames")
    assert report.lost == []
    files = sorted((out / "frames").glob("*.csv"))
    assert "events.csv" in [file.name for file in files]
    for file in files:
        schema = arrow_schema(file.stem)
        types = {field.name: field.type for field in schema}
        found = csv.read_csv(
            file,
            parse_options=csv.ParseOptions(newlines_in_values=True),
            convert_options=csv.ConvertOptions(column_types=types, **KEEP_NULLS),
        )
        assert found.equals(store.corpus("frames").table(file.stem)), file.name
