"""The numbers of a corpus's figures as a file: what the pages of the docs are made from."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import SourceError
from commonground.figures.tables import FigureTable
from commonground.figures.views import FigureView, describe_figure
from commonground.files.outputs import new_files

LISTED = 5
"""Rows kept of a figure that lists games or the like."""

_DIGITS = 10
"""Significant digits kept: the last ones of a mean depend on the order of adding up."""


class CorpusNumbers(msgspec.Struct, frozen=True, kw_only=True):
    """All figures of a corpus with their numbers.

    Attributes:
        corpus: name of the corpus, or ``all`` for the comparisons.
        title: title of the corpus.
        dialogues: number of dialogues that were counted.
        figures: the figures, in order.
    """

    corpus: str
    title: str
    dialogues: int
    figures: tuple[FigureView, ...]


def gather_numbers(
    corpus: str, title: str, dialogues: int, tables: Iterable[FigureTable]
) -> CorpusNumbers:
    """Puts the figures of a corpus together, their numbers rounded to ten digits.

    Figures that hold the corpus's own wording are left out, and listings but for their first rows.

    Args:
        corpus: name of the corpus.
        title: what people call it.
        dialogues: how many the figures were counted over.
        tables: the figures with their rows, in the order of the page.
    """
    kept = (table for table in tables if not table.figure.wording)
    views = tuple(_round_view(_cut_listing(table)) for table in kept)
    return CorpusNumbers(corpus=corpus, title=title, dialogues=dialogues, figures=views)


def _cut_listing(table: FigureTable) -> FigureView:
    view = describe_figure(table)
    if not table.figure.listing or len(view.rows) <= LISTED:
        return view
    return msgspec.structs.replace(
        view, rows=view.rows[:LISTED], links=view.links[:LISTED], total=len(view.rows)
    )


def _round_view(view: FigureView) -> FigureView:
    rows = [[_round(cell) for cell in row] for row in view.rows]
    comparisons = [
        msgspec.structs.replace(each, ours=_round(each.ours)) for each in view.comparisons
    ]
    return msgspec.structs.replace(view, rows=rows, comparisons=comparisons)


def _round(cell: Any) -> Any:
    return float(f"{cell:.{_DIGITS}g}") if isinstance(cell, float) else cell


def write_numbers(numbers: CorpusNumbers, path: Path) -> None:
    """Writes the numbers of a corpus as JSON.

    Raises:
        SourceError: the file cannot be written.
    """
    data = msgspec.json.format(msgspec.json.encode(numbers), indent=1) + b"\n"
    with new_files(path.parent) as staged:
        (staged / path.name).write_bytes(data)


def read_numbers(path: Path) -> CorpusNumbers:
    """Reads the numbers of a corpus, as :func:`write_numbers` wrote them.

    Raises:
        SourceError: the file is not there, or holds something else.
    """
    try:
        return msgspec.json.decode(path.read_bytes(), type=CorpusNumbers)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    except msgspec.DecodeError as error:
        raise SourceError(f"{path} holds no figures: {error}.", "Write it again.") from error
