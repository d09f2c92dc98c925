"""``commonground import``: imports files, asks before it replaces more, and prints a summary."""

from __future__ import annotations

import shlex
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import click

from commonground.cli._ending import told_when_stopped
from commonground.cli._options import (
    Form,
    can_ask,
    columns_option,
    engine_options,
    form_options,
    plain,
    print_data,
    print_rich,
    print_table,
    progress_bars,
    store_option,
    store_path,
)
from commonground.errors import UsageError
from commonground.printing import count_of, list_severities, make_visible, sort_naturally

if TYPE_CHECKING:
    from commonground.store.importing.summary import ImportSummary, Replacement

SECTION = "data"

_MOST_UNREADABLE = 20
"""Files that could not be read and are listed; of more, only the number."""


@click.command(short_help="Import released files into the store.")
@click.argument("corpus")
@click.argument("paths", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--images", type=click.Path(path_type=Path), help="Folder of the images.")
@click.option(
    "--splits",
    type=click.Path(path_type=Path),
    help="Your own list of splits, the name of published splits, or the released "
    "file in another place.",
)
@click.option("--holdout", type=float, metavar="SHARE", help="Hold out a share of the dialogues.")
@click.option("--seed", type=int, help="Decides which are held out.  [default: 1]")
@click.option(
    "--apart",
    metavar="NAME",
    help="What the held-out dialogues must not share with the others, such as image.",
)
@columns_option
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: by size]")
@engine_options
@click.option("--force", is_flag=True, help="Import again even if nothing has changed.")
@click.option("--replace", is_flag=True, help="Replace what the store has without asking.")
@click.option(
    "--check/--no-check",
    default=True,
    show_default=True,
    help="Run the checks, or only read the files.",
)
@click.option(
    "--allow-unreadable", is_flag=True, help="Exit with 0 even if a file could not be read."
)
@store_option
@form_options
def command(
    corpus: str,
    paths: tuple[Path, ...],
    images: Path | None,
    splits: Path | None,
    holdout: float | None,
    seed: int | None,
    apart: str | None,
    columns: tuple[tuple[str, str], ...],
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    force: bool,
    replace: bool,
    check: bool,
    allow_unreadable: bool,
    store: Path | None,
    form: Form,
) -> None:
    """Import released files into the store.

    CORPUS is a name that `commonground info` prints. PATHS are folders, files or zip archives,
    or addresses of an object store such as s3://BUCKET/PREFIX or gs://BUCKET/PREFIX.

    What the store had of the corpus is replaced only when the import is complete. Errors in the
    data are kept as findings; see `commonground check`. Records that cannot be converted are left
    out, and counted. If more than half of the dialogues in the
    store would be lost, you are asked first; scripts can pass --replace.

    Without --splits and --holdout, dialogues are in the released splits. Your own list is CSV
    or TSV with the header id,split (or dialogue_id,split), or JSON: lists of ids by split, or
    splits by id. --holdout 0.1 puts a tenth of the dialogues into test and the others into train;
    with --apart image, no image of test is in train. `commonground info CORPUS` says what can be
    kept apart, and which published splits have names.

    Your own dialogues are the corpus chats: CSV, JSON Lines, JSON or Parquet with a row for each
    message, or exports of Slack, Discord and WhatsApp. Columns with common names are found;
    --column names others, for dialogue, speaker, text, time, role, reply, id, split, label or
    picture.

    If a file could not be read, all others are imported and the exit status is 1.

    \b
    Example:
      commonground import photobook logs --images images --splits data_splits.json
      commonground import photobook logs --splits themes-unseen
      commonground import frames frames.json --splits mine.csv
      commonground import chats messages.csv --column text=message --column speaker=author
      commonground import simmc simmc --holdout 0.1 --seed 2 --apart item
      commonground import photobook logs --engine dask --jobs 4
      commonground import photobook s3://talks/logs --store s3://talks/store
    """
    from commonground.corpora import get_corpus
    from commonground.engines import open_engine
    from commonground.store.arrow import forgo_pandas
    from commonground.store.importing import import_corpus
    from commonground.store.importing.own_splits import Request
    from commonground.store.layout.mirrors import name_store

    if seed is not None and holdout is None:
        raise UsageError("A seed needs --holdout.", "Say how much: --holdout 0.1")
    forgo_pandas()
    stopped = told_when_stopped("What was in the store before is untouched.")
    with (
        stopped,
        open_engine(engine, scheduler=scheduler, jobs=jobs) as workers,
        progress_bars(f"importing {corpus}", f"indexing {corpus}") as (progress, indexing),
    ):
        summary = import_corpus(
            get_corpus(corpus),
            paths,
            store=store_path(store),
            images=images,
            splits=Request(
                splits=splits, holdout=holdout, seed=1 if seed is None else seed, apart=apart
            ),
            columns=columns,
            jobs=jobs,
            engine=workers,
            progress=progress,
            indexing=indexing,
            force=force,
            check=check,
            # With nobody to ask, an import that would lose most of the store is refused.
            replace=replace or (_ask if can_ask() else False),
        )
    if not print_data(form, summary, ("table", "rows"), summary.manifest.counts.items()):
        words = _list_split_words(splits, holdout, seed, apart)
        words += [word for pair in columns for word in ("--column", "=".join(pair))]
        _print_summary(summary, name_store(store_path(store)), paths, words)
    if summary.unreadable and not allow_unreadable:
        raise click.exceptions.Exit(1)


def _list_split_words(
    splits: Path | None, holdout: float | None, seed: int | None, apart: str | None
) -> list[str]:
    """Writes the options that say the splits, for a command that is to be run again."""
    options = {"--splits": splits, "--holdout": holdout, "--seed": seed, "--apart": apart}
    given = [(name, str(value)) for name, value in options.items() if value is not None]
    return [word for pair in given for word in pair]


def _ask(replaced: Replacement) -> bool:
    """Asks on the terminal whether most of what the store has may go."""
    click.echo(err=True)  # below the progress bar
    return click.confirm(f"This replaces {replaced.describe()}. Go on?", err=True)


def _print_summary(
    summary: ImportSummary, path: str, paths: Sequence[Path], split_words: Sequence[str]
) -> None:
    from rich.markup import escape

    store = escape(path)
    manifest = summary.manifest
    name = manifest.corpus
    counts = manifest.counts
    dialogues = count_of(counts.get("dialogues", 0), "dialogue")
    events = count_of(counts.get("events", 0), "event")
    if summary.unchanged:
        print_rich(f"[bold]{name}[/] is in {store} already, from the same files.")
    else:
        print_rich(
            f"[bold]{name}[/]: {dialogues} and {events} written to {store} in "
            f"{summary.seconds:.1f} s"
        )
    if summary.replaced is not None:
        print_rich(f"replaced: {summary.replaced.describe()}")
    for layer in summary.layers:
        print_rich(layer.describe())
    rows = ((key, f"{count:,}") for key, count in counts.items())
    print_table(("table", "rows"), rows, right=("rows",))
    _print_kept(name, path)
    print_rich(f"splits: {_list_splits(manifest.splits)}")
    if manifest.own_splits is not None:
        print_rich(plain(f"These splits are {manifest.own_splits.describe()}."))
    store_words = ["--store", path]
    words = ["commonground", "import", name, *map(str, paths), *split_words]
    _print_pictures(summary, words, store_words)
    if summary.left_alone:
        shown = escape(_list_some(summary.left_alone))
        print_rich(f"not used, because they are not files of {name}: {shown}")
    _print_unreadable(summary)
    _print_left_out(summary)
    _print_findings(summary, store_words)


def _print_kept(corpus: str, store: str) -> None:
    """Says which columns of a corpus of the user's own have no place of their own in the tables."""
    from commonground.corpora import get_corpus
    from commonground.store.opening import load

    if not any(fmt.fields for fmt in get_corpus(corpus).formats()):
        return
    opened = load(corpus, store)
    for table, column in (("events", "details"), ("dialogues", "attributes")):
        keys = f"SELECT DISTINCT unnest(json_keys({column})) AS key FROM {table} ORDER BY key"
        names = [name for (name,) in opened.rows(keys)]
        if names:
            print_rich(plain(f"kept in {column} of {table}: {', '.join(names)}"))


def _list_splits(splits: Mapping[str, int]) -> str:
    """Writes how many dialogues each split has; only where there are some, who is in none."""
    if not any(splits):
        return "none"
    # A number stays on the line of its name.
    return ", ".join(
        f"{name or 'in no split'}\N{NO-BREAK SPACE}{splits[name]:,}"
        for name in sort_naturally(splits)
    )


def _list_some(names: Sequence[str]) -> str:
    """Lists the first three names and counts the rest."""
    more = len(names) - 3
    return ", ".join(names[:3]) + (f" and {more:,} more" if more > 0 else "")


def _print_pictures(
    summary: ImportSummary, words: Sequence[str], store_words: Sequence[str]
) -> None:
    """Says which pictures were found, or how to use those that lie beside the files."""
    from commonground.files.remote import is_remote

    pictures = summary.images
    beside = f"pictures: {count_of(summary.pictures, 'picture')} next to the files"
    if pictures is None:
        if summary.pictures:
            print_rich(f"{beside}. If dialogues were held over them, add --images FOLDER.")
        return
    if pictures.folder is None and any(map(is_remote, words)):
        what = "in an object store. To use them, copy them to a local folder"
        print_rich(f"{beside}, {what} and add --images FOLDER.")
        return
    if pictures.folder is None:
        print_rich(f"{beside}, in archives. To use them, unpack them and add --images FOLDER.")
        return
    if pictures.used or pictures.found:
        found = f"{pictures.found:,} of {pictures.wanted:,}"
        missing = f"; missing: {_list_some(pictures.missing)}" if pictures.missing else ""
        print_rich(plain(f"pictures: {found} found below {pictures.folder}{missing}"))
        if pictures.broken:
            listed = [f"{name} is {why}" for name, why in pictures.broken.items()]
            print_rich(plain(f"pictures: {len(listed):,} cannot be shown: {_list_some(listed)}"))
    else:
        print_rich(beside)
    if not pictures.used:
        print_rich("They are not used yet. To use them:")
        _print_command(shlex.join([*words, "--images", pictures.folder, *store_words]))


def _print_left_out(summary: ImportSummary) -> None:
    if summary.left_out:
        records = count_of(summary.left_out, "record")
        print_rich(
            f"[red]{records} left out,[/] because of errors; their content is in the table native"
        )


def _print_unreadable(summary: ImportSummary) -> None:
    files = summary.unreadable
    if not files:
        return
    print_rich(f"[red]{count_of(len(files), 'file')} could not be read, or only in part:[/]")
    for each in files[:_MOST_UNREADABLE]:
        where = " ".join(filter(None, (each.name, each.path)))
        # In one line, since it may end in a command that is to be copied.
        click.echo(make_visible(f"  {where}: {each.reason}"))
    if len(files) > _MOST_UNREADABLE:
        print_rich(f"  and {len(files) - _MOST_UNREADABLE:,} more; --json lists all of them")


def _print_findings(summary: ImportSummary, store_words: Sequence[str]) -> None:
    if not any(summary.severities.values()):
        tail = "" if summary.manifest.checked else "; the rules were not run"
        print_rich(f"findings: none{tail}")
        return
    listed = list_severities(summary.severities)
    command = shlex.join(["commonground", "check", summary.manifest.corpus, *store_words])
    print_rich(f"findings: {listed}. To see them:")
    _print_command(command)


def _print_command(command: str) -> None:
    """Prints a command on a line of its own, which is never wrapped, so that it can be copied."""
    click.echo(f"  {command}")
