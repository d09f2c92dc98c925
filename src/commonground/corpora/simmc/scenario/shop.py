"""What there is to see and buy: items of the released catalogues, of one's own, or invented."""

from __future__ import annotations

import csv
import io
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from functools import cache, lru_cache
from pathlib import Path
from random import Random
from typing import Any, Literal

import msgspec

from commonground.corpora.simmc.native import catalogue, simmc1
from commonground.corpora.simmc.native.catalogue import FashionItem, FurnitureItem
from commonground.corpora.simmc.native.reprs import parse_literal
from commonground.dividing import decode_raw, divide_document
from commonground.drawing import Thing, draw_scene
from commonground.errors import FormatError, SourceError
from commonground.records import UNSET

Domain = Literal["fashion", "furniture"]
Look = dict[str, str | list[str]]
"""What a scene shows of an item: attributes as ``visual_objects`` has them, without ``pos``."""

DIRECTIONS = ("front", "left", "right", "back", "up", "down")
"""The sides of a thing that can be turned; its front is what a row shows."""

FASHION_FILE, FURNITURE_FILE = "fashion_metadata.json", "furniture_metadata.csv"
OWN_FILE = "catalogue.csv"

SEEN = (
    *("type", "color", "pattern", "embellishments", "hemLength", "sleeveStyle", "necklineStyle"),
    *("dressStyle", "sweaterStyle", "skirtStyle", "jacketStyle", "hemStyle", "waistStyle"),
)
"""Attributes of a fashion item that its image shows: those in released ``visual_objects``, which
have them only where they say something."""

COLUMNS = (
    *("sku", "product_name", "product_description", "product_page_url", "class_name"),
    *("sale_price", "thumbnail_image_url", "obj", "glb", "x_dim", "y_dim", "z_dim"),
    *("color", "material", "decor_style", "intended_room"),
)
"""Columns of the furniture catalogue."""

_PICTURES = {".jpg", ".jpeg", ".png", ".webp"}


class Item(msgspec.Struct, frozen=True):
    """Something that a shop sells.

    Attributes:
        number: its catalogue id.
        kind: ``dress``, ``Sofas``.
        facts: all that the catalogue says of it, in its own names.
        seen: what a scene shows of it.
        pictures: path below the image folder of each side that there is a picture of.
        url: the name of its picture in the released fashion catalogue.
    """

    number: int
    kind: str
    facts: dict[str, Any]
    seen: Look
    pictures: dict[str, str] = {}
    url: str = ""

    @property
    def color(self) -> str:
        """Its first colour in small letters; empty where the catalogue names none."""
        colors = self.seen.get("color")
        return colors[0].lower() if isinstance(colors, list) and colors else ""

    @property
    def price(self) -> str:
        """What an assistant says of its price: ``$210``."""
        price = self.facts.get("price")
        return str(price) if price is not None else f"${float(self.facts['sale_price']):.0f}"

    def picture(self, side: str = "front") -> str | None:
        """Returns the picture of a side, else that of the front; None where there is none."""
        return self.pictures.get(side, self.pictures.get("front"))

    def portrait(self, side: str = "front") -> dict[str, Any]:
        """Returns what a page shows of a side: a picture, or else what a drawing is made of.

        Nothing of it is hidden from users: ``look`` is what a picture would show. ``shows`` is
        the side that there is a picture of.
        """
        shows = side if side in self.pictures else "front"
        picture = self.picture(side)
        return {"picture": picture, "shows": shows, "kind": self.kind, "look": self.seen}


def look_of_fashion(facts: Mapping[str, Any]) -> Look:
    """Returns what an image shows of a fashion item."""
    return {name: facts[name] for name in SEEN if facts.get(name)}


def look_of_furniture(facts: Mapping[str, str]) -> Look:
    """Returns what a scene shows of a piece of furniture."""
    kind, colors = facts["class_name"], list_cell(facts["color"])
    described = "_".join([kind.lower().replace(" ", "_"), *colors[:1]])
    return {
        "class_name": kind,
        "color": colors,
        "decor_style": list_cell(facts["decor_style"]),
        "description": described,
    }


def list_cell(cell: str) -> list[str]:
    """Returns the values of a cell, which holds the ``repr`` of a list or a single value."""
    return list(_parse_cell(cell))


@lru_cache(maxsize=1 << 12)  # forms of every session are made of the same few cells
def _parse_cell(cell: str) -> tuple[str, ...]:
    value = parse_literal(cell) if cell.startswith("[") else None
    if isinstance(value, list):
        return tuple(str(each) for each in value)
    return (cell,) if cell else ()


# Invented shops


class _Fashion(msgspec.Struct, frozen=True):
    first: int
    sizes: list[str]
    patterns: list[str]
    embellishments: list[str]
    lengths: list[str]
    necklines: list[str]
    sleeves: list[str]
    shapes: dict[str, str]
    styles: dict[str, list[str]]


class _Furniture(msgspec.Struct, frozen=True):
    first: int
    colors: list[str]
    materials: list[str]
    decors: list[str]
    rooms: list[str]
    shapes: dict[str, str]


class Words(msgspec.Struct, frozen=True):
    """What ``shop.toml`` holds: the words that invented items are described with.

    Attributes:
        colors: those that pictures can be drawn in.
        brands: few, so that several things share one.
        fashion: types of clothes and their attributes.
        furniture: types of furniture and their attributes.
    """

    colors: list[str]
    brands: list[str]
    fashion: _Fashion
    furniture: _Furniture


@cache
def load_words() -> Words:
    """Returns what invented shops sell, and what their customers ask for."""
    text = Path(__file__).with_name("shop.toml").read_text(encoding="utf-8")
    return msgspec.convert(tomllib.loads(text), Words)


def invent_fashion(seed: int, count: int = 60) -> list[Item]:
    """Invents the items of a fashion catalogue; the seed decides what they are."""
    rng, first = Random(f"{seed} fashion"), load_words().fashion.first
    return [_invent_clothes(rng, first + number) for number in range(count)]


def _invent_clothes(rng: Random, number: int) -> Item:
    words = load_words()
    of = words.fashion
    kind = rng.choice(tuple(of.shapes))
    style, *styles = of.styles[kind]
    facts: dict[str, Any] = {
        "type": kind,
        "color": [rng.choice(words.colors)],
        style: sorted(rng.sample(styles, rng.randint(1, 2))),
        "embellishments": rng.sample(of.embellishments, rng.randint(0, 1)),
        "price": f"${rng.randint(20, 280)}",
        "brand": rng.choice(words.brands),
        "customerRating": f"{rng.uniform(1, 5):.2f}",
        "availableSizes": sorted(rng.sample(of.sizes, rng.randint(2, 4)), key=of.sizes.index),
        "pattern": [rng.choice(of.patterns)],
        "size": [],
    }
    if kind == "dress":
        facts |= {"hemStyle": ["flared"], "waistStyle": ["empire"]}
    if kind in ("dress", "skirt"):
        facts["hemLength"] = [rng.choice(of.lengths)]
    if kind in ("dress", "sweater"):
        facts["necklineStyle"] = [rng.choice(of.necklines)]
    if kind != "skirt":
        facts["sleeveStyle"] = [rng.choice(of.sleeves)]
    if number % 3:
        facts["availability"] = []
    pictures = {"front": f"simmc_fashion/{number}.png"}
    return Item(number, kind, facts, look_of_fashion(facts), pictures, f"SIM{number:010}")


def invent_furniture(seed: int, count: int = 80) -> list[Item]:
    """Invents the items of a furniture catalogue; the seed decides what they are."""
    rng, first = Random(f"{seed} furniture"), load_words().furniture.first
    return [_invent_furniture(rng, first + number) for number in range(count)]


def _invent_furniture(rng: Random, number: int) -> Item:
    words = load_words()
    of = words.furniture
    kind, color = rng.choice(tuple(of.shapes)), rng.choice(of.colors).title()
    material, decor = rng.choice(of.materials), sorted(rng.sample(of.decors, rng.randint(1, 2)))
    facts = {
        "sku": f"SIM{number}",
        "product_name": f"{rng.choice(words.brands)} {color} {kind}",
        "product_description": f'A "{decor[0].lower()}" piece, {material.lower()} throughout.',
        "product_page_url": f"https://example.org/{number}",
        "class_name": kind,
        "sale_price": f"{rng.randint(30, 900)}.0",
        "thumbnail_image_url": f"https://example.org/{number}.png",
        "obj": f"models/{number}.zip",
        "glb": f"models/{number}.glb",
        "x_dim": str(rng.randint(10, 90)),
        "y_dim": str(rng.randint(10, 90)),
        "z_dim": str(rng.randint(10, 90)),
        "color": str([color]),
        "material": material,
        "decor_style": str(decor),
        "intended_room": str([rng.choice(of.rooms)]),
    }
    base = f"simmc_furniture/figures/{number}"
    pictures = {side: f"{base}_{side}.png" for side in DIRECTIONS[1:]}
    return Item(number, kind, facts, look_of_furniture(facts), {"front": f"{base}.png", **pictures})


def draw_item(item: Item, folder: Path) -> None:
    """Draws the pictures of an invented item below an image folder."""
    words = load_words()
    shape = {**words.fashion.shapes, **words.furniture.shapes}[item.kind]
    ground = "room" if item.kind in words.furniture.shapes else "studio"
    for side, path in item.pictures.items():
        x, y, size = _TURNED[side]
        thing = Thing(shape, item.color, x, y, size)
        draw_scene(folder / path, [thing], ground=ground, width_px=160, height_px=120)


_TURNED = {
    "front": (0.5, 0.55, 0.6),
    "left": (0.4, 0.55, 0.5),
    "right": (0.6, 0.55, 0.5),
    "back": (0.5, 0.5, 0.45),
    "up": (0.5, 0.65, 0.55),
    "down": (0.5, 0.45, 0.55),
}
"""Where in its picture a thing stands, and how big, by the side that it shows: flat shapes look
the same from all sides, and a picture should not."""


# Catalogues in files


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
        return [_clothes(int(key or 0), item, pictures) for key, item in found]
    own = folder / OWN_FILE
    if not own.is_file():
        raise SourceError(f"{folder} has neither {FASHION_FILE} nor {OWN_FILE}.")
    rows = _read_rows(own)
    return [
        _own_clothes(own, line, row, name_pictures(own, line, row, pictures)) for line, row in rows
    ]


def _clothes(number: int, item: FashionItem, pictures: Mapping[str, dict[str, str]]) -> Item:
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
    _need(path, line, row, _NEEDED)
    values: dict[str, Any] = {
        name: cell if name in _PLAIN else [each.strip() for each in cell.split(";") if each.strip()]
        for name, cell in row.items()
        if name not in ("id", "url", "picture")
    }
    for name in ("pattern", "size", "embellishments"):
        values.setdefault(name, [])
    if not row["id"].isdecimal():
        raise FormatError(f"{path.name}, line {line}, id: expected a number, found {row['id']!r}.")
    url = row.get("url") or row["id"]
    try:
        item = msgspec.convert({"metadata": values, "url": url}, FashionItem)
    except msgspec.ValidationError as error:
        raise FormatError(f"{path.name}, line {line}: {error}.") from error
    return _clothes(int(row["id"]), item, pictures)


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
    path = next((p for p in (folder / FURNITURE_FILE, folder / OWN_FILE) if p.is_file()), None)
    if path is None:
        raise SourceError(f"{folder} has neither {FURNITURE_FILE} nor {OWN_FILE}.")
    pictures, items = find_pictures(folder), []
    for line, row in _read_rows(path):
        _need(path, line, row, COLUMNS)
        number = FurnitureItem(cells=dict(row), line="").item_id
        if number is None:
            raise FormatError(f"{path.name}, line {line}, obj: expected a number and an ending.")
        _need_number(path, line, row, "sale_price")
        shown = name_pictures(path, line, {**row, "id": number}, pictures).get(number, {})
        facts = {name: cell for name, cell in row.items() if name != "picture"}
        items.append(Item(int(number), row["class_name"], facts, look_of_furniture(row), shown))
    return items


def _need(path: Path, line: int, row: Mapping[str, str], names: Iterable[str]) -> None:
    for name in names:
        if name not in row:
            raise FormatError(f"{path.name}, line {line}: the column {name} is missing.")


def _need_number(path: Path, line: int, row: Mapping[str, str], name: str) -> None:
    try:
        float(row[name])
    except ValueError as error:
        found = f"expected a number, found {row[name]!r}"
        raise FormatError(f"{path.name}, line {line}, {name}: {found}.") from error


def _read_rows(path: Path) -> list[tuple[int, dict[str, str]]]:
    """Returns the rows of a CSV file, each with the number of its last line."""
    reader = csv.DictReader(io.StringIO(_read_text(path), newline=""))
    try:
        rows = [(reader.line_num, row) for row in reader]
    except csv.Error as error:
        raise FormatError(f"{path.name}, line {reader.line_num}: {error}.") from error
    for line, row in rows:
        if None in row or None in row.values():
            raise FormatError(f"{path.name}, line {line}: expected a value for each column.")
    return rows


def _read_text(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise SourceError(f"{path} cannot be read: {error}.") from error


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
    division = divide_document(path.name, data, fmt)
    findings, records = list(division.findings), []
    for raw in division.records:
        read = decode_raw(path.name, raw, fmt)
        if read.record is None:
            findings += read.findings
        else:
            records.append((raw.key, read.record))
    if findings:
        bad = findings[0]
        detail = f" Expected {bad.expected}, found {bad.found}." if bad.expected else ""
        raise FormatError(f"{path.name}: {bad.source_path or '$'}: {bad.message}{detail}")
    return records


def find_pictures(folder: Path) -> dict[str, dict[str, str]]:
    """Returns the pictures below a folder by item, and by the side that they show."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in _PICTURES:
            number, _, side = path.stem.partition("_")
            if number.isdecimal() and side in ("", *DIRECTIONS):
                name = path.relative_to(folder).as_posix()
                found.setdefault(number, {}).setdefault(side or "front", name)
    return found


def name_pictures(
    path: Path, line: int, row: Mapping[str, str], found: Mapping[str, dict[str, str]]
) -> Mapping[str, dict[str, str]]:
    """Returns the pictures of an item by its id, as its row names them or else as they were found.

    Args:
        path: of the catalogue, beside which pictures lie.
        line: of the row.
        row: with the item's ``id``, and perhaps its ``picture``: that of the front.
        found: pictures by id and side.

    Raises:
        FormatError: the picture that the row names is not there, or is no picture.
    """
    name = row.get("picture")
    if not name:
        return found
    file = path.parent / name
    if file.suffix.lower() not in _PICTURES or not file.is_file():
        expected = f"expected a picture in {path.parent}, found {name!r}"
        raise FormatError(f"{path.name}, line {line}, picture: {expected}.")
    sides = {side: file.with_stem(f"{file.stem}_{side}") for side in DIRECTIONS[1:]}
    shown = {"front": file, **{side: each for side, each in sides.items() if each.is_file()}}
    named = {side: each.relative_to(path.parent).as_posix() for side, each in shown.items()}
    return {row["id"]: named}


_NAMED = 5
"""Items without pictures that are named; of more, their number is said."""


def remark_pictures(items: Iterable[Item], *, turned: bool) -> list[str]:
    """Says which items of a catalogue have no pictures.

    Args:
        items: the catalogue.
        turned: whether items are shown from several sides.
    """
    each_once = list({each.number: each for each in items}.values())
    bare = [each for each in each_once if not each.pictures]
    flat = [each for each in each_once if each.pictures.keys() == {"front"}] if turned else []
    if len(bare) == len(each_once):
        return ["No item has a picture: pages draw them by their type, colours and cut."]
    most = f"{len(each_once):,} items"
    drawn = f"There is no picture of {len(bare):,} of {most}, which are drawn"
    same = f"There is a picture of the front only of {len(flat):,} of {most}, which all sides show"
    return [f"{said}: {_list(those)}." for said, those in ((drawn, bare), (same, flat)) if those]


def _list(items: Sequence[Item]) -> str:
    named = ", ".join(str(each.number) for each in items[:_NAMED])
    return named if len(items) <= _NAMED else f"{named} and {len(items) - _NAMED:,} more"


def write_fashion(items: Sequence[Item], path: Path) -> None:
    """Writes items as ``fashion_metadata.json``, by their numbers."""
    shelf = {str(each.number): {"metadata": each.facts, "url": each.url} for each in items}
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(msgspec.json.encode(shelf))


def write_furniture(items: Sequence[Item], path: Path) -> None:
    """Writes items as ``furniture_metadata.csv``, a column for each of their facts."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.DictWriter(file, list(items[0].facts) or COLUMNS, lineterminator="\n")
        writer.writeheader()
        writer.writerows(each.facts for each in items)
