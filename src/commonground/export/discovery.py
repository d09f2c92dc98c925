"""The export formats: one file each, found in this folder."""

from __future__ import annotations

import importlib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from commonground.errors import FormatError, find_named
from commonground.export.base import Export


@cache
def _find_exports() -> dict[str, Export]:
    found: dict[str, Export] = {}
    for path in sorted(Path(__file__).parent.glob("*.py")):
        if path.stem.startswith("_"):
            continue
        module = importlib.import_module(f"{__package__}.{path.stem}")
        export = getattr(module, "EXPORT", None)
        if export is None:
            continue
        if not isinstance(export, Export):
            raise FormatError(f"{path}: EXPORT is no Export.")
        if export.name in found:
            raise FormatError(f"{path}: there is an export {export.name!r} already.")
        found[export.name] = export
    return found


def iterate_exports() -> Iterator[Export]:
    """Yields every export format found, in order of name."""
    found = _find_exports()
    for name in sorted(found):
        yield found[name]


def get_export(name: str) -> Export:
    """Returns the export format of a name.

    Raises:
        UsageError: there is none.
    """
    found = _find_exports()
    return find_named("export format", name, found)
