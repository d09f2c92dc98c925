"""The scorers of tasks, opened once for asking and for scoring alike."""

from __future__ import annotations

import atexit
from functools import lru_cache

from commonground.evaluation.asking import ReplyScorer
from commonground.store.corpus import Corpus
from commonground.store.opening import load

_KEPT = 2
"""Tasks whose instances stay in memory: one that is asked about, and one that gives examples."""


def open_scorer(
    task: str, corpus: str, *, split: str | None, seed: int, store: str | None
) -> ReplyScorer:
    """Returns the scorer of a task; the one of before, where nothing was imported meanwhile.

    Args:
        task: name of the task.
        corpus: name of the imported corpus.
        split: split that is asked about; null for all.
        seed: of the order in which candidates are shown.
        store: folder of the store; null for the usual one.

    Raises:
        CommongroundError: a name is unknown, or the corpus was not imported.
    """
    return _make(task, _Opened(load(corpus, store)), split, seed)


class _Opened:
    """A corpus that is told from others by its place and the time of its import."""

    def __init__(self, corpus: Corpus) -> None:
        self.corpus = corpus
        self._key = str(corpus.store.path.resolve()), corpus.name, corpus.manifest.imported_at

    def __hash__(self) -> int:
        return hash(self._key)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, _Opened) and other._key == self._key


@lru_cache(maxsize=_KEPT)
def _make(task: str, opened: _Opened, split: str | None, seed: int) -> ReplyScorer:
    return ReplyScorer(task, opened.corpus, split=split, seed=seed)


# DuckDB complains of connections that are open when Python ends.
atexit.register(_make.cache_clear)
