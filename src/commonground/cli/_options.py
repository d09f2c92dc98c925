"""Options and small helpers that several commands share."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

if TYPE_CHECKING:
    from rich.table import Table

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


def new_table(*columns: str, right: tuple[str, ...] = ()) -> Table:
    """Makes a plain table for the terminal; columns in ``right`` are numbers."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, header_style="bold")
    for name in columns:
        table.add_column(name, justify="right" if name in right else "left", overflow="fold")
    return table


def print_rich(*what: Any) -> None:
    """Prints for people: in colour on a terminal, wide enough to read in a file."""
    from rich.console import Console

    width = None if sys.stdout.isatty() else 120
    console = Console(width=width, highlight=False, soft_wrap=False)
    for each in what:
        console.print(each)


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
