"""What one calls of the package is documented with an example, and the examples run."""

from __future__ import annotations

import doctest
from pathlib import Path
from types import ModuleType

import pytest

import commonground as cg
from commonground import games

GIVEN = {
    *("Action", "CommongroundError", "Dialogue", "Finding", "Speaker", "Utterance", "Withheld")
}
"""What functions return or raise: it is met in their examples, and made by nobody."""

NAMES = [name for name in cg.__all__ if not name.startswith("_") and name not in GIVEN]
FLAGS = doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with invented files of Frames, imported into the store that is the default."""
    folder = tmp_path_factory.mktemp("examples")
    released = cg.simulate("frames", folder / "released", dialogues=20, seed=1)
    cg.import_files("frames", released, store=folder / "commonground-store")
    return folder


@pytest.mark.parametrize("name", NAMES)
def test_the_example_runs(name: str, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(folder)
    monkeypatch.delenv("COMMONGROUND_STORE", raising=False)
    value = getattr(cg, name)
    if isinstance(value, ModuleType):  # a package that can be called
        value = getattr(games, name)
    found = doctest.DocTestParser().get_doctest(value.__doc__, {}, name, None, None)
    assert found.examples, "has no example"
    told: list[str] = []
    doctest.DocTestRunner(optionflags=FLAGS).run(found, out=told.append)
    assert not told, "".join(told)
