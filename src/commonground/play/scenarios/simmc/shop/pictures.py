"""Pictures of items: found beside a catalogue, or drawn from what is known."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from commonground.errors import FormatError
from commonground.play.invented_pictures import Thing, draw_scene
from commonground.play.scenarios.simmc.shop.invented import load_words
from commonground.play.scenarios.simmc.shop.items import DIRECTIONS, Item

_PICTURES = {".jpg", ".jpeg", ".png", ".webp"}


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


def find_pictures(folder: Path) -> dict[str, dict[str, str]]:
    """Returns the pictures below a folder by item, and by the side that they show."""
    found: dict[str, dict[str, str]] = {}
    for path in sorted(folder.rglob("*")):
        if path.suffix.lower() in _PICTURES:
            # `12_left.png` is the left side of item 12, `12.png` its front.
            number, _, side = path.stem.partition("_")
            if number.isdecimal() and side in ("", *DIRECTIONS):
                name = path.relative_to(folder).as_posix()
                # In the order of names: where `12.jpg` and `12.png` lie side by side, the first
                # stands.
                found.setdefault(number, {}).setdefault(side or "front", name)
    return found


def name_pictures(
    path: Path, line: int, row: Mapping[str, str], found: Mapping[str, dict[str, str]]
) -> Mapping[str, dict[str, str]]:
    """Returns the pictures of an item by its id, as its row names them or else as they were found.

    Args:
        path: of the catalogue, beside which pictures lie.
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
    """Says which items of a catalogue have no pictures; of turned ones, none of another side."""
    # Every task of a study has its own list of items, and these overlap.
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
