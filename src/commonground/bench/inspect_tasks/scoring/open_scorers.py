"""The scorers of tasks, opened once for asking and for scoring alike."""

from __future__ import annotations

import atexit
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

import msgspec

from commonground.bench.evaluation.reply_scoring import ReplyScorer
from commonground.store.corpus import Corpus
from commonground.store.opening import load

_CACHED = 2
"""Tasks whose instances stay in memory: one that is asked about, and one that gives examples."""


class Asked(msgspec.Struct, frozen=True):
    """What tells the instances of a run from those of others.

    Attributes:
        split: split that is asked about; None for all.
        seed: of the order in which candidates are shown.
    """

    task: str
    corpus: str
    split: str | None
    seed: int


def read_asked(metadata: Mapping[str, Any]) -> Asked:
    """Reads it from the metadata of a sample."""
    return Asked(**{name: metadata[f"asked_{name}"] for name in Asked.__struct_fields__})


def write_asked(asked: Asked) -> dict[str, Any]:
    """Writes it as metadata of a sample."""
    return {f"asked_{name}": getattr(asked, name) for name in Asked.__struct_fields__}


def open_scorer(asked: Asked, store: str | None = None) -> ReplyScorer:
    """Returns the scorer of a task; the previous one, where nothing was imported meanwhile.

    Raises:
        CommongroundError: a name is unknown, or the corpus was not imported.
    """
    return _make(asked, _Opened(load(asked.corpus, store)))


class _Opened:
    """A corpus that is told from others by its place and the time of its import."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        # An import into the same store makes another key, so that no run scores against what was.
        self._key = str(corpus.store.path.resolve()), corpus.name, corpus.manifest.imported_at

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Opened) and other._key == self._key


@lru_cache(maxsize=_CACHED)
def _make(asked: Asked, opened: _Opened) -> ReplyScorer:
    return ReplyScorer(asked.task, opened.corpus, split=asked.split, seed=asked.seed)


# DuckDB complains of connections that are open when Python ends.
atexit.register(_make.cache_clear)
