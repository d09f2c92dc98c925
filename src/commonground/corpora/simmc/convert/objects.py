"""SIMMC's things as objects: catalogue items, and what is known in one dialogue only."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

import msgspec
from msgspec import UNSET

from commonground.corpora.simmc.native.catalogue import FashionItem, FurnitureItem
from commonground.corpora.simmc.native.reprs import read_list
from commonground.model import Object

_NUMBER = re.compile(r"[0-9]{1,18}")


def catalogue_id(domain: str | None, number: str | int) -> str:
    """Returns the object id of a catalogue item: ``fashion/1841``.

    Numbers of furniture are read as the authors' scripts read them: ``"071"`` and 71 are one item.
    """
    if domain == "furniture" and isinstance(number, str) and _NUMBER.fullmatch(number.strip()):
        number = int(number)
    return f"{domain or 'simmc'}/{number}"


def fashion_object(record: FashionItem, key: str, pictures: Mapping[str, str]) -> Object:
    """Describes an item of the fashion catalogue, by its key there."""
    object_id = catalogue_id("fashion", key)
    attributes = {
        name: value
        for name, value in msgspec.structs.asdict(record.metadata).items()
        if value is not UNSET
    }
    title = f"{record.metadata.brand} {record.metadata.type}"
    return Object(
        object_id, "item", title, pictures.get(object_id), {**attributes, "url": record.url}
    )


def furniture_object(record: FurnitureItem, pictures: Mapping[str, str]) -> Object | None:
    """Describes an item of the furniture catalogue; None for a row that is no item."""
    number = record.item_id
    if record.cells is None or number is None:
        return None
    object_id = catalogue_id("furniture", number)
    uri = pictures.get(object_id, f"figures/{number}.png")
    attributes = {name: read_list(value) for name, value in record.cells.items()}
    return Object(object_id, "item", record.cells.get("product_name") or None, uri, attributes)


def seen_object(
    object_id: str, attributes: Mapping[str, Any] | None, pictures: Mapping[str, str]
) -> Object:
    """Describes a thing by what a dialogue shows of it; its place there is not the thing's.

    Attributes are None where only the thing's number is known.
    """
    uri = pictures.get(object_id)
    if attributes is None:
        return Object(object_id, "item", None, uri)
    known = {name: value for name, value in attributes.items() if name != "pos"}
    title = known.get("class_name") or known.get("type")
    return Object(object_id, "item", title if isinstance(title, str) else None, uri, known)
