"""The command line: one file per command, found by its name.

``import_.py`` holds ``commonground import``: a trailing underscore keeps a name off Python's
keywords. Each file has one ``command``; it parses, calls one function and prints. Its ``SECTION``
says where ``--help`` lists it; a command that is hidden works as any other, and has none.
"""

from __future__ import annotations

import importlib
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any, NoReturn

import click

from commonground import __version__
from commonground.cli._ending import Ending
from commonground.cli._options import offer_corpora
from commonground.cli._streams import drop_output, prepare_streams, underlying
from commonground.errors import CommongroundError, SourceError, UsageError, unknown_name
from commonground.files.work_folders import clear_work_folders

SECTIONS = ("data", "look", "score", "export", "collect")
"""Where ``--help`` lists commands, in this order."""

_INTERRUPTED = "Query interrupted"
"""What DuckDB says, as a plain ``RuntimeError``, when Ctrl-C meets one of its queries."""


class _UnreadError(Exception):
    """Nobody reads on what we write."""


@contextmanager
def _telling_unread() -> Iterator[None]:
    """Says so in a way of its own, for click and rich would end with 1, each differently."""
    try:
        yield
    except BrokenPipeError:
        raise _UnreadError from None
    except SystemExit as done:
        if isinstance(done.__context__, BrokenPipeError):
            raise _UnreadError from None
        raise


class _Commands(click.Group):
    """Loads a command's file when it is needed."""

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002 - click's
        return sorted(_file_names())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002 - click's
        module = _file_names().get(cmd_name)
        if module is None:
            return None
        command: click.Command = importlib.import_module(f"{__name__}.{module}").command
        if all(parameter.name != "store" for parameter in command.params):
            # Every command takes --store, so that a script may pass it to all of them.
            command.params.append(click.Option(["--store"], expose_value=False, hidden=True))
        offer_corpora(command)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        names = self.list_commands(ctx)
        commands = {name: found for name in names if (found := self.get_command(ctx, name))}
        width = max(map(len, commands))  # the second column starts at the same place in all
        for section, listed in list_sections().items():
            rows = [
                (name.ljust(width), commands[name].get_short_help_str(formatter.width - width - 6))
                for name in listed
            ]
            with formatter.section(section.capitalize()):
                formatter.write_dl(rows)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # click would only say that there is no such command; ours names those that are spelled
        # alike.
        is_unknown = bool(args) and args[0] not in _file_names() and not args[0].startswith("-")
        if is_unknown and not ctx.resilient_parsing:  # as what is being completed is parsed
            listed = [name for names in list_sections().values() for name in names]
            raise unknown_name("command", args[0], listed)
        return super().resolve_command(ctx, args)

    # Parsing prints, too: --help and --version are answered here, before anything is invoked.
    def make_context(self, *args: Any, **options: Any) -> click.Context:
        with _telling_unread():
            return super().make_context(*args, **options)

    def invoke(self, ctx: click.Context) -> Any:
        # Anyone who was killed cannot tidy up: the next command does, whatever it is about.
        clear_work_folders()
        _clear_store()
        with _telling_unread():
            return super().invoke(ctx)


def _clear_store() -> None:
    """Removes what killed imports left in the usual store, whatever the command is about.

    A look at its folders comes first, since what removes takes time to load. Another store is
    cleared by the one who opens it.
    """
    store = Path(os.environ.get("COMMONGROUND_STORE") or "commonground-store")
    with suppress(OSError):
        for corpus in store.iterdir():
            left = len(list(corpus.glob("data-*")))
            # One folder belongs to the manifest; where there are more, an import was killed.
            if left > (corpus / "manifest.json").exists():
                from commonground.store.layout.generations import remove_stale

                remove_stale(store, corpus.name)


@cache  # the help asks for each command
def _file_names() -> dict[str, str]:
    names = [path.stem for path in Path(__file__).parent.glob("*.py")]
    return {name.strip("_").replace("_", "-"): name for name in names if not name.startswith("_")}


def list_sections() -> dict[str, list[str]]:
    """Returns the names of the commands that ``--help`` lists, by section."""
    listed: dict[str, list[str]] = {section: [] for section in SECTIONS}
    for name, file in sorted(_file_names().items()):
        module = importlib.import_module(f"{__name__}.{file}")
        if not module.command.hidden:
            listed[module.SECTION].append(name)
    return listed


@click.group(
    cls=_Commands,
    context_settings={
        "help_option_names": ["-h", "--help"],
        "max_content_width": 100,
        # What looks like colours of ours is text of data: it is made visible, and never dropped.
        "color": True,
    },
)
@click.version_option(__version__, prog_name="commonground")
def group() -> None:
    """Read, check, query and show grounded dialogue corpora.

    COMMONGROUND_CORPORA names folders of further corpora. Their Python files run as part of this
    program, so name only those whose code you trust.

    To complete commands, options and corpora with the Tab key, add a line to ~/.bashrc, ~/.zshrc
    or ~/.config/fish/config.fish:

    \b
      eval "$(_COMMONGROUND_COMPLETE=bash_source commonground)"
      autoload -U compinit; compinit; eval "$(_COMMONGROUND_COMPLETE=zsh_source commonground)"
      _COMMONGROUND_COMPLETE=fish_source commonground | source

    \b
    Example:
      commonground simulate photobook demo --dialogues 20
      commonground import photobook demo
      commonground sql "select kind, count(*) from events group by 1"
    """


def main() -> None:
    """Runs the command line; every error that is not a bug ends in one line and an exit code.

    Exit codes: 0 done, 1 the data or the store is at fault, 2 the command was wrong, 130 stopped
    by the user, 143 ended from outside (SIGTERM).
    """
    prepare_streams()
    ending = Ending()
    try:
        with ending.handled(), _safe_processes():
            code = group(standalone_mode=False)
            # While errors are still handled here: Python's own flush at its end would only
            # complain.
            sys.stdout.flush()
        # Out of standalone mode click returns the code of `Exit`, where it would otherwise exit
        # itself.
        sys.exit(code)
    except (click.Abort, KeyboardInterrupt) as stopped:
        _stop(ending, stopped)
    # The order of these matters: this is a kind of ClickException, and UsageError one of ours.
    except click.exceptions.NoArgsIsHelpError as asked:
        asked.show(file=sys.stderr)
        sys.exit(2)
    except click.ClickException as error:
        context = error.ctx if isinstance(error, click.UsageError) else None
        advice = f"See: {context.command_path} --help" if context else ""
        _complain(UsageError(error.format_message(), advice))
        sys.exit(2)
    except UsageError as error:
        _complain(error)
        sys.exit(2)
    except CommongroundError as error:
        _complain(error)
        sys.exit(1)
    except RuntimeError as error:
        # DuckDB turns Ctrl-C during a query into this.
        if str(error) != _INTERRUPTED:
            raise
        _stop(ending, error)
    except UnicodeEncodeError:
        odd = _find_odd_name()
        if odd is None:
            raise
        # Libraries that take any name but this, such as pyarrow.
        _complain(SourceError(f"{odd} is not UTF-8, as this command needs it.", _RENAME))
        sys.exit(1)
    except (BrokenPipeError, _UnreadError):
        # Anyone who reads our output has read enough.
        drop_output()
        sys.exit(0)
    # What no command expected, mostly a disk that is full under what is printed.
    except OSError as error:
        drop_output()
        _complain(SourceError(f"{error.filename or 'The output'}: {error.strerror or error}."))
        sys.exit(1)


_RENAME = "Rename the file or folder, or name another."


def _find_odd_name() -> str | None:
    """Returns what the user named whose bytes are not UTF-8: something typed, or a folder."""
    for name in (*sys.argv[1:], os.environ.get("COMMONGROUND_STORE", ""), str(Path.cwd())):
        try:
            name.encode()
        except UnicodeEncodeError:
            return name
    return None


@contextmanager
def _safe_processes() -> Iterator[None]:
    """Has processes that are started meanwhile run nothing of the current folder, and be quiet.

    Python looks for modules there first where it is given code to run, as processes of a pool are.
    """
    before = os.environ.get("PYTHONSAFEPATH")
    os.environ["PYTHONSAFEPATH"] = "1"
    # Where a command is ended at once, Python's own helper tidies up, and would speak of it.
    quiet = "ignore:resource_tracker:UserWarning"
    sys.warnoptions.append(quiet)
    try:
        yield
    finally:
        sys.warnoptions.remove(quiet)
        if before is None:
            del os.environ["PYTHONSAFEPATH"]
        else:
            os.environ["PYTHONSAFEPATH"] = before


def _stop(ending: Ending, stopped: BaseException) -> NoReturn:
    """Says that the command was stopped, and what it said that holds then."""
    # click's Abort comes of the KeyboardInterrupt that the command saw.
    notes = getattr(stopped.__cause__ or stopped, "__notes__", [])
    click.echo(" ".join(["Stopped.", *notes]), err=True)
    from commonground.files.remote import is_connected

    code = 130 if ending.signal is None else 128 + ending.signal
    if is_connected():
        # Requests that hang would keep Python from ending.
        sys.stdout.flush()
        os._exit(code)
    sys.exit(code)


def _complain(error: CommongroundError) -> None:
    label = "error: "
    if sys.stderr.isatty():
        label = click.style(label, fg="red", bold=True)
    # The colour is ours; the message may quote anything, and passes the stream that shows it.
    underlying(sys.stderr).write(label)
    sys.stderr.write(f"{error.message}\n")
    if error.advice:
        sys.stderr.write(f"       {error.advice}\n")
