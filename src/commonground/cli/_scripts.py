"""``commonground collect lint-scripts``: checks the scripts that people write from."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    json_option,
    print_json,
    print_rich,
)
from commonground.errors import UsageError

if TYPE_CHECKING:
    from commonground.play.scripting import Scripting


@click.command(short_help="Find what is wrong with scripts that people write from.")
@click.argument("scenario")
@click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"]),
    default="error",
    show_default=True,
    help="Exit with 1 if there is something at least this severe.",
)
@json_option
def lint_scripts(scenario: str, files: tuple[Path, ...], fail_on: str, as_json: bool) -> None:
    """Find what is wrong with scripts that people are to write dialogues from.

    A line for each fault says where it is, how bad, what, and its name.

    SCENARIO is the one that is to be played, such as taskmaster3 or taskmaster4. FILES are
    scripts, and folders of them. An apis.json in the folder of a script says what it may
    call.

    \b
    Example:
      commonground collect lint-scripts taskmaster4 scripts
      commonground collect lint-scripts taskmaster3 "scripts/By genre.script" --fail-on warning
    """
    from commonground.findings import SEVERITIES
    from commonground.play.scripting import list_files

    scripts = _find_scripting(scenario)
    paths = list_files(scripts, files)
    remarks = [each for path in paths for each in scripts.lint(path)]
    if as_json:
        print_json(remarks)
    else:
        for each in remarks:
            click.echo(str(each))  # never wrapped: editors jump to such places
        counts = Counter(each.severity for each in remarks)
        said = ", ".join(f"{each}s: {counts[each]:,}" for each in SEVERITIES)
        print_rich(f"Scripts: {len(paths):,}; {said}.")
    bad = SEVERITIES[: SEVERITIES.index(fail_on) + 1]  # worst first
    if any(each.severity in bad for each in remarks):
        raise click.exceptions.Exit(1)


def _find_scripting(name: str) -> Scripting:
    from commonground.play.scenarios import get_scenario, iterate_scenarios

    found = get_scenario(name).scripting()
    if found is None:
        known = [each.name for each in iterate_scenarios() if each.scripting() is not None]
        raise UsageError(
            f"There is no script format for {name}.", f"There are: {', '.join(known)}."
        )
    return found
