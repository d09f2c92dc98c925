"""The documentation site is built without a warning, whole, and asks no other host for anything."""

from __future__ import annotations

import json
import re
from importlib.util import find_spec
from pathlib import Path

import pytest
from scripts import build_docs_site as site
from tests.thorough import thorough

import commonground as cg

CONFIGURATION = (site.ROOT / "mkdocs.yml").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The site, built in a folder of its own."""
    if find_spec("zensical") is None:
        pytest.skip("zensical is not installed: `make test` brings it")
    return site.build(tmp_path_factory.mktemp("docs"))


@thorough
def test_every_link_leads_somewhere_and_nothing_is_loaded_from_elsewhere(built: Path) -> None:
    assert site.check_site(site.read_site(built), built) == []


@thorough
def test_every_public_name_is_in_the_reference(built: Path) -> None:
    places = site.read_site(built)[built / "reference" / "python.html"].places
    ends = {place.rpartition(".")[2] for place in places if place.startswith("commonground.")}
    assert {name for name in cg.__all__ if not name.startswith("_")} <= ends


def test_the_reference_begins_with_load() -> None:
    text = site.reference_pages()["python.md"]
    assert text.partition("\n::: ")[2].startswith("commonground.store.opening.load\n")


@thorough
def test_short_terms_lead_to_sections_that_are_there(built: Path) -> None:
    pages = site.read_site(built)
    for place in site.SHORT_TERMS.values():
        assert site.leads_somewhere(place, built / "index.html", pages)


@thorough
def test_no_two_pages_have_one_title(built: Path) -> None:
    index = json.loads((built / "search.json").read_bytes())["items"]
    titles = [each["title"] for each in index if "#" not in each["location"]]
    assert {"Recipes", "SIMMC 2.x"} <= set(titles)
    assert {each for each in titles if titles.count(each) > 1} == set()


def test_every_page_can_be_reached_by_the_menu() -> None:
    listed = set(re.findall(r"^ +- ([\w/-]+\.md)$", CONFIGURATION, re.MULTILINE))
    docs = site.ROOT / "docs"
    pages = {path.relative_to(docs).as_posix() for path in docs.rglob("*.md")}
    texts = {name for name in site.TEXTS.values() if name.endswith(".md")}
    assert listed == pages | texts | {"reference/python.md"}


def test_what_is_wrong_with_a_site_is_found(tmp_path: Path) -> None:
    (tmp_path / "good.html").write_text('<h1 id="top"></h1>', encoding="utf-8")
    (tmp_path / "page.html").write_text(
        '<script src="https://fonts.example/a.js"></script><a href="good.html#top"></a>'
        '<a href="good.html#end"></a><a href="gone.html"></a><a href="https://far.example/"></a>',
        encoding="utf-8",
    )
    (tmp_path / "site.css").write_text("a { background: url(//far.example/b.png) }", "utf-8")
    assert site.check_site(site.read_site(tmp_path), tmp_path) == [
        "page.html links to gone.html, which is not there",
        "page.html links to good.html#end, which is not there",
        "page.html loads https://fonts.example/a.js",
        "site.css loads //far.example/b.png",
    ]


def test_links_fit_where_a_page_stands_on_the_site() -> None:
    moved = site.move_links("[a](../SECURITY.md#what) [b](how-to/play.md)", Path("new-corpus.md"))
    assert moved == "[a](security.md#what) [b](how-to/play.md)"
    moved = site.move_links(
        "[a](docs/results.md) ![](docs/images/photobook.webp)", Path("index.md")
    )
    assert moved == "[a](results.md) ![](images/photobook.webp)"


def test_a_notebook_is_shown_with_its_outputs() -> None:
    output = {"data": {"text/html": ["<b>3</b>\n", "\n", "<i>4</i>"], "text/plain": ["3"]}}
    cells = [
        {"cell_type": "markdown", "source": ["# Words"]},
        {"cell_type": "code", "source": ["x"], "outputs": [output, {"text": ["said\n"]}]},
    ]
    text = "".join(site.render_notebook({"cells": cells}))
    assert "# Words\n\n```python\nx\n```" in text
    assert '<div class="notebook-output">\n<b>3</b>\n<i>4</i>\n</div>' in text
    assert "```text\nsaid\n```" in text
