"""The files that an import was made of: in its manifest, or in a part of their own.

Every reader of a corpus reads the manifest, and should not have to read the names of a million
files with it.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator
from pathlib import Path

import msgspec

from commonground.store.layout.integrity import open_part
from commonground.store.layout.manifest import (
    SOURCES,
    PartFile,
    SourceFile,
    StoreManifest,
    part_files,
)

MOST_IN_MANIFEST = 10_000
"""Files that a manifest names itself."""

_BATCH = 65_536


def iterate_sources(store: Path, manifest: StoreManifest) -> Iterator[SourceFile]:
    """Yields every file that was found, in order of name; a batch of them is in memory at a time.

    Raises:
        StoreError: the part that names them is damaged.
    """
    yield from manifest.sources
    for path in part_files(store, manifest, SOURCES):
        with open_part(path) as file:
            for batch in file.iter_batches(_BATCH):
                columns = (column.to_pylist() for column in batch.columns)
                yield from itertools.starmap(SourceFile, zip(*columns, strict=True))


def is_many(files: int) -> bool:
    """Says whether an import has so many files that its manifest does not name them itself."""
    return files > MOST_IN_MANIFEST


def write_sources(folder: Path, sources: Iterable[SourceFile]) -> PartFile:
    """Writes the part that names the files, a batch of them in memory at a time.

    Args:
        sources: the files, in order of name.

    Raises:
        OSError: it cannot be written.
    """
    from commonground.store.arrow import pa
    from commonground.store.tables.columns import part_schema
    from commonground.store.tables.writing import open_parquet, part_name, settle_part

    schema = part_schema(SOURCES)
    path = folder / part_name(SOURCES, 0)
    left, written = iter(sources), 0
    with open_parquet(path, schema) as writer:
        while batch := list(itertools.islice(left, _BATCH)):
            columns = zip(*map(msgspec.structs.astuple, batch), strict=True)
            arrays = list(map(pa.array, columns, schema.types))
            writer.write_batch(pa.record_batch(arrays, schema=schema))
            written += len(batch)
    return settle_part(path, written)
