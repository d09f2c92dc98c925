from __future__ import annotations

import json

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.unit.corpora.frames import samples

from commonground.corpora.frames.convert.packages import match_offer, package_id
from commonground.corpora.frames.native import Package, Slot


def package(name: str = "Elm House", price: float = 812.5, seat: str = "ECONOMY") -> Package:
    made = msgspec.convert(samples.package(name, price), Package)
    made.trip.seat = seat
    return made


SHOWN = {"elm": package(), "elm2": package(price=930.0), "oak": package("Oak Inn", 700.49)}


def said(**values: str | bool) -> list[Slot]:
    return [Slot(key=key, val=value) for key, value in values.items()]


@pytest.mark.parametrize(
    ("values", "meant"),
    [
        ({"name": "oak inn "}, "oak"),
        ({"name": "Elm House"}, None),  # two packages have that hotel
        ({"name": "Elm House", "price": "$930"}, "elm2"),
        ({"price": "812.50USD"}, "elm"),
        ({"price": "812"}, "elm"),  # cut off
        ({"price": "1,812.50"}, None),
        ({"price": "700"}, "oak"),  # rounded and cut off
        ({"price": "701"}, None),
        ({"price": "cheapest"}, None),
        ({"price": "700.49", "category": "3.5"}, "oak"),
        ({"price": "700.49", "category": "4.0"}, None),
        ({"price": "700.49", "category": "good"}, "oak"),
        ({"price": "700.49", "gst_rating": "9.1"}, None),
        ({"price": "700.49", "dst_city": "Brook, Nowhere"}, "oak"),
        ({"price": "700.49", "dst_city": "Beck"}, None),
        ({"price": "700.49", "or_city": "Beck"}, None),
        ({"price": "700.49", "seat": "business class"}, None),
        ({"price": "700.49", "seat": "window"}, "oak"),
        ({"price": "700.49", "dst_city": "-1"}, "oak"),
        ({"dst_city": "Brook"}, None),  # neither name nor price
        ({"wifi": True}, None),
    ],
)
def test_match_offer(values: dict[str, str | bool], meant: str | None) -> None:
    assert match_offer(said(**values), SHOWN) == meant


def test_nothing_shown_matches_nothing() -> None:
    assert match_offer(said(name="Oak Inn"), {}) is None


@given(st.integers(100, 10_000_000))
def test_a_price_to_the_cent_is_found(cents: int) -> None:
    shown = {"it": package(price=cents / 100), "other": package(price=cents / 100 + 7)}
    assert match_offer(said(price=f"${cents // 100:,}.{cents % 100:02}"), shown) == "it"


@given(st.text(), st.text())
def test_any_text_can_be_said(name: str, price: str) -> None:
    assert match_offer(said(name=name, price=price), SHOWN) in (None, *SHOWN)


def test_the_id_is_of_the_content() -> None:
    value = samples.package()
    turned = dict(reversed(value.items()))
    one, other = (msgspec.json.decode(json.dumps(v), type=Package) for v in (value, turned))
    assert package_id(one) == package_id(other)
    assert package_id(one) != package_id(package(price=812.51))
