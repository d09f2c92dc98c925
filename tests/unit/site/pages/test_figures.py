"""What is left of a chart on a page: shapes and what they refer to, and nothing that runs."""

from __future__ import annotations

from commonground.site.pages.figures import clean_svg, figures_style

SVG = """<svg xmlns="http://www.w3.org/2000/svg" id="whole" onload="run()">
<style>text { fill: red }</style>
<defs><linearGradient id="shade"><stop offset="0" stop-color="blue"/></linearGradient></defs>
<a href="https://elsewhere.example/"><rect id="bar" style="x: 1" fill="url(#shade)"/></a>
<script>run()</script></svg>"""


def test_shades_keep_the_name_that_shapes_use() -> None:
    shown = clean_svg(SVG)
    assert '<linearGradient id="shade">' in shown
    assert 'fill="url(#shade)"' in shown


def test_all_else_goes() -> None:
    shown = clean_svg(SVG)
    for left_out in ("run()", "style", "elsewhere", 'id="whole"', 'id="bar"'):
        assert left_out not in shown


def test_wide_words_are_not_cut() -> None:
    assert "svg.figure { overflow: visible }" in figures_style()
