"""Downloads released files: checked by size and sha256, resumed where they broke off."""

from __future__ import annotations

import hashlib
import urllib.error
import urllib.request
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import msgspec

from commonground.corpora import Entry, Source
from commonground.errors import SourceError
from commonground.sources import is_outside

Progress = Callable[[int, int], None]
"""Told how many bytes of a file are there, and how many there will be (0 if unknown)."""
CHUNK = 1 << 20
TIMEOUT_S = 60


class Fetched(msgspec.Struct, frozen=True):
    """What became of one released file.

    Attributes:
        path: where it is.
        size: its length in bytes.
        sha256: its checksum.
        state: ``present`` (was there, and right), ``downloaded`` or ``resumed``.
        verified: whether the checksum was compared with a published one.
    """

    path: str
    size: int
    sha256: str
    state: Literal["present", "downloaded", "resumed"]
    verified: bool


def fetch_corpus(
    entry: Entry, out: Path, progress: Callable[[Source], Progress] | None = None
) -> list[Fetched]:
    """Downloads every released file of a corpus that has an address.

    Raises:
        SourceError: there is nothing to download without a person's consent (the advice says
            what to do), a download failed, or a file is not the published one.
    """
    fetchable = [source for source in entry.manifest.sources if source.url]
    if entry.manifest.manual or not fetchable:
        raise SourceError(
            f"{entry.name} cannot be fetched without you.",
            (entry.manifest.manual or f"See {entry.manifest.homepage}.").strip(),
        )
    done = []
    for source in fetchable:
        report = progress(source) if progress else _silent
        done.append(fetch_file(source, out, report))
    return done


def _silent(_done: int, _total: int) -> None:
    """Reports nothing."""


def fetch_file(source: Source, out: Path, progress: Progress = _silent) -> Fetched:
    """Downloads one file, or finishes a download that broke off.

    The bytes gather in ``NAME.part``; the file appears under its name when it is right.

    Raises:
        SourceError: see :func:`fetch_corpus`.
    """
    if is_outside(source.path):
        raise SourceError(f"{source.path!r} would be written outside {out}.")
    target = out / source.path
    if target.exists():
        found = _check(target, source)
        if found is not None:
            return Fetched(str(target), target.stat().st_size, found, "present", _known(source))
        raise SourceError(f"{target} is not the published file.", "Move it away and try again.")
    part = target.with_name(target.name + ".part")
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        resumed = _download(source, part, progress)
    except urllib.error.URLError as error:
        raise SourceError(f"{source.url} cannot be reached: {error.reason}.", _RETRY) from error
    except OSError as error:
        raise SourceError(f"{source.url} broke off: {error}.", _RETRY) from error
    digest = _check(part, source)
    if digest is None:
        size = part.stat().st_size
        part.unlink()
        expected = f"{source.size or 'any'} bytes with sha256 {source.sha256 or 'any'}"
        raise SourceError(
            f"{source.url} is not the published file: {size} bytes, expected {expected}.",
            "The authors may have replaced it; see the corpus card.",
        )
    part.replace(target)
    state: Literal["resumed", "downloaded"] = "resumed" if resumed else "downloaded"
    return Fetched(str(target), target.stat().st_size, digest, state, _known(source))


_RETRY = "Run the same command again; it goes on where this one stopped."


def _known(source: Source) -> bool:
    return source.sha256 is not None


def _download(source: Source, part: Path, progress: Progress) -> bool:
    """Appends what is missing to ``part``; returns whether something was there before."""
    have = part.stat().st_size if part.exists() else 0
    if have and have == source.size:
        return True
    request = urllib.request.Request(source.url or "", headers={"User-Agent": "commonground"})  # noqa: S310 - addresses stand in our own manifests
    if have:
        request.add_header("Range", f"bytes={have}-")
    with urllib.request.urlopen(request, timeout=TIMEOUT_S) as response:  # noqa: S310
        resumed = have > 0 and response.status == 206
        total = (have if resumed else 0) + int(response.headers.get("Content-Length") or 0)
        done = have if resumed else 0
        with part.open("ab" if resumed else "wb") as file:
            while chunk := response.read(CHUNK):
                file.write(chunk)
                done += len(chunk)
                progress(done, total)
    if total and done < total:
        raise OSError(f"{done:,} of {total:,} bytes arrived")
    return resumed


def _check(path: Path, source: Source) -> str | None:
    """Returns the checksum of a file; null where it is not the published one."""
    if source.size is not None and path.stat().st_size != source.size:
        return None
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return digest if source.sha256 in (None, digest) else None
