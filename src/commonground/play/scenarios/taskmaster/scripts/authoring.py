"""What helps authors of scripts: looking a file over."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from commonground.play.scenarios.taskmaster.game.self_dialog import SelfDialog
from commonground.play.scenarios.taskmaster.material import (
    Api,
    list_scripts,
    read_apis,
    read_script_text,
)
from commonground.play.scenarios.taskmaster.scripts.lint import lint_script
from commonground.play.scripting import Remark, Scripting


def make_scripting(scenario: SelfDialog) -> Scripting:
    """Returns what can be done with scripts of a scenario.

    Args:
        scenario: whose APIs scripts may call that have no ``apis.json`` beside them.
    """
    apis = scenario.dialect.apis or None
    return Scripting(
        title="Prose with directives such as {{ENTER}}, and a conversation of hints and calls.",
        find=list_scripts,
        lint=lambda path: _lint_file(path, apis),
    )


def _lint_file(path: Path, apis: Mapping[str, Api] | None) -> list[Remark]:
    """Returns what is wrong with a script in a file."""
    declared = read_apis(path.parent)
    found = lint_script(read_script_text(path), apis if declared is None else declared)
    return [
        Remark(
            str(path), each.line, each.column, each.severity, each.code, each.message, each.found
        )
        for each in found
    ]
