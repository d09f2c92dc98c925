"""Drawings of objects that no picture was released of: their shape in their colours, their price.

What is known of an object is for its corpus to say, in ``view/objects.py``.
"""

from __future__ import annotations

from functools import cache
from typing import Any

import msgspec
from markupsafe import Markup

from commonground.corpora import find_corpus
from commonground.view import Sketch

SHAPES = {
    "top": "M16 8 6 13 2 24l8 3 1-4v19h26V23l1 4 8-3-4-11-10-5c-1 5-15 5-16 0z",
    "coat": "M16 6 7 11 3 34l6 2 2-10v18h12V14l-4-7zM32 6l9 5 4 23-6 2-2-10v18H25V14l4-7z",
    "dress": "M16 4v8l2 8-8 24h28l-8-24 2-8V4h-3c-1 6-9 6-10 0z",
    "skirt": "M15 10h18v5l7 26H8l7-26z",
    "trousers": "M13 4h22l3 40h-9L24 16l-5 28h-9z",
    "hat": "M14 28c0-22 20-22 20 0h11v6H3v-6z",
    "shoe": "M6 14h12l6 10 18 5c3 2 3 5 3 8H6z",
    "bag": "M8 18h32l3 26H5zM17 18c0-14 14-14 14 0h-3c0-9-8-9-8 0z",
    "sofa": "M10 12h28c3 0 4 2 4 6 4-1 5 2 5 4v14h-4v4h-4v-4H9v4H5v-4H1V22c0-2 1-5 5-4 0-4 1-6 4-6",
    "chair": "M13 4h22v22h3v18h-4V32H14v12h-4V26h3z",
    "table": "M2 14h44v6h-4v22h-5V20H11v22H6V20H2z",
    "lamp": "M16 4h16l7 18H26v16h7v5H15v-5h7V22H9z",
    "bed": "M3 10h4v14h34c3 0 5 2 5 5v11h-4v-5H7v5H3zM9 16h10c3 0 4 2 4 6H9z",
    "rug": "M4 12h40v24H4zM2 12h1v24H2zM45 12h1v24h-1z",
    "shelf": "M6 4h36v40h-4v-3H10v3H6zM10 8v9h28V8zM10 20v9h28v-9zM10 32v6h28v-6z",
    "thing": "M8 14 24 6l16 8v20l-16 8-16-8z",
}
"""Outlines in a square of 48."""

_COLOURS = {
    "black": "#26282c",
    "dark grey": "#55585e",
    "grey": "#8d9096",
    "light grey": "#c3c6cb",
    "silver": "#b9bec6",
    "white": "#f7f7f4",
    "ivory": "#f3ecd8",
    "beige": "#dfd0b0",
    "cream": "#f2e8cd",
    "brown": "#7b4f2e",
    "dark brown": "#523420",
    "light brown": "#b08560",
    "tan": "#c9a878",
    "wooden": "#a4733f",
    "red": "#c63a32",
    "dark red": "#8a1f1f",
    "light red": "#e5817b",
    "maroon": "#7a2233",
    "pink": "#e792b5",
    "dark pink": "#c7477f",
    "light pink": "#f3c3d5",
    "dirty pink": "#c99aa2",
    "orange": "#e5842e",
    "light orange": "#f2b980",
    "yellow": "#efc62f",
    "dark yellow": "#bd9513",
    "gold": "#c9a02f",
    "golden": "#c9a02f",
    "olive": "#7a7a2e",
    "green": "#3c8c4a",
    "dark green": "#1f5a31",
    "light green": "#94cf90",
    "dirty green": "#6f7f56",
    "teal": "#1f7f84",
    "blue": "#2f66b5",
    "dark blue": "#1d3a73",
    "light blue": "#8fbde8",
    "navy": "#1c2c55",
    "purple": "#7a4aa5",
    "violet": "#7d55b5",
    "dark violet": "#54307f",
    "neon": "#b8f23c",
}
# Catalogues spell it both ways.
_COLOURS |= {name.replace("grey", "gray"): each for name, each in _COLOURS.items()}


@cache
def _sketcher(corpus: str) -> Any:
    module = find_corpus(corpus).view_module("objects")
    return None if module is None else module.sketch_object


def find_sketch(corpus: str, shown: Any) -> Sketch | None:
    """Returns what its corpus says of an object; None where it says nothing.

    Args:
        shown: an object, or what a list shows of one, with ``kind`` and ``attributes``.
    """
    sketcher = _sketcher(corpus)
    if sketcher is None or getattr(shown, "attributes", None) is None:
        return None
    found: Sketch | None = sketcher(shown)
    return found


def is_drawn(corpus: str, shown: Any) -> bool:
    """Says whether a drawing of an object shows more than its price."""
    sketch = find_sketch(corpus, shown)
    return sketch is not None and bool(sketch.shape or sketch.colours)


def list_facts(corpus: str, shown: Any) -> list[str]:
    """Returns what tells an object from others like it: its price, then short facts."""
    sketch = find_sketch(corpus, shown)
    if sketch is None:
        return []
    return [*([sketch.price] if sketch.price else []), *sketch.facts]


class Drawing(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is on a drawing of an object; a static site's script draws it as this module does.

    Attributes:
        label: what to say to those who do not see it.
        shape: its outline, a key of :data:`SHAPES`.
        fills: colours of its stripes from the left, as CSS has them; none: only the outline.
        price: what stands in the corner; None: nothing.
    """

    label: str
    shape: str = "thing"
    fills: list[str] = []
    price: str | None = None


def plan_drawing(sketch: Sketch, title: str) -> Drawing:
    """Plans a drawing: one stripe of each known colour, four at most, and the price."""
    fills = [_COLOURS[name.lower()] for name in sketch.colours if name.lower() in _COLOURS][:4]
    label = ", ".join([title, *sketch.colours, *([sketch.price] if sketch.price else [])])
    shape = sketch.shape if sketch.shape in SHAPES else "thing"
    return Drawing(label, shape, fills, sketch.price or None)


def draw_sketch(sketch: Sketch, title: str) -> Markup:
    """Draws an object: one stripe of each colour in its outline, and the price below.

    Args:
        title: what to say to those who do not see it.
    """
    drawing = plan_drawing(sketch, title)
    price = Markup('<span class="sketch-price">{}</span>').format(drawing.price)
    return Markup(
        '<span class="sketch" role="img" aria-label="{}">'
        '<svg viewBox="0 0 48 48" aria-hidden="true">{}</svg>{}</span>'
    ).format(
        drawing.label, _fill(SHAPES[drawing.shape], drawing.fills), price if drawing.price else ""
    )


def _fill(path: str, fills: list[str]) -> Markup:
    """Fills an outline with stripes, one over the other: each covers what is right of it."""
    if len(fills) <= 1:
        fill = fills[0] if fills else "none"
        return Markup('<path d="{}" fill="{}" fill-rule="evenodd"/>').format(path, fill)
    # Cut by a nested view each: a clip path needs an id, and a page shows many.
    wide = 48 // len(fills)  # whole, as there are four at most
    return Markup("").join(
        Markup(
            '<svg x="{0}" y="0" width="{1}" height="48" viewBox="{0} 0 {1} 48">'
            '<path d="{2}" fill="{3}" fill-rule="evenodd"/></svg>'
        ).format(number * wide, wide, path, fill)
        for number, fill in enumerate(fills)
    )
