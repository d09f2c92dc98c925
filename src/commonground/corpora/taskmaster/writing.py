"""What the simulators share: texts with marked stretches, ids, files written as a stream."""

from __future__ import annotations

import re
import uuid
from collections.abc import Mapping, Sequence
from pathlib import Path
from random import Random
from types import TracebackType
from typing import Any, BinaryIO

import msgspec

from commonground.corpora.taskmaster.native import Label, Segment

_SLOT = re.compile(r"\{([^{}]+)\}")


class Composed(msgspec.Struct, frozen=True):
    """A text, and its slots as segments in order."""

    text: str
    segments: list[Segment]


def compose(template: str, values: Mapping[str, str]) -> Composed:
    """Fills a template.

    A slot ``{label}`` becomes a segment of that label; ``{label#2}`` likewise, of another value;
    ``{=name}`` is filled without being marked.

    Args:
        template: the text with its slots.
        values: what to fill in, by all that stands in the braces but ``=``.
    """
    text, segments = "", []
    for i, piece in enumerate(_SLOT.split(template)):
        if i % 2 == 0:
            text += piece
            continue
        value = values[piece.removeprefix("=")]
        if not piece.startswith("="):
            labels = [Label(name=piece.partition("#")[0])]
            start, end = len(text), len(text) + len(value)
            segment = Segment(start_index=start, end_index=end, text=value, annotations=labels)
            segments.append(segment)
        text += value
    return Composed(text, segments)


def join_names(names: Sequence[str]) -> str:
    """Writes template slots as a list in words: ``{a}, {b} and {c}``."""
    slots = [f"{{{name}}}" for name in names]
    return slots[0] if len(slots) == 1 else ", ".join(slots[:-1]) + " and " + slots[-1]


def make_id(rng: Random) -> str:
    """Makes a conversation id."""
    return f"dlg-{uuid.UUID(int=rng.getrandbits(128), version=4)}"


class ArrayFile:
    """A JSON list that is written record by record; without a record there is no file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._file: BinaryIO | None = None

    def __enter__(self) -> ArrayFile:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.write(b"\n]\n")
            self._file.close()

    def add(self, record: Any) -> None:
        """Writes one more record."""
        if self._file is None:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._file = self._path.open("wb")
            self._file.write(b"[\n")
        else:
            self._file.write(b",\n")
        self._file.write(msgspec.json.encode(record))


def write_json(path: Path, value: Any) -> None:
    """Writes one indented JSON value."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.format(msgspec.json.encode(value)) + b"\n")
