"""The tables of a folder that ``commonground export hf`` wrote."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from commonground.errors import FormatError
from commonground.schema import TABLE_NAMES


def read_hf(folder: str | Path) -> dict[str, Any]:
    """Reads the tables back as Arrow tables, by name, under the schemas of a store.

    Dialogues come split by split; within a split, rows are in the order of the store.
    ``dialogues`` and its lists are taken from the nested configuration, the rest from flat ones.

    Args:
        folder: what the export wrote.

    Raises:
        FormatError: it holds no such export.
    """
    from commonground.export.nesting import unnest_table
    from commonground.store.columns import DIALOGUE_TABLES, arrow_schema

    root = Path(folder)
    nested = _read_config(root, "dialogues")
    if nested is None:
        raise FormatError(
            f"{root} has no data/dialogues/*.parquet.", "Name what `commonground export hf` wrote."
        )
    tables = {name: unnest_table(nested, name) for name in ("dialogues", *DIALOGUE_TABLES)}
    for name in TABLE_NAMES:
        if name not in tables:
            found = _read_config(root, name)
            schema = arrow_schema(name)
            tables[name] = (
                schema.empty_table() if found is None else found.select(schema.names).cast(schema)
            )
    return tables


def _read_config(root: Path, name: str) -> Any:
    """Returns the rows of a configuration; null where it is not there."""
    from commonground.store.arrow import pa, pq

    files = sorted((root / "data" / name).glob("*.parquet"))
    return pa.concat_tables([pq.read_table(file) for file in files]) if files else None
