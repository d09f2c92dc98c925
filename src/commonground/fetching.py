"""Downloads released files: checked by size and sha256, resumed where they broke off.

What a server sends is not trusted. A download goes on where it stopped only if it is certain that
the rest is of the same file: by the published checksum, or by the mark of the version (``ETag`` or
``Last-Modified``) that the server gave with the first bytes. Else it starts again.
"""

from __future__ import annotations

import hashlib
import http.client
import os
import re
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, Literal

import msgspec

from commonground.corpora import Entry, Source, get_corpus
from commonground.errors import SourceError
from commonground.files.locks import take_lock
from commonground.files.outputs import write_file
from commonground.files.sources import is_outside

Progress = Callable[[int, int], None]
"""Called with how many bytes of a file are there, and how many there will be (0 if unknown)."""
CHUNK = 1 << 20
TIMEOUT_S = 60
MOST_BYTES = 2 << 30
"""Bytes of a file whose size no ``corpus.toml`` says; a server may send without an end."""


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


class _Begun(msgspec.Struct, frozen=True):
    """What is known of a download that broke off; stands beside its bytes.

    Attributes:
        url: where they came from.
        version: the server's mark of the version; None where it gave none.
        size: bytes that the whole file has; None where the server did not say.
    """

    url: str
    version: str | None
    size: int | None


class _StaleError(Exception):
    """The rest does not belong to what is there."""


def fetch(corpus: str, out: str | Path) -> list[Fetched]:
    """Downloads the released files of a corpus, checked by size and sha256.

    Files that are there and right are left alone; a download that broke off goes on.

    Args:
        corpus: name of the corpus.
        out: folder to download to.

    Raises:
        UsageError: there is no such corpus.
        SourceError: its terms must be accepted first (the advice says how), a download failed,
            or a file is not the published one.

    Example:
        >>> import commonground as cg
        >>> cg.fetch("frames", "downloads")
        Traceback (most recent call last):
        commonground.errors.SourceError: ...
    """
    return fetch_corpus(get_corpus(corpus), Path(out))


def _silent(_done: int, _total: int) -> None:
    """Stands for a report of progress where nobody asked for one."""


def fetch_corpus(entry: Entry, out: Path, progress: Progress = _silent) -> list[Fetched]:
    """Downloads every released file of a corpus that has an address.

    Args:
        entry: the corpus.
        out: folder to download to.
        progress: called with the bytes of each file that are there and the bytes of the whole.

    Raises:
        SourceError: there is nothing to download without a person's consent (the advice says
            what to do), a download failed, or a file is not the published one.
    """
    fetchable = [source for source in entry.manifest.sources if source.url]
    if entry.manifest.manual or not fetchable:
        raise SourceError(
            f"{entry.name} cannot be downloaded by a program; download it yourself.",
            (entry.manifest.manual or f"See {entry.manifest.homepage}.").strip(),
        )
    return [fetch_file(source, out, progress) for source in fetchable]


def fetch_file(source: Source, out: Path, progress: Progress = _silent) -> Fetched:
    """Downloads one file, or finishes a download that broke off.

    The bytes gather in ``NAME.part``; the file appears under its name when it is right.

    Args:
        source: address, size and sha256 of the file, and where it stands below ``out``.
        out: folder to download to.
        progress: called with the bytes that are there and the bytes of the whole.

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
        with _open_alone(part) as file:
            resumed, digest = _finish(source, part, file, progress)
            # The bytes before the name: after a power cut nothing half stands under the final name.
            os.fsync(file.fileno())
            size = part.stat().st_size
            part.replace(target)
            _forget(part)
    except urllib.error.URLError as error:
        reason = getattr(error.reason, "strerror", None) or error.reason  # without its number
        raise SourceError(f"{source.url} cannot be reached: {reason}.", _RETRY) from error
    except http.client.HTTPException as error:
        raise SourceError(f"{source.url} broke off: {_describe(error)}.", _RETRY) from error
    except (OSError, ValueError) as error:  # the latter where a server leads to no address
        raise SourceError(f"{source.url} broke off: {error}.", _RETRY) from error
    state: Literal["resumed", "downloaded"] = "resumed" if resumed else "downloaded"
    return Fetched(str(target), size, digest, state, _known(source))


_RETRY = "Run the same command again; it resumes where this one stopped, if it can."


def _known(source: Source) -> bool:
    return source.sha256 is not None


def _describe(error: http.client.HTTPException) -> str:
    if isinstance(error, http.client.IncompleteRead):
        return "the rest did not arrive"
    return f"the answer is not readable HTTP ({type(error).__name__}: {str(error)[:80]})"


@contextmanager
def _open_alone(part: Path) -> Iterator[BinaryIO]:
    """Opens what gathers the bytes; two downloads that append to it would mix them.

    Raises:
        SourceError: another command has it.
    """
    while True:
        # To append truncates nothing: what another download has gathered stays until the lock is
        # ours.
        with part.open("ab") as file:
            if not take_lock(file):
                problem = f"Another command is fetching {part.with_suffix('')}."
                raise SourceError(problem, "Wait for it.")
            if not _is_same(file, part):
                # The other command was done in the moment before, and this is its file by now.
                continue
            try:
                yield file
            finally:
                file.flush()
                if _is_same(file, part) and part.stat().st_size == 0:
                    part.unlink()
                    _forget(part)
            return


def _is_same(file: BinaryIO, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(file.fileno()), path.stat())
    except FileNotFoundError:
        return False


def _finish(source: Source, part: Path, file: BinaryIO, progress: Progress) -> tuple[bool, str]:
    """Downloads what is missing; says whether something was there before, and the checksum."""
    # A second time at most, from the first byte on, where the two halves are not of one file.
    for may_resume in (True, False):
        try:
            resumed = _download(source, part, file, progress, may_resume=may_resume)
        # What is on the disk is the beginning of another file than the one that is served now.
        except _StaleError:
            continue
        digest = _check(part, source)
        if digest is not None:
            return resumed, digest
        if not resumed:
            break
    size = part.stat().st_size
    part.unlink()
    _forget(part)
    expected = f"{source.size or 'any'} bytes with sha256 {source.sha256 or 'any'}"
    raise SourceError(
        f"{source.url} is not the published file: {size} bytes, expected {expected}.",
        "The authors may have replaced it; see the corpus card.",
    )


def _download(
    source: Source, part: Path, file: BinaryIO, progress: Progress, *, may_resume: bool
) -> bool:
    """Adds what is missing to ``part``; returns whether something was there before.

    Raises:
        _StaleError: what was there is not the beginning of what the server has.
    """
    have, begun = _look(source, part) if may_resume else (0, None)
    # All of it arrived, and the download ended before it was given its name.
    if have and have == source.size and _known(source):
        return True
    request = urllib.request.Request(source.url or "", headers={"User-Agent": "commonground"})  # noqa: S310 - addresses stand in our own manifests
    if have:
        request.add_header("Range", f"bytes={have}-")
        if begun is not None and begun.version is not None:
            # Without it a server would send the rest of whatever the file is by now.
            request.add_header("If-Range", begun.version)
    try:
        response = _OPENER.open(request, timeout=TIMEOUT_S)
    except urllib.error.HTTPError as error:
        error.close()
        if have and error.code == http.client.REQUESTED_RANGE_NOT_SATISFIABLE:
            raise _StaleError from None
        raise
    with response:
        resumed = have > 0 and response.status == http.client.PARTIAL_CONTENT
        if not resumed and response.status != http.client.OK:
            raise SourceError(f"{source.url} answers with {response.status} instead of the file.")
        if resumed and not _is_same_version(source, response, begun):
            raise _StaleError
        total = _read_total(source, response, have if resumed else 0, begun)
        if not resumed:
            have = 0
            _forget(part)
            file.truncate(0)
            _remember(part, _Begun(source.url or "", _version(response), total))
        _gather(source, response, file, have, total, progress)
    return resumed


def _look(source: Source, part: Path) -> tuple[int, _Begun | None]:
    """Returns how much of a file is there that can be gone on from, and what is known of it."""
    have = part.stat().st_size
    try:
        begun = msgspec.json.decode(_note(part).read_bytes(), type=_Begun)
    except (OSError, msgspec.DecodeError):
        begun = None
    if begun is not None and begun.url != source.url:
        return 0, None
    size = source.size or (begun.size if begun else None)
    if size is not None and have > size:
        return 0, None
    # A checksum tells in the end whether all was of one file; without it, the server must.
    certain = _known(source) or (begun is not None and begun.version is not None)
    return (have, begun) if certain else (0, None)


def _read_total(source: Source, response: Any, have: int, begun: _Begun | None) -> int | None:
    """Returns how long the whole file is; None where nobody says.

    Raises:
        _StaleError: the answer does not continue what is there.
        SourceError: the file is too large, or nothing says whether the download is
            complete.
    """
    length = response.headers.get("Content-Length")
    # ``int`` takes more than HTTP allows: signs, underscores, digits of other scripts.
    if length is not None and not re.fullmatch(r"[0-9]{1,15}", length.strip()):
        raise SourceError(f"{source.url} says that it has {length[:40]!r} bytes.", _RETRY)
    encoding = response.headers.get("Content-Encoding", "identity")
    if encoding != "identity":
        raise SourceError(f"{source.url} comes as {encoding[:40]!r}, which was not asked for.")
    chunked = response.headers.get("Transfer-Encoding", "").lower() == "chunked"
    total = None if length is None or chunked else int(length)
    if have:
        total = _read_range(response, have)
        if begun is not None and begun.size not in (None, total):
            raise _StaleError
    if source.size is not None and total not in (None, source.size):
        if have:
            raise _StaleError
        problem = (
            f"{source.url} is not the published file: {total:,} bytes, expected {source.size:,}."
        )
        raise SourceError(problem, "The authors may have replaced it; see the corpus card.")
    if source.size is None and (total or 0) > MOST_BYTES:
        raise _too_large(source, MOST_BYTES)
    if total is None and not chunked and not _known(source) and source.size is None:
        problem = (
            f"{source.url} does not state its length, so it is not known whether all of it arrived."
        )
        raise SourceError(problem, "Download it by other means.")
    return total


def _read_range(response: Any, have: int) -> int:
    """Returns the length of the whole file from an answer that continues it at a byte.

    Raises:
        _StaleError: it goes on elsewhere.
    """
    given = response.headers.get("Content-Range", "")
    # Such as "bytes 1000-1999/2000": first, last, total. Fifteen digits hold any length, and keep
    # `int` from numbers without an end.
    found = re.fullmatch(r"bytes ([0-9]{1,15})-([0-9]{1,15})/([0-9]{1,15})", given.strip())
    if found is None:
        raise _StaleError
    first, last, total = map(int, found.groups())
    if first != have or last != total - 1:
        raise _StaleError
    return total


def _gather(
    source: Source, response: Any, file: BinaryIO, done: int, total: int | None, progress: Progress
) -> None:
    """Writes what arrives, and no more than there may be."""
    most = source.size or total or MOST_BYTES
    while chunk := response.read(CHUNK):
        done += len(chunk)
        if done > most:
            # Else the next command would go on from bytes that are of no use.
            file.truncate(0)
            raise _too_large(source, most)
        file.write(chunk)
        progress(done, total or 0)
    file.flush()
    if total is not None and done < total:
        raise OSError(f"{done:,} of {total:,} bytes arrived")


def _too_large(source: Source, most: int) -> SourceError:
    return SourceError(
        f"{source.url} has more than {most:,} bytes, which it should not.",
        "It may be another file by now; see the corpus card. A size in corpus.toml allows more.",
    )


def _version(response: Any) -> str | None:
    """Returns what tells one version of a file from another; a weak mark does not."""
    tag: str | None = response.headers.get("ETag")
    # A weak mark stays the same for files that only mean the same; RFC 9110, 8.8.1.
    if tag is not None and not tag.startswith("W/"):
        return tag
    found: str | None = response.headers.get("Last-Modified")
    return found


def _is_same_version(source: Source, response: Any, begun: _Begun | None) -> bool:
    """Says whether the rest can be of the file that was begun, as far as the server knows."""
    before, now = begun and begun.version, _version(response)
    return before == now or (_known(source) and None in (before, now))


def _note(part: Path) -> Path:
    return part.with_name(part.name + ".json")


def _remember(part: Path, begun: _Begun) -> None:
    write_file(_note(part), msgspec.json.encode(begun))


def _forget(part: Path) -> None:
    with suppress(FileNotFoundError):
        _note(part).unlink()


def _check(path: Path, source: Source) -> str | None:
    """Returns the checksum of a file; None where it is not the published one."""
    if source.size is not None and path.stat().st_size != source.size:
        return None
    with path.open("rb") as file:
        digest = hashlib.file_digest(file, "sha256").hexdigest()
    return digest if source.sha256 in (None, digest) else None


class _Redirects(urllib.request.HTTPRedirectHandler):
    """Follows to no place that is less safe than the one before."""

    def redirect_request(
        self, req: Any, fp: Any, code: int, msg: str, headers: Any, newurl: str
    ) -> Any:
        if req.full_url.startswith("https:") and not newurl.startswith("https:"):
            raise urllib.error.URLError("it redirects from https to an address without")
        return super().redirect_request(req, fp, code, msg, headers, newurl)


def _make_opener() -> urllib.request.OpenerDirector:
    """Returns what opens http and https, and neither files nor ftp, wherever a server leads."""
    # Not `build_opener`, which adds handlers of `file:` and `ftp:` by itself.
    opener = urllib.request.OpenerDirector()
    for handler in (
        urllib.request.ProxyHandler,
        urllib.request.HTTPHandler,
        urllib.request.HTTPSHandler,
        urllib.request.HTTPDefaultErrorHandler,
        urllib.request.HTTPErrorProcessor,
        urllib.request.UnknownHandler,
        _Redirects,
    ):
        opener.add_handler(handler())
    return opener


_OPENER = _make_opener()
