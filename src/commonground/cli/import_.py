"""``commonground import``: imports files, asks before it replaces more, and prints a summary."""

from __future__ import annotations

import shlex
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._ending import told_when_stopped
from commonground.cli._options import (
    json_option,
    new_table,
    print_json,
    print_rich,
    progress_bar,
    store_option,
    store_path,
    to_builtins,
)

if TYPE_CHECKING:
    from commonground.store.importing import ImportSummary, Replacement


@click.command(short_help="Import released files into the store.")
@click.argument("corpus")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--images", type=click.Path(path_type=Path), help="Folder of the images.")
@click.option("--splits", type=click.Path(path_type=Path), help="Split file, if it lies apart.")
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: by size]")
@click.option("--force", is_flag=True, help="Import even what is there unchanged.")
@click.option("--replace", is_flag=True, help="Replace even most of what the store has.")
@click.option(
    "--check/--no-check", default=True, show_default=True, help="Run the rules, or only read."
)
@store_option
@json_option
def command(
    corpus: str,
    paths: tuple[Path, ...],
    images: Path | None,
    splits: Path | None,
    jobs: int | None,
    force: bool,
    replace: bool,
    check: bool,
    store: Path | None,
    as_json: bool,
) -> None:
    """Import released files into the store: folders, files or zip archives.

    CORPUS is a name that `commonground list` prints. PATHS are folders, files or zip archives.

    What the store had of the corpus is replaced when the import is complete, and not before.
    Faults in the data are gathered as findings; see `commonground check`. Where more than half of
    the dialogues that the store has would go, you are asked first; a script gives --replace.

    \b
    Example:
      commonground import photobook logs --images images --splits data_splits.json
      commonground import frames frames.json
    """
    from commonground.corpora import get_corpus
    from commonground.store.arrow import forgo_pandas
    from commonground.store.importing import import_corpus

    forgo_pandas()
    named = [*paths, *([splits] if splits else [])]
    stopped = told_when_stopped("What was in the store before is untouched.")
    with stopped, progress_bar(f"importing {corpus}") as progress:
        summary = import_corpus(
            get_corpus(corpus),
            named,
            store=store_path(store),
            images=images,
            jobs=jobs,
            progress=progress,
            force=force,
            check=check,
            replace=replace or (_ask if _can_ask() else False),
        )
    if as_json:
        print_json(to_builtins(summary))
    else:
        _print_summary(summary, store_path(store))


def _can_ask() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _ask(replaced: Replacement) -> bool:
    """Asks on the terminal whether most of what the store has may go."""
    click.echo(err=True)  # below the progress bar
    return click.confirm(f"This replaces {replaced.describe()}. Go on?", err=True)


def _print_summary(summary: ImportSummary, path: Path) -> None:
    from rich.markup import escape

    store = escape(str(path))
    manifest = summary.manifest
    name = manifest.corpus
    counts = manifest.counts
    if summary.unchanged:
        print_rich(f"[bold]{name}[/] is in {store} already, from the very same files.")
    else:
        print_rich(
            f"[bold]{name}[/]: {counts.get('dialogues', 0):,} dialogues, "
            f"{counts.get('events', 0):,} events into {store} in {summary.seconds:.1f} s"
        )
    if summary.replaced is not None:
        print_rich(f"replaced: {summary.replaced.describe()}")
    table = new_table("table", "rows", right=("rows",))
    for key, count in counts.items():
        table.add_row(key, f"{count:,}")
    print_rich(table)
    splits = ", ".join(f"{k or 'in none'} {n:,}" for k, n in manifest.splits.items())
    print_rich(f"splits: {splits}")
    if summary.pictures:
        used = manifest.images and f"used from {escape(manifest.images)}"
        where = used or "name them with --images"
        print_rich(f"pictures: {summary.pictures:,} beside the files; {where}")
    if summary.left_alone:
        shown = escape(", ".join(summary.left_alone[:3]))
        more = len(summary.left_alone) - 3
        tail = f" and {more:,} more" if more > 0 else ""
        print_rich(f"left alone, of no format of {name}: {shown}{tail}")
    total = sum(manifest.findings.values())
    if total:
        print_rich(
            f"findings: {total:,}, of which {summary.errors:,} errors. "
            f"See: commonground check {name} --store {escape(shlex.quote(str(path)))}"
        )
