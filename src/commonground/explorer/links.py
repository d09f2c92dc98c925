"""Every address of the explorer: of the server, of the static site and of single files."""

from __future__ import annotations

from typing import Literal

from commonground.explorer.web.addresses import (
    add_parameters,
    encode_file_name,
    encode_id,
    shorten_name,
)

Page = Literal[
    "corpora",
    "browse",
    "dialogue",
    "findings",
    "figures",
    "results",
    "objects",
    "search",
    "sql",
    "chain",
    "compare",
    "found",
    "notes",
]


class Links:
    """Every address that pages lead to: here those of the server, absolute paths."""

    _root = "/"

    def page(self, page: Page, corpus: str | None = None, /, **parameters: object) -> str:
        """Returns the address of a page.

        Args:
            corpus: None for pages of no corpus.
            parameters: of the query; those that are None or empty are left out.
        """
        return self._page(page, corpus, parameters)

    def _page(self, page: Page, corpus: str | None, parameters: dict[str, object]) -> str:
        folder = "/" if corpus is None else f"/{encode_id(corpus)}/"
        is_index = page == ("corpora" if corpus is None else "browse")
        return add_parameters(folder if is_index else f"{folder}{page}", parameters)

    def dialogue(
        self, corpus: str, dialogue_id: str, event: int | None = None, /, **parameters: object
    ) -> str:
        """Returns the address of a dialogue, or of one of its events.

        Args:
            event: None for the whole dialogue.
            parameters: of the list that the reader comes from: ``q`` and ``sort``.
        """
        anchor = "" if event is None else f"#e{event}"
        return f"{self._dialogue(corpus, dialogue_id, parameters)}{anchor}" or "#"

    def _dialogue(self, corpus: str, dialogue_id: str, parameters: dict[str, object]) -> str:
        return add_parameters(f"/{encode_id(corpus)}/d/{encode_id(dialogue_id)}", parameters)

    def static(self, name: str, /) -> str:
        """Returns the address of a file of ``static/``."""
        return f"{self._root}static/{name}"

    def style(self, corpus: str, /) -> str:
        """Returns the address of a corpus's style sheet."""
        return f"{self._root}{encode_id(corpus)}/view.css"

    def picture(self, corpus: str, uri: str, /) -> str:
        """Returns the address of a picture that is there."""
        return f"/{encode_id(corpus)}/picture/{encode_id(uri)}"


class FileLinks(Links):
    """Addresses of the static site, relative to the page that they stand on.

    Args:
        depth: folders between the page and the root of the site.
    """

    def __init__(self, depth: int) -> None:
        self._root = "../" * depth

    def _page(self, page: Page, corpus: str | None, parameters: dict[str, object]) -> str:
        given = {key: value for key, value in parameters.items() if value}
        name = "index" if page == "corpora" else _page_file(page, given)
        folder = self._root if corpus is None else f"{self._root}{encode_id(corpus)}/"
        return add_parameters(f"{folder}{name}.html", given)

    def _dialogue(self, corpus: str, dialogue_id: str, _parameters: dict[str, object]) -> str:
        return f"{self._root}{encode_id(corpus)}/d/{encode_file_name(dialogue_id)}.html"

    def data(self, corpus: str) -> str:
        """Returns the address of the folder with the data of a corpus's search."""
        return f"{self._root}{encode_id(corpus)}/data/"

    def picture(self, corpus: str, uri: str, /) -> str:
        """Returns the address of a picture that was copied to the site."""
        return f"{self._root}{encode_id(corpus)}/pictures/{picture_name(uri)}"


class NoLinks(Links):
    """Addresses of a page that stands alone: only its own events can be reached.

    Pictures, styles and scripts are within the page, and have no address.
    """

    def _page(self, _page: Page, _corpus: str | None, _parameters: dict[str, object]) -> str:
        return "#"

    def _dialogue(self, _corpus: str, _id: str, _parameters: dict[str, object]) -> str:
        return ""

    def static(self, _name: str, /) -> str:
        """Returns an address that leads to the top of the page."""
        return "#"

    def style(self, _corpus: str, /) -> str:
        """Returns an address that leads to the top of the page."""
        return "#"


_TAB_FILES = {"dialogues": "index", "events": "events", "objects": "objects"}


def _page_file(page: Page, parameters: dict[str, object]) -> str:
    """Names the file of a page, and takes what the name says off the parameters."""
    number = parameters.get("page", 1)
    ending = "" if number == 1 else f"-{number}"
    if page == "findings":
        code = parameters.pop("code", None)
        parameters.clear()
        return f"{findings_name(str(code))}{ending}" if code else "findings"
    if page == "results":
        for name in ("run", "beside", "change"):  # a site shows one run
            parameters.pop(name, None)
        chosen = [str(parameters.pop(name)) for name in ("only", "error") if name in parameters]
        name = "-".join(["results", *chosen])
        # In another order, a page has other instances: those, the file finds by itself.
        if not parameters.keys() <= {"page"}:
            return name
        parameters.clear()
        return name + ending
    if page != "browse":
        return page
    tab = str(parameters.pop("tab", "dialogues"))
    # Events are too many for a file of each fifty: their one file shows the others by itself.
    # A query or an order has no file: the first page of the tab finds it by its script.
    if not parameters.keys() <= {"page"} or (tab == "events" and number != 1):
        return _TAB_FILES[tab]
    parameters.clear()
    if tab == "dialogues" and number != 1:
        return f"page{ending}"
    return f"{_TAB_FILES[tab]}{ending}"


def findings_name(code: str) -> str:
    """Returns the name, without page and ending, of the file of a code's findings."""
    return f"findings-{shorten_name(encode_id(code))}"


def picture_name(uri: str) -> str:
    """Returns the name of a picture's file in the static site; it keeps the ending."""
    stem, dot, ending = uri.rpartition(".")
    if not dot or not ending.isalnum() or not ending.isascii():
        # An ending that is not plain letters or digits would say something to a browser or a shell.
        stem, ending = uri, "img"
    return f"{shorten_name(encode_id(stem))}.{ending.lower()}"
