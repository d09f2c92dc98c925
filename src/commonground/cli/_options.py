"""Options and small helpers that several commands share."""

from __future__ import annotations

import os
import shlex
import sys
import threading
import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias, TypeVar

import click
from click.core import ParameterSource
from click.shell_completion import CompletionItem

from commonground.cli._streams import machine_output
from commonground.errors import UsageError
from commonground.printing import make_visible

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import ProgressColumn, TaskID
    from rich.text import Text

    from commonground.cli._tables import Sheet

F = TypeVar("F", bound=Callable[..., Any])

Form: TypeAlias = Literal["json", "csv"] | None
"""What a result is printed as: for machines, or None for people."""


def store_option(function: F) -> F:
    """Adds ``--store``, the folder of the store; the command is given it as ``store``."""
    return click.option(
        "--store",
        type=click.Path(path_type=Path),
        default=None,
        help="Folder of the store, or its s3:// or gs:// address."
        "  [default: $COMMONGROUND_STORE or ./commonground-store]",
    )(function)


def json_option(function: F) -> F:
    """Adds ``--json``, for results that programs read; the command is given it as ``as_json``."""
    text = "Print JSON for machines."
    return click.option("--json", "as_json", is_flag=True, callback=_take_form, help=text)(function)


def csv_option(function: F) -> F:
    """Adds ``--csv``, for tables that programs read; the command is given it as ``as_csv``."""
    text = "Print CSV for machines, a line for each row."
    return click.option("--csv", "as_csv", is_flag=True, callback=_take_form, help=text)(function)


def choose_form(*, as_json: bool, as_csv: bool) -> Form:
    """Returns the form that the options name."""
    return "json" if as_json else "csv" if as_csv else None


def form_options(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds ``--json`` and ``--csv``, of which one may be given; the command is given a ``form``."""

    @wraps(function)
    def command(*args: Any, as_json: bool, as_csv: bool, **options: Any) -> Any:
        return function(*args, form=choose_form(as_json=as_json, as_csv=as_csv), **options)

    return json_option(csv_option(command))


def _take_form(context: click.Context, _parameter: click.Parameter, is_given: bool) -> bool:
    """Refuses the second of two forms, in whatever order they are typed."""
    if is_given and (context.params.get("as_json") or context.params.get("as_csv")):
        raise UsageError("--csv and --json exclude each other.", "Name one of them.")
    return is_given


def force_option(function: F) -> F:
    """Adds ``--force`` to a command that writes a folder."""
    text = "Write into any folder, and replace files of the same names."
    return click.option("--force", is_flag=True, help=text)(function)


def material_option(default: str = "invented") -> Callable[[F], F]:
    """Makes ``--material``, what is played with; of pictures it is called ``--images``, too."""
    return click.option(
        "--material",
        "--images",
        "material",
        type=click.Path(path_type=Path),
        help=f"Folder of pictures, scripts or other material of the game.  [default: {default}]",
    )


def study_argument(function: Callable[..., Any]) -> Callable[..., Any]:
    """Adds STUDY, the folder of a study; the command is given the study, opened."""

    @wraps(function)
    def command(*args: Any, study: Path, **options: Any) -> Any:
        from commonground.play.collect.setup.study import open_study

        return function(*args, open_study(study), **options)

    return click.argument("study", type=click.Path(path_type=Path))(command)


def games_seed_option(function: F) -> F:
    """Adds ``--seed`` of games that are played, and of the intervals of what came of them."""
    text = "Same seed, same games and intervals."
    return click.option("--seed", type=int, default=0, show_default=True, help=text)(function)


def engine_options(function: F) -> F:
    """Adds ``--engine`` and ``--scheduler``, which say where the work is done."""
    # click prints options in the reverse of this order: --engine comes first in the help.
    function = click.option(
        "--scheduler",
        metavar="ADDRESS",
        help="Scheduler of a Dask cluster, as tls://HOST:8786.  [implies --engine dask]",
    )(function)
    return click.option(
        "--engine",
        type=click.Choice(["pool", "dask"]),
        default="pool",
        show_default=True,
        help="Processes of this machine, or workers of Dask.",
    )(function)


def columns_option(function: F) -> F:
    """Adds ``--column``, for corpora of tables; the command is given pairs as ``columns``."""
    return click.option(
        "--column",
        "columns",
        multiple=True,
        metavar="FIELD=COLUMN",
        callback=_parse_columns,
        help="Column that holds a field, such as text=message.  [default: by common names]",
    )(function)


def _parse_columns(
    _context: click.Context, _parameter: click.Parameter, given: tuple[str, ...]
) -> tuple[tuple[str, str], ...]:
    """Divides each at its first equals sign.

    Raises:
        click.BadParameter: one has none.
    """
    pairs = [each.partition("=") for each in given]
    for field, sign, column in pairs:
        if not (field and sign and column):
            raise click.BadParameter(f"{field!r} is not like text=message.")
    return tuple((field, column) for field, _sign, column in pairs)


def refuse_options(names: Collection[str], why: str) -> None:
    """Refuses options on the command line that do nothing there.

    Args:
        names: of their parameters.
        why: what follows the option in the message, such as "needs --out".

    Raises:
        UsageError: one of them was given.
    """
    context = click.get_current_context()
    for each in context.command.params:
        given = context.get_parameter_source(each.name or "") is ParameterSource.COMMANDLINE
        if each.name in names and given:
            raise UsageError(f"{each.opts[0]} {why}.")


def can_ask() -> bool:
    """Says whether a person is there to answer; standard output may go into a file all the same."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def ask(question: str, refusal: str, advice: str) -> None:
    """Asks on the terminal whether to go on; where there is none, refuses and says what to do.

    Args:
        refusal: why nothing is done unasked.
        advice: what scripts do.

    Raises:
        UsageError: there is no terminal to ask at.
        click.Abort: the user says no.
    """
    if not can_ask():
        raise UsageError(refusal, advice)
    click.confirm(question, err=True, abort=True)


def store_path(store: Path | None) -> Path:
    """Returns the store that the user means."""
    from commonground.store.layout.manifest import default_store

    return store if store is not None else default_store()


def to_builtins(value: Any) -> Any:
    """Turns records into what JSON knows."""
    import msgspec

    return msgspec.to_builtins(value)


def print_json(value: Any) -> None:
    """Prints a value as JSON, two spaces deep."""
    import msgspec

    print_plain(msgspec.json.format(msgspec.json.encode(value), indent=2).decode() + "\n")


def print_data(
    form: Form, value: Any, columns: Sequence[str], rows: Iterable[Any] | None = None
) -> bool:
    """Prints a result for machines; where it is for people, the caller prints it.

    Args:
        value: what JSON has.
        columns: of CSV.
        rows: of CSV, as :func:`print_csv` takes them; None where ``value`` is a list of them.

    Returns:
        Whether it was printed.
    """
    if form == "json":
        print_json(value)
    elif form == "csv":
        print_csv(columns, value if rows is None else rows)
    return form is not None


def print_csv(columns: Sequence[str], rows: Iterable[Any]) -> None:
    """Prints rows as CSV; None is an empty cell, and what a list holds stands in one cell.

    Args:
        rows: the cells of each, or a record with a field for each column.
    """
    import csv
    from io import StringIO

    out = StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(columns)
    for row in rows:
        cells = row if isinstance(row, Iterable) else [getattr(row, name) for name in columns]
        writer.writerow("; ".join(cell) if isinstance(cell, list) else cell for cell in cells)
    print_plain(out.getvalue())


def offer_corpora(command: click.Command) -> None:
    """Has the Tab key complete the corpora of a command and of those below it."""
    for parameter in command.params:
        if parameter.name in ("corpus", "corpora"):
            parameter._custom_shell_complete = _complete_corpus
    if isinstance(command, click.Group):
        for each in command.commands.values():
            offer_corpora(each)


def _complete_corpus(
    _context: click.Context, _parameter: click.Parameter, incomplete: str
) -> list[CompletionItem]:
    """Lists the corpora whose names begin with what was typed, for the completion of a shell."""
    from commonground.corpora import iterate_corpora

    return [
        CompletionItem(each.name, help=each.manifest.title)
        for each in iterate_corpora()
        if each.name.startswith(incomplete)
    ]


def print_plain(text: str) -> None:
    """Prints what is for machines, as it is."""
    sink = machine_output()
    sink.write(text)
    sink.flush()


def plain(text: str, style: str = "") -> Text:
    """Returns text of data for :func:`print_rich`: brackets are brackets, and nothing acts."""
    from rich.text import Text

    return Text(make_visible(text), style)


def new_table(*columns: str, right: Collection[str] = ()) -> Sheet:
    """Makes a table for the terminal; columns in ``right`` are numbers."""
    from commonground.cli._tables import Sheet

    return Sheet(columns, [name in right for name in columns])


def print_table(
    columns: Sequence[str], rows: Iterable[Iterable[Any]], right: Collection[str] = ()
) -> None:
    """Prints a table for people, of text that may be rich's; columns in ``right`` are numbers."""
    table = new_table(*columns, right=right)
    for row in rows:
        table.add_row(*row)
    print_rich(table)


class Spread(Protocol):
    """A number with its interval."""

    @property
    def value(self) -> float | None: ...

    @property
    def low(self) -> float | None: ...

    @property
    def high(self) -> float | None: ...


def number_cell(number: Spread | None) -> Text:
    """Writes a number with its interval below, a share without the 0 that all have; or a dash."""
    from rich.text import Text

    if number is None or number.value is None:
        return Text("–")
    cell = Text(_write_number(number.value))
    if number.low is not None and number.high is not None:
        cell.append(f"\n{_write_interval(number.low, number.high)}", "dim")
    elif spread := _write_spread(number):
        cell.append(f"\n{spread}", "dim")
    return cell


def _write_spread(number: Spread) -> str:
    """Writes what was published with a number; nothing for numbers of ours."""
    from commonground.bench.evaluation.rendering import render_spread
    from commonground.bench.evaluation.reporting import Number

    if not isinstance(number, Number):
        return ""
    return render_spread(number.deviation, number.mark).strip()


def _write_interval(low: float, high: float) -> str:
    ends = [_write_number(low), _write_number(high)]
    if low < 0:  # a dash before a minus is hard to read
        return " to ".join(ends)
    return "–".join(each.removeprefix("0") for each in ends)


def _write_number(value: float) -> str:
    """Writes a share with three places, and a rank or the like with one."""
    # The name does not say which: shares are at most 1, ranks among candidates usually larger.
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


# Characters in a line of what is no terminal, unless COLUMNS says otherwise.
_PIPED_WIDTH = 120


def print_import(corpus: str, files: Path, pictures: Path | None = None) -> None:
    """Prints the command that imports files just written, with their pictures if there are some.

    Args:
        files: their folder.
        pictures: their folder; None where they are among the files, or there are none.
    """
    from commonground.store.pictures import PictureFolder

    words = ["commonground", "import", corpus, str(files)]
    pictures = pictures or files / "images"
    if PictureFolder(pictures).files:
        words += ["--images", str(pictures)]
    click.echo(f"To import them: {shlex.join(words)}")


def print_rich(*what: Any) -> None:
    """Prints for people: in colour on a terminal, wide enough to read in a file.

    Lines are wrapped between words only, so that paths and ids stay whole.

    Args:
        what: text with rich's markup, in which data is escaped; or what rich draws, such as
            :func:`plain` and :func:`new_table` give.
    """
    from rich.text import Text

    from commonground.cli._tables import open_console, wrap_words

    console = open_console(sys.stdout, width=_output_width())
    for each in what:
        text = Text.from_markup(make_visible(each), emoji=False) if isinstance(each, str) else each
        parts = wrap_words(text, console.width) if isinstance(text, Text) else [text]
        for part in parts:
            # What is still too wide is a path or an id: it runs on, since a part of one is of no
            # use.
            console.print(part, overflow="ignore", crop=False)


def _output_width() -> int | None:
    """Returns the width of what is no terminal; None leaves it to the terminal."""
    if sys.stdout.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else _PIPED_WIDTH


_QUIET_S = 10.0
"""How long a command that writes to no terminal says nothing of its progress."""


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Shows on standard error how far a command is.

    A terminal gets a bar with the time that is left; anything else a line every ten seconds, so
    that the readers of a log know, and what is quickly done leaves nothing there.
    """
    with progress_bars(title) as (bar,):
        yield bar


@contextmanager
def progress_bars(*titles: str) -> Iterator[list[Callable[[int, int], None]]]:
    """Shows on standard error how far the steps of a command are, as :func:`progress_bar` does.

    The first is shown at once, each other one when it begins.
    """
    if not sys.stderr.isatty():
        yield [_write_now_and_then(title) for title in titles]
        return
    from rich.progress import TimeRemainingColumn

    with _open_bar(TimeRemainingColumn(elapsed_when_finished=True)) as progress:
        tasks = [
            progress.add_task(make_visible(title), total=None, visible=title == titles[0])
            for title in titles
        ]

        def bar_of(task: TaskID) -> Callable[[int, int], None]:
            return lambda done, total: progress.update(
                task, completed=done, total=total, visible=True
            )

        yield [bar_of(task) for task in tasks]


@contextmanager
def step_bar(title: str) -> Iterator[Callable[[int, int, str], None]]:
    """Shows on standard error which of a few long steps a command is at.

    Their lengths differ too much for a guess at the time that is left, so a terminal gets a bar
    with the time that has passed; anything else a line for each step.
    """
    if not sys.stderr.isatty():
        yield lambda _done, _total, what: click.echo(f"{title}: {what}", err=True)
        return
    from rich.progress import TimeElapsedColumn

    shown = make_visible(title)
    with _open_bar(TimeElapsedColumn()) as progress:
        task = progress.add_task(shown, total=None)
        yield lambda done, total, what: progress.update(
            task, completed=done, total=total, description=f"{shown}: {make_visible(what)}"
        )


def _open_bar(timing: ProgressColumn) -> RichProgress:
    from rich.progress import BarColumn, Progress, TextColumn

    from commonground.cli._tables import open_console

    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        timing,
    )
    return Progress(*columns, console=open_console(sys.stderr), transient=True)


def _write_now_and_then(title: str) -> Callable[[int, int], None]:
    """Returns what writes a line if nothing was written for a while."""
    began = written = time.monotonic()

    def tell(done: int, total: int) -> None:
        nonlocal written
        now = time.monotonic()
        # The total is 0 where nothing is known of the length yet.
        if total and now - written >= _QUIET_S:
            written = now
            click.echo(f"{title}: {done / total:.0%} after {now - began:.0f} s", err=True)

    return tell


@contextmanager
def working(title: str) -> Iterator[None]:
    """Shows on standard error that work goes on whose length is not known.

    A terminal gets a sign that moves; anything else a line every ten seconds.
    """
    if not sys.stderr.isatty():
        with _writing_meanwhile(title):
            yield
        return
    from commonground.cli._tables import open_console

    with open_console(sys.stderr).status(plain(title)):
        yield


@contextmanager
def _writing_meanwhile(title: str) -> Iterator[None]:
    """Writes a line now and then, from a thread, until the work is done."""
    began = time.monotonic()
    done = threading.Event()

    def tell() -> None:
        while not done.wait(_QUIET_S):
            click.echo(f"{title}: {time.monotonic() - began:.0f} s so far", err=True)

    # A daemon: should what runs be killed in the middle, this must not keep the process alive.
    thread = threading.Thread(target=tell, daemon=True)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
