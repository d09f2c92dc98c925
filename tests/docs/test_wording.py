"""What users read has none of the turns of phrase over which newcomers stumbled."""

from __future__ import annotations

import ast
import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "commonground"

ODDITIES = (
    r"\b(pay|until) somebody\b",
    r"also stands? in",
    r"an? (file|object|text) of JSON",
    r"anew\b",
    r"as (it|they) stands?\b",
    r"as many as (people )?come\b",
    r"ask the store in SQL",
    r"asked alike",
    r"at hand\b",
    r"before (any|some)body (comes|writes)",
    r"beside (ours|published|the published)\b",
    r"beside each other",
    r"\bbetters\b",
    r"broken off at",
    r"by heart",
    r"cannot stand beside",
    r"comes by itself",
    r"costs? (only )?itself",
    r"costs? what (it|they) costs?",
    r"divided by (commas|semicolons)",
    r"fits all of this",
    r"for ever\b",
    r"holds nothing\.",
    r"how dialogues go on",
    r"in a file beside\b",
    r"in sight; nobody",
    r"in vain",
    r"(?<!here )is no (JSON|amount|id of|list of|network|tokenizer)",
    r"is said within",
    r"leaves? by `",
    r"lets nobody",
    r"listen at\b",
    r"means nothing beside",
    r"\bmend it\b",
    r"\bnobody new\b",
    r"\bnobody (answers for|can be|named|sees the|writes)\b",
    r"of then\b",
    r"over the very pages",
    r"passed over\b",
    r"pieces? of material",
    r"\brightly\b",
    r"runs? as (it|they) stands?",
    r"so the files of the figures",
    r"so that it means nothing",
    r"stands? (apart|below)\b",
    r"stands? in place of",
    r"stands? where a (model|person|player)\b",
    r"stores of before",
    r"take along",
    r"the same command goes on",
    r"the words we use",
    r"to be mended",
    r"votes of who\b",
    r"what comes out is",
    r"what growing corpora cost",
    r"what is (gone|said) of",
    r"what the store promises",
    r"what there was to see",
    r"where the talk is about",
    r"where there are any",
    r"who sat where",
    r"whoever shares",
)
"""Regular expressions; a word of a longer phrase is not banned where it is good English."""

BANNED = re.compile("|".join(f"(?:{each})" for each in ODDITIES), re.IGNORECASE)

PAGES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in [*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")]
)
TEMPLATES = sorted(
    path.relative_to(SOURCE).as_posix()
    for path in [*SOURCE.rglob("templates/*.html"), *SOURCE.rglob("room/*.html")]
)
CATALOGUES = sorted(
    path.relative_to(SOURCE).as_posix()
    for path in [*SOURCE.rglob("texts/en.toml"), *SOURCE.rglob("room/en.toml")]
)
COMMANDS = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.glob("cli/*.py"))
SETTINGS = sorted(
    path.relative_to(SOURCE).as_posix()
    for pattern in ("consent.en.md", "study.toml")
    for path in SOURCE.rglob(f"templates/{pattern}")
)
NOTEBOOKS = sorted(path.name for path in (ROOT / "examples").glob("*.ipynb"))
SCRIPTS = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("static/*.js"))
MODULES = sorted(path.relative_to(SOURCE).as_posix() for path in SOURCE.rglob("*.py"))


def find_oddities(text: str) -> list[str]:
    return [found[0] for found in BANNED.finditer(re.sub(r"\s+", " ", text))]


def join_texts(node: ast.AST) -> str:
    """Returns the texts in a part of a program, one after the other."""
    constants = (each.value for each in ast.walk(node) if isinstance(each, ast.Constant))
    return " ".join(each for each in constants if isinstance(each, str))


def list_messages(path: Path) -> Iterator[str]:
    """Yields what the errors say that a module raises."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and node.exc is not None:
            yield join_texts(node.exc)


@pytest.mark.parametrize("name", PAGES)
def test_docs_are_plain(name: str) -> None:
    assert find_oddities((ROOT / name).read_text(encoding="utf-8")) == []


@pytest.mark.parametrize("name", NOTEBOOKS)
def test_notebooks_are_plain(name: str) -> None:
    notebook = json.loads((ROOT / "examples" / name).read_text(encoding="utf-8"))
    text = " ".join("".join(cell["source"]) for cell in notebook["cells"])
    assert find_oddities(text) == []


@pytest.mark.parametrize("name", TEMPLATES + CATALOGUES + SETTINGS)
def test_pages_and_catalogues_are_plain(name: str) -> None:
    text = (SOURCE / name).read_text(encoding="utf-8")
    # What is a comment, in a template, is read by nobody else.
    assert find_oddities(re.sub(r"(?s)\{#.*?#\}", "", text)) == []


@pytest.mark.parametrize("name", SCRIPTS)
def test_what_scripts_show_is_plain(name: str) -> None:
    text = (SOURCE / name).read_text(encoding="utf-8")
    assert find_oddities(re.sub(r"(?m)//.*$", "", text)) == []


@pytest.mark.parametrize("name", COMMANDS)
def test_helps_are_plain(name: str) -> None:
    tree = ast.parse((SOURCE / name).read_text(encoding="utf-8"))
    assert find_oddities(join_texts(tree)) == []


def test_messages_are_plain() -> None:
    found = [
        (name, oddity)
        for name in MODULES
        for message in list_messages(SOURCE / name)
        for oddity in find_oddities(message)
    ]
    assert found == []


def test_oddities_are_found() -> None:
    assert find_oddities("Take along, or learn it\nby heart") == ["Take along", "by heart"]
    assert find_oddities("Download the results; they have been memorised") == []
