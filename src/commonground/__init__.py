"""commonground: grounded dialogue corpora, read, checked, queried, shown and scored.

::

    import commonground as cg

    corpus = cg.import_files("frames", "frames.json")  # or cg.load("frames") from then on
    for dialogue in corpus.dialogues(split="fold-1"):
        print(dialogue.events[0].text)
    corpus.to_pandas("acts")                      # any table as a dataframe
    cg.sql("select corpus, count(*) from events group by 1")
    cg.plot("frames", "ratings")                  # a table that draws itself in a notebook
    cg.evaluate("frames/nlu", "predicted.jsonl")  # as its authors' script does
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pathlib import Path

    from commonground.evaluation.access import (
        compare,
        evaluate,
        instances,
        list_tasks,
        run_baselines,
    )
    from commonground.evaluation.discovery import get_task
    from commonground.stats.access import list_figures, plot
    from commonground.store.access import import_files, simulate
    from commonground.store.corpus import Corpus
    from commonground.store.opening import Store, load, open_store

__version__ = "0.1.0"
__all__ = [
    "Corpus",
    "Store",
    "__version__",
    "compare",
    "evaluate",
    "get_task",
    "import_files",
    "instances",
    "list_corpora",
    "list_figures",
    "list_tasks",
    "load",
    "open_store",
    "plot",
    "run_baselines",
    "simulate",
    "sql",
]

_LATE = {
    "import_files": "store.access",
    "simulate": "store.access",
    "Corpus": "store.corpus",
    "Store": "store.opening",
    "load": "store.opening",
    "open_store": "store.opening",
    "compare": "evaluation.access",
    "evaluate": "evaluation.access",
    "instances": "evaluation.access",
    "list_tasks": "evaluation.access",
    "run_baselines": "evaluation.access",
    "get_task": "evaluation.discovery",
    "plot": "stats.access",
    "list_figures": "stats.access",
}


def list_corpora() -> list[str]:
    """Returns the names of the corpora that can be imported.

    Example:
        >>> import commonground as cg
        >>> cg.list_corpora()
        ['frames', 'mpchat', 'photobook', 'simmc', ...]
    """
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

    Example:
        >>> import commonground as cg
        >>> table = cg.sql("select kind, count(*) as n from events group by kind order by n")
        >>> table.to_pylist()
        [{'kind': 'action', 'n': 47}, {'kind': 'utterance', 'n': 273}]
    """
    from commonground.store.opening import open_store

    return open_store(store).sql(query)


def __getattr__(name: str) -> Any:
    """Imports what reads a store when it is first asked for: ``import commonground`` is light."""
    if name in _LATE:
        from importlib import import_module

        from commonground.notebook import show_in_notebooks

        # Whatever a notebook shows of ours came by one of these names.
        show_in_notebooks()
        return getattr(import_module(f"{__name__}.{_LATE[name]}"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
