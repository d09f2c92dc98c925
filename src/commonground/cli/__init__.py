"""The command line: one file per command, found by its name.

``import_.py`` holds ``commonground import``: a trailing underscore keeps a name off Python's
keywords. Each file has one ``command``; it parses, calls one function and prints.
"""

from __future__ import annotations

import importlib
import os
import sys
from pathlib import Path
from typing import NoReturn

import click

from commonground import __version__
from commonground.errors import CommongroundError, UsageError, unknown_name

_INTERRUPTED = "Query interrupted"
"""What DuckDB says, as a plain ``RuntimeError``, when Ctrl-C meets one of its queries."""


class _Commands(click.Group):
    """Loads a command's file when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002
        return sorted(_file_names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002
        module = _file_names().get(cmd_name)
        if module is None:
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{module}").command
        if all(parameter.name != "store" for parameter in command.params):
            # Every command takes --store, so that a script may pass it to all of them.
            command.params.append(
                click.Option(["--store"], expose_value=False, help="Not needed by this command.")
            )
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        if args and args[0] not in _file_names() and not args[0].startswith("-"):
            raise unknown_name("command", args[0], _file_names())
        return super().resolve_command(ctx, args)


def _file_names() -> dict[str, str]:
    names = [path.stem for path in Path(__file__).parent.glob("*.py")]
    return {name.strip("_"): name for name in names if not name.startswith("_")}


@click.group(
    cls=_Commands,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)
@click.version_option(__version__, prog_name="commonground")
def group() -> None:
    """Read, check, query and show grounded dialogue corpora.

    \b
    Example:
      commonground simulate photobook demo --dialogues 20
      commonground import photobook demo
      commonground sql "select kind, count(*) from events group by 1"
    """


def main() -> None:
    """Runs the command line; every error that is not a bug ends in one line and an exit code.

    Exit codes: 0 done, 1 the data or the store is at fault, 2 the command was wrong, 130 stopped
    by the user.
    """
    try:
        sys.exit(group(standalone_mode=False))
    except click.exceptions.Exit as done:
        sys.exit(done.exit_code)
    except (click.Abort, KeyboardInterrupt):
        _stop()
    except click.ClickException as error:
        error.show()
        sys.exit(2)
    except UsageError as error:
        _complain(error)
        sys.exit(2)
    except CommongroundError as error:
        _complain(error)
        sys.exit(1)
    except RuntimeError as error:
        if str(error) != _INTERRUPTED:
            raise
        _stop()
    except BrokenPipeError:
        # Whoever reads our output has read enough; Python must not complain on its way out.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(0)


def _stop() -> NoReturn:
    click.echo("Stopped. What was in the store before is untouched.", err=True)
    sys.exit(130)


def _complain(error: CommongroundError) -> None:
    click.secho("error: ", fg="red", bold=True, nl=False, err=True)
    click.echo(error.message, err=True)
    if error.advice:
        click.echo(f"       {error.advice}", err=True)
