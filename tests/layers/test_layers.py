"""The direction of imports, the absence of cycles, and what start-up must not load."""

from __future__ import annotations

import ast
import subprocess
import sys
from functools import cache
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2] / "src" / "commonground"
PACKAGE = "commonground"
TASKS = "corpora.*.tasks"
"""What a corpus has for the wing that measures; it stands in the folder of the corpus."""

# Lowest first; a layer may import itself and those before it. A longer name goes before a shorter.
LAYERS = (
    (
        "errors",
        "discovery",
        "findings",
        "model",
        "metric",
        "task",
        "method",
        "figure",
        "view",
        "records",
        "printing",
        "extras",
        "replies",
        "reply_outcomes",
        "picture_numbers",
        "rows",
        "measuring",
        "typed_text",
    ),
    ("schema", "files", "engines", "statistics"),
    ("checks",),
    ("corpora",),
    ("compat", "fetching", "store"),
    ("figures", "exports"),
    ("explorer.web",),
    ("play",),
    ("play.collect",),
    ("play.rooms",),
    ("bench", "bench.encoders", "bench.learners", "bench.metrics"),
    (TASKS,),
    ("bench.evaluation",),
    ("bench.inspect_tasks",),
    ("explorer", "games", "notebook", "reports"),
    ("agent_tools",),
    ("cli", "__main__"),
)
ORDER = {name: number for number, names in enumerate(LAYERS) for name in names}

WINGS = frozenset({"play", "bench", "explorer"})
"""Those beside the wing of data, which is everything else but what stands at the desk."""

DESK = frozenset({"agent_tools", "cli", "games", "notebook", "reports", "__main__"})
"""What people use all wings by."""

CONTRACTS = {
    "play": {
        "episode": "released dialogues that an agent is put in",
        "episodes": "the corpora whose dialogues are such",
        "outcomes": "what a game came to",
        "player": "who acts, and what on",
        "rooms.players.budget": "what models take",
        "rooms.players.model_answers": "how a model says what it does",
        "rooms.players.model_words": "what a model reads of acts",
        "rooms.players.models": "language models as players",
        "scenarios": "the scenarios that there are",
        "session": "one session by a scenario's rules",
        "sessions": "sessions played without a server, and their logs",
    },
    "bench": {
        "evaluation.instances": "files of scored instances",
        "evaluation.reporting": "reports as rows of numbers",
        "evaluation.tasks": "the tasks that there are",
    },
    "explorer": {
        "web": "what every server of pages needs",
    },
}
"""What a wing shows the others: modules, and packages with all that is in them."""

LATE = {
    PACKAGE: "`import commonground` loads nothing before one of its names is asked for",
    f"{PACKAGE}.games": "inspect_ai is an extra",
    f"{PACKAGE}.reports": "inspect_ai is an extra",
    f"{PACKAGE}.cli": "a command loads what it runs; help and completion need none of it",
    f"{PACKAGE}.corpora.photobook.figures": "most figures are counted without numpy",
    f"{PACKAGE}.engines": "Dask is an extra, and slow to load",
    f"{PACKAGE}.bench.evaluation.instances": "torch is an extra",
    f"{PACKAGE}.exports": "the formats are listed for help without pyarrow",
    f"{PACKAGE}.store.corpus": "a corpus is opened, listed and asked without pyarrow or duckdb",
    f"{PACKAGE}.store.importing.own_splits": "an import of released splits does without duckdb",
    f"{PACKAGE}.store.layout": "a store is opened, and compared with its manifest, without pyarrow",
    f"{PACKAGE}.store.opening": "a store is opened without pyarrow or duckdb",
}
"""Modules, or whole packages, that import others of ours inside functions, and why."""

WRITES_HTML = frozenset(
    {
        "bench.evaluation",
        "explorer",
        "explorer.web",
        "exports",  # its Markdown is of templates
        "figures",
        "notebook",
        "play.collect",
        "play.rooms",
    }
)
"""Layers that may know HTML; whatever else there is to show, one of them shows it."""

HTML_LIBRARIES = frozenset({"html", "jinja2", "markupsafe", "starlette", "uvicorn"})


def module_name(path: Path) -> str:
    parts = path.relative_to(ROOT.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in ROOT.rglob("*.py")}


class Finder(ast.NodeVisitor):
    """Finds what a module imports: when it is loaded, inside functions, and for types only."""

    def __init__(self) -> None:
        self.found: dict[str, set[str]] = {"loaded": set(), "late": set(), "typing": set()}
        self._kind = "loaded"

    def _inside(self, kind: str, nodes: list[ast.stmt]) -> None:
        before, self._kind = self._kind, kind if self._kind == "loaded" else self._kind
        for node in nodes:
            self.visit(node)
        self._kind = before

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self._inside("late", node.body)

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815 - as ast names it

    def visit_If(self, node: ast.If) -> None:
        is_typing = isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"
        self._inside("typing" if is_typing else self._kind, node.body)
        self._inside(self._kind, node.orelse)

    def visit_Import(self, node: ast.Import) -> None:
        self.found[self._kind].update(alias.name for alias in node.names)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        if node.module and not node.level:
            for alias in node.names:
                full = f"{node.module}.{alias.name}"
                self.found[self._kind].add(full if full in MODULES else node.module)


@cache
def find_imports(name: str) -> dict[str, set[str]]:
    """Everything that a module imports, ours and others', by when it does."""
    finder = Finder()
    finder.visit(ast.parse(MODULES[name].read_text(encoding="utf-8")))
    return finder.found


def imports(name: str, *kinds: str) -> frozenset[str]:
    """Modules of ours that a module imports in some of these ways; in any where none is named."""
    found = find_imports(name)
    mine = set().union(*(found[kind] for kind in kinds or found))
    return frozenset(each for each in mine if each in MODULES and each != name)


def layer(name: str) -> str:
    """The entry of ``LAYERS`` that a module belongs to: its folder, or one inside it."""
    parts = name.split(".")[1:]
    if parts[:1] == ["corpora"] and parts[2:3] == ["tasks"]:
        return TASKS
    inside = ".".join(parts[:2])
    return inside if inside in ORDER else ".".join(parts[:1])


def wing(name: str) -> str:
    """The wing that a module belongs to: ``data`` for what is in none of the others."""
    if layer(name) == TASKS:
        return "bench"
    head = layer(name).partition(".")[0]
    return head if head in WINGS else "desk" if head in DESK else "data"


def is_contract(name: str) -> bool:
    """Whether a wing shows a module to the others."""
    _, head, *rest = name.split(".")
    shown = CONTRACTS.get(head, {})
    return any(".".join(rest[:length]) in shown for length in range(1, len(rest) + 1))


def test_wings_know_each_other_by_contracts() -> None:
    strangers = []
    for name in sorted(set(MODULES) - {PACKAGE}):
        mine = wing(name)
        for other in imports(name):
            there = PACKAGE if other == PACKAGE else wing(other)
            if mine == "desk" or there in (mine, "data", PACKAGE):
                continue
            if mine == "data" or not is_contract(other):
                strangers.append(f"{name} imports {other}, which is no contract of {there}")
    assert strangers == []


def test_contracts_are_needed() -> None:
    used = {o for n in MODULES if n != PACKAGE for o in imports(n) if wing(o) != wing(n) != "desk"}
    for head, shown in CONTRACTS.items():
        for each in shown:
            found = f"{PACKAGE}.{head}.{each}"
            assert any(name == found or name.startswith(f"{found}.") for name in used), found


def test_every_module_stands_in_a_layer() -> None:
    assert {name for name in MODULES if layer(name)} == {
        name for name in MODULES if layer(name) in ORDER
    }


def test_imports_go_down() -> None:
    up = [
        f"{name} imports {other}"
        for name in sorted(MODULES)
        for other in imports(name)
        if layer(name) and layer(other) and ORDER[layer(other)] > ORDER[layer(name)]
    ]
    assert up == []


def test_no_corpus_imports_another() -> None:
    for name in MODULES:
        if layer(name) != "corpora" or name.count(".") < 2:
            continue
        folder = name.split(".")[2]
        for other in imports(name):
            if other.startswith(f"{PACKAGE}.corpora."):
                assert other.split(".")[2] == folder, f"{name} imports {other}"


def test_there_is_no_import_cycle() -> None:
    done: set[str] = set()

    def visit(name: str, trail: tuple[str, ...]) -> None:
        assert name not in trail, " -> ".join((*trail, name))
        if name not in done:
            for other in imports(name, "loaded", "late"):
                visit(other, (*trail, name))
            done.add(name)

    for name in MODULES:
        visit(name, ())


def reason(name: str) -> str | None:
    """The entry of ``LATE`` that allows a module to import inside functions."""
    parts = name.split(".")
    heads = (".".join(parts[:length]) for length in range(len(parts), 1, -1))
    return next((head for head in heads if head in LATE), PACKAGE if name == PACKAGE else None)


def test_imports_inside_functions_have_a_reason() -> None:
    late = {name: imports(name, "late") for name in MODULES}
    used = {reason(name) for name, found in late.items() if found}
    unexplained = {name: sorted(f) for name, f in late.items() if f and reason(name) is None}
    assert not unexplained
    assert set(LATE) <= used, "these import nothing inside functions any more"


def test_only_what_shows_pages_knows_html() -> None:
    found = {
        name: {each.partition(".")[0] for each in set().union(*find_imports(name).values())}
        for name in MODULES
        if layer(name) not in WRITES_HTML
    }
    assert {name: heads for name, heads in found.items() if heads & HTML_LIBRARIES} == {}


@pytest.mark.parametrize("code", ["import commonground", "COMMAND --help", "COMMAND list --help"])
def test_start_up_loads_nothing_heavy(code: str, tmp_path: Path) -> None:
    if code.startswith("COMMAND"):
        words = code.split()[1:]
        code = (
            "import sys; sys.argv = ['commonground'] + " + repr(words) + "\n"
            "from commonground.cli import main\n"
            "try:\n    main()\nexcept SystemExit:\n    pass"
        )
    heavy = {"pyarrow", "duckdb", "pandas", "rich", "msgspec"}
    code += f"\nimport sys; print(sorted({heavy} & set(sys.modules)))"
    result = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=tmp_path
    )
    assert result.stdout.splitlines()[-1] == "[]"
