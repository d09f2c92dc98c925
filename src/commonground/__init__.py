"""commonground: grounded dialogue corpora, read, checked, queried, shown and scored.

::

    import commonground as cg

    corpus = cg.load("frames")                    # what `commonground import frames` stored
    for dialogue in corpus.dialogues(split="fold-1"):
        print(dialogue.events[0].text)
    corpus.to_pandas("acts")                      # any table as a dataframe
    cg.sql("select corpus, count(*) from events group by 1")
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from commonground.store.corpus import Corpus, Store, load, open_store

__version__ = "0.1.0"
__all__ = ["Corpus", "Store", "__version__", "list_corpora", "load", "open_store", "sql"]


def list_corpora() -> list[str]:
    """Returns the names of the corpora that can be imported."""
    from commonground.corpora import iterate_corpora

    return [entry.name for entry in iterate_corpora()]


def sql(query: str, store: str | Path | None = None) -> Any:
    """Runs one SQL query over a store and returns an Arrow table.

    Args:
        query: a SELECT over the tables of the store.
        store: folder of the store; null means ``$COMMONGROUND_STORE`` or
            ``./commonground-store``.

    Raises:
        StoreError: there is no store, or the query is wrong.
    """
    from commonground.store.corpus import open_store

    return open_store(store).sql(query)


def __getattr__(name: str) -> Any:
    """Imports the store when it is first asked for, so that ``import commonground`` is light."""
    if name in ("Corpus", "Store", "load", "open_store"):
        from commonground.store import corpus

        return getattr(corpus, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
