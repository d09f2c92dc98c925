"""Files of predictions, whatever wrote them: as bytes in UTF-8, and as JSON values."""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from commonground.errors import TaskError
from commonground.files.packed import find_command, find_packing, unpack_disguised
from commonground.files.sources import Document, list_documents, read_path
from commonground.task import Problem, Tally

N = TypeVar("N", bound="Named")

_ZIP = b"PK\x03\x04"
_UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_ONE_OF = 10
# The escapes of JSON for halves of surrogate pairs begin so: d800 to dfff.
_HALVES = (b"\\ud", b"\\uD")


def read_predictions(path: Path) -> bytes:
    """Reads a file of predictions as UTF-8 without a byte order mark; an archive of one, too.

    Raises:
        SourceError: it cannot be read.
        TaskError: it is empty, compressed, or an archive of several files.
    """
    data = _read(path)
    if data.startswith(_UTF_16):
        data = data.decode("utf-16", "replace").encode()
    data = data.removeprefix(codecs.BOM_UTF8)
    if not data.strip():
        raise TaskError(f"{path} is empty.", "It may have been cut off; write it again.")
    return data


def _read(path: Path) -> bytes:
    data = read_path(path)
    document = Document(path.name, str(path), None, len(data))
    if data.startswith(_ZIP):
        documents = list_documents([path]).documents
        if len(documents) != 1:
            raise TaskError(
                f"{path} holds {len(documents)} files.", "Name one file of predictions."
            )
        document = documents[0]
        data = document.read()
    ending = find_packing(data)
    if ending is not None:
        command = find_command(document) or unpack_disguised(document, ending)
        raise TaskError(f"{path} is compressed.", f"Unpack it: {command}")
    return data


def write_lines(staged: Path, values: Iterable[Any]) -> None:
    """Writes values as JSON, one a line, to a file that is put in its place later."""
    staged.write_bytes(msgspec.json.Encoder().encode_lines(values))


def require_share(path: Path, found: int, lines: int, what: str, advice: str) -> None:
    """Refuses text of another kind, a few of whose lines look like predictions by chance.

    Args:
        found: how many of its lines are predictions.
        what: what such a line holds.

    Raises:
        TaskError: fewer than one in ten is.
    """
    if found * _ONE_OF < lines:
        counted = f"{found:,} of the {lines:,} lines of {path} {'holds' if found == 1 else 'hold'}"
        raise TaskError(f"{path.name} is not a file of predictions: {counted} {what}.", advice)


def find_encoding_problems(path: Path) -> list[Problem]:
    """Says where a file of predictions is not plain UTF-8, as official scripts expect it.

    Raises:
        SourceError: it cannot be read.
        TaskError: it is compressed, or an archive of several files.
    """
    data, tally = _read(path), Tally()
    if data.startswith(_UTF_16):
        tally.add("UTF-16", path.name, "a script that reads UTF-8 stops; here it is read")
        return tally.problems()
    if data.startswith(codecs.BOM_UTF8):
        official = "a script stops, or takes it for a letter of the text; here it is left out"
        tally.add("byte-order mark", path.name, official)
    try:
        data.decode()
    except UnicodeDecodeError:
        for number, line in enumerate(data.split(b"\n"), 1):
            if "\ufffd" in line.decode("utf-8", "replace"):
                official = "a script that reads UTF-8 stops; here each is a question mark"
                tally.add("lines that are not UTF-8", f"line {number}", official)
    return tally.problems()


class Named(msgspec.Struct):
    """What a line is about, be the rest of it readable or not; turns count from 0."""

    dialogue_id: str
    turn: int

    @property
    def instance_id(self) -> str:
        """Id of the instance that it is, in every task whose lines are of turns."""
        return f"{self.dialogue_id}:{self.turn}"


def decode_lines(
    path: Path, data: bytes, wanted: type[N], tally: Tally, *, lacking: str, advice: str
) -> Iterator[N | Named]:
    """Yields the values of JSON lines; lines that cannot be read are counted.

    Of these only what they are about is given, if they say so.

    Args:
        path: for messages.
        tally: counts "unreadable lines".
        lacking: what no line is, where none can be read: "line of scores".
        advice: what to write instead.

    Raises:
        TaskError: no line can be read.
    """
    fault, found = "", False
    for number, line in enumerate(data.splitlines(), 1):
        if not line.strip():
            continue
        try:
            value: N = decode_typed(line, wanted)
        except (msgspec.ValidationError, ValueError) as error:
            fault = f"line {number}: {error}"
            tally.add("unreadable lines", fault)
            with suppress(ValueError):
                yield decode_typed(line, Named)
            continue
        found = True
        yield value
    if not found:
        raise TaskError(f"{path.name} has no {lacking}: {fault}.", advice)


def decode_json(data: bytes) -> Any:
    r"""Decodes JSON as Python's own decoder does, which takes ``NaN`` and ``Infinity`` too.

    Half a character (``\ud83d`` alone, as models write that are cut off) becomes a question mark.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return msgspec.json.decode(data)
    # Also what Python writes but JSON lacks, such as NaN; slower, so only where it is needed.
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        if data[:64].lstrip()[:1].isalpha():  # plain text, which need not be read twice
            raise ValueError("it is text") from None
    try:
        value = json.loads(data)
        return _mend(value) if any(half in data for half in _HALVES) else value
    except RecursionError as error:
        raise ValueError("nested too deep") from error


def _mend(value: Any) -> Any:
    if isinstance(value, str):
        return value.encode("utf-8", "replace").decode()
    if isinstance(value, list):
        return [_mend(each) for each in value]
    if isinstance(value, dict):
        return {_mend(name): _mend(each) for name, each in value.items()}
    return value


def decode_typed(data: bytes, wanted: Any) -> Any:
    """Decodes JSON of a type, as leniently as :func:`decode_json`.

    Raises:
        ValueError: it is no JSON.
        msgspec.ValidationError: it is of another type.
    """
    try:
        return msgspec.json.decode(data, type=wanted)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError):
        return msgspec.convert(decode_json(data), wanted)
