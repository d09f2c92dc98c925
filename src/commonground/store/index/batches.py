"""Arrow record batches in a file, each found by its number or by one of its rows.

The file is a plain Arrow stream; beside it stands where each batch begins. So the batches of
several files can be put into one without being read.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from commonground.store.arrow import pa

# Batches are mostly small: handing their columns to threads costs more than decoding them.
_ALONE = pa.ipc.IpcReadOptions(use_threads=False)


def _bounds_file(path: Path) -> Path:
    return path.with_suffix(".bounds.npy")


class BatchWriter:
    """Writes batches one after the other.

    Args:
        compression: ``lz4``, or None for batches that are used as they lie in the file.
    """

    def __init__(self, path: Path, schema: Any, compression: str | None = None) -> None:
        self._path = path
        self._file = pa.OSFile(str(path), "wb")
        options = pa.ipc.IpcWriteOptions(compression=compression, use_threads=False)
        self._stream = pa.ipc.new_stream(self._file, schema, options=options)
        # Of each batch where its bytes and its rows begin, and after the last where they end.
        self._bounds = [(schema.serialize().size, 0)]

    def write(self, batch: Any) -> None:
        """Writes a batch; one without rows takes no room."""
        end, rows = self._bounds[-1]
        if batch.num_rows:
            self._stream.write_batch(batch)
            end, rows = self._file.tell(), rows + batch.num_rows
        self._bounds.append((end, rows))

    def close(self) -> None:
        """Ends the file, and writes where its batches begin."""
        self._stream.close()
        self._file.close()
        np.save(_bounds_file(self._path), np.array(self._bounds, dtype=np.int64))


def join_batches(paths: Sequence[Path], target: Path) -> None:
    """Writes the batches of several files, all of one schema, into one, in the order given."""
    with target.open("wb") as out:
        joined = [np.load(_bounds_file(paths[0]))[:1]]
        for path in paths:
            bounds = np.load(_bounds_file(path))
            with path.open("rb") as source:
                out.write(source.read(int(bounds[0, 0])) if path is paths[0] else b"")
                source.seek(int(bounds[0, 0]))
                count = int(bounds[-1, 0] - bounds[0, 0])
                while count:
                    data = source.read(min(count, _COPIED))
                    out.write(data)
                    count -= len(data)
            joined.append(bounds[1:] - bounds[0] + joined[-1][-1])
        out.write(_END)
    np.save(_bounds_file(target), np.concatenate(joined))


_END = b"\xff\xff\xff\xff\0\0\0\0"
"""What an Arrow stream ends with."""

_COPIED = 1 << 20
"""Bytes that are copied at a time."""


class BatchFile:
    """Batches that are read when they are asked for.

    Args:
        path: what a :class:`BatchWriter` or :func:`join_batches` wrote.
        in_place: whether they are not compressed, and used as they lie in the file.
    """

    def __init__(self, path: Path, *, in_place: bool = False) -> None:
        self._bounds = np.load(_bounds_file(path))
        self._bytes = pa.memory_map(str(path)).read_buffer()
        head = self._bytes.slice(0, int(self._bounds[0, 0]))
        self._head: bytes = head.to_pybytes()
        self.schema = pa.ipc.read_schema(head)
        self._in_place = in_place

    def __len__(self) -> int:
        return len(self._bounds) - 1

    @property
    def row_starts(self) -> np.ndarray[Any, np.dtype[np.int64]]:
        """The number of the first row of each batch, and after the last batch that of rows."""
        starts: np.ndarray[Any, np.dtype[np.int64]] = self._bounds[:, 1]
        return starts

    def read(self, number: int) -> Any:
        """Reads one batch, by its number."""
        start, end = self._bounds[number : number + 2, 0].tolist()
        if start == end:
            return no_rows(self.schema)
        message = self._bytes.slice(start, end - start)
        if self._in_place:
            return pa.ipc.read_record_batch(message, self.schema)
        # As a stream, since only streams can decode without threads.
        stream = pa.py_buffer(self._head + message.to_pybytes())
        return pa.ipc.open_stream(stream, options=_ALONE).read_next_batch()


def no_rows(schema: Any) -> Any:
    """Returns a batch that has columns and no rows."""
    return pa.RecordBatch.from_arrays([pa.array([], kind) for kind in schema.types], schema=schema)
