"""Public names are documented where a reader needs more than the name."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import msgspec

ROOT = Path(__file__).parents[2] / "src" / "commonground"

API = (
    "bench/evaluation/access.py",
    "bench/evaluation/baselines/results.py",
    "bench/evaluation/comparing.py",
    "bench/evaluation/coverage.py",
    "bench/evaluation/instances.py",
    "bench/evaluation/reporting.py",
    "bench/evaluation/scoring.py",
    "exports/access.py",
    "exports/format.py",
    "exports/loss.py",
    "exports/run.py",
    "exports/selection.py",
    "figures/access.py",
    "figures/tables.py",
    "figures/views.py",
    "files/formats.py",
    "files/reading.py",
    "play/episode.py",
    "play/outcomes.py",
    "play/player.py",
    "play/scenario.py",
    "play/session.py",
    "play/world.py",
    "store/access.py",
    "store/corpus.py",
    "store/findings.py",
    "store/layout/manifest.py",
    "store/opening.py",
    "store/pictures.py",
    "store/sql/answer.py",
)
"""What users of Python and authors of corpora, scenarios and worlds meet, besides the modules that
stand directly in the package: elsewhere, only what one would not guess is explained."""

MANY = 3
"""From so many parameters on, a signature alone does not say what each is for."""

COMMANDS = {"command", "group"}
"""What click calls; its options and arguments have help instead (see ``test_help``)."""

Function = ast.FunctionDef | ast.AsyncFunctionDef


class Public(msgspec.Struct, frozen=True):
    """A module, class or function that others may use, and its docstring."""

    place: str
    node: ast.Module | ast.ClassDef | Function
    docstring: str

    @property
    def parameters(self) -> list[str]:
        """What a caller gives; for a class what it is made with."""
        if isinstance(self.node, ast.ClassDef):
            makers = [each for each in self.node.body if is_function(each, "__init__")]
            return names_of(makers[0]) if makers else []
        return names_of(self.node) if isinstance(self.node, Function) else []

    @property
    def explained(self) -> set[str]:
        """The parameters that the docstring explains; a class may keep them as attributes."""
        kept = documented(self.docstring, "Attributes")
        return documented(self.docstring) | (kept if isinstance(self.node, ast.ClassDef) else set())

    @property
    def is_command(self) -> bool:
        """Whether click calls it."""
        if not isinstance(self.node, Function):
            return False
        return any(last_name(each) in COMMANDS for each in self.node.decorator_list)


def is_function(node: ast.stmt, name: str) -> bool:
    return isinstance(node, Function) and node.name == name


def last_name(decorator: ast.expr) -> str:
    called = decorator.func if isinstance(decorator, ast.Call) else decorator
    return ast.unparse(called).rpartition(".")[2]


def names_of(function: ast.stmt) -> list[str]:
    assert isinstance(function, Function)
    given = function.args
    listed = [*given.posonlyargs, *given.args, given.vararg, *given.kwonlyargs, given.kwarg]
    names = [each.arg for each in listed if each is not None]
    return names[1:] if names[:1] in (["self"], ["cls"]) else names


def find_public(path: Path) -> Iterator[Public]:
    tree = ast.parse(path.read_text(encoding="utf-8"))
    name = path.relative_to(ROOT).as_posix()
    yield Public(name, tree, ast.get_docstring(tree) or "")
    yield from find_inside(tree, f"{name}:")


def find_inside(node: ast.Module | ast.ClassDef, prefix: str) -> Iterator[Public]:
    for each in node.body:
        if not isinstance(each, ast.ClassDef | Function) or each.name.startswith("_"):
            continue
        yield Public(prefix + each.name, each, ast.get_docstring(each) or "")
        if isinstance(each, ast.ClassDef):
            yield from find_inside(each, f"{prefix}{each.name}.")


def documented(docstring: str, part: str = "Args") -> set[str]:
    """What the parts ``Args:`` or ``Attributes:`` name; ``a, b: ...`` names two."""
    parts = re.findall(rf"^{part}:\n(.*?)(?=^\S|\Z)", docstring, re.DOTALL | re.MULTILINE)
    heads = [head for text in parts for head in re.findall(r"^    (\S[^:]*):", text, re.MULTILINE)]
    return {name.strip(" *") for head in heads for name in head.split(",")}


@cache
def all_public() -> dict[str, Public]:
    """Every public name, by its place."""
    found = (each for path in sorted(ROOT.rglob("*.py")) for each in find_public(path))
    return {each.place: each for each in found}


def is_api(place: str) -> bool:
    """Tells whether a module, or a name in it, is of the API."""
    module = place.partition(":")[0]
    return module in API or "/" not in module


def test_the_api_is_there() -> None:
    assert [name for name in API if not (ROOT / name).is_file()] == []


def test_parameters_are_explained() -> None:
    unexplained = {
        place: sorted(missing)
        for place, each in all_public().items()
        if is_api(place) and len(each.parameters) >= MANY and not each.is_command
        # What a signature is asked to take and does not look at begins with an underscore.
        if (missing := {name for name in each.parameters if name[0] != "_"} - each.explained)
    }
    assert unexplained == {}


def test_what_is_explained_is_there() -> None:
    strangers = {
        place: sorted(more)
        for place, each in all_public().items()
        if each.parameters and (more := documented(each.docstring) - set(each.parameters))
    }
    assert strangers == {}


def test_docstrings_say_more_than_a_name() -> None:
    short = [p for p, each in all_public().items() if 0 < len(each.docstring.split()) <= 4]
    assert short == []


JSON_OR_SQL = ("/native", "/rules", "records.py", "schema.py")
"""Where null of JSON or of SQL is spoken of: in released records, and in columns of tables."""


def test_python_says_none_where_json_and_sql_say_null() -> None:
    said = [
        place
        for place, each in all_public().items()
        if not any(part in place for part in JSON_OR_SQL)
        and re.search(r"(?<!`)\bnull (where|for|means|otherwise|if|likewise)\b", each.docstring)
    ]
    assert said == []
