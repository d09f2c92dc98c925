"""``SECURITY.md`` promises what tests hold."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "commonground"
TEXT = (ROOT / "SECURITY.md").read_text(encoding="utf-8")
PROMISES = TEXT.split("## What is promised")[1].split("## What is not promised")[0]
TESTS = sorted(set(re.findall(r"`(tests/[\w/]+\.py)::(\w+)`", PROMISES)))
RUNNING = frozenset(
    {"eval", "exec", "compile", "load", "loads", "open", "execfile", "unsafe_load", "Unpickler"}
)
PICKLING = frozenset(
    {"pickle", "_pickle", "cloudpickle", "marshal", "shelve", "dill", "joblib", "torch"}
)
UNSAFE = PICKLING | {"yaml", "builtins"}


@pytest.mark.parametrize(("path", "name"), TESTS)
def test_the_test_of_a_promise_is_there(path: str, name: str) -> None:
    tree = ast.parse((ROOT / path).read_text(encoding="utf-8"))
    assert name in {each.name for each in ast.walk(tree) if isinstance(each, ast.FunctionDef)}


def test_every_promise_names_a_test() -> None:
    promises = re.split(r"\n- (?=\*\*)", PROMISES)[1:]
    assert len(promises) > 10
    for promise in promises:
        assert re.search(r"`tests/[\w/]+\.py::\w+`", promise), promise


def running(source: str) -> list[str]:
    """Lists calls that run what they are given: of evil data, whatever its author likes."""
    found = []
    for node in ast.walk(ast.parse(source)):
        # By another name, its calls would not be seen here.
        if isinstance(node, ast.ImportFrom) and node.module in PICKLING:
            found += [each.name for each in node.names if each.name in RUNNING]
        if isinstance(node, ast.Import):
            found += [each.name for each in node.names if each.name in PICKLING and each.asname]
        if not isinstance(node, ast.Call):
            continue
        function = node.func
        if isinstance(function, ast.Name) and function.id in ("eval", "exec", "compile"):
            found.append(function.id)
        if isinstance(function, ast.Attribute) and isinstance(function.value, ast.Name):
            name = f"{function.value.id}.{function.attr}"
            unsafe = function.value.id in UNSAFE and function.attr in RUNNING
            unsafe |= function.attr in ("read_pickle", "unpickle")
            allowing = any(
                each.arg == "allow_pickle" and ast.unparse(each.value) != "False"
                for each in node.keywords
            )
            # A file of tensors alone: whatever else it names is refused.
            unsafe &= ("weights_only", "True") not in {
                (each.arg, ast.unparse(each.value)) for each in node.keywords
            }
            if unsafe or allowing:
                found.append(name)
    return found


def test_no_data_is_run() -> None:
    """Only what a process made itself, for the workers of PyTorch, is unpickled."""
    for path in SOURCE.rglob("*.py"):
        expected = ["pickle.loads"] if path.name == "torch_data.py" else []
        assert running(path.read_text(encoding="utf-8")) == expected, path
    assert running("eval(x)\npickle.load(f)\nnp.load(f, allow_pickle=True)") == [
        "eval",
        "pickle.load",
        "np.load",
    ]
    assert running("from pickle import loads\nimport cloudpickle as c\npd.read_pickle(f)") == [
        "loads",
        "cloudpickle",
        "pd.read_pickle",
    ]
    assert running("torch.load(f, weights_only=True)\ntorch.load(f, weights_only=False)") == [
        "torch.load"
    ]
    assert running("torch.load(f)\npickle.Unpickler(f)\nnp.load(f, allow_pickle=False)") == [
        "torch.load",
        "pickle.Unpickler",
    ]


@pytest.mark.parametrize(
    "path", ["docs/new-corpus.md", "src/commonground/cli/__init__.py", "SECURITY.md"]
)
def test_where_the_variable_is_told_it_is_said_that_code_runs(path: str) -> None:
    text = (ROOT / path).read_text(encoding="utf-8")
    around = text[text.index("COMMONGROUND_CORPORA") :][:400]
    assert re.search(r"\bruns?\b", around)
