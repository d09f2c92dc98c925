"""Files in an object store: ``s3://BUCKET/PREFIX`` or ``gs://BUCKET/PREFIX``, with pyarrow.

Who may read, and where the store is, is said as for Amazon's own tools: ``AWS_ACCESS_KEY_ID`` and
its like, ``~/.aws``, the role of the machine, ``AWS_REGION``, ``AWS_ENDPOINT_URL``; and as for
Google's: ``GOOGLE_APPLICATION_CREDENTIALS``, what ``gcloud`` wrote, the account of the machine,
``STORAGE_EMULATOR_HOST``. An address never says it, since addresses are shown.
"""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Iterator
from datetime import timedelta
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import msgspec

from commonground.errors import SourceError, UsageError
from commonground.files.connecting import ended_at_once, tell_connecting

TRIES = 3
"""Times that a request is made which fails or is not answered."""

CONNECT_S = 5.0
REQUEST_S = 30.0
"""Seconds until a request is given up: without a connection, and without a byte. Google's library
has limits of its own for both, and makes a request that fails again for so many seconds."""

CHECK_STORE = (
    "Check the bucket, the network, and for s3:// the keys, AWS_REGION and AWS_ENDPOINT_URL,"
    " for gs:// GOOGLE_APPLICATION_CREDENTIALS."
)
"""Advice where an object store does not answer or allow what is asked."""

_KINDS = "s3|s3a|gs|gcs|az|abfss?|hdfs|https?"
_ADDRESS = re.compile(rf"(?P<kind>{_KINDS}):/{{1,2}}(?P<key>[^/].*)", re.DOTALL)
"""With one slash as well, which is what a ``Path`` makes of two."""

_SERVERS = {
    "s3": ("AWS_ENDPOINT_URL_S3", "AWS_ENDPOINT_URL"),
    "gs": ("STORAGE_EMULATOR_HOST",),
}
"""Variables that name a server other than the usual one, by kind of address; the first counts."""

_PIECE_BYTES = 8 << 20

_BROKEN_OFF = ("INTERNAL_FAILURE", "CURL error [18]")
"""One of them is in what pyarrow says of an answer that ends too early."""

# A signature behind ? or #, or key:secret@ before the bucket.
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


class _Place(msgspec.Struct, frozen=True):
    """What an address says.

    Attributes:
        kind: ``s3`` or ``gs``.
        bucket: name of the bucket.
        key: name of an object or beginning of names, without a slash at either end.
    """

    kind: str
    bucket: str
    key: str

    @property
    def path(self) -> str:
        """The name that pyarrow knows it by."""
        return f"{self.bucket}/{self.key}".strip("/")

    @property
    def address(self) -> str:
        """The address as people write it."""
        return f"{self.kind}://{self.path}"

    def store(self) -> Any:
        """Returns the file system that it is in."""
        return _open_store(self.kind, self.bucket)


def _split(path: str | Path) -> _Place:
    """Returns what an address says.

    Raises:
        UsageError: it is of a store that is not known here, or says more than a place.
    """
    address = os.fspath(path)
    found = _ADDRESS.fullmatch(address)
    if found is None or found["kind"] not in ("s3", "gs"):
        shown = address.replace(":/", "://", 1) if "://" not in address else address
        advice = "Known: s3://BUCKET/PREFIX and gs://BUCKET/PREFIX."
        raise UsageError(f"{shown} cannot be read from here.", advice)
    if _SECRET.search(found["key"]):
        raise UsageError(
            "An address names a bucket and a prefix, and no user or settings.",
            "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION or AWS_ENDPOINT_URL, or"
            " GOOGLE_APPLICATION_CREDENTIALS.",
        )
    bucket, _, key = found["key"].partition("/")
    return _Place(found["kind"], bucket, key.strip("/"))


def write_address(path: str | Path) -> str:
    """Returns an address as people write it, whatever a ``Path`` made of it.

    Raises:
        UsageError: it is of a store that is not known here, or says more than a place.
    """
    return _split(path).address


def list_remote(path: str | Path) -> Iterator[RemoteFile]:
    """Yields the files below an address, or the one that it is; hidden ones are left out.

    Args:
        path: the address.

    Raises:
        SourceError: nothing is there, or the store does not answer or allow it.
        UsageError: it is no address that can be read.
    """
    place = _split(path)
    root = place.path
    from pyarrow import fs

    try:
        store = place.store()
        (found,) = store.get_file_info([root])
        if found.type == fs.FileType.NotFound:
            raise SourceError(f"{place.address} does not exist.", "Check bucket and prefix.")
        if found.type == fs.FileType.File:
            yield _describe(place, found, found.base_name)
            return
        for each in store.get_file_info(fs.FileSelector(root, recursive=True)):
            name = each.path[len(root) + 1 :]
            if each.type == fs.FileType.File and not _is_hidden(name):
                yield _describe(place, each, name)
    except OSError as error:
        what = f"{place.address} cannot be listed: {describe_error(error)}."
        raise SourceError(what, CHECK_STORE) from error


def list_below(path: str | Path) -> Iterator[RemoteFile]:
    """Yields the files below an address; none where nothing is there.

    Raises:
        OSError: the store does not answer or allow it.
    """
    place = _split(path)
    from pyarrow import fs

    below = fs.FileSelector(place.path, recursive=True, allow_not_found=True)
    for each in place.store().get_file_info(below):
        if each.type == fs.FileType.File:
            yield _describe(place, each, each.path[len(place.path) + 1 :])


def _describe(place: _Place, found: Any, name: str) -> RemoteFile:
    address = f"{place.kind}://{found.path}"
    return RemoteFile(address, name, found.size or 0, str(found.mtime_ns))


def _is_hidden(name: str) -> bool:
    return any(part.startswith(".") for part in name.split("/"))


def open_remote(path: str | Path) -> Any:
    """Opens a file of an object store for reading at any place, as a file object.

    Raises:
        OSError: it cannot be opened.
    """
    place = _split(path)
    file = place.store().open_input_file(place.path)
    if place.kind == "gs":
        # The first question makes a request, during which pyarrow lets no other thread run.
        with ended_at_once():
            file.closed  # noqa: B018 - asking is what counts
    return file


def _open_whole(path: str | Path) -> Any:
    """Opens a file of an object store for reading it from its beginning to its end.

    Raises:
        OSError: it cannot be opened.
    """
    place = _split(path)
    if place.kind == "s3":
        return open_remote(path)
    # pyarrow lets no other thread of Python run while a file of Google's is asked for its size,
    # as one that is open at any place is when it is read.
    return place.store().open_input_stream(place.path)


def read_remote(path: str | Path, size: int) -> bytes:
    """Returns all bytes of a file of an object store.

    Args:
        path: its address.
        size: the size that it was listed with.

    Raises:
        OSError: it cannot be read, or not whole.
    """

    def fetch() -> bytes:
        with _open_whole(path) as file:
            return file.read()  # type: ignore[no-any-return]

    return _try_again(fetch, size)


def read_remote_stretch(path: str | Path, start: int, end: int) -> bytes:
    """Returns the bytes of a file of an object store from one place to before another.

    Args:
        path: its address.
        start: place of the first byte, from 0.
        end: place behind the last.

    Raises:
        OSError: they cannot be read, or not all.
    """

    def fetch() -> bytes:
        with open_remote(path) as file:
            return file.read_at(end - start, start)  # type: ignore[no-any-return]

    return _try_again(fetch, end - start)


def _try_again(fetch: Callable[[], bytes], size: int) -> bytes:
    """Returns what is fetched once it has the size that it should have.

    Raises:
        OSError: it cannot be fetched, or not whole.
    """
    problem = OSError()
    for _ in range(TRIES):
        try:
            data = fetch()
        except OSError as error:
            problem = OSError(error.errno, describe_error(error))
            # The library tries again what fails, but not what breaks off.
            if not any(mark in str(error) for mark in _BROKEN_OFF):
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
    place = _split(path)
    from pyarrow import fs

    (found,) = place.store().get_file_info([place.path])
    return _describe(place, found, found.base_name) if found.type == fs.FileType.File else None


def write_remote(path: str | Path, data: bytes) -> None:
    """Writes a file of an object store: who reads it gets the old bytes or the new ones, whole.

    Raises:
        OSError: it cannot be written.
    """
    place = _split(path)
    with place.store().open_output_stream(place.path) as out:
        out.write(data)


def upload_file(source: Path, path: str | Path) -> None:
    """Copies a file of this machine to an object store, a piece of it in memory at a time.

    Where it fails midway, less of it may be there.

    Raises:
        OSError: it cannot be read or written.
    """
    place = _split(path)
    with source.open("rb") as file, place.store().open_output_stream(place.path) as out:
        while piece := file.read(_PIECE_BYTES):
            out.write(piece)


def download_file(path: str | Path, beside: Path) -> None:
    """Copies a file of an object store to this machine, a piece of it in memory at a time.

    Where it fails midway, less of it is there: whoever asks for it looks at it before it is used.

    Raises:
        OSError: it cannot be read, or not whole; or the file cannot be written.
    """
    with _open_whole(path) as file, beside.open("wb") as out:
        while piece := file.read(_PIECE_BYTES):
            out.write(piece)


def remove_below(path: str | Path) -> None:
    """Removes everything below an address.

    In S3, what is above it gets a mark of a folder from pyarrow: an empty object, ``PREFIX/``.

    Raises:
        OSError: nothing is there, or the store does not answer or allow it.
    """
    place = _split(path)
    if place.kind == "gs":
        # Not `delete_dir`: it fails in the end, where nothing marks the folder itself.
        place.store().delete_dir_contents(place.path)
    else:
        place.store().delete_dir(place.path)


def name_server(path: str | Path) -> str:
    """Returns the address of the server that an address is of; empty for the usual one.

    Raises:
        UsageError: it is no address that can be read.
    """
    names = _SERVERS[_split(path).kind]
    return next((found for name in names if (found := os.environ.get(name))), "")


def is_connected() -> bool:
    """Says whether this process has spoken to an object store, and so has threads of pyarrow's."""
    return _open_store.cache_info().currsize > 0


@cache
def _open_store(kind: str, bucket: str) -> Any:
    """Returns the file system of a bucket; each process has one, which keeps its connections."""
    server = name_server(f"{kind}://{bucket}")
    tell_connecting()
    return _open_s3(bucket, server) if kind == "s3" else _open_gcs(server)


def _open_s3(bucket: str, server: str) -> Any:
    from pyarrow import fs

    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region is None and not server:
        region = fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(
        region=region,
        endpoint_override=server or None,
        connect_timeout=CONNECT_S,
        request_timeout=REQUEST_S,
        # Small files are one request, which is all or nothing; only larger ones come in pieces.
        allow_delayed_open=True,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=TRIES),
    )


def _open_gcs(server: str) -> Any:
    from pyarrow import fs

    again = timedelta(seconds=REQUEST_S)
    if not server:
        return fs.GcsFileSystem(retry_time_limit=again)
    # As Google's own libraries take it: a server for tests, which knows nobody.
    named = urlsplit(server if "//" in server else f"http://{server}")
    return fs.GcsFileSystem(
        anonymous=True,
        scheme=named.scheme,
        endpoint_override=named.netloc,
        retry_time_limit=again,
    )


def describe_error(error: OSError) -> str:
    """Returns what a store answered, in half a sentence."""
    text = " ".join((error.strerror or str(error)).split())
    # google::cloud::Status(NOT_FOUND: ...
    if of_google := re.search(r"google::cloud::Status\((\w+): (.*)", text):
        return _describe_google(of_google[1], of_google[2])
    # AWS Error ACCESS_DENIED during GetObject operation: ...
    told = re.search(r"AWS Error (.+?) during (\w+) operation(?:: (.*))?", text)
    if told is None:
        return text.rstrip(".")
    if details := re.search(r"; Details: (.+)", told[3] or ""):
        return details[1].rstrip(". ")  # no connection: what the library underneath said of it
    more = f": {told[3]}" if told[3] else ""
    return f"{told[1]} during {told[2]}{more}".rstrip(". ")


def _describe_google(code: str, text: str) -> str:
    told = text.rpartition(" with a last message of ")[2].partition(" error_info=")[0]
    # Google answers in JSON, of which this is the part for people.
    if message := re.search(r'"message": ?"(.*?)"', told):
        told = message[1]
    return f"{code}: {told}".rstrip(". ")
