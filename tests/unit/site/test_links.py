from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from commonground.errors import UsageError
from commonground.site.links import (
    LONGEST_NAME,
    FileLinks,
    NoLinks,
    ServerLinks,
    decode_id,
    encode_id,
    file_name,
    picture_name,
)

PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_~")


@given(st.text())
def test_an_id_is_one_plain_part_of_a_path(text: str) -> None:
    assert set(encode_id(text)) <= PLAIN
    assert decode_id(encode_id(text)) == text
    assert len(file_name(text)) <= LONGEST_NAME


def test_no_id_at_all_is_part_of_a_path_too() -> None:
    assert encode_id("") == file_name("") == "~"
    assert ServerLinks().dialogue("corpus", "") == "/corpus/d/~"


@given(st.text(), st.text())
def test_names_of_files_stay_apart_where_case_does_not_count(one: str, other: str) -> None:
    assert (file_name(one).casefold() == file_name(other).casefold()) == (one == other)


def test_a_file_system_without_case_keeps_ids_apart() -> None:
    assert (file_name("Case"), file_name("case")) == ("~43ase", "case")
    assert file_name("~43ase") == "~7E43ase"


def test_long_names_stay_apart() -> None:
    assert file_name("x" * 500 + "a") != file_name("x" * 500 + "b")


@pytest.mark.parametrize("text", ["../../etc/passwd", "..", ".", "a/b", "c:\\d", "%2e%2e", "\0"])
def test_no_id_leads_elsewhere(text: str) -> None:
    for links in (ServerLinks(), FileLinks(1)):
        address = links.dialogue("corpus", text).removeprefix("../")
        assert ".." not in address
        assert address.count("/") == (3 if address.startswith("/") else 2)


def test_bytes_that_are_no_text_are_no_id() -> None:
    with pytest.raises(UsageError, match="holds no id"):
        decode_id("~FF")


def test_addresses_of_the_server() -> None:
    links = ServerLinks()
    assert links.page("corpora") == "/"
    assert links.page("browse", "frames", q="a b", page=2) == "/frames/?q=a+b&page=2"
    assert links.page("findings", "frames", code=None) == "/frames/findings"
    assert links.dialogue("frames", "x.1", 3, q="") == "/frames/d/x~2E1#e3"


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
