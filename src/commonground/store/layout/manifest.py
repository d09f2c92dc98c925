"""The manifest of an imported corpus, and the folders around it."""

from __future__ import annotations

import os
import shlex
from datetime import datetime
from pathlib import Path

import msgspec

from commonground.errors import StoreError
from commonground.files.outputs import sync_path
from commonground.printing import Brief
from commonground.schema import SCHEMA_VERSION, hash_columns
from commonground.store.layout.mirrors import name_store

MANIFEST_NAME = "manifest.json"

SOURCES = "sources"
"""Part that lists the files where they are many; no table of the schema, which is of dialogues."""

ASIDE = "aside"
"""Parts with labels whose events are not in the import: rows of ``acts`` that are in no table."""


class SourceFile(msgspec.Struct, frozen=True, gc=False):
    """A file that was imported, or left alone.

    Attributes:
        name: name below what was imported.
        size: length in bytes.
        sha256: checksum; None where it was left alone or could not be read.
        format: name of its format; None where it was left alone.
        records: records in it.
        dialogues: dialogues that came of them.
    """

    name: str
    size: int
    sha256: str | None
    format: str | None
    records: int = 0
    dialogues: int = 0


class PartFile(msgspec.Struct, frozen=True, gc=False):
    """A Parquet file of an import.

    Attributes:
        name: its name in the data folder: of a table, its name, a dash, the number of the shard.
        rows: rows in it.
        size: length in bytes.
        sha256: checksum.
    """

    name: str
    rows: int
    size: int
    sha256: str

    @property
    def table(self) -> str:
        """The table that it is a part of."""
        return self.name.rpartition("-")[0]


class LayerPart(msgspec.Struct, frozen=True, gc=False):
    """A layer of labels that was added to an import; see ``store.layers``.

    Attributes:
        name: of the layer.
        part: name of the part file that has its rows.
        question: that the labels answer.
        aside: name of the part file that has the labels whose events are not in the import; empty
            where all are.
    """

    name: str
    part: str
    question: str
    aside: str = ""

    @property
    def files(self) -> tuple[str, ...]:
        """Names of its part files."""
        return (self.part, self.aside) if self.aside else (self.part,)


class StoreManifest(Brief, msgspec.Struct, kw_only=True):
    """What is in the store of one corpus.

    Attributes:
        schema_version: version of the tables.
        commonground: version that wrote it.
        corpus: name of the corpus.
        data: name of the data folder in force.
        imported_at: UTC.
        images: folder of the images; None where none was named.
        checked: whether the corpus's rules were run.
        sources: every file that was found; empty where they are so many that they stand in a
            part of their own. See ``store.layout.source_files``, which knows both.
        parts: every Parquet file of the data folder, in order of tables and shards.
        counts: rows per table.
        splits: dialogues per split; "" for those in none.
        findings: findings per code.
        left_out: records that no dialogue could be made of; they are in the table ``native`` only.
        simulated: whether ``simulate`` invented what was imported.
        layers: of labels, added after the import; their parts are among ``parts``.
        index: every file of the index, by name below the data folder, with 0 rows; empty in imports
            of earlier versions.
        columns: hash of the columns of all tables; empty in imports of earlier versions.
    """

    schema_version: int
    commonground: str
    corpus: str
    data: str
    imported_at: datetime
    images: str | None
    checked: bool
    sources: list[SourceFile]
    parts: list[PartFile]
    counts: dict[str, int]
    splits: dict[str, int]
    findings: dict[str, int]
    left_out: int = 0
    simulated: bool = False
    layers: list[LayerPart] = []
    index: list[PartFile] = []
    columns: str = ""

    @property
    def files(self) -> list[PartFile]:
        """Every file of the data folder."""
        return [*self.parts, *self.index]


def default_store() -> Path:
    """Returns ``$COMMONGROUND_STORE``, or ``commonground-store`` in the current folder."""
    return Path(os.environ.get("COMMONGROUND_STORE") or "commonground-store")


def import_command(corpus: str, store: Path) -> str:
    """Writes the command that imports a corpus into a store, for advice.

    Args:
        corpus: name of the corpus.
        store: folder of the store, which is named where it is not the usual one.
    """
    where = "" if store == default_store() else f" --store {shlex.quote(name_store(store))}"
    return f"commonground import {corpus} PATH{where}"


def load_manifest(store: Path, corpus: str) -> StoreManifest | None:
    """Reads the manifest of one corpus; None where it was not imported.

    Raises:
        StoreError: the manifest is damaged, or of other tables than those of this version.
    """
    path = store / corpus / MANIFEST_NAME
    try:
        data = path.read_bytes()
    except (FileNotFoundError, NotADirectoryError):
        return None
    except OSError as error:
        raise StoreError(f"{path} cannot be read: {error.strerror}.") from error
    try:
        manifest = msgspec.json.decode(data, type=StoreManifest)
    except msgspec.DecodeError as error:
        advice = f"Import {corpus} again."
        raise StoreError(f"{path} is damaged: {error}.", advice) from error
    if manifest.schema_version != SCHEMA_VERSION:
        found = f"version {manifest.schema_version}, this is version {SCHEMA_VERSION}"
        raise StoreError(f"{store / corpus} has tables of {found}.", f"Import {corpus} again.")
    if manifest.columns != hash_columns():
        raise StoreError(
            f"{store / corpus} has not the columns of this version.", f"Import {corpus} again."
        )
    return manifest


def list_imports(store: Path) -> list[str]:
    """Lists the names of all corpora that the store has a manifest of, whole or damaged."""
    return sorted(path.parent.name for path in store.glob(f"*/{MANIFEST_NAME}"))


def save_manifest(store: Path, manifest: StoreManifest) -> None:
    """Puts an import in force: at every moment the old or the new manifest is there, whole.

    What the manifest speaks of has to be on the disk before, and what it replaces may go only
    after this returns: a disk keeps the order of nothing by itself.

    Raises:
        OSError: it cannot be written; the old one is in force.
    """
    write_manifest(store / manifest.corpus, encode_manifest(manifest))


def encode_manifest(manifest: StoreManifest) -> bytes:
    """Writes a manifest as JSON."""
    return msgspec.json.format(msgspec.json.encode(manifest), indent=1)


def write_manifest(folder: Path, data: bytes) -> None:
    """Writes the manifest of a corpus as :func:`save_manifest` does, from its JSON.

    Raises:
        OSError: it cannot be written; the old one is in force.
    """
    staged = folder / f"{MANIFEST_NAME}.new"
    with staged.open("wb") as file:
        file.write(data)
        # The bytes reach the disk before the name points at them, and the name itself after that: a
        # power cut leaves the old manifest or the new one, never half of one.
        file.flush()
        os.fsync(file.fileno())
    staged.replace(folder / MANIFEST_NAME)
    sync_path(folder)


def data_folder(store: Path, manifest: StoreManifest) -> Path:
    """Returns the folder of the tables of one corpus."""
    return store / manifest.corpus / manifest.data


def part_files(store: Path, manifest: StoreManifest, table: str) -> list[Path]:
    """Lists the Parquet files of one table of one corpus.

    Args:
        store: folder of the store.
        manifest: of the import in force.
        table: name of the table.

    Returns:
        The files in the order of their rows; none for a table without rows.
    """
    folder = data_folder(store, manifest)
    return [folder / part.name for part in manifest.parts if part.table == table]
