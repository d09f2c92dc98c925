"""The manifest of an imported corpus, and the folders around it."""

from __future__ import annotations

import os
import shlex
from datetime import datetime
from pathlib import Path
from typing import Literal

import msgspec

from commonground.errors import StoreError
from commonground.files.formats import Columns
from commonground.files.outputs import sync_path
from commonground.printing import Brief, count_of
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


class OwnSplits(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Splits of an import that are not the released ones.

    Attributes:
        kind: ``file``: a list of one's own; ``published``: by others than the corpus's authors;
            ``holdout``: a share of the dialogues.
        name: of the list's file, or of the published splits; empty for a hold-out.
        sha256: checksum of the list; empty without one.
        source: where published splits are from; empty for others.
        listed: ids that the list says a split of.
        faults: entries of the list that do not count.
        absent: listed ids that are in no file.
        unlisted: dialogues that are in no list, and so in no split.
        share: share of the dialogues that was to be held out; 0 without a hold-out.
        seed: that decided which.
        apart: what the held-out dialogues do not have in common with the others, such as
            ``image``; empty where they may have everything.
        reached: share that is held out.
        groups: groups of dialogues that have nothing of that in common; each stays whole.
        largest: share of the dialogues that the largest group has.
    """

    kind: Literal["file", "published", "holdout"]
    name: str = ""
    sha256: str = ""
    source: str = ""
    listed: int = 0
    faults: int = 0
    absent: int = 0
    unlisted: int = 0
    share: float = 0.0
    seed: int = 0
    apart: str = ""
    reached: float = 0.0
    groups: int = 0
    largest: float = 0.0

    def is_like(self, other: OwnSplits) -> bool:
        """Says whether two imports of the same files have the same splits."""
        return self._asked() == other._asked()

    def _asked(self) -> tuple[object, ...]:
        # What a list says counts, not what its file is called.
        name = "" if self.kind == "file" else self.name
        return self.kind, name, self.sha256, self.share, self.seed, self.apart

    def describe(self) -> str:
        """Says what the splits are, in a line."""
        if self.kind == "published":
            return f"{self.name}, published by {self.source}"
        if self.kind == "file":
            return "; ".join([f"your own, of {self.name} ({self.sha256[:12]})", *self._gaps()])
        text = f"a hold-out of {self.reached:.1%} with seed {self.seed}"
        if not self.apart:
            return text
        text += f", no {self.apart} of which is in the rest"
        if round(self.reached, 3) != round(self.share, 3):
            text += f"; {self.share:.1%} was asked for"
        groups = f"{count_of(self.groups, 'group')} of dialogues"
        return (
            f"{text}; {groups} have no {self.apart} in common, the largest has {self.largest:.1%}"
        )

    def _gaps(self) -> list[str]:
        counts = {
            "of its entries cannot be used": self.faults,
            "of its ids are in no file": self.absent,
            "dialogues are in none of its lists": self.unlisted,
        }
        return [f"{count:,} {what}" for what, count in counts.items() if count]


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
        own_splits: what the splits are; None for the released ones.
        columns: hash of the columns of all tables; empty in imports of earlier versions.
        named_columns: columns of the imported files that the user named, each after its field.
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
    own_splits: OwnSplits | None = None
    columns: str = ""
    named_columns: Columns = ()

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
