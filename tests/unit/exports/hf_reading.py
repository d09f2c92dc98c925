"""The tables of a folder that ``commonground export hf`` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import parquet as pq

from commonground.schema import TABLE_NAMES
from commonground.store.tables.columns import DIALOGUE_TABLES, arrow_schema

_KEYS = ("corpus", "dialogue_id")


def read_hf(folder: Path) -> dict[str, Any]:
    """The tables by name, under the schemas of a store.

    Dialogues come split by split; within a split, rows are in the order of the store.
    ``dialogues`` and its lists are taken from the nested configuration, the rest from flat ones.
    """
    nested = _read_config(folder, "dialogues")
    tables = {name: unnest_table(nested, name) for name in ("dialogues", *DIALOGUE_TABLES)}
    for name in TABLE_NAMES:
        if name not in tables:
            found = _read_config(folder, name)
            schema = arrow_schema(name)
            tables[name] = (
                # `select` drops the pictures; `cast` makes text of Arrow's JSON again.
                schema.empty_table() if found is None else found.select(schema.names).cast(schema)
            )
    return tables


def _read_config(root: Path, name: str) -> Any:
    """The rows of a configuration; None where it is not there."""
    files = sorted((root / "data" / name).glob("*.parquet"))
    return pa.concat_tables([pq.read_table(file) for file in files]) if files else None


def unnest_table(nested: Any, name: str) -> Any:
    """One flat table out of rows that are dialogues with lists in them."""
    schema = arrow_schema(name)
    if name == "dialogues":
        return nested.select(schema.names).cast(schema)
    parts = [pa.Table.from_batches([], schema=schema)]
    for batch in nested.select([*_KEYS, name]).to_batches():
        lists = batch.column(name)
        owners, rows = pc.list_parent_indices(lists), pc.list_flatten(lists)
        columns = {key: batch.column(key).take(owners) for key in _KEYS}
        for field in schema:
            if field.name not in _KEYS:
                columns[field.name] = pc.struct_field(rows, field.name)
        arrays = [columns[field.name].cast(field.type) for field in schema]
        parts.append(pa.Table.from_arrays(arrays, schema=schema))
    return pa.concat_tables(parts)
