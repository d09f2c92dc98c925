"""The search of the documentation site leads somewhere for the terms that people bring."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from scripts import build_docs_site as site
from tests.sharing import build_once
from tests.thorough import a_few

TERMS = {
    "bootstrap": "#confidence-intervals",
    "citation": "#licence",
    "confidence interval": "#confidence-intervals",
    "ConvoKit": "#convokit",
    "Excel": "#excel",
    "Hugging Face": "#hugging-face",
    "kappa": "#inter-annotator-agreement",
    "licence": "#licence",
    "matplotlib": "#matplotlib",
    "MTurk": "#prolific",
    "pandas": "#pandas",
    "polars": "#pandas",
    "Prolific": "#prolific",
    "PyTorch": "#pytorch",
    "R": "#r-rstudio",
    "RStudio": "#r-rstudio",
    "significance": "#confidence-intervals",
    "SPSS": "#spss",
}
"""What people look for, and the section of *your tools* that is among the results."""


class QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, *words: object) -> None:
        """Says nothing of requests."""


@pytest.fixture(scope="module")
def docs_site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """The address of the built site."""
    if find_spec("zensical") is None:
        pytest.skip("zensical is not installed: `make test` brings it")

    def build(folder: Path) -> None:
        site.build(folder)

    folder = build_once(tmp_path_factory, "docs-site", build) / site.SITE
    handler = partial(QuietHandler, directory=str(folder))
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_port}"
        server.shutdown()


@pytest.mark.parametrize("term", a_few(TERMS, ["confidence interval", "R"]))
def test_a_term_that_people_search_leads_somewhere(
    term: str, docs_site: str, open_page: Callable[..., Any]
) -> None:
    page = open_page(f"{docs_site}/index.html")
    page.locator(".md-search__button").click()
    page.locator("input:focus").wait_for()
    page.keyboard.type(term)
    page.locator(f"a[href*='your-tools.html'][href*='{TERMS[term]}']").first.wait_for()
