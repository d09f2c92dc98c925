"""Files in an object store: ``s3://BUCKET/PREFIX`` or ``gs://BUCKET/PREFIX``, with pyarrow.

Who may read, and where the store is, is said as for Amazon's own tools (``AWS_ACCESS_KEY_ID`` and
its like, ``~/.aws``, the role of the machine, ``AWS_REGION``, ``AWS_ENDPOINT_URL``) and for
Google's (``GOOGLE_APPLICATION_CREDENTIALS``, ``STORAGE_EMULATOR_HOST``). An address never says it,
since addresses are shown.
"""

from __future__ import annotations

import os
import re
import shutil
import signal
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from functools import cache, partial
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import urlsplit

import msgspec

from commonground.errors import UsageError

TRIES = 3
"""Times that a request is made which fails, is not answered or breaks off."""

REQUEST_S = 30.0
"""Seconds without a byte until a request is given up. Google's library has a limit of its own, and
makes a request that fails again for so many seconds."""

CHECK_STORE = (
    "Check the bucket, the network, and for s3:// the keys, AWS_REGION and AWS_ENDPOINT_URL,"
    " for gs:// GOOGLE_APPLICATION_CREDENTIALS."
)
"""Advice where an object store does not answer or allow what is asked."""

_AT_ONCE = 8
"""Files under way at a time: most of the time of each is waiting for the store."""

_PIECE_BYTES = 8 << 20

_BROKEN_OFF = ("INTERNAL_FAILURE", "CURL error [18]")
"""One of them is in what pyarrow says of an answer that ends too early."""

# With one slash as well, which is what a ``Path`` makes of two.
_ADDRESS = re.compile(r"(s3|s3a|gs|gcs|az|abfss?|hdfs|https?):/{1,2}([^/].*)", re.DOTALL)

# A signature after ? or #, or key:secret@ before the bucket.
_SECRET = re.compile(r"[?#]|^[^/]*@")

_ANSWERS = (
    r'google::cloud::Status\((\w+: ).*?"message": ?"(.*?)"',
    r"google::cloud::Status\((\w+: ).* with a last message of (.*?)(?: error_info=|$)",
    r"AWS Error .*; Details: (.+)",  # no connection: the message of the library underneath
    r"AWS Error (.+)",
)
"""Where in an error of pyarrow's a store's own words are; the first that is found counts."""

T = TypeVar("T")


class RemotePath(msgspec.Struct, frozen=True):
    """A bucket, an object, or the beginning of names of objects. Methods raise OSError.

    Attributes:
        kind: ``s3`` or ``gs``.
        path: ``BUCKET/KEY``, as pyarrow has it.
    """

    kind: str
    path: str

    def __str__(self) -> str:
        return f"{self.kind}://{self.path}"

    def __truediv__(self, name: str) -> RemotePath:
        return RemotePath(self.kind, f"{self.path}/{name}")

    @property
    def server(self) -> str:
        """Address of the server that it is on; empty for the usual one."""
        if self.kind == "gs":
            return os.environ.get("STORAGE_EMULATOR_HOST", "")
        return os.environ.get("AWS_ENDPOINT_URL_S3") or os.environ.get("AWS_ENDPOINT_URL", "")

    @property
    def _store(self) -> Any:
        return _open_store(self.kind, self.path.partition("/")[0], self.server)

    def list(self) -> Sequence[Any]:
        """Returns what pyarrow says of the objects below, or of the one that this is."""
        from pyarrow import fs

        below = fs.FileSelector(self.path, recursive=True, allow_not_found=True)
        found = wait_for(lambda: self._store.get_file_info(below))
        return [each for each in found if each.is_file] or self.find()

    def find(self) -> Sequence[Any]:
        """Returns what pyarrow says of the object that this is; nothing where there is none."""
        found = wait_for(lambda: self._store.get_file_info([self.path]))
        return [each for each in found if each.is_file]

    def read(self, count: int | None = None) -> bytes:
        """Returns all bytes, or so many from the beginning."""

        def read() -> bytes:
            # A stream, as of Google's other files pyarrow asks without letting other threads run.
            with self._store.open_input_stream(self.path) as stream:
                return stream.read(count)  # type: ignore[no-any-return]

        return wait_for(read)

    def open(self) -> Any:
        """Opens an object for reading at any place; reading is for :func:`wait_for`."""
        file = wait_for(lambda: self._store.open_input_file(self.path))
        # The first question makes a request, during which pyarrow lets no other thread run.
        with _ended_at_once():
            file.closed  # noqa: B018 - asking is what counts
        return file

    def write(self, data: bytes) -> None:
        """Writes an object: who reads it gets the old bytes or the new ones, whole."""

        def write() -> None:
            with self._store.open_output_stream(self.path) as out:
                out.write(data)

        wait_for(write)

    def remove(self) -> None:
        """Removes everything below. In S3 pyarrow marks what is above by an empty ``PREFIX/``."""
        # In Google's, `delete_dir` fails where nothing marks the folder itself.
        name = "delete_dir_contents" if self.kind == "gs" else "delete_dir"
        wait_for(lambda: getattr(self._store, name)(self.path))


def is_remote(path: str | Path) -> bool:
    """Says whether a path that a user named is an address of an object store, of whatever kind."""
    return _ADDRESS.fullmatch(os.fspath(path)) is not None and not Path(path).exists()


def parse_address(path: str | Path) -> RemotePath:
    """Returns the place that an address names, whatever a ``Path`` made of it.

    Raises:
        UsageError: it is of a store that is not known here, or says more than a place.
    """
    address = os.fspath(path)
    found = _ADDRESS.fullmatch(address)
    if found is None or found[1] not in ("s3", "gs"):
        shown = address.replace(":/", "://", 1) if "://" not in address else address
        advice = "Known: s3://BUCKET/PREFIX and gs://BUCKET/PREFIX."
        raise UsageError(f"{shown} cannot be read from here.", advice)
    if _SECRET.search(found[2]):
        raise UsageError(
            "An address names a bucket and a prefix, and no user or settings.",
            "Set AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_REGION or AWS_ENDPOINT_URL, or"
            " GOOGLE_APPLICATION_CREDENTIALS.",
        )
    return RemotePath(found[1], found[2].rstrip("/"))


def is_connected() -> bool:
    """Says whether this process has spoken to an object store, and so has threads of pyarrow's."""
    return _open_store.cache_info().currsize > 0


@cache
def _open_store(kind: str, bucket: str, server: str) -> Any:
    """Returns the file system of a bucket; each process has one, which keeps its connections."""
    from pyarrow import fs

    if kind == "gs":
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
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION")
    if region is None and not server:
        region = fs.resolve_s3_region(bucket)
    return fs.S3FileSystem(
        region=region,
        endpoint_override=server or None,
        connect_timeout=5,
        request_timeout=REQUEST_S,
        # Small files are one request, which is all or nothing; only larger ones come in pieces.
        allow_delayed_open=True,
        retry_strategy=fs.AwsStandardS3RetryStrategy(max_attempts=TRIES),
    )


def wait_for(call: Callable[[], T]) -> T:
    """Makes requests in a thread, so that Ctrl-C and SIGTERM need not wait for an answer.

    Raises:
        OSError: they fail; its ``strerror`` is what the store answered, in half a sentence.
    """
    from concurrent.futures import Future

    done: Future[T] = Future()

    def run() -> None:
        try:
            done.set_result(_try_again(call))
        except BaseException as error:  # for the thread that waits
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done.result()


def download_files(names: Iterable[str], source: RemotePath, folder: Path) -> None:
    """Copies objects to a folder, several at a time; one that is cut midway may be shorter.

    Args:
        names: of the objects, after that of the source; the files have the same.

    Raises:
        OSError: one cannot be copied; of the others, some may not have been begun.
    """
    from pyarrow import fs

    disk = fs.LocalFileSystem()

    def copy(name: str) -> None:
        paths = f"{source.path}/{name}", str(folder / name)
        fs.copy_files(*paths, source._store, disk, use_threads=False)

    _do_all(copy, names)


def upload_files(names: Iterable[str], folder: Path, target: RemotePath) -> None:
    """Copies files of a folder to an object store, several at a time.

    Args:
        names: of the files; the objects have the same, after that of the target.

    Raises:
        OSError: one cannot be copied; of the others, some may not have been begun.
    """

    def copy(name: str) -> None:
        # Not pyarrow's `copy_files`, which says nothing where closing what was written fails.
        to = f"{target.path}/{name}"
        with (folder / name).open("rb") as file, target._store.open_output_stream(to) as out:
            shutil.copyfileobj(file, out, _PIECE_BYTES)

    _do_all(copy, names)


def _do_all(do: Callable[[str], None], names: Iterable[str]) -> None:
    from multiprocessing.pool import ThreadPool

    # Not the pool of `concurrent.futures`, which would wait for requests that hang.
    with ThreadPool(_AT_ONCE) as pool:
        for _ in pool.imap(lambda name: _try_again(partial(do, name)), names):
            pass


def _try_again(call: Callable[[], T]) -> T:
    for left in reversed(range(TRIES)):
        try:
            return call()
        except OSError as error:
            # The library tries again what fails, but not what breaks off.
            if not left or not any(mark in str(error) for mark in _BROKEN_OFF):
                raise type(error)(error.errno, _describe(error)) from error
    raise AssertionError


def _describe(error: OSError) -> str:
    text = " ".join((error.strerror or str(error)).split())
    found = next((found for each in _ANSWERS if (found := re.search(each, text))), None)
    return ("".join(found.groups()) if found else text).rstrip(". ")


@contextmanager
def _ended_at_once() -> Iterator[None]:
    """Has SIGTERM and Ctrl-C end the process without a word, which no thread could say."""
    before = {}
    if threading.current_thread() is threading.main_thread():
        before = {each: signal.getsignal(each) for each in (signal.SIGTERM, signal.SIGINT)}
    # What is ignored stays so, as Ctrl-C is by what a shell has started in the background.
    before = {each: by for each, by in before.items() if by not in (signal.SIG_IGN, None)}
    for each in before:
        signal.signal(each, signal.SIG_DFL)
    try:
        yield
    finally:
        for each, by in before.items():
            signal.signal(each, by)
