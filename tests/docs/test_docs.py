"""Generated pages are what the code says, and examples in the docs run."""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
from importlib.util import find_spec
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import pytest
from scripts.write_docs import ROOT, pages
from tests.forks import find_commands
from tests.thorough import a_few

RUNNING = ("tutorial.md", "how-to/python.md", "how-to/benchmarks.md", "how-to/cluster.md")
"""Pages whose shell and Python blocks are run in order, in one empty folder."""


@pytest.fixture(scope="module")
def generated() -> dict[str, str]:
    """The texts of generated pages by name."""
    return pages()


def test_generated_pages_are_up_to_date(generated: dict[str, str]) -> None:
    for name, text in generated.items():
        path = ROOT / name
        assert path.exists(), f"{name} is not there: run `make docs`"
        assert path.read_text(encoding="utf-8") == text, f"{name} is another: run `make docs`"


def test_no_generated_page_is_left_over(generated: dict[str, str]) -> None:
    folders = ("corpora/*", "schemas/*", "reference/*", "figures/*.md", "results.md")
    kept = [path for pattern in folders for path in ROOT.glob(pattern)]
    assert {path.relative_to(ROOT).as_posix() for path in kept} == set(generated)


def test_links_between_pages_lead_somewhere() -> None:
    for page in [*ROOT.rglob("*.md"), ROOT.parent / "README.md"]:
        for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", page.read_text(encoding="utf-8")):
            assert (page.parent / target).exists(), f"{page.name}: {target}"


def test_links_to_sections_lead_to_headings() -> None:
    for page in ROOT.rglob("*.md"):
        for target, section in re.findall(
            r"\]\(([^)#:\s]*\.md|)#([^)\s]+)\)", page.read_text(encoding="utf-8")
        ):
            text = (page.parent / target if target else page).read_text(encoding="utf-8")
            assert section in _find_sections(text), f"{page.name}: {target}#{section}"


def _find_sections(page: str) -> set[str]:
    """Returns what a link to a section of a page may name: its headings in the site's form."""
    headings = re.findall(r"^#+ (.+)$", page, re.MULTILINE)
    words = [re.sub(r"[^\w\s-]", "", each).strip().lower() for each in headings]
    return {re.sub(r"[-\s]+", "-", each) for each in words}


RUN_ALL = """
import sys
for block in sys.argv[1:]:
    exec(compile(block, block, "exec"), {"__name__": "__main__"})
"""


@pytest.mark.parametrize("name", a_few(RUNNING, RUNNING[:3]))
def test_examples_run(name: str, tmp_path: Path) -> None:
    text = (ROOT / name).read_text(encoding="utf-8")
    environment = {
        **os.environ,
        "PATH": find_commands(),
    }
    environment.pop("COMMONGROUND_STORE", None)
    blocks = re.findall(r"```(sh|python)( torch)?\n(.*?)```", text, flags=re.DOTALL)
    assert {kind for kind, _, _ in blocks} == {"sh", "python"}
    runnable = [
        (kind, block)
        for kind, torch, block in blocks
        if not torch or find_spec("torch") is not None
    ]
    for kind, group in groupby(runnable, itemgetter(0)):
        texts = [block for _, block in group]
        # Python starts once for those that follow each other; each has names of its own.
        program = ["bash", "-euc", "\n".join(texts)]
        if kind == "python":
            program = [sys.executable, "-c", RUN_ALL, *texts]
        result = subprocess.run(
            program, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert result.returncode == 0, f"{shlex.join(program)}\n{result.stderr}"


DEEP = re.compile(r"(?:from|import) commonground\.\w+\.\w")
OWN = re.compile(r"from commonground\.(?:corpora\.greetings|compat\.\w+)")
"""A corpus of one's own, and names that others gave."""


def test_examples_import_no_inner_modules() -> None:
    """What an example needs of us is `import commonground as cg`, or one module that is named."""
    deep = []
    folder = ROOT.parent
    pages = [folder / "README.md", *ROOT.rglob("*.md"), *(folder / "examples").glob("*.ipynb")]
    pages += (folder / "src" / "commonground" / "corpora").glob("*/card.md")
    for page in pages:
        deep += [
            f"{page.relative_to(folder)}: {line.strip()}"
            for line in page.read_text(encoding="utf-8").splitlines()
            if DEEP.search(line) and not OWN.search(line)
        ]
    assert deep == []
