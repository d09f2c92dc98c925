from __future__ import annotations

import pytest
from markupsafe import Markup
from starlette.testclient import TestClient

from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.rendering.sketches import SHAPES, draw_sketch, find_sketch
from commonground.model import Object
from commonground.view import Sketch

EVIL = '"><script id=evil>'


def item(**known: object) -> Object:
    return Object("shop/1", "item", "a thing", None, known)


@pytest.mark.parametrize(
    ("known", "shape", "price"),
    [
        ({"type": "sweater", "price": "$99", "color": ["red"]}, "top", "$99"),
        ({"type": "tank_top", "price": 24.99}, "top", "$24.99"),
        ({"class_name": "Dining Chairs", "color": ["Gray"]}, "chair", None),
        ({"class_name": "Teen Bookcases"}, "shelf", None),
        ({"type": "nosuch", "price": "$5"}, None, "$5"),
    ],
)
def test_an_item_is_what_its_type_says(
    known: dict[str, object], shape: str | None, price: str | None
) -> None:
    sketch = find_sketch("simmc", item(**known))
    assert sketch is not None
    assert (sketch.shape, sketch.price) == (shape, price)
    assert sketch.shape is None or sketch.shape in SHAPES


def test_nothing_is_drawn_of_what_nobody_knows() -> None:
    assert find_sketch("simmc", item()) is None
    assert find_sketch("simmc", Object("s", "scene", "s", None, {"type": "dress"})) is None
    assert find_sketch("photobook", item(type="dress")) is None
    assert find_sketch("nosuch", item(type="dress")) is None


def test_each_colour_is_a_stripe() -> None:
    drawn = draw_sketch(Sketch(shape="top", colours=["Red", "white", "nosuch"]), "a sweater")
    assert drawn.count("<path") == 2
    assert 'aria-label="a sweater, Red, white, nosuch"' in drawn


def test_hostile_values_stay_text() -> None:
    drawn = draw_sketch(Sketch(shape=EVIL, colours=[EVIL], price=EVIL, facts=[EVIL]), EVIL)
    assert isinstance(drawn, Markup)
    assert "<script" not in drawn
    assert draw_sketch(Sketch(shape="top"), "t").count('fill="none"') == 1


def test_packages_of_one_hotel_can_be_told_apart(frames: OpenCorpus, client: TestClient) -> None:
    (first,) = frames.index.blocks.object_rows([0])
    sketch = find_sketch("frames", first)
    assert sketch is not None
    assert sketch.price == f"${first.attributes['price']:,.2f}"
    assert any(each.startswith("★ ") for each in sketch.facts)
    assert any(" to " in each and "day" in each for each in sketch.facts)
    assert sketch.price in client.get("/frames/?tab=objects").text
