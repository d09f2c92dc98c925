"""pyarrow, and a way to keep it from importing pandas."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder

import pyarrow as pa
import pyarrow.parquet as pq

__all__ = ["forgo_pandas", "pa", "pq"]


class _NoPandas(MetaPathFinder):
    def find_spec(self, fullname: str, path: object, target: object = None) -> None:  # noqa: ARG002
        if fullname == "pandas":
            raise ImportError("this process has forgone pandas")


def forgo_pandas() -> None:
    """Makes this process do without pandas, unless it has it already.

    pyarrow imports pandas when it first turns a list into an array, to see whether there are
    pandas values in it; that takes up to a second. Only processes of our own, which never want
    pandas, may call this: it cannot be taken back.
    """
    if "pandas" not in sys.modules and not any(isinstance(f, _NoPandas) for f in sys.meta_path):
        sys.meta_path.insert(0, _NoPandas())
