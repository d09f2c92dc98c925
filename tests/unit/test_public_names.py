"""What ``import commonground as cg`` offers: shown by ``dir`` and ``help``, typed, and light."""

from __future__ import annotations

import ast
import pydoc
import subprocess
import sys
from pathlib import Path

import pytest

import commonground as cg

NAMES = sorted(cg.__all__)
SOURCE = Path(str(cg.__file__))


def typed_names() -> dict[str, str]:
    """Names that type checkers and editors see, with the module that each is imported from."""
    (block,) = (
        node
        for node in ast.parse(SOURCE.read_text(encoding="utf-8")).body
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test)
    )
    return {
        alias.name: str(node.module).removeprefix("commonground.")
        for node in block.body
        if isinstance(node, ast.ImportFrom)
        for alias in node.names
    }


def test_completion_shows_every_public_name_and_nothing_else() -> None:
    assert dir(cg) == NAMES


@pytest.mark.parametrize("name", [each for each in NAMES if each != "__version__"])
def test_every_public_name_is_there_and_says_what_it_is(name: str) -> None:
    assert pydoc.getdoc(getattr(cg, name))


def test_editors_see_what_is_imported_late() -> None:
    late = {name: module for module, names in cg._LATE.items() for name in names}
    typed = typed_names()
    del typed["Path"]
    assert typed.pop("play") == "games"  # a package that can be called
    assert typed == late
    assert set(late) <= set(NAMES)
    assert (SOURCE.parent / "py.typed").is_file()


def test_help_shows_the_functions() -> None:
    text = pydoc.plain(pydoc.render_doc(cg))
    # Python 3.14 writes annotations without quotation marks, each on a line of its own.
    assert "import_files(corpus:str,*paths" in "".join(text.replace("'", "").split())
    assert "class Corpus(" in text


def test_an_unknown_name_is_no_attribute() -> None:
    with pytest.raises(AttributeError, match="no attribute 'lod'") as caught:
        cg.lod  # noqa: B018 - asked for, not used
    assert caught.value.name == "lod"


def test_listing_the_names_loads_none_of_them() -> None:
    code = "import sys, commonground; dir(commonground); print('commonground.model' in sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "False\n"
