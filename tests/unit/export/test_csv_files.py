"""CSV keeps every value, null and empty apart."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyarrow import csv

from commonground.export.output import Report
from commonground.store.columns import arrow_schema
from commonground.store.opening import Store

KEEP_NULLS = {"strings_can_be_null": True, "quoted_strings_can_be_null": False, "null_values": [""]}


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
