"""The map of the house and the glossary name what is there."""

from __future__ import annotations

import importlib
import re
from functools import reduce
from pathlib import Path

import pytest

DESIGN = Path(__file__).parents[2] / "docs" / "design.md"
GLOSSARY = DESIGN.with_name("glossary.md")
SOURCE = Path(__file__).parents[2] / "src" / "commonground"
TOP = {path.stem for path in SOURCE.iterdir()}

NAMES = sorted(
    name
    for name in set(re.findall(r"`([a-z_]+(?:\.\w+)+)`", DESIGN.read_text(encoding="utf-8")))
    if name.partition(".")[0] in TOP and name.rpartition(".")[2] not in ("toml", "md", "py")
)


ROW = re.compile(r"^\| ([^|`]+) \| [^|]+ \| `([\w.]+)` \|$", re.MULTILINE)
WORDS = dict(ROW.findall(GLOSSARY.read_text(encoding="utf-8")))
"""What the glossary explains, and the name that each word has in the code."""


def look_up(name: str) -> object:
    """Imports as much of a dotted name as is a module, and takes the rest from it."""
    parts = name.split(".")
    for end in range(len(parts), 0, -1):
        try:
            module = importlib.import_module(".".join(["commonground", *parts[:end]]))
        except ModuleNotFoundError:
            continue
        return reduce(getattr, parts[end:], module)
    raise LookupError(name)


@pytest.mark.parametrize("name", NAMES)
def test_what_the_map_names_is_there(name: str) -> None:
    assert look_up(name) is not None


@pytest.mark.parametrize("word", WORDS)
def test_words_of_the_glossary_are_those_of_the_code(word: str) -> None:
    assert look_up(WORDS[word]) is not None


def test_every_row_of_the_glossary_names_its_place() -> None:
    rows = [
        row for row in GLOSSARY.read_text(encoding="utf-8").splitlines() if row.startswith("| ")
    ]
    headings = sum(row.startswith("| word ") for row in rows)
    assert len(rows) - headings == len(WORDS)


def test_the_journeys_are_told_by_names() -> None:
    text = DESIGN.read_text(encoding="utf-8")
    journeys = text.split("## Four journeys")[1].split("\n## ")[0].split("\n### ")[1:]
    assert len(journeys) == 4
    for journey in journeys:
        assert sum(f"`{name}`" in journey for name in NAMES) >= 3


def test_everything_has_its_layer_on_the_map() -> None:
    drawn = DESIGN.read_text(encoding="utf-8").split("```\n")[1]
    named = {name for line in drawn.splitlines() for name in re.findall(r"\w+", line[10:46])}
    assert {name for name in TOP if not name.startswith(("_", "py"))} <= named


def test_every_corpus_has_the_rooms_of_the_map() -> None:
    table = DESIGN.read_text(encoding="utf-8").split("## The rooms of a corpus")[1].split("\n\n")[1]
    rooms = {
        name.rstrip("/")
        for row in table.splitlines()[2:]
        for name in re.findall(r"`([^`]+)`", row.split("|")[1])
    }
    assert len(rooms) == 8
    for manifest in (SOURCE / "corpora").glob("*/corpus.toml"):
        held = {path.name.removesuffix(".py") for path in manifest.parent.iterdir()}
        # Dialogues of one's own have no benchmark and no page of their own.
        needed = rooms - {"tasks", "view"} if manifest.parent.name == "chats" else rooms
        assert needed <= held, manifest
        assert len(held - {"__pycache__"}) <= 14, manifest


def test_a_newcomer_can_take_in_what_a_scenario_holds() -> None:
    for folder in SOURCE.glob("play/scenarios/*"):
        held = {path.name for path in folder.glob("*") if not path.name.startswith("__")}
        assert len(held) <= 12, folder
