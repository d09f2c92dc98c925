"""What a study plays with: its pieces of material, read from the file that `collect new` wrote.

What all pieces have in common, such as a database, stands in the file once and is in memory once,
however many pieces there are::

    {"shared": {"packages": ...}, "pieces": [{"cards": ...}, {"cards": ...}]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import FormatError, SourceError
from commonground.scenario import MaterialSource

_PICTURES = (".jpg", ".jpeg", ".png", ".webp", ".gif", ".svg")
_ADVICE = "`commonground collect new` makes it."


class _File(msgspec.Struct):
    """The file: fields by the name that they have in JSON."""

    pieces: list[dict[str, msgspec.Raw]]
    shared: dict[str, msgspec.Raw] = {}


class Stock:
    """The material of a study.

    Attributes:
        pieces: of material, as the scenario's rules take them.
        met: for each piece, names of what somebody who played with it has seen; nobody is given
            two pieces that share one.
        pictures: the names of all pictures in the material.

    Args:
        pieces: of material.
        source: where they came from; says what somebody has met who played with one.
        texts: every text of the material, in which the pictures are found.
    """

    def __init__(
        self, pieces: Sequence[Any], source: MaterialSource, texts: Iterator[str] | None = None
    ) -> None:
        self.pieces = pieces
        name = source.met
        self.met = (
            [frozenset((str(number),)) for number in range(len(pieces))]
            if name is None
            else [name(piece) for piece in pieces]
        )
        texts = list_texts(msgspec.to_builtins(pieces)) if texts is None else texts
        self.pictures = frozenset(each for each in texts if each.lower().endswith(_PICTURES))

    def __len__(self) -> int:
        return len(self.pieces)


def list_texts(value: Any) -> Iterator[str]:
    """Yields every text in plain JSON values, however deep, in their order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from list_texts(each)
    elif isinstance(value, Sequence):
        for each in value:
            yield from list_texts(each)


def encode_stock(pieces: Sequence[Any]) -> bytes:
    """Returns the file of a study's material; the pieces are structs of one type."""
    fields = msgspec.structs.fields(pieces[0])
    shared = [each for each in fields if len(pieces) > 1 and _is_shared(pieces, each.name)]
    own = [each for each in fields if each not in shared]
    return msgspec.json.encode(
        {
            "shared": {each.encode_name: getattr(pieces[0], each.name) for each in shared},
            "pieces": [
                {each.encode_name: getattr(piece, each.name) for each in own} for piece in pieces
            ],
        }
    )


def _is_shared(pieces: Sequence[Any], name: str) -> bool:
    first = getattr(pieces[0], name)
    return all((value := getattr(each, name)) is first or value == first for each in pieces)


def read_stock(path: Path, kind: type[Any], source: MaterialSource) -> Stock:
    """Reads the file of a study's material.

    Args:
        path: of the file.
        kind: the type of a piece.
        source: of the scenario's material.

    Raises:
        SourceError: the file cannot be read.
        FormatError: it holds no material, or other material than the scenario's.
    """
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path}: {error.strerror}.", _ADVICE) from error
    try:
        # Studies of the first version have a list of whole pieces.
        is_list = data[:1] == b"["
        file = (
            _File(msgspec.json.decode(data, type=list[dict[str, msgspec.Raw]]))
            if is_list
            else (msgspec.json.decode(data, type=_File))
        )
        pieces = _decode(file, kind)
    except (msgspec.DecodeError, TypeError) as error:
        raise FormatError(f"{path}: {error}.", _ADVICE) from error
    if not pieces:
        raise FormatError(f"{path} holds no material.", _ADVICE)
    raw = (each for part in (file.shared, *file.pieces) for each in part.values())
    return Stock(pieces, source, list_texts([msgspec.json.decode(each) for each in raw]))


def _decode(file: _File, kind: type[Any]) -> list[Any]:
    fields = {each.encode_name: each for each in msgspec.structs.fields(kind)}

    def decode(raw: Mapping[str, msgspec.Raw]) -> dict[str, Any]:
        return {
            fields[name].name: msgspec.json.decode(value, type=fields[name].type)
            for name, value in raw.items()
            if name in fields
        }

    shared = decode(file.shared)
    return [kind(**shared, **decode(piece)) for piece in file.pieces]
