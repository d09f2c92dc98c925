"""Travel packages: their ids and titles, and which of them an offer means."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable, Iterable, Mapping

import msgspec

from commonground.corpora.frames.native import Package, Slot
from commonground.model import Object

_encode = msgspec.json.Encoder().encode


def package_id(package: Package) -> str:
    """Names a package by its content: equal packages have equal ids, in all dialogues."""
    # 64 bits: of a million packages two would share an id once in some thirty million corpora.
    return "package-" + hashlib.blake2b(_encode(package), digest_size=8).hexdigest()


def package_object(object_id: str, package: Package) -> Object:
    """Describes a package, all that the database says of it among its attributes."""
    hotel = package.hotel
    title = f"{hotel.category} {hotel.name.strip()} in {hotel.dst_city}"
    return Object(object_id, "package", title, None, msgspec.to_builtins(package))


def match_offer(args: Iterable[Slot], shown: Mapping[str, Package]) -> str | None:
    """Returns the id of the shown package that an offer means; None where none or several fit.

    A package fits when the offer gives the name of its hotel or its price, and nothing that the
    offer says of name, price, category, guest rating, cities and seat contradicts it. A price is
    compared to the cent, a whole one with the package's price rounded or cut off; a city
    without what follows its comma. Values such as ``cheapest`` or ``-1`` are passed over.
    """
    said = [
        (each.key, each.val)
        for each in args
        # "-1" says that any value will do: 709 slots of acts have it.
        if each.key in _CHECKS and isinstance(each.val, str) and each.val != "-1"
    ]
    # City, category and seat alone fit many packages of one search.
    if not any(key in ("name", "price") for key, _ in said):
        return None
    found = None
    for object_id, package in shown.items():
        if _fits(said, package):
            # Two packages fit, and nothing says which of them is meant.
            if found is not None:
                return None
            found = object_id
    return found


def _fits(said: Iterable[tuple[str, str]], package: Package) -> bool:
    named = False
    for key, value in said:
        # None where the value cannot be read, which neither speaks for the package nor against it.
        fits = _CHECKS[key](value, package)
        if fits is False:
            return False
        if fits and key in ("name", "price"):
            named = True
    return named


# ``re.ASCII``, since ``\d`` alone takes digits of other scripts.
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?", re.ASCII)


def _number(text: str) -> float | None:
    match = _NUMBER.search(text)
    return float(match[0].replace(",", "")) if match else None


def _name(value: str, package: Package) -> bool:
    return value.strip().casefold() == package.hotel.name.strip().casefold()


def _price(value: str, package: Package) -> bool | None:
    said, price = _number(value), package.price
    if said is None:
        return None
    if said.is_integer():
        # Wizards give whole prices either way.
        return said in (price // 1, round(price))
    return abs(said - price) < 0.005  # to the cent


def _same_number(value: str, number: float | None) -> bool | None:
    said = _number(value)
    return None if said is None else said == number


def _same_city(value: str, city: str) -> bool:
    return value.partition(",")[0].strip().casefold() == city.strip().casefold()


def _seat(value: str, package: Package) -> bool | None:
    said = value.upper().partition(" ")[0]
    return said == package.trip.seat if said in ("ECONOMY", "BUSINESS") else None


_CHECKS: dict[str, Callable[[str, Package], bool | None]] = {
    "name": _name,
    "price": _price,
    "category": lambda value, package: _same_number(value, _number(package.hotel.category)),
    "gst_rating": lambda value, package: _same_number(value, package.hotel.gst_rating),
    "dst_city": lambda value, package: _same_city(value, package.hotel.dst_city),
    "or_city": lambda value, package: _same_city(value, package.trip.or_city),
    "seat": _seat,
}
