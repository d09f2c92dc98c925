"""Says on standard error that indexes are made, on a terminal and elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

import click

from commonground.cli._options import progress_bar
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.explorer.corpora import OpenCorpora, OpenCorpus
    from commonground.store.index.dividing import Progress


def open_indexes(corpora: OpenCorpora, jobs: int = 1) -> None:
    """Opens the index of every corpus, and says so where it has to be made first.

    Args:
        corpora: the corpora.
        jobs: processes that make the index of a large one.

    Raises:
        StoreError: an index can be written nowhere.
    """
    from commonground.store.index import has_index

    for each in corpora:
        if not has_index(each.corpus):
            with show_indexing(each) as progress:
                each.open_index(progress, jobs)
        else:
            each.open_index()


@contextmanager
def show_indexing(opened: OpenCorpus) -> Iterator[Progress]:
    """Says that a corpus is indexed: a bar on a terminal, else a line before and after."""
    from commonground.store.index import has_index

    told = not sys.stderr.isatty()
    count = count_of(len(opened.corpus), "dialogue")
    if told:
        click.echo(f"Indexing {opened.name}: {count}, once for this import ...", err=True)
    began = time.perf_counter()
    with progress_bar(f"Indexing {opened.name}") as progress:
        yield progress
    if told and has_index(opened.corpus):  # whoever stops the server stops this, too
        click.echo(f"Indexed {opened.name} in {time.perf_counter() - began:.1f} s", err=True)
