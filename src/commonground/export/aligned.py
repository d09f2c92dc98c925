"""Rows of a table, read along with the dialogues that they belong to."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from operator import itemgetter
from typing import Any

from commonground.export.selection import Selection


class Along:
    """Gives the rows of one dialogue after the other; dialogues must be asked for in order.

    Args:
        selection: the dialogues.
        corpus: name of the corpus.
        table: name of the table.
        columns: columns wanted.
    """

    def __init__(
        self, selection: Selection, corpus: str, table: str, columns: Sequence[str]
    ) -> None:
        self._groups = groupby(_rows(selection, corpus, table, columns), itemgetter(0))
        self._next: tuple[str, list[tuple[Any, ...]]] | None = None
        self._advance()

    def take(self, dialogue_id: str) -> list[tuple[Any, ...]]:
        """Returns the rows of a dialogue, each with the wanted columns."""
        if self._next is None or self._next[0] != dialogue_id:
            return []
        rows = self._next[1]
        self._advance()
        return rows

    def _advance(self) -> None:
        found = next(self._groups, None)
        self._next = None if found is None else (found[0], [row[1:] for row in found[1]])


def _rows(
    selection: Selection, corpus: str, table: str, columns: Sequence[str]
) -> Iterator[tuple[Any, ...]]:
    for batch in selection.batches(corpus, table, ["dialogue_id", *columns]):
        yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)
