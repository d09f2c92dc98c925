"""The pages of figures in ``docs/``, and the numbers that they are made of.

``write_figures.py`` writes the numbers of a corpus's figures as a file, ``write_docs.py`` makes a
page of each: published value, our value, why they differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import SourceError
from commonground.figure import Figure, FigureColumn
from commonground.figures.published import Comparison, compare_published
from commonground.figures.tables import FigureTable
from commonground.figures.views import FigureView, describe_figure, show_cell
from commonground.files.outputs import new_files

MOST_ROWS = 60
"""Rows of a figure on a page; its CSV has all."""

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


def render_page(numbers: CorpusNumbers) -> str:
    """Renders all figures of a corpus as a page in Markdown."""
    parts = [f"# Figures: {numbers.title}\n\n", _introduce(numbers)]
    comparisons = [each for view in numbers.figures for each in view.comparisons]
    if comparisons:
        parts.append("\n## Published and ours\n\n")
        parts += _render_comparisons(comparisons)
    for view in numbers.figures:
        parts.append(f"\n## {view.title}\n\n`{view.name}`. {view.caption}\n\n")
        parts += _render_rows(view.columns, view.rows, view.total or len(view.rows))
        if view.query:
            parts.append(f"\n<details><summary>SQL</summary>\n\n```sql\n{view.query}\n```\n\n")
            parts.append("</details>\n")
    return "".join(parts)


def render_waiting_page(corpus: str, title: str, figures: Sequence[Figure]) -> str:
    """Renders the page of a corpus whose released files have not been counted.

    It has the published numbers with their sources, nothing of ours, and how to fill it.

    Args:
        corpus: name of the corpus.
        title: what people call it.
        figures: what will be counted, in the order of the page.
    """
    parts = [f"# Figures: {title}\n\n", _ask_for_files(corpus)]
    comparisons = [
        msgspec.structs.replace(each, why=_NOT_COUNTED)
        for figure in figures
        for each in compare_published(figure, corpus, ())
    ]
    if comparisons:
        parts.append("\n## Published and ours\n\n")
        parts += _render_comparisons(comparisons, missing="not counted")
    parts.append("\n## What is counted\n\n")
    parts += [f"- `{each.name}`: {each.title}. {each.caption}\n" for each in figures]
    return "".join(parts)


_NOT_COUNTED = "The released files were not available in full when this page was made."


def _ask_for_files(corpus: str) -> str:
    return (
        f"{_NOT_COUNTED} So there are no numbers of ours to compare with the published "
        "ones: no sample and no invented corpus is counted in its place. With all files imported "
        f"(`commonground import {corpus} FOLDER`), `make figures CORPORA={corpus}` counts them and "
        f"writes this page again; `commonground stats {corpus}` prints the same tables from any "
        "import.\n"
    )


def _introduce(numbers: CorpusNumbers) -> str:
    command = f"commonground stats {numbers.corpus}"
    return (
        f"Counted in {numbers.dialogues:,} imported dialogues; `{command}` prints the same from "
        f"your own import, `{command} --out FOLDER` draws it.\n"
    )


def _render_comparisons(comparisons: Sequence[Comparison], *, missing: str = "none") -> list[str]:
    """Renders published numbers beside ours; long sources and reasons stand below, once each.

    Args:
        comparisons: what to render.
        missing: what stands where there is no number of ours.
    """
    notes: dict[str, int] = {}
    lines = ["| what | published | ours | | source | why they differ |\n"]
    lines.append("|---|--:|--:|---|---|---|\n")
    for each in comparisons:
        source, why = (_note(text, notes) for text in (each.source, each.why))
        unit = f" {each.unit}" if each.unit else ""
        ours = missing if each.ours is None else f"{each.ours:,.7g}{unit}"
        sign = "=" if each.agrees else "differs" if each.ours is not None else ""
        cells = (each.name, f"{each.published:,.7g}{unit}", ours, sign, source, why)
        lines.append(_row(cells))
    return [*lines, "\n", *(f"{number}. {text}\n" for text, number in notes.items())]


def _note(text: str, notes: dict[str, int]) -> str:
    return f"[{notes.setdefault(text, len(notes) + 1)}]" if text else ""


def _render_rows(
    columns: Sequence[FigureColumn], rows: Sequence[Sequence[object]], total: int
) -> list[str]:
    """Renders the first rows of a figure, and says how many of all ``total`` they are."""
    heads = [f"{c.title} ({c.unit})" if c.unit else c.title for c in columns]
    are_texts = [any(isinstance(row[n], str) for row in rows) for n in range(len(columns))]
    lines = [_row(heads), "|" + "".join("---|" if text else "--:|" for text in are_texts) + "\n"]
    shown = rows[:MOST_ROWS]
    for row in shown:
        cells = zip(columns, row, strict=True)
        lines.append(_row(show_cell(column, cell) for column, cell in cells))
    if total > len(shown):
        lines.append(f"\n{len(shown)} of {total:,} rows.\n")
    return lines


def _row(cells: Iterable[str]) -> str:
    # A bar would end the cell.
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |\n"
