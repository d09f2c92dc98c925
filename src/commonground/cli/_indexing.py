"""Says on standard error that indexes are made, on a terminal and elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from commonground.cli._options import progress_bar
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.site.corpora import OpenCorpora


def open_indexes(corpora: OpenCorpora) -> None:
    """Opens the index of every corpus, and says so where it has to be made first.

    Raises:
        StoreError: an index can be written nowhere.
    """
    from commonground.store.index import has_index

    for each in corpora:
        told = not has_index(each.corpus) and not sys.stderr.isatty()
        count = count_of(len(each.corpus), "dialogue")
        if told:
            click.echo(f"Indexing {each.name}: {count}, once for this import ...", err=True)
        began = time.perf_counter()
        with progress_bar(f"Indexing {each.name}") as progress:
            each.open_index(progress)
        if told:
            click.echo(f"Indexed {each.name} in {time.perf_counter() - began:.1f} s", err=True)
