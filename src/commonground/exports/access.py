"""Export in a line of Python, as on the command line."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from commonground.exports.format import get_export
from commonground.exports.run import Report, run_export
from commonground.exports.selection import Selection
from commonground.store.opening import open_store


def export(
    name: str,
    out: str | Path,
    *,
    corpus: str | Sequence[str] = (),
    split: str | Sequence[str] = (),
    where: str | None = None,
    force: bool = False,
    store: str | Path | None = None,
    **options: Any,
) -> Report:
    """Writes imported dialogues in the format of another tool.

    Args:
        name: name of the format, such as ``csv``, ``hf`` or ``chat``.
        out: folder to write: a new one, an empty one, or an export that is to be replaced.
        corpus: name of a corpus, or several; empty for all.
        split: a split, or several; empty for all.
        where: SQL condition over the columns of ``dialogues``; None for none.
        force: replace a folder that is no export of ours.
        store: folder of the store; None for the usual one.
        options: the format's own options, as on the command line with ``_`` for ``-``; a word of
            Python has a ``_`` after it: ``as_``.

    Returns:
        What was written, and what of the source does not fit the format.

    Raises:
        UsageError: there is no such format, option or split, or ``out`` holds something else.
        StoreError: a corpus was not imported, or the condition is wrong.
        SourceError: ``out`` cannot be written.

    Example:
        >>> import commonground as cg
        >>> report = cg.export("csv", "tables", corpus="frames", split="fold-1")
        >>> report.corpora
        {'frames': ...}
    """
    given = {key.removesuffix("_"): value for key, value in options.items()}
    selection = Selection(open_store(store), _listed(corpus), _listed(split), where)
    return run_export(get_export(name), selection, Path(out), given, force=force)


def _listed(names: str | Sequence[str]) -> Sequence[str]:
    return [names] if isinstance(names, str) else names
