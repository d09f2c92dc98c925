"""The files that an import was made of: in its manifest, or in a part of their own.

Whoever opens a corpus reads the manifest, and should not have to read the names of a million files
with it.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from commonground.store.integrity import open_part
from commonground.store.manifest import SOURCES, SourceFile, StoreManifest, part_files

MOST_IN_MANIFEST = 10_000
"""Files that a manifest names itself."""

_BATCH = 65_536


def list_sources(store: Path, manifest: StoreManifest) -> list[SourceFile]:
    """Returns every file that was found, in order of name.

    Args:
        store: folder of the store.
        manifest: of the import.

    Raises:
        StoreError: the part that names them is damaged.
    """
    parts = part_files(store, manifest, SOURCES)
    if not parts:
        return manifest.sources
    found: list[SourceFile] = []
    for path in parts:
        with open_part(path) as file:
            for batch in file.iter_batches(_BATCH):
                columns = (column.to_pylist() for column in batch.columns)
                found += [SourceFile(*row) for row in zip(*columns, strict=True)]
    return found


def move_sources(folder: Path, manifest: StoreManifest) -> None:
    """Takes the files out of a manifest into a part, where they are many.

    Args:
        folder: data folder of the import.
        manifest: changed in place.

    Raises:
        OSError: it cannot be written.
    """
    if len(manifest.sources) <= MOST_IN_MANIFEST:
        return
    from commonground.store.arrow import pa
    from commonground.store.tables.columns import part_schema
    from commonground.store.tables.writing import open_parquet, part_name, settle_part

    schema = part_schema(SOURCES)
    path = folder / part_name(SOURCES, 0)
    with open_parquet(path, schema) as writer:
        for start in range(0, len(manifest.sources), _BATCH):
            rows = map(msgspec.structs.astuple, manifest.sources[start : start + _BATCH])
            columns = zip(*rows, strict=True)
            arrays = list(map(pa.array, columns, schema.types))
            writer.write_batch(pa.record_batch(arrays, schema=schema))
    part = settle_part(path, len(manifest.sources))
    manifest.parts = sorted([*manifest.parts, part], key=lambda each: each.name)
    manifest.sources = []
