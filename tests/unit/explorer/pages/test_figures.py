"""What is left of a chart on a page: shapes and what they refer to, and nothing that runs."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from commonground.explorer.pages.figures import clean_svg, figures_style

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


@pytest.mark.parametrize(
    ("wanted", "kind", "begins"),
    [
        ("format=pdf&columns=2&font=serif", "application/pdf", b"%PDF"),
        ("format=svg&background=transparent&title=yes", "image/svg+xml", b"<svg"),
        ("format=png", "image/png", b"\x89PNG"),
        ("format=csv", "text/csv; charset=utf-8", "\ufeffscore,".encode()),
    ],
)
def test_a_figure_can_be_taken_along_for_a_paper(
    client: TestClient, wanted: str, kind: str, begins: bytes
) -> None:
    answer = client.get(f"/photobook/figures/scores?{wanted}")
    assert answer.headers["content-type"] == kind
    assert answer.content.startswith(begins)
    assert 'filename="photobook-scores.' in answer.headers["content-disposition"]


@pytest.mark.parametrize(
    ("path", "status", "said"),
    [
        ("nosuch", 404, "nosuch"),
        ("scores?format=gif", 400, "no format"),
        ("scores?columns=3", 400, "There are: 1, 2."),
        ("scores?columns=two", 400, "There are: 1, 2."),
        # More digits than Python makes a number of.
        (f"scores?columns={'9' * 5000}", 400, "There are: 1, 2."),
        ("scores?font=comic", 400, "There are: sans, serif."),
    ],
)
def test_what_cannot_be_drawn_is_said(
    client: TestClient, path: str, status: int, said: str
) -> None:
    answer = client.get(f"/photobook/figures/{path}")
    assert answer.status_code == status
    assert said in answer.text


def test_the_page_offers_its_figures_for_papers(client: TestClient) -> None:
    assert 'action="/photobook/figures/scores"' in client.get("/photobook/figures").text
