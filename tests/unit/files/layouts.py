"""A format of each layout, for tests."""

from __future__ import annotations

from commonground.files.formats import FileFormat, TextRecord
from commonground.records import Record


class Item(Record):
    size: int


class Head(Record):
    version: float


LIST = FileFormat(name="list", title="list", pattern=r".*\.json", record=Item, layout="array")
BOX = FileFormat(
    name="box", title="box", pattern="x", record=Item, layout="envelope", items="all", envelope=Head
)
SPLITS = FileFormat(name="splits", title="splits", pattern="x", record=Item, layout="splits")
MAP = FileFormat(name="map", title="map", pattern="x", record=Item, layout="map")
LINES = FileFormat(
    name="lines",
    title="lines",
    pattern="x",
    record=str,
    layout="text",
    parse_text=lambda text: [
        TextRecord(i, line, line) for i, line in enumerate(text.splitlines(), 1)
    ],
    render_text=lambda lines: "".join(f"{line}\n" for line in lines).encode(),
)
