"""What an import did, in numbers and names: what was read, what was not, and what it replaced."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Set
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Any

import msgspec

from commonground.files import faults
from commonground.files.sources import Document, is_file, safe_name
from commonground.findings import SEVERITIES
from commonground.printing import count_of
from commonground.store.arrow import read_parquet
from commonground.store.importing.planning import Intake
from commonground.store.layers import KeptLayer
from commonground.store.layout.manifest import StoreManifest, part_files
from commonground.store.pictures import MEDIA_TYPES, Missing, PictureFolder

_UNREADABLE = {
    rule.code: rule
    for rule in (
        faults.UNREADABLE,
        faults.UNSAFE_ENTRY,
        faults.ARCHIVE_BOMB,
        faults.DAMAGED_ARCHIVE,
        faults.PACKED,
        faults.NOT_JSON,
        faults.NOT_UTF8,
        faults.JSON_LINES,
        faults.DEADLY,
    )
}
"""Rules that do not hold where a file, or a part of one, could not be read."""

_TRIED_FOLDERS, _TRIED_NAMES = 200, 50
"""Folders that are tried beside the files, and pictures looked for in each: some milliseconds."""


class Replacement(msgspec.Struct, frozen=True, kw_only=True):
    """What an import takes the place of.

    Attributes:
        dialogues: dialogues of the previous import.
        gone: those of them whose ids are not in the new import.
        imported_at: when it was made, UTC.
        by: dialogues of the new import.
        unit: what a dialogue of the corpus is called, such as ``game``.
    """

    dialogues: int
    gone: int
    imported_at: datetime
    by: int
    unit: str

    @property
    def loses_most(self) -> bool:
        """Whether more than half of the previous dialogues would go."""
        return self.gone * 2 > self.dialogues

    def describe(self) -> str:
        """Says what is replaced by what, as half a sentence."""
        when = f"{self.imported_at:%Y-%m-%d %H:%M} UTC"
        before = count_of(self.dialogues, self.unit)
        return f"{before} imported on {when} by {self.by:,}; {self._describe_loss()}"

    def _describe_loss(self) -> str:
        if not self.gone:
            return "all of the old ones are among the new"
        if self.gone == self.dialogues:
            return "none of the old ones is among the new"
        verb = "is" if self.gone == 1 else "are"
        return f"{self.gone:,} of the old ones {verb} not among the new"


class UnreadFile(msgspec.Struct, frozen=True):
    """A file that could not be read, or not all of it.

    Attributes:
        name: its name below what was imported.
        path: JSON path or line of the part; None for the whole file.
        code: of the rule that says so.
        reason: a sentence, with line and column where they are known.
    """

    name: str
    path: str | None
    code: str
    reason: str


class PictureCount(msgspec.Struct, frozen=True, kw_only=True):
    """How many pictures of a corpus are in a folder.

    Attributes:
        folder: the folder; None where the pictures are in archives or an object store.
        used: whether the import uses it; else it lies beside the files, or beside the folder that
            was named, and could be used.
        wanted: pictures that the corpus names.
        found: those of them that the folder has. Of one beside the files it is 0 where the corpus
            knows its pictures by other names than their files have.
        missing: names of the others.
        broken: of those that the folder has and that are no pictures, or cannot be read, why.
    """

    folder: str | None
    used: bool
    wanted: int
    found: int
    missing: list[str]
    broken: dict[str, str] = {}


class ImportSummary(msgspec.Struct, kw_only=True):
    """What an import did.

    Attributes:
        manifest: what is in the store now.
        unchanged: whether the very same files were there already, and nothing was done.
        replaced: what it took the place of; None where there was nothing, or nothing was done.
        left_alone: files that are of no format of this corpus, pictures not counted.
        pictures: number of picture files among what was named.
        errors: number of findings of severity ``error``.
        severities: number of findings of each severity.
        left_out: records that no dialogue could be made of.
        images: how many of the corpus's pictures are in the image folder, or in one beside the
            files; None where there is no such folder, or the corpus names no pictures.
        shards: parts that the import was divided into; 0 where nothing was done.
        layers: what became of the layers of labels that had been added to the previous import.
    """

    manifest: StoreManifest
    unchanged: bool
    replaced: Replacement | None = None
    seconds: float
    left_alone: list[str]
    pictures: int
    errors: int
    severities: dict[str, int] = {}
    unreadable: list[UnreadFile] = []
    left_out: int = 0
    images: PictureCount | None = None
    shards: int = 0
    layers: list[KeptLayer] = []


def summarise(
    intake: Intake,
    manifest: StoreManifest,
    store: Path,
    *,
    unchanged: bool = False,
    replaced: Replacement | None = None,
) -> ImportSummary:
    """Says what an import did."""
    strangers = intake.identified.left_alone
    pictures = [each for each in strangers if _is_picture(each)]
    severities = _count_severities(store, manifest)
    return ImportSummary(
        manifest=manifest,
        unchanged=unchanged,
        replaced=replaced,
        # The importer puts in how long it took, once all is done.
        seconds=0,
        left_alone=[each.name for each in strangers if not _is_picture(each)],
        pictures=len(pictures),
        errors=severities["error"],
        severities=severities,
        unreadable=_list_unreadable(store, manifest),
        left_out=manifest.left_out,
        images=_count_pictures(intake, manifest, store, pictures),
    )


def _count_severities(store: Path, manifest: StoreManifest) -> dict[str, int]:
    found: Counter[str] = Counter()
    for path in part_files(store, manifest, "findings"):
        # The column, not rows: a corpus can have more findings than records.
        found.update(read_parquet(path, ("severity",))["severity"].to_pylist())
    return {each: found[each] for each in SEVERITIES}


def _is_picture(document: Document) -> bool:
    return Path(document.name).suffix.lower() in MEDIA_TYPES


def _iterate(
    store: Path, manifest: StoreManifest, table: str, *columns: str
) -> Iterator[dict[str, Any]]:
    for path in part_files(store, manifest, table):
        yield from read_parquet(path, columns).to_pylist()


def _list_unreadable(store: Path, manifest: StoreManifest) -> list[UnreadFile]:
    """Lists each file once, with the first remark about it."""
    if _UNREADABLE.keys().isdisjoint(manifest.findings):
        return []
    files: dict[str, UnreadFile] = {}
    columns = ("code", "source_file", "source_path", "message", "found")
    for row in _iterate(store, manifest, "findings", *columns):
        code, name = row["code"], row["source_file"]
        if code in _UNREADABLE:
            path = None if row["source_path"] == "$" else row["source_path"]
            files.setdefault(name, UnreadFile(name, path, code, _write_reason(row)))
    return [files[name] for name in sorted(files)]


def _write_reason(row: dict[str, Any]) -> str:
    # Of text that cannot be decoded, the message has line and column, and `found` what is there.
    if row["code"] in (faults.NOT_JSON.code, faults.NOT_UTF8.code) or not row["found"]:
        return str(row["message"])
    return f"{row['message'].removesuffix('.')}: {row['found']}"


def _count_pictures(
    intake: Intake, manifest: StoreManifest, store: Path, beside: list[Document]
) -> PictureCount | None:
    uris = {row["uri"] for row in _iterate(store, manifest, "objects", "uri")}
    wanted = uris - {None}
    if not wanted:
        return None
    folder = (
        intake.options.images
        or _find_folder(beside, wanted, everything=None in uris)
        or _look_around(intake.identified.known[0][0] if intake.identified.known else None, wanted)
    )
    if not (folder or beside):
        return None
    there = PictureFolder(Path(folder) if folder else None)
    found = {uri: there.find(uri) for uri in sorted(wanted)}
    absent = {uri: each for uri, each in found.items() if isinstance(each, Missing)}
    broken = {uri: each.reason for uri, each in absent.items() if each.broken}
    missing = sorted(absent.keys() - broken.keys())
    return PictureCount(
        folder=safe_name(folder) if folder else None,
        used=intake.options.images is not None,
        wanted=len(wanted),
        found=len(wanted) - len(absent),
        missing=missing,
        broken=broken,
    )


def _look_around(document: Document | None, wanted: Set[str]) -> str | None:
    """Returns a folder beside the one that was imported that has pictures as the corpus names them.

    Released logs and images lie side by side, and people name the logs alone.

    Args:
        document: any that was imported; None where there is none.
        wanted: paths or addresses by which the corpus names pictures.
    """
    if document is None or document.is_remote:
        return None
    path = Path(document.path).resolve()
    # A name is relative to what was named for the import; of a file in an archive that is the
    # archive.
    below = 1 if document.entry is not None else document.name.count("/") + 1
    named = path.parents[below - 1]
    # Names come from the data: none may lead out of the folder that is tried.
    names = [uri for uri in sorted(wanted) if not {"..", ""} & set(uri.split("/"))][:_TRIED_NAMES]
    for around in (named, named.parent):
        for folder in islice(_list_folders(around), _TRIED_FOLDERS):
            if any(is_file(folder / name) for name in names):
                # As the files were named: relative paths stay relative.
                return str(folder) if Path(document.path).is_absolute() else os.path.relpath(folder)
    return None


def _list_folders(folder: Path) -> Iterator[Path]:
    try:
        yield from sorted(each for each in folder.iterdir() if each.is_dir())
    except OSError:
        return  # what may not be listed has nothing to offer


def _find_folder(pictures: list[Document], wanted: Set[str], *, everything: bool) -> str | None:
    """Returns the folder below which pictures lie as the corpus names them; None for no pictures.

    Where none is named by its path, it is the folder that has them all.

    Args:
        pictures: those beside the files.
        wanted: paths or addresses by which the corpus names pictures.
        everything: whether other pictures may be of objects that the corpus names no picture of.
    """
    paths = [Path(each.path) for each in pictures if each.entry is None and not each.is_remote]
    # How many last parts of a path to compare.
    lengths = {uri.count("/") + 1 for uri in wanted}
    named = {
        path.parents[length - 1]
        for path in paths
        for length in lengths
        if "/".join(path.parts[-length:]) in wanted
    }
    folders = named | ({path.parent for path in paths} if everything or not named else set())
    return os.path.commonpath(folders) if folders else None
