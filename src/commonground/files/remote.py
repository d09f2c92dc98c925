"""Files in an object store: ``s3://BUCKET/PREFIX``, read and written with pyarrow.

Who may read, and where the store is, is said as for Amazon's own tools: ``AWS_ACCESS_KEY_ID`` and
its like, ``~/.aws``, the role of the machine, ``AWS_REGION``, ``AWS_ENDPOINT_URL``. An address
never says it, since addresses are shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import SourceError, UsageError

TRIES = 3
"""Times that a request is made which fails or is not answered."""

CONNECT_S = 5.0
REQUEST_S = 30.0
"""Seconds until a request is given up: without a connection, and without a byte."""

CHECK_STORE = "Check the bucket, the keys, AWS_REGION, AWS_ENDPOINT_URL and the network."
"""Advice where an object store does not answer or allow what is asked."""

_KINDS = "s3|s3a|gs|gcs|az|abfss?|hdfs|https?"
_ADDRESS = re.compile(rf"(?P<kind>{_KINDS}):/{{1,2}}(?P<key>[^/].*)", re.DOTALL)
"""With one slash as well, which is what a ``Path`` makes of two."""

_PIECE_BYTES = 8 << 20

_BROKEN_OFF = "INTERNAL_FAILURE"
"""In what pyarrow says of an answer that ends too early."""

_SECRET = re.compile(r"[?#]|^[^/]*@")


class RemoteFile(msgspec.Struct, frozen=True, gc=False):
    """A file of an object store.

    Attributes:
        address: where it is.
        name: below the address that was listed.
        size: in bytes.
        changed: when it was last changed, as the store says.
    """

    address: str
    name: str
    size: int
    changed: str


def is_remote(path: str | Path) -> bool:
    """Says whether a path that a user named is an address of an object store, of whatever kind."""
    return _ADDRESS.fullmatch(os.fspath(path)) is not None and not Path(path).exists()


def _split(address: str) -> tuple[str, str]:
    """Returns bucket and key.

    Raises:
        UsageError: it is of a store that is not known here, or says more than a place.
    """
    found = _ADDRESS.fullmatch(address)
    if found is None or found["kind"] != "s3":
        shown = address.replace(":/", "://", 1) if "://" not in address else address
        raise UsageError(f"{shown} cannot be read from here.", "Known: s3://BUCKET/PREFIX.")
    if _SECRET.search(found["key"]):
        raise UsageError(
            "An address names a bucket and a prefix, and no user or settings.",
            "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION or AWS_ENDPOINT_URL.",
        )
    bucket, _, key = found["key"].partition("/")
    return bucket, key.strip("/")


def write_address(path: str | Path) -> str:
    """Returns an address as people write it, whatever a ``Path`` made of it.

    Raises:
        UsageError: it is of a store that is not known here, or says more than a place.
    """
    bucket, key = _split(os.fspath(path))
    return f"s3://{bucket}/{key}".rstrip("/")


def list_remote(path: str | Path) -> Iterator[RemoteFile]:
    """Yields the files below an address, or the one that it is; hidden ones are left out.

    Args:
        path: the address.

    Raises:
        SourceError: nothing is there, or the store does not answer or allow it.
        UsageError: it is no address that can be read.
    """
    bucket, key = _split(os.fspath(path))
    root = f"{bucket}/{key}".strip("/")
    from pyarrow import fs

    try:
        store = _open_store(bucket)
        (found,) = store.get_file_info([root])
        if found.type == fs.FileType.NotFound:
            raise SourceError(f"s3://{root} does not exist.", "Check bucket and prefix.")
        if found.type == fs.FileType.File:
            yield _describe(found, found.base_name)
            return
        for each in store.get_file_info(fs.FileSelector(root, recursive=True)):
            name = each.path[len(root) + 1 :]
            if each.type == fs.FileType.File and not _is_hidden(name):
                yield _describe(each, name)
    except OSError as error:
        what = f"s3://{root} cannot be listed: {describe_error(error)}."
        raise SourceError(what, CHECK_STORE) from error


def list_below(path: str | Path) -> Iterator[RemoteFile]:
    """Yields the files below an address; none where nothing is there.

    Raises:
        OSError: the store does not answer or allow it.
    """
    bucket, key = _split(os.fspath(path))
    root = f"{bucket}/{key}".strip("/")
    from pyarrow import fs

    below = fs.FileSelector(root, recursive=True, allow_not_found=True)
    for each in _open_store(bucket).get_file_info(below):
        if each.type == fs.FileType.File:
            yield _describe(each, each.path[len(root) + 1 :])


def _describe(found: Any, name: str) -> RemoteFile:
    return RemoteFile(f"s3://{found.path}", name, found.size or 0, str(found.mtime_ns))


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def open_remote(path: str | Path) -> Any:
    """Opens a file of an object store for reading at any place, as a file object.

    Raises:
        OSError: it cannot be opened.
    """
    bucket, key = _split(os.fspath(path))
    return _open_store(bucket).open_input_file(f"{bucket}/{key}")


def read_remote(path: str | Path, size: int) -> bytes:
    """Returns all bytes of a file of an object store.

    Args:
        path: its address.
        size: the size that it was listed with.

    Raises:
        OSError: it cannot be read, or not whole.
    """
    problem = OSError()
    for _ in range(TRIES):
        try:
            with open_remote(path) as file:
                data: bytes = file.read()
        except OSError as error:
            problem = OSError(error.errno, describe_error(error))
            # The library tries again what fails, but not what breaks off.
            if _BROKEN_OFF not in str(error):
                break
        else:
            if len(data) == size:
                return data
            problem = OSError(None, f"{len(data):,} bytes came, and {size:,} were listed")
    raise problem


def find_remote(path: str | Path) -> RemoteFile | None:
    """Returns what is known of one file of an object store; None where there is none.

    Raises:
        OSError: the store does not answer or allow it.
    """
    bucket, key = _split(os.fspath(path))
    from pyarrow import fs

    (found,) = _open_store(bucket).get_file_info([f"{bucket}/{key}"])
    return _describe(found, found.base_name) if found.type == fs.FileType.File else None


def write_remote(path: str | Path, data: bytes) -> None:
    """Writes a file of an object store: who reads it gets the old bytes or the new ones, whole.

    Raises:
        OSError: it cannot be written.
    """
    bucket, key = _split(os.fspath(path))
    with _open_store(bucket).open_output_stream(f"{bucket}/{key}") as out:
        out.write(data)


def upload_file(source: Path, path: str | Path) -> None:
    """Copies a file of this machine to an object store, a piece of it in memory at a time.

    Where it fails midway, less of it may be there.

    Raises:
        OSError: it cannot be read or written.
    """
    bucket, key = _split(os.fspath(path))
    store = _open_store(bucket)
    with source.open("rb") as file, store.open_output_stream(f"{bucket}/{key}") as out:
        while piece := file.read(_PIECE_BYTES):
            out.write(piece)


def download_file(path: str | Path, beside: Path) -> None:
    """Copies a file of an object store to this machine, a piece of it in memory at a time.

    Where it fails midway, less of it is there: whoever asks for it looks at it before it is used.

    Raises:
        OSError: it cannot be read, or not whole; or the file cannot be written.
    """
    with open_remote(path) as file, beside.open("wb") as out:
        while piece := file.read(_PIECE_BYTES):
            out.write(piece)


def remove_below(path: str | Path) -> None:
    """Removes everything below an address.

    What is above it gets a mark of a folder from pyarrow: an empty object, ``PREFIX/``.

    Raises:
        OSError: nothing is there, or the store does not answer or allow it.
    """
    bucket, key = _split(os.fspath(path))
    _open_store(bucket).delete_dir(f"{bucket}/{key}")


def name_server() -> str:
    """Returns the address of the server that is spoken to; empty for the usual one."""
    return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL") or ""


def is_connected() -> bool:
    """Says whether this process has spoken to an object store, and so has threads of pyarrow's."""
    return _open_store.cache_info().currsize > 0


@cache
def _open_store(bucket: str) -> Any:
    """Returns the file system of a bucket; each process has one, which keeps its connections."""
    from pyarrow import fs

    endpoint = name_server() or None
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region is None and endpoint is None:
        region = fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(
        region=region,
        endpoint_override=endpoint,
        connect_timeout=CONNECT_S,
        request_timeout=REQUEST_S,
        # Small files are one request, which is all or nothing; only larger ones come in pieces.
        allow_delayed_open=True,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=TRIES),
    )


def describe_error(error: OSError) -> str:
    """Returns what a store answered, in half a sentence."""
    text = " ".join((error.strerror or str(error)).split())
    told = re.search(r"AWS Error (.+?) during (\w+) operation(?:: (.*))?", text)
    if told is None:
        return text.rstrip(".")
    if details := re.search(r"; Details: (.+)", told[3] or ""):
        return details[1].rstrip(". ")  # no connection: what the library underneath said of it
    more = f": {told[3]}" if told[3] else ""
    return f"{told[1]} during {told[2]}{more}".rstrip(". ")
