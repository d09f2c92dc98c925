"""Figures list every number of the authors' descriptions, and none that is not there.

The descriptions are where ``COMMONGROUND_DATA`` has a folder ``corpora/documents`` beside it;
``documents.toml`` says where each listed number stands, and why others are not listed.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from commonground.figure import PublishedValue
from commonground.figures.figure_files import find_figures

KNOWN: dict[str, dict[str, Any]] = tomllib.loads(
    Path(__file__).with_name("documents.toml").read_text(encoding="utf-8")
)
WORDS = {"one": 1, "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8}
_NUMBER = rf"(?:\d[\d,]*(?:\.\d+)?|\b(?:{'|'.join(WORDS)})\b(?: dozen)?)"
_UNITS = (
    "game|dialog|dialogue|conversation|round|turn|utterance|word|token|action|message|image|"
    "display|object|participant|player|agent|worker|author|persona|element|candidate|field|key|"
    "label|component|dataset|split|theater|ticket|set|search|second|minute|hour|point|level|star|"
    "usd|line"
)
COUNTS = re.compile(
    rf"\b{_NUMBER}\)?(?: [\w'-]+){{0,3}}? (?:{_UNITS})(?:s|es)?\b"
    rf"|{_NUMBER} ?%|(?:length|ranging|from) (?:= |from )?{_NUMBER}(?: to {_NUMBER})?"
    rf"|max {_NUMBER}",
    re.IGNORECASE,
)
"""A number with what it is a number of, not too far behind."""


@pytest.fixture(params=sorted(KNOWN))
def name(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def document(data: Path, name: str) -> str:
    path = data.parent / "corpora" / "documents" / f"{name}.txt"
    if not path.is_file():
        pytest.skip(f"there is no {path.name} in corpora/documents beside the real files")
    return " ".join(path.read_text(encoding="utf-8").split())


def list_published(name: str) -> list[PublishedValue]:
    """The numbers that the figures list from a description."""
    known = KNOWN[name]
    return [
        each
        for figure in find_figures(known["figures"])
        for each in figure.published
        if known["source"] in each.source and each.corpus in ("", known["figures"])
    ]


def read_numbers(text: str) -> Iterator[float]:
    """Yields the numbers of a stretch of text, written in digits or words."""
    for found in re.findall(_NUMBER, text, re.IGNORECASE):
        word, _, dozen = found.lower().partition(" ")
        number = WORDS.get(word)
        yield (
            float(word.rstrip(",").replace(",", ""))
            if number is None
            else number * (12 if dozen else 1)
        )


def count_items(document: str, text: str, item: str, until: str | None = None) -> int:
    """Counts what a stretch of the description names."""
    assert text in document
    stretch = document[document.index(text) + len(text) :]
    if until is not None:
        stretch = stretch[: stretch.index(until)]
    return len(re.findall(item, stretch))


def test_every_listed_number_stands_in_its_description(name: str, document: str) -> None:
    known, listed = KNOWN[name], list_published(name)
    assert listed
    for each in listed:
        if each.name in known.get("counted", {}):
            found = [float(count_items(document, **known["counted"][each.name]))]
        elif each.name in known.get("denied", {}):
            assert known["denied"][each.name] in document
            found = [0.0]
        else:
            phrases = known["stated"][each.name]
            assert [text for text in phrases if text not in document] == []
            found = [number for text in phrases for number in read_numbers(text)]
        assert each.value in found, each.name


def test_every_place_is_that_of_a_listed_number(name: str) -> None:
    known = KNOWN[name]
    places = {*known["stated"], *known.get("counted", {}), *known.get("denied", {})}
    assert places == {each.name for each in list_published(name)}


def test_every_number_of_things_is_listed_or_left_out_for_a_reason(
    name: str, document: str
) -> None:
    known = KNOWN[name]
    stated = [text for phrases in known["stated"].values() for text in phrases]
    left_out: dict[str, str] = known.get("left_out", {})
    assert all(left_out.values())
    assert [text for text in left_out if text not in document] == []
    spans = [
        found.span()
        for text in [*stated, *left_out]
        for found in re.finditer(re.escape(text), document)
    ]
    unknown = [
        document[max(0, found.start() - 30) : found.end() + 30]
        for found in COUNTS.finditer(document)
        if not any(start <= found.start() and found.start() < end for start, end in spans)
    ]
    assert unknown == []
