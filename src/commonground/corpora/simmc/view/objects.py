"""What is known of an item, for a drawing of it: its type, its colours, its price."""

from __future__ import annotations

from typing import Any

from commonground.model import Object
from commonground.view import Sketch

_PARTS = {
    "dress": ["dress"],
    "skirt": ["skirt"],
    "trousers": ["jeans", "trousers", "pants", "shorts"],
    "coat": ["coat", "jacket", "vest", "suit"],
    "top": ["sweater", "hoodie", "shirt", "blouse", "tank top", "top"],
    "hat": ["hat"],
    "shoe": ["shoe", "boot", "sock"],
    "bag": ["bag"],
    "sofa": ["sofa", "loveseat", "couch", "futon"],
    "chair": ["chair", "stool", "bench", "ottoman"],
    "table": ["desk", "table", "island"],
    "lamp": ["lamp", "light"],
    "bed": ["bed"],
    "rug": ["rug"],
    # Of shelf and shelves.
    "shelf": ["shel", "bookcase", "cabinet", "dresser", "storage", "stand", "nightstand"],
}
_SHAPES = {part: shape for shape, parts in _PARTS.items() for part in parts}
"""Shape by a part of the type's name; of several that fit, the longest."""


def sketch_object(shown: Object) -> Sketch | None:
    """Gathers what a drawing needs; None for scenes, and where the release says nothing."""
    known = shown.attributes
    if shown.kind != "item" or not isinstance(known, dict):
        return None
    kind = str(known.get("type") or known.get("assetType") or known.get("class_name") or "")
    price = known.get("price")
    sketch = Sketch(
        shape=_find_shape(kind.lower()),
        colours=_list(known.get("color")),
        price=_write_price(price),
        facts=[
            *([known["brand"]] if isinstance(known.get("brand"), str) else []),
            *_list(known.get("pattern")),
            *_list(known.get("decor_style")),
        ][:3],
    )
    return sketch if sketch.shape or sketch.colours or sketch.price else None


def _find_shape(kind: str) -> str | None:
    fitting = [part for part in _SHAPES if part in kind.replace("_", " ")]
    return _SHAPES[max(fitting, key=len)] if fitting else None


def _list(value: Any) -> list[str]:
    values = value if isinstance(value, list) else [value]
    return [each for each in values if isinstance(each, str) and each]


def _write_price(price: Any) -> str | None:
    if isinstance(price, str) and price:
        return price if price.startswith("$") else f"${price}"
    if isinstance(price, int | float) and not isinstance(price, bool):
        return f"${price:,g}"
    return None
