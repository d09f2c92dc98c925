"""What an import had finished when it was killed, for the next one to use.

Each shard that is finished leaves a record beside its part files. The records go when the import
comes into force or fails, so that only an import that was killed leaves some. The next import of
the same files takes such shards over, provided that their parts are what the records say.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import msgspec

from commonground import __version__
from commonground.files.listings import hash_file
from commonground.files.remote import list_below, read_remote, write_remote
from commonground.files.sources import Document
from commonground.schema import SCHEMA_VERSION
from commonground.store.arrow import pa
from commonground.store.importing.planning import Intake, ShardJob
from commonground.store.importing.shards import Divider, Progress, ShardReport, import_shard
from commonground.store.layout.generations import FINISHED, hold_left, link_part
from commonground.store.layout.remote import fetch_parts, is_part_name


class _Record(msgspec.Struct, frozen=True):
    """Shards that are finished.

    Attributes:
        plan: of which import, as :func:`fingerprint_plan` says.
        reports: of the shards.
    """

    plan: str
    reports: list[ShardReport]


_DECODER = msgspec.msgpack.Decoder(_Record)


def fingerprint_plan(intake: Intake, plan: Sequence[ShardJob]) -> str:
    """Returns what two imports share only if each shard of one is that of the other.

    A shard may depend on what side files say, so that every file counts for every shard. Files
    are told apart by size and times: the system sets the second time whenever it writes to one.

    Args:
        intake: what is imported.
        plan: its shards.
    """
    encode = msgspec.msgpack.encode
    made_by = __version__, pa.__version__, SCHEMA_VERSION
    asked = intake.entry.name, intake.images, intake.check, intake.identified.simulated
    digest = hashlib.sha256(encode((made_by, asked)))
    for document, fmt in intake.identified.known:
        changed = document.changed or _read_times(document)
        told = document.name, document.entry, document.size, fmt.name, changed
        digest.update(encode(told))
    for job in plan:
        pieces = [(each.document.name, each.number, each.of) for each in job.slices]
        digest.update(encode((job.part, job.with_orphans, pieces)))
    return digest.hexdigest()


def _read_times(document: Document) -> tuple[int, int] | None:
    try:
        status = os.stat(document.path)  # noqa: PTH116 - a Path for each of many files takes long
    except OSError:
        return None
    return status.st_mtime_ns, status.st_ctime_ns


def import_recorded(
    job: ShardJob,
    context: Any,
    divider: Divider | None = None,
    progress: Progress | None = None,
) -> ShardReport:
    """Imports a shard, and records that it is finished if its plan has a fingerprint.

    Args:
        job: as of :func:`.shards.import_shard`, like the others.
        context: what the corpus prepared from its side files.
        divider: keeps documents that several shards share.
        progress: told how far it is.

    Raises:
        OSError: the files cannot be written.
    """
    report = import_shard(job, context, divider, progress)
    # A document that ended a process may not do so again, and is to be tried then.
    if job.plan and not job.deadly:
        _write(Path(job.folder), f"shard-{job.part:05}", _Record(job.plan, [report]))
    return report


def _write(folder: Path, name: str, record: _Record) -> None:
    # Not synced: after a power cut, the parts are compared with what is written here.
    beside = folder / f"{name}.new"
    beside.write_bytes(msgspec.msgpack.encode(record))
    beside.replace(folder / FINISHED.replace("*", name))


def take_over(store: Path, corpus: str, folder: Path, plan: str) -> dict[int, ShardReport]:
    """Takes over what imports that were killed had finished of the same plan.

    Args:
        store: folder of the store.
        corpus: name of the corpus.
        folder: data folder of the import that goes on.
        plan: its fingerprint.

    Returns:
        The report of each such shard by its number; its parts are in the folder.

    Raises:
        OSError: the folder cannot be written.
    """
    found: dict[int, ShardReport] = {}
    for left in hold_left(store, corpus, folder):
        for report in _read(left, plan):
            if report.part not in found and _is_whole(left, report):
                for part in report.parts:
                    link_part(left / part.name, folder / part.name)
                found[report.part] = report
    if found:
        # At once for all: a kill before leaves the other folder as the one to go on from.
        _write(folder, "taken-over", _Record(plan, list(found.values())))
    return found


def _read(left: Path, plan: str) -> Iterator[ShardReport]:
    for path in sorted(left.glob(FINISHED)):
        # A record that a kill cut off is none: its shard is imported again.
        with suppress(OSError, msgspec.DecodeError):
            record = _DECODER.decode(path.read_bytes())
            if record.plan == plan:
                yield from record.reports


def _is_whole(left: Path, report: ShardReport) -> bool:
    try:
        return all(
            (left / part.name).stat().st_size == part.size
            and hash_file(left / part.name) == part.sha256
            for part in report.parts
        )
    except OSError:
        return False


def record_remotely(job: ShardJob, report: ShardReport) -> None:
    """Records beside the parts of a shard in an object store that it is finished.

    Args:
        job: with the address.
        report: what the shard came to; its parts are there.

    Raises:
        OSError: the object store does not take it.
    """
    if job.plan and not job.deadly:
        record = msgspec.msgpack.encode(_Record(job.plan, [report]))
        write_remote(f"{job.upload}/{FINISHED.replace('*', f'shard-{job.part:05}')}", record)


def take_over_remote(place: str, folder: Path, plan: str) -> dict[int, ShardReport]:
    """Takes over what workers had written to an object store for imports that were killed.

    Args:
        place: address that imports of the same plan have in common.
        folder: data folder of the import that goes on.
        plan: its fingerprint.

    Returns:
        The report of each such shard by its number; its parts are in the folder.
    """
    found: dict[int, ShardReport] = {}
    # What cannot be had is imported again. A store that does not answer is told of then.
    with suppress(OSError):
        for each in list(list_below(place)):
            if each.name.endswith(FINISHED[1:]):
                with suppress(OSError, msgspec.DecodeError):
                    record = _DECODER.decode(read_remote(each.address, each.size))
                    if record.plan == plan:
                        found.update(_fetch_whole(place, folder, record.reports))
    return found


def _fetch_whole(
    place: str, folder: Path, reports: Sequence[ShardReport]
) -> Iterator[tuple[int, ShardReport]]:
    for report in reports:
        # Whoever can write to the bucket chose the names.
        are_parts = all(is_part_name(part.name) for part in report.parts)
        if are_parts and fetch_parts(place, report.parts, folder):
            yield report.part, report


def forget_finished(folder: Path) -> None:
    """Removes the records of an import that is about to come into force."""
    for path in folder.glob(FINISHED):
        path.unlink()
