"""Options and small helpers that several commands share."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.text import Text

    from commonground.cli._tables import Sheet
    from commonground.evaluation.reporting import Number
    from commonground.evaluation.scoring import Value

F = TypeVar("F", bound=Callable[..., Any])


def store_option(function: F) -> F:
    """Adds ``--store``."""
    return click.option(
        "--store",
        type=click.Path(path_type=Path),
        default=None,
        help="Folder of the store.  [default: $COMMONGROUND_STORE or ./commonground-store]",
    )(function)


def json_option(function: F) -> F:
    """Adds ``--json``."""
    return click.option("--json", "as_json", is_flag=True, help="Print JSON for machines.")(
        function
    )


def store_path(store: Path | None) -> Path:
    """Returns the store that the user means."""
    from commonground.store.manifest import default_store

    return store if store is not None else default_store()


def to_builtins(value: Any) -> Any:
    """Turns records into what JSON knows."""
    import msgspec

    return msgspec.to_builtins(value)


def print_json(value: Any) -> None:
    """Prints a value as JSON, two spaces deep."""
    import msgspec

    click.echo(msgspec.json.format(msgspec.json.encode(value), indent=2).decode())


def new_table(*columns: str, right: Collection[str] = ()) -> Sheet:
    """Makes a table for the terminal; columns in ``right`` are numbers."""
    from commonground.cli._tables import Sheet

    return Sheet(columns, [name in right for name in columns])


def number_cell(number: Number | Value | None) -> Text:
    """Writes a number with its interval below, a share without the 0 that all have; or a dash."""
    from rich.text import Text

    if number is None or number.value is None:
        return Text("–")
    cell = Text(_write_number(number.value))
    if number.low is not None and number.high is not None:
        cell.append(f"\n{_write_interval(number.low, number.high)}", "dim")
    return cell


def _write_interval(low: float, high: float) -> str:
    ends = [_write_number(low), _write_number(high)]
    if low < 0:  # a dash before a minus is hard to read
        return " to ".join(ends)
    return "–".join(each.removeprefix("0") for each in ends)


def _write_number(value: float) -> str:
    """Writes a share with three places, and a rank or the like with one."""
    return f"{value:.3f}" if abs(value) < 10 else f"{value:.1f}"


_PIPED_WIDTH = 120


def print_rich(*what: Any) -> None:
    """Prints for people: in colour on a terminal, wide enough to read in a file.

    Lines are wrapped between words only, so that paths and ids stay whole.
    """
    from rich.console import Console
    from rich.text import Text

    from commonground.cli._tables import wrap_words

    console = Console(width=_output_width(), highlight=False)
    for each in what:
        text = Text.from_markup(each) if isinstance(each, str) else each
        parts = wrap_words(text, console.width) if isinstance(text, Text) else [text]
        for part in parts:
            console.print(part, overflow="ignore", crop=False)


def _output_width() -> int | None:
    """Returns the width of what is no terminal; null leaves it to the terminal."""
    if sys.stdout.isatty():
        return None
    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else _PIPED_WIDTH


@contextmanager
def progress_bar(title: str) -> Iterator[Callable[[int, int], None]]:
    """Shows a progress bar on a terminal's standard error, and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda _done, _total: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f}%"),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=Console(stderr=True), transient=True) as progress:
        task = progress.add_task(title, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)


@contextmanager
def working(title: str) -> Iterator[None]:
    """Shows on a terminal's standard error that work goes on whose length is not known."""
    if not sys.stderr.isatty():
        yield
        return
    from rich.console import Console

    with Console(stderr=True).status(title):
        yield
