"""Plants faults in invented files, so that one can see what findings look like and what to do."""

from __future__ import annotations

from collections.abc import Callable
from itertools import cycle
from pathlib import Path
from random import Random

import msgspec

from commonground.corpora import Entry
from commonground.errors import UsageError
from commonground.files import faults
from commonground.files.dividing import divide_document
from commonground.files.formats import FileFormat
from commonground.findings import Rule
from commonground.printing import count_of
from commonground.store.identify import identify_documents

Breaking = Callable[[bytes, str], bytes]
"""Breaks the bytes of a record, given the name of a required field that holds text or a number."""


class Planted(msgspec.Struct, frozen=True):
    """A fault that was planted.

    Attributes:
        code: of the finding that it must lead to.
        file: the file it is in, below the folder of the corpus.
        path: JSON path of the record in the file.
    """

    code: str
    file: str
    path: str


def _lose(record: bytes, field: str) -> bytes:
    value = msgspec.json.decode(record)
    del value[field]
    return msgspec.json.encode(value)


def _change(record: bytes, field: str) -> bytes:
    value = msgspec.json.decode(record)
    value[field] = {"planted": []}
    return msgspec.json.encode(value)


def _add(record: bytes, field: str) -> bytes:  # noqa: ARG001 - asked for by the others
    # On the bytes, so that the rest of the record stays as it was written.
    return b'{"planted":true,' + record.lstrip()[1:]


def _repeat(record: bytes, field: str) -> bytes:
    # Only bytes can hold a key twice: a decoded record has one of the two.
    value = msgspec.json.encode(msgspec.json.decode(record)[field])
    return b"{" + msgspec.json.encode(field) + b":" + value + b"," + record.lstrip()[1:]


KINDS: tuple[tuple[Rule, Breaking], ...] = (
    (faults.MISSING_FIELD, _lose),
    (faults.WRONG_TYPE, _change),
    (faults.UNKNOWN_FIELD, _add),
    (faults.REPEATED_KEY, _repeat),
)
"""What is planted, in turn: faults that the records of every corpus can have."""


def _lengthen(data: bytes, path: str) -> bytes:
    """Adds a cell to the row of a table that begins in a line."""
    lines = data.split(b"\n")
    number = int(path.rpartition(" ")[2]) - 1
    end = b"\r" if lines[number].endswith(b"\r") else b""
    lines[number] = lines[number].removesuffix(b"\r") + b",planted" + end
    return b"\n".join(lines)


ROW_FAULT = faults.ODD_ROW
"""What is planted in tables."""


def plant_faults(entry: Entry, folder: Path, *, number: int, seed: int) -> list[Planted]:
    """Breaks records of the main files of a corpus, each in one way.

    Args:
        folder: its files, which are changed.
        seed: of chance; the same one breaks the same records.

    Raises:
        UsageError: there are fewer records.
    """
    places = [
        (Path(document.path), fmt, record)
        for document, fmt in identify_documents(entry, [folder]).known
        if fmt.role == "main" and (fmt.layout == "rows" or _breakable_field(fmt) is not None)
        for record in divide_document(document.name, document.read(), fmt).records
        if not record.is_envelope and record.data.lstrip().startswith(b"{")
    ]
    if len(places) < number:
        raise UsageError(
            f"{count_of(number, 'fault')} cannot be planted in {count_of(len(places), 'record')}: "
            "each record gets one. "
            "Invent more dialogues or plant fewer faults."
        )
    planted = []
    chosen = Random(seed).sample(places, number)
    for (path, fmt, record), (rule, breaking) in zip(chosen, cycle(KINDS), strict=False):
        data, is_rows = path.read_bytes(), fmt.layout == "rows"
        if is_rows:
            broken = _lengthen(data, record.path)
        else:
            changed = breaking(record.data, _breakable_field(fmt) or "")
            broken = data.replace(record.data, changed, 1)
        path.write_bytes(broken)
        code = ROW_FAULT.code if is_rows else rule.code
        planted.append(Planted(code, path.relative_to(folder).as_posix(), record.path))
    return planted


def _breakable_field(fmt: FileFormat) -> str | None:
    """Returns a field that every record must have and that holds text or a number; None if none."""
    info = msgspec.inspect.type_info(fmt.record)
    if not isinstance(info, msgspec.inspect.StructType):
        return None
    simple = (msgspec.inspect.StrType, msgspec.inspect.IntType)
    names = [f.encode_name for f in info.fields if f.required and isinstance(f.type, simple)]
    return names[0] if names else None
