"""Parquet keeps every table as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from pyarrow import parquet

from commonground.exports.run import Report
from commonground.schema import TABLE_NAMES
from commonground.store.opening import Store
from commonground.store.tables.columns import arrow_schema


def test_every_table_comes_back(store: Store, export: Callable[..., tuple[Path, Report]]) -> None:
    out, report = export("parquet", "simmc", "photobook")
    assert report.lost == []
    for corpus in ("simmc", "photobook"):
        for name in TABLE_NAMES:
            path, before = out / corpus / f"{name}.parquet", store.corpus(corpus).table(name)
            assert parquet.read_table(path).cast(arrow_schema(name)).equals(before), name
