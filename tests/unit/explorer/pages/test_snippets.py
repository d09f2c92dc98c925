from __future__ import annotations

import ast
from collections.abc import Callable
from pathlib import Path

from commonground.explorer.pages.dialogue import write_snippets
from commonground.store.corpus import Corpus
from commonground.store.importing.summary import ImportSummary

ODD = 'it\'s "odd"\n; DROP TABLE events --'


def test_the_query_gives_the_dialogue_whatever_its_id_holds(
    write_talks: Callable[..., Path],
    import_toy: Callable[..., ImportSummary],
    open_toy: Callable[[], Corpus],
) -> None:
    import_toy(write_talks({ODD: ["one", "two"], "other": ["three"]}))
    sql = write_snippets("toy", ODD)[1].code
    assert open_toy().rows(sql) == [(0, "ann", "one"), (1, "ann", "two")]


def test_the_python_code_names_the_id_as_it_is() -> None:
    code = write_snippets("toy", ODD)[0].code
    strings = [each.value for each in ast.walk(ast.parse(code)) if isinstance(each, ast.Constant)]
    assert strings == ["toy", ODD] or strings == [ODD, "toy"]
