"""The pages that the navigation of a corpus leads to; each module of one has a ``SECTION``."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from commonground.discovery import find_values
from commonground.explorer.corpora import OpenCorpus
from commonground.explorer.links import Links, Page


class Section(msgspec.Struct, frozen=True, kw_only=True):
    """A page of every corpus, which the server answers and the static site has.

    Attributes:
        name: of the page in addresses, and of its template.
        title: what the navigation calls it.
        place: the navigation has those of lower places first.
        build: makes the data of the page, of the corpus and what its address asks for.
        parameters: what its address may ask for; ``page`` is a number, all else is text.
        list_files: gives what further files of the static site ask for, beside their page; None
            where it has one file only.
        draw: gives what the template needs beside the data; None for nothing.
        is_there: tells whether a corpus has it.
    """

    name: Page
    title: str
    place: int
    build: Callable[..., Any]
    parameters: tuple[str, ...] = ()
    list_files: Callable[[OpenCorpus], Iterable[dict[str, str]]] | None = None
    draw: Callable[[OpenCorpus, Links], dict[str, Any]] | None = None
    is_there: Callable[[OpenCorpus], bool] = lambda _: True


@cache
def find_sections() -> tuple[Section, ...]:
    """Returns the sections of all corpora, in the order of the navigation."""
    package, folder = "commonground.explorer.pages", Path(__file__).with_name("pages")
    found = [each for _, each in find_values(package, folder, Section, name="SECTION")]
    return tuple(sorted(found, key=lambda each: each.place))


def title_sections(opened: OpenCorpus) -> dict[str, str]:
    """Returns the titles of the list of a corpus and of the sections that it has, by name."""
    has = [each for each in find_sections() if each.is_there(opened)]
    return {"browse": "Browse"} | {each.name: each.title for each in has}
