from __future__ import annotations

import pytest

from commonground.explorer.links import FileLinks, Links, NoLinks, picture_name


@pytest.mark.parametrize("text", ["../../etc/passwd", "..", ".", "a/b", "c:\\d", "%2e%2e", "\0"])
def test_no_id_leads_elsewhere(text: str) -> None:
    for links in (Links(), FileLinks(1)):
        address = links.dialogue("corpus", text).removeprefix("../")
        assert ".." not in address
        assert address.count("/") == (3 if address.startswith("/") else 2)


def test_addresses_of_the_server() -> None:
    links = Links()
    assert links.page("corpora") == "/"
    assert links.page("browse", "frames", q="a b", page=2) == "/frames/?q=a+b&page=2"
    assert links.page("findings", "frames", code=None) == "/frames/findings"
    assert links.dialogue("frames", "x.1", 3, q="") == "/frames/d/x~2E1#e3"
    assert links.dialogue("corpus", "") == "/corpus/d/~"


def test_addresses_of_files() -> None:
    links = FileLinks(1)
    assert links.page("corpora") == "../index.html"
    assert links.page("browse", "frames") == "../frames/index.html"
    assert links.page("browse", "frames", page=3, q="") == "../frames/page-3.html"
    assert links.page("browse", "frames", q="x", page=1) == "../frames/index.html?q=x&page=1"
    assert links.page("browse", "frames", tab="objects", page=2) == "../frames/objects-2.html"
    assert (
        links.page("findings", "frames", code="CG-X-1", page=1) == "../frames/findings-CG-X-1.html"
    )
    assert links.dialogue("frames", "7", 0) == "../frames/d/7.html#e0"
    assert links.page("results", only="wrong", page=2) == "../results-wrong-2.html"
    assert links.page("results", error="value", run="x") == "../results-value.html"
    asked = links.page("results", only="wrong", sort="f1-up", page=2)
    assert asked == "../results-wrong.html?sort=f1-up&page=2"
    assert links.data("frames") == "../frames/data/"


def test_tabs_keep_the_query_in_files() -> None:
    links = FileLinks(1)
    assert links.page("browse", "frames", tab="events") == "../frames/events.html"
    assert links.page("browse", "frames", tab="events", page=2) == "../frames/events.html?page=2"
    found = links.page("browse", "frames", tab="objects", q="act:offer")
    assert found == "../frames/objects.html?q=act%3Aoffer"


def test_a_page_that_stands_alone_links_to_itself_only() -> None:
    assert NoLinks().page("browse", "frames") == "#"
    assert NoLinks().dialogue("frames", "7", 2) == "#e2"


def test_pictures_keep_their_ending() -> None:
    assert picture_name("a/b.JPG") == "a~2Fb.jpg"
    assert picture_name("a") == "a.img"
