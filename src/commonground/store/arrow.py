"""pyarrow, and ways to keep it from loading what takes long and is not wanted."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from importlib.abc import MetaPathFinder
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["forgo_pandas", "pa", "pq", "read_parquet"]


def read_parquet(path: Path, columns: Sequence[str] | None = None) -> pa.Table:
    """Reads one Parquet file.

    ``pq.read_table`` does the same, but loads all that reads whole folders before: a quarter of a
    second, the first time.

    Args:
        columns: names of those that are wanted; None for all.

    Raises:
        OSError, ArrowException: it cannot be read.
    """
    with pq.ParquetFile(path) as file:
        lacking = set(columns or ()).difference(file.schema_arrow.names)
        if lacking:
            raise pa.ArrowInvalid(f"{path.name} has no column {', '.join(sorted(lacking))}")
        return file.read(columns=columns)


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:  # noqa: ARG002 - Python's
        if fullname == "pandas":
            raise ImportError("this process has forgone pandas")


def forgo_pandas() -> None:
    """Makes this process do without pandas, unless it has it already.

    pyarrow imports pandas when it first turns a list into an array, to see whether there are
    pandas values in it; that takes up to a second. Only processes of our own, which never want
    pandas, may call this: it cannot be taken back.
    """
    if "pandas" not in sys.modules and not any(isinstance(f, _NoPandas) for f in sys.meta_path):
        # In front of all others: the finder that refuses must be asked before one that finds.
        sys.meta_path.insert(0, _NoPandas())
