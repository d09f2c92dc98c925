"""Models as files: MessagePack, so that reading one never runs code."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_origin

import msgspec
import numpy as np

from commonground.bench.evaluation.baselines.results import Protocol, Size, UsedEncoder
from commonground.errors import SourceError, TaskError
from commonground.files.outputs import write_file
from commonground.method import Baseline

_FORMAT = "commonground model 1"
# By numpy's letters: bool, int, uint, float, bytes, str.
# Arrays whose bytes are their values; objects would need pickle, which runs what a file holds.
_PLAIN_KINDS = frozenset("biufSU")


class ModelHeader(msgspec.Struct, frozen=True, kw_only=True):
    """What a model is.

    Attributes:
        data: the import that it learned from.
        commonground: version that made it.
        fold: the fold that it was kept from; None where it did not learn from folds.
        encoder: what it read texts or pictures with; None where it needs none.
    """

    task: str
    method: str
    corpus: str
    data: dict[str, Any] | None
    seed: int
    commonground: str
    protocol: Protocol
    learned_from: Size
    fold: str | None = None
    encoder: UsedEncoder | None = None


# Raw: the header is read without the model, which may be large and whose shape is its method's.
class _File(msgspec.Struct, frozen=True):
    format: str
    header: msgspec.Raw
    model: msgspec.Raw


class _Array(msgspec.Struct, frozen=True, array_like=True):
    """A numpy array: name of its type, shape, and bytes in C order."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes


class SavedModel(msgspec.Struct, frozen=True):
    """A model file that was opened; its data are MessagePack, for :func:`decode_model` to read."""

    path: Path
    header: ModelHeader
    data: msgspec.Raw


def save_model(path: Path, header: ModelHeader, model: Any) -> None:
    """Writes a model, which is the struct of its method.

    Raises:
        TaskError: it holds something other than plain values and numpy arrays of numbers or text.
        SourceError: the file cannot be written.
    """
    encoder = msgspec.msgpack.Encoder(enc_hook=_encode_array)
    try:
        learned = msgspec.Raw(encoder.encode(model))
        parts = msgspec.Raw(msgspec.msgpack.encode(header))
    except TypeError as error:
        raise TaskError(f"The model of {header.method} cannot be saved: {error}.") from error
    write_file(path, msgspec.msgpack.encode(_File(_FORMAT, parts, learned)))


def _encode_array(value: Any) -> _Array | Any:
    if isinstance(value, np.ndarray) and value.dtype.kind in _PLAIN_KINDS:
        return _Array(value.dtype.str, value.shape, np.ascontiguousarray(value).tobytes())
    # A number out of an array; MessagePack has plain ones.
    if isinstance(value, np.generic):
        return value.item()
    raise TypeError(f"found {type(value).__name__}")


def open_model(path: Path) -> SavedModel:
    """Opens a model file and says what is in it.

    Raises:
        TaskError: it is no such file, or of another version, or cut off.
        SourceError: it cannot be read.
    """
    try:
        found = msgspec.msgpack.decode(path.read_bytes(), type=_File)
        if found.format != _FORMAT:
            raise TaskError(
                f"{path} is not a model that this version reads: expected {_FORMAT!r}, found "
                f"{found.format[:40]!r}.",
                "Train it again: commonground baseline TASK --out FOLDER",
            )
        header = msgspec.msgpack.decode(found.header, type=ModelHeader)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    # Bytes of any kind may come here: msgspec has errors of Python for what it cannot decode.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise TaskError(
            f"{path} is not a model file, or was cut off: {error}.",
            "Name a file model-METHOD.msgpack that `commonground baseline --out` wrote.",
        ) from error
    return SavedModel(path, header, found.model)


def decode_model(saved: SavedModel, method: Baseline) -> Any:
    """Returns what was learned, as the struct that the method answers with.

    Raises:
        TaskError: it is not of that shape, as after a change of the method.
    """
    try:
        return msgspec.msgpack.decode(saved.data, type=method.model, dec_hook=_decode_array)
    except (msgspec.DecodeError, UnicodeDecodeError, ValueError, TypeError) as error:
        raise TaskError(
            f"{saved.path} does not fit method {method.name!r} of commonground "
            f"as it is now (the file is of {saved.header.commonground}): {error}.",
            "Train it again.",
        ) from error


def _decode_array(kind: Any, value: Any) -> Any:
    # Fields are annotated bare, or with their kind: `NDArray[np.float64]`.
    if kind is not np.ndarray and get_origin(kind) is not np.ndarray:
        raise NotImplementedError(f"{kind} is not read")
    found = msgspec.convert(value, _Array)
    dtype = np.dtype(found.dtype)
    if dtype.kind not in _PLAIN_KINDS:
        raise ValueError(f"an array of {dtype}")
    # A copy, since what lies in the file's bytes could not be changed.
    return np.frombuffer(found.data, dtype).reshape(found.shape).copy()
