"""SIMMC's two catalogues: fashion items as JSON, furniture as CSV."""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator
from typing import TypeAlias

from commonground.files.formats import FileFormat, TextRecord, render_lines, split_lines
from commonground.records import UNSET, Record, UnsetType

Words: TypeAlias = list[str] | UnsetType
"""A list of words that only some types of item have."""


class FashionAttributes(Record):
    """What is known of a fashion item. Fields from ``availability`` on are absent for some types.

    Attributes:
        type: ``dress``, ``sweater``, ``skirt`` or ``coat``.
        price: US dollars as text, ``$210``.
        brand: invented in place of the real one.
        customerRating: a number as text.
        availableSizes: a list, or the ``repr`` of one as text (19 of 20 items).
        color: all its colours.
        pattern: words for its pattern.
        size: words for its size.
        embellishments: words for its ornaments.
        availability: empty for most items; undocumented.
        dressStyle: of dresses.
        sweaterStyle: of sweaters.
        skirtStyle: of skirts.
        jacketStyle: of coats.
        hemLength: words for how long it is.
        hemStyle: words for the form of its hem.
        necklineStyle: words for the form of its neck.
        sleeveStyle: words for its sleeves.
        waistStyle: words for its waist.
        hemlength: a second spelling of ``hemLength``, beside it on 103 items.
        embellishment: a second spelling of ``embellishments``, beside it on 32 items.
    """

    type: str
    price: str
    brand: str
    customerRating: str  # noqa: N815 - the released name
    availableSizes: str | list[str]  # noqa: N815
    color: list[str]
    pattern: list[str]
    size: list[str]
    embellishments: list[str]
    availability: Words = UNSET
    dressStyle: Words = UNSET  # noqa: N815
    sweaterStyle: Words = UNSET  # noqa: N815
    skirtStyle: Words = UNSET  # noqa: N815
    jacketStyle: Words = UNSET  # noqa: N815
    hemLength: Words = UNSET  # noqa: N815
    hemStyle: Words = UNSET  # noqa: N815
    necklineStyle: Words = UNSET  # noqa: N815
    sleeveStyle: Words = UNSET  # noqa: N815
    waistStyle: Words = UNSET  # noqa: N815
    hemlength: Words = UNSET
    embellishment: Words = UNSET


class FashionItem(Record):
    """A fashion item; ``url`` is an opaque name of its picture, not an address."""

    metadata: FashionAttributes
    url: str


class FurnitureItem(Record):
    """A row of the furniture catalogue.

    Attributes:
        cells: values by column, in order; null for the row of column names, and for rows that
            are no CSV.
        line: the row as it stands in the file, its line end included.
    """

    cells: dict[str, str] | None
    line: str

    @property
    def item_id(self) -> str | None:
        """The catalogue id, from the ``obj`` cell (``.../123.zip``); null where it has none.

        As the authors' scripts have it, what stands before the first point is read as a number.
        """
        stem = (self.cells or {}).get("obj", "").rpartition("/")[2].partition(".")[0]
        # Eighteen digits at most: so many always fit a 64-bit integer.
        match = re.search(r"\d{1,18}\Z", stem.strip())
        return str(int(match[0])) if match else None


def parse_furniture(text: str) -> Iterator[TextRecord]:
    """Parses ``furniture_metadata.csv``; its first record is the row of column names."""
    lines = split_lines(text)
    reader, offset = csv.reader(lines), 0
    names: list[str] = []
    start = 0
    while start < len(lines):
        try:
            row = next(reader, None)
        except csv.Error:
            row = None
        # Not one line a row: a cell in quotation marks may go over several.
        end = offset + reader.line_num
        if row is None or (names and len(row) != len(names)):
            # A mark that is never closed takes in the rows after it: they are read anew.
            row, end = None, start + 1
            reader, offset = csv.reader(lines[end:]), end
        line = "".join(lines[start:end])
        # The first row is that of names: it is kept as a line, and is no item.
        cells = dict(zip(names, row, strict=True)) if names and row is not None else None
        yield TextRecord(start + 1, line.rstrip("\r\n"), FurnitureItem(cells=cells, line=line))
        names = names or row or []
        start = end


FORMATS = (
    FileFormat(
        name="fashion_metadata",
        title="fashion catalogue",
        pattern=r"fashion_metadata\.json",
        record=FashionItem,
        layout="map",
        keys=frozenset({"metadata", "url"}),
    ),
    FileFormat(
        name="furniture_metadata",
        title="furniture catalogue",
        pattern=r"furniture_metadata\.csv",
        record=FurnitureItem,
        layout="text",
        parse_text=parse_furniture,
        render_text=render_lines,
    ),
)
