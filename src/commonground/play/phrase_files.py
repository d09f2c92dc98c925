"""Files of phrases and names, which stand as TOML beside the modules that speak them."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import TypeVar

import msgspec

T = TypeVar("T")


def load_beside(module: str, name: str, kind: type[T]) -> T:
    """Reads a TOML file from the folder of a module, of which ``__file__`` is given."""
    text = (Path(module).parent / name).read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), kind)
