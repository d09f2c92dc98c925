"""Every address of the explorer: of the server, of the static site and of single files.

A dialogue's id may hold anything, so it is written into an address with ``~XX`` for each byte
that is no plain letter, digit, ``-`` or ``_``: the name serves as path of a URL, and neither a
browser nor a file system can read it otherwise. In names of files capitals are written so, too,
since some file systems do not tell them from small letters.
"""

from __future__ import annotations

import hashlib
import re
from functools import lru_cache
from typing import Literal, Protocol
from urllib.parse import urlencode

from commonground.errors import UsageError

Page = Literal["corpora", "browse", "dialogue", "findings", "figures", "results", "objects"]
_PLAIN = frozenset(b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_")
_SMALL = _PLAIN - frozenset(b"ABCDEFGHIJKLMNOPQRSTUVWXYZ")
_EMPTY = "~"
"""Stands for an id without characters, which would be no part of a path."""

_ESCAPED = re.compile(r"~([0-9A-F]{2})")
LONGEST_NAME = 120
"""Characters of an encoded id that a file name may have; longer ones end in a hash."""


_KEPT = 10_000
"""Encoded ids that are remembered: pages write the same ones again and again."""


def encode_id(text: str) -> str:
    """Writes an id so that it is one plain part of a path."""
    return _encode(text, _PLAIN)


@lru_cache(_KEPT)
def _encode(text: str, plain: frozenset[int]) -> str:
    data = text.encode("utf-8", "surrogatepass")
    return "".join(chr(each) if each in plain else f"~{each:02X}" for each in data) or _EMPTY


def decode_id(text: str) -> str:
    """Reads what :func:`encode_id` wrote.

    Raises:
        UsageError: it did not write that.
    """
    if text == _EMPTY:
        return ""
    plain = _ESCAPED.sub(lambda found: chr(int(found[1], 16)), text)
    try:
        decoded = plain.encode("latin-1").decode("utf-8", "surrogatepass")
    except UnicodeError as error:
        raise UsageError(f"The address holds no id: {text!r}.") from error
    return decoded


class Links(Protocol):
    """What gives pages their addresses; one of the classes below."""

    def page(self, page: Page, corpus: str | None = None, /, **parameters: object) -> str:
        """Returns the address of a page; parameters that are null or empty are left out."""
        ...

    def dialogue(
        self, corpus: str, dialogue_id: str, event: int | None = None, **parameters: object
    ) -> str:
        """Returns the address of a dialogue, or of one of its events."""
        ...

    def static(self, name: str) -> str:
        """Returns the address of a file of ``static/``."""
        ...

    def style(self, corpus: str) -> str:
        """Returns the address of a corpus's style sheet."""
        ...

    def picture(self, corpus: str, uri: str) -> str:
        """Returns the address of a picture that is there."""
        ...


class ServerLinks:
    """Addresses of the server: absolute paths."""

    def page(self, page: Page, corpus: str | None = None, /, **parameters: object) -> str:
        """Returns the address of a page; parameters that are null or empty are left out."""
        if corpus is None:
            return _with("/" if page == "corpora" else f"/{page}", parameters)
        path = f"/{encode_id(corpus)}/" + ("" if page == "browse" else page)
        return _with(path, parameters)

    def dialogue(
        self, corpus: str, dialogue_id: str, event: int | None = None, **parameters: object
    ) -> str:
        """Returns the address of a dialogue, or of one of its events."""
        path = f"/{encode_id(corpus)}/d/{encode_id(dialogue_id)}"
        return _with(path, parameters) + _anchor(event)

    def static(self, name: str) -> str:
        """Returns the address of a file of ``static/``."""
        return f"/static/{name}"

    def style(self, corpus: str) -> str:
        """Returns the address of a corpus's style sheet."""
        return f"/{encode_id(corpus)}/view.css"

    def picture(self, corpus: str, uri: str) -> str:
        """Returns the address of a picture that is there."""
        return f"/{encode_id(corpus)}/picture/{encode_id(uri)}"


class FileLinks:
    """Addresses of the static site, relative to the page that they stand on.

    Args:
        depth: folders between the page and the root of the site.
    """

    def __init__(self, depth: int) -> None:
        self._up = "../" * depth

    def page(self, page: Page, corpus: str | None = None, /, **parameters: object) -> str:
        """Returns the address of a page; parameters that are null or empty are left out."""
        given = {key: value for key, value in parameters.items() if value}
        name = "index" if page == "corpora" else _page_file(page, given)
        folder = self._up if corpus is None else f"{self._up}{encode_id(corpus)}/"
        return _with(f"{folder}{name}.html", given)

    def dialogue(
        self,
        corpus: str,
        dialogue_id: str,
        event: int | None = None,
        **parameters: object,  # noqa: ARG002 - files know no parameters
    ) -> str:
        """Returns the address of a dialogue, or of one of its events."""
        return f"{self._up}{encode_id(corpus)}/d/{file_name(dialogue_id)}.html" + _anchor(event)

    def data(self, corpus: str) -> str:
        """Returns the address of the folder with the data of a corpus's search."""
        return f"{self._up}{encode_id(corpus)}/data/"

    def static(self, name: str) -> str:
        """Returns the address of a file of ``static/``."""
        return f"{self._up}static/{name}"

    def style(self, corpus: str) -> str:
        """Returns the address of a corpus's style sheet."""
        return f"{self._up}{encode_id(corpus)}/view.css"

    def picture(self, corpus: str, uri: str) -> str:
        """Returns the address of a picture that is there."""
        return f"{self._up}{encode_id(corpus)}/pictures/{picture_name(uri)}"


class NoLinks:
    """Addresses of a page that stands alone: only its own events can be reached."""

    def page(self, page: Page, corpus: str | None = None, /, **parameters: object) -> str:  # noqa: ARG002
        """Returns an address that leads to the top of the page."""
        return "#"

    def dialogue(
        self,
        corpus: str,  # noqa: ARG002
        dialogue_id: str,  # noqa: ARG002
        event: int | None = None,
        **parameters: object,  # noqa: ARG002
    ) -> str:
        """Returns the address of an event on the page."""
        return _anchor(event) or "#"

    def static(self, name: str) -> str:  # noqa: ARG002
        """Returns an address that leads to the top of the page."""
        return "#"

    def style(self, corpus: str) -> str:  # noqa: ARG002
        """Returns an address that leads to the top of the page."""
        return "#"

    def picture(self, corpus: str, uri: str) -> str:  # noqa: ARG002
        """Returns an address that leads to the top of the page; pictures are embedded."""
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
        only = parameters.pop("only", None)
        parameters.clear()
        return f"results-{only}{ending}" if only else f"results{ending}"
    if page != "browse":
        return page
    tab = str(parameters.pop("tab", "dialogues"))
    # Events are too many for a file of each fifty: their one file shows the others by itself.
    if not parameters.keys() <= {"page"} or (tab == "events" and number != 1):
        return _TAB_FILES[tab]
    parameters.clear()
    if tab == "dialogues" and number != 1:
        return f"page{ending}"
    return f"{_TAB_FILES[tab]}{ending}"


def file_name(dialogue_id: str) -> str:
    """Returns the name, without ending, of a dialogue's file in the static site."""
    return _cut(_encode(dialogue_id, _SMALL))


def findings_name(code: str) -> str:
    """Returns the name, without page and ending, of the file of a code's findings."""
    return f"findings-{_cut(encode_id(code))}"


def picture_name(uri: str) -> str:
    """Returns the name of a picture's file in the static site; it keeps the ending."""
    stem, dot, ending = uri.rpartition(".")
    if not dot or not ending.isalnum() or not ending.isascii():
        stem, ending = uri, "img"
    return f"{_cut(encode_id(stem))}.{ending.lower()}"


def _cut(name: str) -> str:
    if len(name) <= LONGEST_NAME:
        return name
    digest = hashlib.sha256(name.encode()).hexdigest()[:16]
    return f"{name[: LONGEST_NAME - 20]}~~{digest}"


def _with(path: str, parameters: dict[str, object]) -> str:
    given = {key: value for key, value in parameters.items() if value not in (None, "", [], ())}
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def _anchor(event: int | None) -> str:
    return "" if event is None else f"#e{event}"
