"""Files of phrases and names, which stand as TOML beside the modules that speak them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def load_beside(module: str, name: str, kind: type[T]) -> T:
    """Reads a TOML file that stands beside a module.

    Args:
        module: its ``__file__``.
        name: of the file, as seen from the module's folder.
    """
    text = (Path(module).parent / name).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), kind)
