"""The worlds that there are: a file each, with the constant ``WORLD``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from commonground.discovery import find_values
from commonground.errors import find_named
from commonground.play.world import WorldSource


def iterate_worlds() -> Iterator[WorldSource]:
    """Yields every world, in order of its file's name."""
    folder = Path(__file__).parent
    for _, source in find_values(__name__, folder, WorldSource, name="WORLD"):
        yield source


def get_world(name: str) -> WorldSource:
    """Returns the world of that name.

    Raises:
        UnknownNameError: there is none.
    """
    return find_named("world", name, {each.name: each for each in iterate_worlds()})
