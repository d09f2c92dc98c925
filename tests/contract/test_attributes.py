"""Classes that users of the API meet list their attributes."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from tests.contract.test_docstrings import MANY, documented, is_api

ROOT = Path(__file__).parents[2] / "src" / "commonground"

RECORDS = {"msgspec.Struct", "NamedTuple", "TypedDict"}
"""What classes are made of whose annotated names are fields."""


def list_fields(node: ast.ClassDef) -> Iterator[str]:
    for each in node.body:
        if isinstance(each, ast.AnnAssign) and "ClassVar" not in ast.unparse(each.annotation):
            yield ast.unparse(each.target)


def list_attributes(node: ast.ClassDef) -> Iterator[str]:
    """The public fields of a struct, and what ``__init__`` sets on an instance."""
    yield from list_fields(node)
    for each in node.body:
        if isinstance(each, ast.FunctionDef) and each.name == "__init__":
            for inner in ast.walk(each):
                if isinstance(inner, ast.Attribute) and isinstance(inner.ctx, ast.Store):
                    yield inner.attr


def find_classes(path: Path) -> Iterator[tuple[str, ast.ClassDef]]:
    name = path.relative_to(ROOT).as_posix()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
            yield f"{name}:{node.name}", node


@cache
def all_classes() -> dict[str, ast.ClassDef]:
    """Every public class, by the module and its name."""
    return dict(pair for path in sorted(ROOT.rglob("*.py")) for pair in find_classes(path))


def list_documented(node: ast.ClassDef) -> set[str]:
    """The attributes that a docstring explains, itself or by naming a class that has them, too."""
    docstring = ast.get_docstring(node) or ""
    listed = documented(docstring, "Attributes")
    other = re.search(
        r":class:`(~commonground)?(\.?[\w.]+)` describes the (other )?attributes", docstring
    )
    if other is None:
        return listed
    ending = f".{other[2].removeprefix('.')}"
    dotted = {f".{p.replace('/', '.').replace('.py:', '.')}": n for p, n in all_classes().items()}
    (found,) = (each for place, each in dotted.items() if place.endswith(ending))
    return listed | documented(ast.get_docstring(found) or "", "Attributes")


def find_records() -> dict[str, ast.ClassDef]:
    """Structs and what is derived from them, over as many steps as it takes."""
    records, known = dict[str, ast.ClassDef](), set[str]()
    while True:
        found = {
            place: node
            for place, node in all_classes().items()
            if {ast.unparse(base) for base in node.bases} & (RECORDS | known)
            or any("dataclass" in ast.unparse(each) for each in node.decorator_list)
        }
        if len(found) == len(records):
            return records
        records, known = found, {node.name for node in found.values()}


def test_classes_of_the_api_list_their_attributes() -> None:
    unlisted = {
        place: sorted(missing)
        for place, node in all_classes().items()
        if is_api(place)
        if len(own := {name for name in list_attributes(node) if name[0] != "_"}) >= MANY
        if (missing := own - list_documented(node))
    }
    assert unlisted == {}


def test_what_is_listed_is_there() -> None:
    strangers = {
        place: sorted(more)
        for place, node in find_records().items()
        if len(own := set(list_fields(node))) >= MANY
        if (more := documented(ast.get_docstring(node) or "", "Attributes") - own)
    }
    assert strangers == {}
