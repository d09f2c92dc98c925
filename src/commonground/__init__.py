"""commonground: grounded dialogue corpora, read, checked, queried, shown and scored.

::

    import commonground as cg

    corpus = cg.import_files("frames", "frames.json")  # or cg.load("frames") from then on
    for dialogue in corpus.dialogues(split="fold-1"):
        print(dialogue.events[0].text)
    corpus.to_pandas("acts")                      # any table as a dataframe
    cg.sql("select corpus, count(*) from events group by 1")
    cg.check("frames")                            # what is wrong in it, and where
    cg.stats("frames")                            # its numbers next to the published ones
    cg.plot("frames", "ratings")                  # a table that draws itself in a notebook
    cg.export("hf", "frames-hf", corpus="frames")
    cg.evaluate("frames/nlu", "predicted.jsonl")  # as its authors' script does
    cg.report("result.json")                      # beside what others published
    cg.play("photobook", "played", games=5)       # simulated players, or language models
    cg.measure("photobook", models="played")      # words per round, entrainment
"""

from __future__ import annotations

import sys
from importlib import import_module
from typing import TYPE_CHECKING, Any

if sys.version_info < (3, 11):  # noqa: UP036 - whoever runs it from a clone is told so, too
    raise ImportError(
        "commonground needs Python 3.11 or later; this is Python "
        f"{sys.version_info.major}.{sys.version_info.minor}."
    )

if TYPE_CHECKING:
    from pathlib import Path

    from commonground.bench.evaluation.access import (
        compare,
        evaluate,
        instances,
        list_tasks,
        run_baselines,
    )
    from commonground.bench.evaluation.reply_scoring import score_texts
    from commonground.bench.evaluation.tasks import get_task
    from commonground.errors import CommongroundError
    from commonground.exports.access import export
    from commonground.fetching import fetch
    from commonground.figures.access import list_figures, plot, stats
    from commonground.findings import Finding
    from commonground.games import measure, open_world, play
    from commonground.model import Action, Dialogue, Speaker, Utterance, Withheld
    from commonground.play.simulating import simulate
    from commonground.reports import report
    from commonground.store.access import check, from_pandas, import_files
    from commonground.store.corpus import Corpus
    from commonground.store.opening import Store, load, open_store
    from commonground.store.sql.answer import Answer

__version__ = "0.1.0"
__all__ = [
    "Action",
    "Answer",
    "CommongroundError",
    "Corpus",
    "Dialogue",
    "Finding",
    "Speaker",
    "Store",
    "Utterance",
    "Withheld",
    "__version__",
    "check",
    "compare",
    "evaluate",
    "export",
    "fetch",
    "from_pandas",
    "get_task",
    "import_files",
    "instances",
    "list_corpora",
    "list_figures",
    "list_tasks",
    "load",
    "measure",
    "open_store",
    "open_world",
    "play",
    "plot",
    "report",
    "run_baselines",
    "score_texts",
    "simulate",
    "sql",
    "stats",
]

_LATE = {
    "errors": ("CommongroundError",),
    "bench.evaluation.access": ("compare", "evaluate", "instances", "list_tasks", "run_baselines"),
    "bench.evaluation.reply_scoring": ("score_texts",),
    "bench.evaluation.tasks": ("get_task",),
    "exports.access": ("export",),
    "fetching": ("fetch",),
    "figures.access": ("list_figures", "plot", "stats"),
    "findings": ("Finding",),
    "games": ("measure", "open_world"),
    "model": ("Action", "Dialogue", "Speaker", "Utterance", "Withheld"),
    "play.simulating": ("simulate",),
    "reports": ("report",),
    "store.access": ("check", "from_pandas", "import_files"),
    "store.corpus": ("Corpus",),
    "store.opening": ("Store", "load", "open_store"),
    "store.sql.answer": ("Answer",),
}
"""Public names by the module that has them; it is loaded when one of them is first asked for."""


def list_corpora() -> list[str]:
    """Returns the names of the corpora that can be imported.

    Example:
        >>> import commonground as cg
        >>> cg.list_corpora()
        ['chats', 'frames', 'mpchat', 'photobook', 'simmc', ...]
    """
    from commonground.corpora import iterate_corpora

    return [entry.name for entry in iterate_corpora()]


def sql(query: str, store: str | Path | None = None) -> Answer:
    """Runs one SQL query over all corpora of a store and returns an Arrow table that prints.

    One corpus is asked by :meth:`Corpus.sql <commonground.store.corpus.Corpus.sql>`.

    Args:
        query: a SELECT over the tables of the store.
        store: folder of the store; None means ``$COMMONGROUND_STORE`` or
            ``./commonground-store``.

    Raises:
        StoreError: there is no store, or the query is wrong.

    Example:
        >>> import commonground as cg
        >>> cg.sql("select kind, count(*) as n from events group by kind order by n")
        2 rows, 2 columns
        kind         n
        action      43
        utterance  265
    """
    from commonground.store.opening import open_store

    return open_store(store).sql(query)


def __getattr__(name: str) -> Any:
    """Imports what a name stands for when it is first asked for: ``import commonground`` is light.

    Raises:
        AttributeError: there is no such name; the message lists close ones.
    """
    if name == "play":  # a package that can be called
        return import_module(f"{__name__}.play")
    for module, names in _LATE.items():
        if name in names:
            # Whatever a notebook shows of ours came by one of these names.
            import_module(f"{__name__}.notebook").show_in_notebooks()
            value = getattr(import_module(f"{__name__}.{module}"), name)
            globals()[name] = value  # next time Python finds it without asking here
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}", name=name)


def __dir__() -> list[str]:
    """Lists the public names, those that are not loaded yet among them."""
    return sorted(__all__)
