"""What is said where an optional package is missing, and that the command is right."""

from __future__ import annotations

import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import commonground as cg
from commonground.errors import UsageError
from commonground.extras import EXTRAS, MissingExtraError, needing, write_command

ROOT = Path(__file__).parents[2]


def test_the_extras_are_those_of_the_package() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    declared = project["optional-dependencies"]
    assert {name: list(extra.requirements) for name, extra in EXTRAS.items()} == declared


def test_no_other_place_says_how_to_install_an_extra() -> None:
    source = ROOT / "src" / "commonground"
    saying = {
        path.relative_to(source).as_posix()
        for path in source.rglob("*.py")
        if "pip install" in path.read_text(encoding="utf-8")
    }
    assert saying == {"extras.py"}


def test_pages_install_what_a_reader_has_or_what_the_extras_say() -> None:
    known = {each for extra in EXTRAS.values() for each in extra.requirements}
    pages = [*ROOT.glob("docs/**/*.md"), *ROOT.glob("examples/*.ipynb"), ROOT / "README.md"]
    said = {
        word
        for page in pages
        for line in re.findall(r"pip install ([^`\n\"]+)", page.read_text(encoding="utf-8"))
        for word in shlex.split(line.partition(" && ")[0], comments=True)
    }
    ours = {each for each in said if re.match(r"\.|commonground", each)}
    assert "commonground" not in "".join(ours)  # no index has it: a clone is what a reader has
    named = {each for word in ours for each in re.findall(r"\w+", word)}
    assert named <= set(EXTRAS)
    assert {each for each in said - ours if re.search("[<>=]", each)} <= known
    assert said - ours - known == {"openai", "torch", "transformers", "accelerate"}


def test_a_missing_package_is_a_usage_error_with_the_command() -> None:
    with pytest.raises(ImportError) as caught, needing("figures", "Drawing needs altair and x"):
        raise ModuleNotFoundError(name="vl_convert")
    assert isinstance(caught.value, UsageError)
    assert str(caught.value) == (
        "Drawing needs altair and x, which are not installed. "
        "Install them: pip install 'altair>=5.5' 'vl-convert-python>=1.8'"
    )
    assert write_command("torch") == "pip install 'torch>=2.4'"


def test_the_lack_of_another_package_is_not_explained_away() -> None:
    with pytest.raises(ModuleNotFoundError) as caught, needing("pandas", "It needs pandas"):
        raise ModuleNotFoundError(name="elsewhere")
    assert not isinstance(caught.value, MissingExtraError)


ASK = """
import sys, commonground as cg
for name in ("pandas", "polars", "torch"):
    sys.modules[name] = None  # as if it were not installed
corpus = cg.load("frames", sys.argv[1])
answer = corpus.sql("select 1 as one")
for ask in (
    corpus.to_pandas,
    corpus.to_polars,
    answer.to_pandas,
    answer.to_polars,
    cg.plot("frames", "ratings", sys.argv[1]).to_pandas,
    cg.instances("frames/nlu", store=sys.argv[1]).to_torch,
):
    try:
        ask()
    except cg.CommongroundError as error:
        print(error)
"""


def test_what_a_user_asks_for_says_which_package_it_needs(tmp_path: Path) -> None:
    files = cg.simulate("frames", tmp_path / "files", dialogues=2)
    cg.import_files("frames", files, store=tmp_path / "store")
    done = subprocess.run(
        [sys.executable, "-c", ASK, str(tmp_path / "store")],
        capture_output=True,
        text=True,
        check=True,
    )
    lines = done.stdout.splitlines()
    assert [line.rpartition("Install it: ")[2] for line in lines] == [
        "pip install 'pandas>=2.2'",
        "pip install 'polars>=1.30'",
        "pip install 'pandas>=2.2'",
        "pip install 'polars>=1.30'",
        "pip install 'pandas>=2.2'",
        "pip install 'torch>=2.4'",
    ]
