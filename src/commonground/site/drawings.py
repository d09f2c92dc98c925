"""Charts inside a page: SVG of the drawing library, cut to what a page of ours may hold."""

from __future__ import annotations

import re
from xml.etree import ElementTree

from markupsafe import Markup

from commonground.stats.theme import dark_style

_SVG = "{http://www.w3.org/2000/svg}"
_SHAPES = ("path", "rect", "line", "circle", "text", "tspan")
_ELEMENTS = frozenset(
    ("svg", "g", *_SHAPES, "title", "a", "defs", "clipPath", "linearGradient", "stop")
)
_NAMED = frozenset(f"{_SVG}{name}" for name in ("clipPath", "linearGradient"))
"""Elements that others refer to by id; ids are unique in all that one process draws."""

_HREFS = ("href", "{http://www.w3.org/1999/xlink}href")
_INNER = re.compile(r"svg\.figure ")


def clean_svg(svg: str) -> Markup:
    """Keeps shapes, texts and links to our own pages; drops styles, scripts and all else.

    Args:
        svg: as ``stats`` draws it.
    """
    # It is our own drawing library's, which declares no entities.
    root = ElementTree.fromstring(svg)  # noqa: S314
    _clean(root)
    if root.find(f".//{_SVG}a") is not None:
        root.set("role", "group")  # an image may hold no links
    ElementTree.register_namespace("", _SVG.strip("{}"))
    text = ElementTree.tostring(root, encoding="unicode")
    return Markup(text)  # noqa: S704 - written anew from a tree of known elements


def _clean(element: ElementTree.Element) -> None:
    for child in list(element):
        if child.tag.removeprefix(_SVG) not in _ELEMENTS or not child.tag.startswith(_SVG):
            element.remove(child)
        else:
            _clean(child)
    target = next((element.get(name) for name in _HREFS if element.get(name)), None)
    for name in list(element.attrib):
        is_needless = name == "style" or (name == "id" and element.tag not in _NAMED)
        if name in _HREFS or name.lower().startswith("on") or is_needless:
            del element.attrib[name]
    if target and (target.startswith("/") or ".html" in target.partition("?")[0]):
        element.set("href", target)


def figures_style() -> str:
    """Returns the style sheet that gives charts their colours on dark pages.

    Words that a font makes wider than the drawing library thought are shown whole.
    """
    rules = dark_style().partition("{")[2].removesuffix("}")
    system = _INNER.sub(':root:not([data-theme="light"]) svg.figure ', rules)
    chosen = _INNER.sub(':root[data-theme="dark"] svg.figure ', rules)
    whole = "svg.figure { overflow: visible }"
    return f"{whole}\n@media (prefers-color-scheme: dark) {{{system}}}\n{chosen}\n"
