"""Says on standard error that indexes are made, on a terminal and elsewhere."""

from __future__ import annotations

import sys
import time
from typing import TYPE_CHECKING

import click

from commonground.cli._options import progress_bar

if TYPE_CHECKING:
    from commonground.site.library import Library


def open_shelves(library: Library) -> None:
    """Opens every corpus of a library, and says so where its index has to be made first.

    Raises:
        StoreError: an index can be written nowhere.
    """
    from commonground.store.index import has_index

    for shelf in library.shelves.values():
        told = not has_index(shelf.corpus) and not sys.stderr.isatty()
        count = f"{len(shelf.corpus):,} dialogues"
        if told:
            click.echo(f"Indexing {shelf.name}: {count}, once for this import ...", err=True)
        began = time.perf_counter()
        with progress_bar(f"Indexing {shelf.name}") as progress:
            shelf.open(progress)
        if told:
            click.echo(f"Indexed {shelf.name} in {time.perf_counter() - began:.1f} s", err=True)
