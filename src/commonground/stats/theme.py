"""How our charts look: calm, on no ground of their own, readable on light and dark pages.

Colours of series differ in lightness, so that they stay apart in black and white. Text and
lines have greys that can be read on white and on black; in an SVG that is shown by a browser
they follow the reader's preference.
"""

from __future__ import annotations

import re
from html import escape
from typing import Any

TEXT, LINE, MARK = "#747a81", "#c4c9cf", "#3b78b5"
_DARK = {TEXT: "#b8bec6", LINE: "#41474f", MARK: "#5f9bd8"}

SERIES = ("#2f6aa8", "#e0a03c", "#a8629a", "#7db79a", "#8f8f8f", "#d0776a", "#a9c4e4", "#b3b36b")
DASHES = ([1, 0], [6, 3], [2, 2], [8, 3, 2, 3], [4, 1], [1, 3], [10, 4], [3, 6])

# The drawing library measures texts in a font as wide as these, and puts them apart by that.
_FONT = "Arial, 'Liberation Sans', Helvetica, sans-serif"
# Relative links would be joined to an address of the drawing library's own.
_LINK = "https://link.invalid/{}"
_LINK_IN_SVG = re.compile(r' xlink:href="(?:https://link\.invalid/(\d+)|[^"#]*)"')


def theme() -> dict[str, Any]:
    """Returns the ``config`` of a Vega-Lite chart."""
    return {
        "background": "transparent",
        "font": _FONT,
        "view": {"stroke": None, "fill": None},
        "bar": {"color": MARK},
        "line": {"color": MARK, "strokeWidth": 2},
        "point": {"color": MARK, "filled": True, "size": 36},
        "axis": {
            "labelColor": TEXT,
            "titleColor": TEXT,
            "labelFontSize": 11,
            "titleFontSize": 11,
            "titleFontWeight": "normal",
            "titlePadding": 10,
            "gridColor": LINE,
            "gridOpacity": 0.6,
            "domainColor": LINE,
            "tickColor": LINE,
            "labelLimit": 220,
            "labelSeparation": 8,
        },
        "axisX": {"grid": False, "labelAngle": 0},
        "axisY": {"domain": False, "ticks": False, "tickCount": 5, "maxExtent": 260},
        "legend": {"labelColor": TEXT, "titleColor": TEXT, "titleFontWeight": "normal"},
        "title": {"color": TEXT, "fontSize": 12, "fontWeight": "normal", "anchor": "start"},
        "range": {
            "category": list(SERIES),
            # None so dark that a full cell looks empty on a dark page.
            "heatmap": ["#dbe6f2", "#8fb3d9", "#4d86c0", "#235a94"],
        },
    }


def mark_link(number: int) -> str:
    """Returns what stands for the link of a row until :func:`finish_svg` puts it in."""
    return _LINK.format(number)


def finish_svg(svg: str, title: str, links: dict[int, str]) -> str:
    """Gives an SVG its name for screen readers, its links, and colours for dark pages.

    Args:
        svg: as the chart library wrote it.
        title: what the chart shows, for screen readers.
        links: address of each row that has one, by the number given to :func:`mark_link`.
    """

    def put(match: re.Match[str]) -> str:
        if match[1] is None:  # a mark without a link, which would lead to the library's address
            return ""
        target = escape(links[int(match[1])])
        return f' href="{target}" xlink:href="{target}"'

    svg = _LINK_IN_SVG.sub(put, svg)
    name = escape(title)
    head, _, rest = svg.partition(">")
    head = head.replace('class="marks"', f'class="figure" role="img" aria-label="{name}"')
    return f"{head}><title>{name}</title><style>{dark_style()}</style>{rest}"


def dark_style() -> str:
    """Returns the CSS that gives our SVGs other greys on dark pages.

    Each SVG has it; a page that forbids styles within itself can put it in its own style sheet.
    """
    rules = "".join(
        f'svg.figure [{name}="{light}"]{{{name}:{dark}}}'
        for light, dark in _DARK.items()
        for name in ("fill", "stroke")
    )
    return f"@media (prefers-color-scheme:dark){{{rules}}}"
