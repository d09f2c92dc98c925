"""Catalogues of a shop: the released ones and one's own, read and written."""

from __future__ import annotations

import csv
import math
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec

from commonground.corpora.simmc.native import catalogue, simmc1
from commonground.corpora.simmc.native.catalogue import FashionItem, FurnitureItem
from commonground.errors import FormatError, SourceError
from commonground.files.documents import decode_all
from commonground.files.spreadsheets import SheetRow, fault_of_cell, read_sheet
from commonground.play.scenarios.simmc.shop.items import Item, look_of_fashion, look_of_furniture
from commonground.play.scenarios.simmc.shop.pictures import (
    draw_item,
    find_pictures,
    name_pictures,
)
from commonground.records import UNSET

FASHION_FILE, FURNITURE_FILE = "fashion_metadata.json", "furniture_metadata.csv"

OWN_FILE = "catalogue.csv"

COLUMNS = (
    *("sku", "product_name", "product_description", "product_page_url", "class_name"),
    *("sale_price", "thumbnail_image_url", "obj", "glb", "x_dim", "y_dim", "z_dim"),
    *("color", "material", "decor_style", "intended_room"),
)
"""Columns of the furniture catalogue."""


def read_fashion(folder: Path) -> list[Item]:
    """Reads the fashion catalogue of a folder: the released file, or one's own ``catalogue.csv``.

    One's own has a row per item and the columns ``id``, ``type``, ``price``, ``brand``,
    ``customerRating``, ``availableSizes`` and ``color``, and any other attribute of the released
    file; several values of a cell are divided by semicolons. Pictures are files below the folder
    that are named by the id, or by the column ``picture``.

    Raises:
        SourceError: there is none, or it cannot be read.
        FormatError: it has a fault; the message says where.
    """
    pictures = find_pictures(folder)
    released = folder / FASHION_FILE
    if released.is_file():
        found: list[tuple[str | None, FashionItem]] = read_records(released, "fashion_metadata")
        # The key of the map is the catalogue number; the records have none.
        return [make_clothes(int(key or 0), item, pictures) for key, item in found]
    own = folder / OWN_FILE
    if not own.is_file():
        raise SourceError(f"{folder} has neither {FASHION_FILE} nor {OWN_FILE}.")
    items = [
        (line, _own_clothes(own, line, row, name_pictures(own, line, row, pictures)))
        for line, row in _read_rows(own, _NEEDED)
    ]
    return _require_distinct(own, "id", items)


def make_clothes(number: int, item: FashionItem, pictures: Mapping[str, dict[str, str]]) -> Item:
    """Makes an item of a record of the fashion catalogue.

    Args:
        number: its key there.
        pictures: of each side of each item, by number.
    """
    facts = {
        name: value
        for name, value in msgspec.structs.asdict(item.metadata).items()
        if value is not UNSET
    }
    shown = pictures.get(str(number), {})
    return Item(number, item.metadata.type, facts, look_of_fashion(facts), shown, item.url)


_NEEDED = ("id", "type", "price", "brand", "customerRating", "availableSizes", "color")

_PLAIN = frozenset({"type", "price", "brand", "customerRating"})
"""Attributes whose value is one text; all others are lists."""


def _own_clothes(
    path: Path, line: int, row: Mapping[str, str], pictures: Mapping[str, dict[str, str]]
) -> Item:
    for name in ("type", "brand"):
        if not row[name].strip():
            raise fault_of_cell(
                path.name, line, name, "a value", "", "Fill the cell, or leave the row out."
            )
    row = {**row, "price": _read_price(path, line, row["price"])}
    _need_number(path, line, row, "customerRating", "Write a number such as 4.1.")
    values: dict[str, Any] = {
        name: cell if name in _PLAIN else [each.strip() for each in cell.split(";") if each.strip()]
        for name, cell in row.items()
        if name not in ("id", "url", "picture")
    }
    # The released format wants them in every item; a shop's own list may do without.
    for name in ("pattern", "size", "embellishments"):
        values.setdefault(name, [])
    if not row["id"].isdecimal():
        raise fault_of_cell(path.name, line, "id", "a number", row["id"], "Number the items.")
    # Released items always have one, so the format asks for it.
    url = row.get("url") or row["id"]
    try:
        item = msgspec.convert({"metadata": values, "url": url}, FashionItem)
    except msgspec.ValidationError as error:
        raise FormatError(
            f"{path.name}, line {line}: {error}.",
            "Name columns as the released catalogue names its attributes.",
        ) from error
    return make_clothes(int(row["id"]), item, pictures)


def read_furniture(folder: Path) -> list[Item]:
    """Reads the furniture catalogue of a folder: the released file, or one's own.

    One's own is called ``catalogue.csv`` and has the columns of the released file; the id of an
    item is the file name in its column ``obj``. Pictures are files below the folder that are named
    by the id, such as ``12.png``, or by a column ``picture``; those of other sides are called
    ``12_left.png`` and so on.

    Raises:
        SourceError: there is none, or it cannot be read.
        FormatError: it has a fault; the message says where.
    """
    # The released file goes before one's own, as for fashion.
    path = next((p for p in (folder / FURNITURE_FILE, folder / OWN_FILE) if p.is_file()), None)
    if path is None:
        raise SourceError(f"{folder} has neither {FURNITURE_FILE} nor {OWN_FILE}.")
    pictures, items = find_pictures(folder), []
    for line, row in _read_rows(path, COLUMNS):
        number = FurnitureItem(cells=row, line="").item_id
        if number is None:
            advice = "Name the item by a file such as 12.obj."
            raise fault_of_cell(
                path.name, line, "obj", "a number and an ending", row["obj"], advice
            )
        _need_number(path, line, row, "sale_price", "Write a number such as 349.0.")
        shown = name_pictures(path, line, {**row, "id": number}, pictures).get(number, {})
        items.append((line, make_furniture(int(number), row, shown)))
    return _require_distinct(path, "obj", items)


def make_furniture(number: int, row: Mapping[str, str], pictures: dict[str, str]) -> Item:
    """Makes an item of a row of the furniture catalogue, which has all of :data:`COLUMNS`."""
    facts = {name: cell for name, cell in row.items() if name != "picture"}
    return Item(number, row["class_name"], facts, look_of_furniture(row), pictures)


def _require_distinct(path: Path, column: str, items: Sequence[tuple[int, Item]]) -> list[Item]:
    """Returns the items of rows, each with its line; those of one's own have different numbers."""
    lines: dict[int, int] = {}
    for line, item in items:
        first = lines.setdefault(item.number, line)
        if first != line and path.name == OWN_FILE:
            expected = f"another number than that of line {first}"
            advice = "Give each item a number of its own, or leave one of the rows out."
            raise fault_of_cell(path.name, line, column, expected, str(item.number), advice)
    return [item for _, item in items]


_PRICE = re.compile(r"\$?\s*(\d[\d,]*(?:\.\d+)?)")


def _read_price(path: Path, line: int, cell: str) -> str:
    """Returns a price as the released catalogue writes it: ``$30``."""
    match = _PRICE.fullmatch(cell.strip())
    if match is None:
        raise fault_of_cell(path.name, line, "price", "a price", cell, "Write a price such as $30.")
    return f"${match[1]}"


def _need_number(path: Path, line: int, row: Mapping[str, str], name: str, advice: str) -> None:
    try:
        # Not a number is written `nan`, and no price is endless.
        is_number = math.isfinite(float(row[name]))
    except ValueError:
        is_number = False
    if not is_number:
        raise fault_of_cell(path.name, line, name, "a number", row[name], advice)


def _read_rows(path: Path, needed: Sequence[str]) -> list[SheetRow]:
    try:
        return read_sheet(path.name, path.read_bytes(), needed)
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error


def read_records(path: Path, format_name: str) -> list[tuple[str | None, Any]]:
    """Reads all records of a released file, each with its key in a map (None elsewhere).

    What stands around records, if anything does, comes first.

    Raises:
        SourceError: it cannot be read.
        FormatError: a record of it is broken; the message says where.
    """
    declared = (*simmc1.FORMATS, *catalogue.FORMATS)
    fmt = next(each for each in declared if each.name == format_name)
    try:
        data = path.read_bytes()
    except OSError as error:
        raise SourceError(f"{path} cannot be read: {error.strerror}.") from error
    return [(each.raw.key, each.record) for each in decode_all(path.name, data, fmt)]


def write_shop(domain: str, items: Sequence[Item], out: Path, seed: int | None) -> None:
    """Writes the catalogue of a shop as released, and where it was invented, pictures of all items.

    Args:
        domain: ``fashion`` or ``furniture``, whose file has a column for each fact of its items.
        out: folder to write to: ``simmc_fashion/fashion_metadata.json``, or
            ``simmc_furniture/furniture_metadata.csv``, and ``images/``.
        seed: that invented the items; None for pictures from a folder, which stay there.
    """
    folder = out / f"simmc_{domain}"
    folder.mkdir(parents=True, exist_ok=True)
    if domain == "fashion":
        shelf = {str(each.number): {"metadata": each.facts, "url": each.url} for each in items}
        (folder / FASHION_FILE).write_bytes(msgspec.json.encode(shelf))
    else:
        with (folder / FURNITURE_FILE).open("w", encoding="utf-8", newline="") as file:
            writer = csv.DictWriter(file, list(items[0].facts) or COLUMNS, lineterminator="\n")
            writer.writeheader()
            writer.writerows(each.facts for each in items)
    if seed is not None:
        for each in items:
            draw_item(each, out / "images")
