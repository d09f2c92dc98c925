"""What holds of every export format."""

from __future__ import annotations

import re

import pytest

from commonground.errors import CommongroundError, UsageError
from commonground.exports.format import Export, get_export, iterate_exports
from commonground.exports.run import run_export
from commonground.exports.selection import Selection
from commonground.schema import TABLES, get_table
from commonground.store.opening import Store

EXPORTS = {each.name: each for each in iterate_exports()}


@pytest.mark.parametrize("name", EXPORTS)
def test_it_carries_columns_that_exist(name: str) -> None:
    export = EXPORTS[name]
    carried = export.carried(export.complete({}))
    for table, columns in carried.columns.items():
        assert set(columns) <= set(get_table(table).names), table
    for part in carried.partly:
        table, column = part.column.split(".")
        assert column in carried.columns[table]
    for name in carried.counted:
        table, _, column = name.partition(".")
        assert set([column] if column else get_table(table).names) <= set(carried.columns[table])
    known = {t.name for t in TABLES} | {f"{t.name}.{c}" for t in TABLES for c in t.names}
    assert set(carried.why) <= known


@pytest.mark.parametrize("name", EXPORTS)
def test_it_is_described(name: str) -> None:
    export = EXPORTS[name]
    assert not export.title.endswith(".")
    assert export.summary.endswith(".")
    assert export.example.startswith(f"{name} OUT")
    for option in export.options:
        assert re.fullmatch("[a-z_]+", option.name)
        assert option.help.endswith(".")
        # Without a default another option decides, such as that of whom messages are for.
        assert not option.choices or option.default in (None, *option.choices)


@pytest.mark.parametrize("name", EXPORTS)
def test_progress_is_told(name: str, store: Store, tmp_path: object) -> None:
    told: list[tuple[int, int]] = []
    selection = Selection(store, ["frames"], progress=lambda *numbers: told.append(numbers))
    try:
        run_export(EXPORTS[name], selection, tmp_path / "out")  # type: ignore[operator]
    except CommongroundError as error:
        pytest.skip(f"cannot be exported here: {error}")
    assert told
    assert all(0 <= done <= total for done, total in told)


@pytest.mark.parametrize("name", EXPORTS)
def test_what_it_counts_is_explained(name: str) -> None:
    for feature in EXPORTS[name].features.values():
        assert feature.why.endswith(".")
        assert set(feature.rows_of) <= {table.name for table in TABLES}


def test_options_are_completed() -> None:
    export: Export = EXPORTS["chat"]
    assert export.complete({"per": "turn"})["shape"] == "messages"


def test_formats_are_found_by_their_constant() -> None:
    names = list(EXPORTS)
    assert names == sorted(names)
    with pytest.raises(UsageError, match=r"no export format 'cvs'.*csv"):
        get_export("cvs")
