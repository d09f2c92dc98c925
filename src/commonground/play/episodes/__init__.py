"""Which corpora's dialogues an agent can be put in: a file each, with the constant ``EPISODES``."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from commonground.discovery import find_values
from commonground.play.episode import EpisodeSource


def iterate_episodes() -> Iterator[EpisodeSource]:
    """Yields the source of each corpus's episodes, in order of its file's name."""
    folder = Path(__file__).parent
    for _, source in find_values(__name__, folder, EpisodeSource, name="EPISODES"):
        yield source
