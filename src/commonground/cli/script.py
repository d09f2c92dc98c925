"""``commonground script``: checks, shows and spaces the scripts that people write by."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._options import (
    json_option,
    plain,
    print_json,
    print_plain,
    print_rich,
    to_builtins,
)
from commonground.errors import UsageError
from commonground.printing import count_of

if TYPE_CHECKING:
    from commonground.games.scripting import Scripting, Step

_scenario = click.argument("scenario")
_files = click.argument("files", nargs=-1, required=True, type=click.Path(path_type=Path))


@click.group(short_help="Check scripts that people are to write dialogues from.")
def command() -> None:
    """Check scripts that people are to write dialogues from, before a study begins.

    SCENARIO is the one that is to be played, such as taskmaster3 or taskmaster4.

    \b
    Example:
      commonground script lint taskmaster4 scripts
      commonground script preview taskmaster4 "scripts/Plain order.script"
      commonground script format taskmaster4 --write scripts
    """


@command.command(short_help="Find what is wrong with scripts.")
@_scenario
@_files
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "note"]),
    default="error",
    show_default=True,
    help="Exit with 1 if there is something at least this severe.",
)
@json_option
def lint(scenario: str, files: tuple[Path, ...], fail_on: str, as_json: bool) -> None:
    """Find what is wrong with scripts, a line for each: where, how bad, what, and its name.

    SCENARIO is the one that is to be played, such as taskmaster3 or taskmaster4. FILES are
    scripts, and folders of them. An apis.json in the folder of a script says what it may
    call.

    \b
    Example:
      commonground script lint taskmaster4 scripts
      commonground script lint taskmaster3 "scripts/By genre.script" --fail-on warning --json
    """
    from commonground.findings import SEVERITIES
    from commonground.games.scripting import lint_files, list_files

    scripts = _find_scripting(scenario)
    paths = list_files(scripts, files)
    remarks = lint_files(scripts, paths)
    if as_json:
        print_json(to_builtins(remarks))
    else:
        for each in remarks:
            click.echo(str(each))  # never wrapped: editors jump to such places
        counts = Counter(each.severity for each in remarks)
        said = ", ".join(f"{each}s: {counts[each]:,}" for each in SEVERITIES)
        print_rich(f"Scripts: {len(paths):,}; {said}.")
    bad = SEVERITIES[: SEVERITIES.index(fail_on) + 1]  # worst first
    if any(each.severity in bad for each in remarks):
        raise click.exceptions.Exit(1)


@command.command(short_help="Show what people see of a script.")
@_scenario
@click.argument("file", type=click.Path(path_type=Path))
@click.option(
    "--value",
    "values",
    multiple=True,
    metavar="NAME=TEXT",
    help="What is entered into a field; may be given several times.",
)
@json_option
def preview(scenario: str, file: Path, values: tuple[str, ...], as_json: bool) -> None:
    """Show what people see of a script, line by line, and the calls behind it.

    SCENARIO is the one that is to be played, such as taskmaster3 or taskmaster4. FILE is one
    script. Fields without a value show their type. To see it as a page:

    \b
    Example:
      commonground script preview taskmaster4 "scripts/Plain order.script" --value drink=Latte
      commonground collect new look --scenario taskmaster4 --material scripts
      commonground collect serve look
    """
    steps = _find_scripting(scenario).preview(file, dict(map(_split_value, values)))
    if as_json:
        print_json(to_builtins(steps))
        return
    for step in steps:
        print_rich(plain(*_lay_out(step)))


def _split_value(word: str) -> tuple[str, str]:
    name, is_there, text = word.partition("=")
    if not is_there or not name:
        raise UsageError(f"--value {word} has no name and text.", "Such as --value drink=Latte.")
    return name, text


def _lay_out(step: Step) -> tuple[str, str]:
    """Returns a line of a preview and its style."""
    match step.kind:
        case "item":
            return f"  - {step.text}", ""
        case "field":
            return f"  {step.text} [{step.name}]", "cyan"
        case "check":
            return f"  [ ] {step.text} [{step.name}]", "cyan"
        case "hint":
            return f"{step.name:>9}: ({step.text})", "green"
        case "fixed":
            return f"{step.name:>9}: {step.text}", ""
        case "call":
            return f"{'':>11}{step.text}", "dim"
        case "free":
            return f"  ({step.text})", "green"
    return step.text, "bold"


@command.command("format", short_help="Write scripts in the usual spacing.")
@_scenario
@_files
@click.option("--write", is_flag=True, help="Change the files, instead of only naming them.")
@json_option
def format_(scenario: str, files: tuple[Path, ...], write: bool, as_json: bool) -> None:
    """Write scripts in the usual spacing: one space between words, none at the end of a line.

    SCENARIO is the one that is to be played, such as taskmaster3 or taskmaster4. FILES are
    scripts, and folders of them. They mean the same afterwards. Without --write nothing is
    changed, and the exit code is 1 where something would be.

    \b
    Example:
      commonground script format taskmaster4 scripts
      commonground script format taskmaster4 --write scripts
    """
    from commonground.games.scripting import list_files

    scripts = _find_scripting(scenario)
    paths = list_files(scripts, files)
    rewritten = {path: scripts.rewrite(path).encode() for path in paths}
    changed = {path: data for path, data in rewritten.items() if data != path.read_bytes()}
    if write:
        from commonground.files.outputs import write_file

        for path, data in changed.items():
            write_file(path, data)
    if as_json:
        print_json({"files": len(paths), "changed": [str(path) for path in changed]})
    else:
        print_plain("".join(f"{path}\n" for path in changed))
        done = "Changed" if write else "Would be changed"
        print_rich(f"{done}: {len(changed):,} of {count_of(len(paths), 'script')}.")
    if changed and not write:
        raise click.exceptions.Exit(1)


def _find_scripting(name: str) -> Scripting:
    """Returns what helps with the scripts of a scenario."""
    from commonground.corpora import get_scenario, iterate_scenarios

    found = get_scenario(name).scripting()
    if found is None:
        known = [each.name for each in iterate_scenarios() if each.scripting() is not None]
        raise UsageError(f"Nobody writes scripts for {name}.", f"There are: {', '.join(known)}.")
    return found
