"""``commonground check``: prints findings in files or in the store, what they mean, and damage."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    Form,
    columns_option,
    engine_options,
    form_options,
    plain,
    print_csv,
    print_data,
    print_json,
    print_rich,
    print_table,
    progress_bar,
    refuse_options,
    store_path,
    to_builtins,
)
from commonground.errors import UsageError
from commonground.printing import count_of, make_visible

if TYPE_CHECKING:
    from commonground.engines.engine import Engine
    from commonground.store.findings import FoundPlace, RuleCount
    from commonground.store.sql.query import Database

SECTION = "data"

_SEARCHING = frozenset({"code", "limit", "fail_on", "jobs", "engine", "scheduler"})
"""Options of looking for findings."""

_COLORS = {"error": "red", "warning": "yellow", "note": "cyan"}


@click.command(short_help="List what is wrong or odd in files, or in what was imported.")
@click.argument("corpus", required=False)
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--store",
    # The option may stand alone or with a folder. Alone it gives the flag's value, an empty path,
    # which no folder on a command line is.
    is_flag=False,
    flag_value=Path(),
    type=click.Path(path_type=Path),
    help="Check what was imported, here or in another store, instead of files.",
)
@click.option("--code", help="List every place of one rule.")
@click.option(
    "--explain",
    "explained",
    metavar="CODE",
    help="Say what a finding code means and what to do about it.",
)
@click.option(
    "--integrity", is_flag=True, help="Check instead that the store has all that was imported."
)
@click.option("--limit", type=click.IntRange(1), help="How many places to list.  [default: all]")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning"]),
    default="error",
    show_default=True,
    help="Exit with 1 if a finding is at least this severe.",
)
@columns_option
@click.option("--jobs", type=click.IntRange(1), help="Processes.  [default: by size]")
@engine_options
@form_options
def command(
    corpus: str | None,
    paths: tuple[Path, ...],
    store: Path | None,
    code: str | None,
    explained: str | None,
    integrity: bool,
    limit: int | None,
    fail_on: str,
    columns: tuple[tuple[str, str], ...],
    jobs: int | None,
    engine: str,
    scheduler: str | None,
    form: Form,
) -> None:
    """List what is wrong or odd in released files, or in what was imported.

    CORPUS is a name that `commonground info` prints; leave it out to see the whole store. PATHS are
    folders, files or zip archives.

    Without PATHS the findings of the store are shown. `released` is the number of places in the
    authors' own files, the errata of the corpus; `new` counts those that are only in your files.

    --explain says what a code means, why it matters, and what to do about it.

    --integrity reads the whole store, or each CORPUS that you name, and reports damage: every part
    must exist, have the bytes that were written, be readable and have the columns of its table; ids
    must be unique; references to dialogues, events and speakers must resolve; and labels must be on
    the events that were labelled. Exits with 1 if anything is damaged; to repair it, import the
    same files again.

    \b
    Example:
      commonground check photobook logs
      commonground check --store --fail-on warning
      commonground check frames frames.json --code CG-FRAMES-007
      commonground check --explain CG-FRAMES-007
      commonground check --integrity
    """
    from commonground.engines import open_engine
    from commonground.findings import SEVERITIES
    from commonground.store.findings import count_findings, find_rule, list_places

    if explained is not None:
        refuse_options(_SEARCHING | {"integrity", "as_csv"}, "has no effect with --explain")
        if corpus is not None:
            raise UsageError("--explain takes a code, and no corpus or files.")
        _explain(explained, form)
        return
    if integrity:
        refuse_options(_SEARCHING, "has no effect with --integrity")
        _refuse_corpus(store, " --integrity")
        corpora = [] if corpus is None else [corpus, *map(str, paths)]
        _check_integrity(_choose_store(store), corpora, form)
        return
    if paths and store is not None:
        raise UsageError("Give either files or --store, not both.")
    # Open until all is printed: the findings of files are in a temporary folder, which goes then.
    where = open_engine(engine, scheduler=scheduler, jobs=jobs)
    with where as workers, _findings(corpus, paths, store, columns, jobs, workers) as database:
        counts = count_findings(database, corpus)
        wanted = None if code is None else find_rule(code).code
        if form == "json":
            _print_json(database, corpus, counts, wanted, limit)
        elif wanted is not None:
            _print_places(list_places(database, wanted, corpus, limit), form)
        elif form == "csv":
            _print_counts_csv(counts[:limit])
        else:
            _print_counts(counts[:limit])
    # Severities stand worst first: the first one, or with warnings the first two.
    bad = SEVERITIES[: 1 + (fail_on == "warning")]
    if any(each.severity in bad for each in counts):
        raise click.exceptions.Exit(1)


@contextmanager
def _findings(
    corpus: str | None,
    paths: tuple[Path, ...],
    store: Path | None,
    columns: tuple[tuple[str, str], ...],
    jobs: int | None,
    workers: Engine | None,
) -> Iterator[Database]:
    """Gives a database that has the findings of the files, or of the store."""
    from commonground.corpora import get_corpus
    from commonground.files.work_folders import temporary_folder
    from commonground.store.arrow import forgo_pandas
    from commonground.store.importing import check_files
    from commonground.store.opening import open_store

    forgo_pandas()
    if not paths:
        _refuse_corpus(store)
        opened = open_store(_choose_store(store))
        if corpus is not None:
            opened.corpus(corpus)
        yield opened.database
        return
    with temporary_folder() as folder:
        with progress_bar(f"checking {corpus}") as progress:
            check_files(
                get_corpus(corpus or ""),
                paths,
                folder=folder,
                columns=columns,
                jobs=jobs,
                engine=workers,
                progress=progress,
            )
        yield open_store(folder).database


def _choose_store(store: Path | None) -> Path:
    return store_path(store if store != Path() else None)


def _refuse_corpus(store: Path | None, mode: str = "") -> None:
    """Refuses ``--store CORPUS``, which means a folder.

    The right command has the option ``mode`` after the corpus.
    """
    from commonground.corpora import iterate_corpora
    from commonground.store.layout.manifest import list_imports

    names = [entry.name for entry in iterate_corpora()]
    if store is not None and str(store) in names and not list_imports(store):
        problem = f"--store is followed by a folder, and {store} is a corpus."
        raise UsageError(problem, f"To check what was imported: commonground check {store}{mode}")


def _explain(code: str, form: Form) -> None:
    from commonground.store.findings import find_rule

    rule = find_rule(code)
    if form == "json":
        names = ("code", "severity", "title", "why", "advice", "format", "known")
        print_json({name: getattr(rule, name) for name in names})
        return
    where = "any file" if rule.format == "*" else f"files of format {rule.format}"
    print_rich(
        f"[bold]{rule.code}[/]  {rule.severity}, in {where}",
        plain(rule.title),
        "\n[bold]Why it matters[/]",
        plain(rule.why),
        "\n[bold]What to do[/]",
        plain(rule.advice),
    )
    if rule.known is not None:
        places = count_of(rule.known, "place") if rule.known else "no place"
        print_rich(f"\nThe released files have it in {places}.")


def _print_counts(counts: list[RuleCount]) -> None:
    from rich.text import Text

    if not counts:
        print_rich("Nothing found.")
        return
    numbers = ("count", "released", "new")
    rows = (
        (
            each.code,
            Text(each.severity, _COLORS[each.severity]),
            f"{each.count:,}",
            "" if each.released is None else f"{each.released:,}",
            Text(f"{each.new:,}", "bold") if each.new else "",
            each.title,
        )
        for each in counts
    )
    print_table(("code", "severity", *numbers, "what"), rows, numbers)
    total = sum(each.count for each in counts)
    print_rich(Text("The first place of each", "bold"), "")
    for each in counts:
        _print_example(each)
    found = f"{count_of(total, 'finding')} of {count_of(len(counts), 'rule')}"
    print_rich("", f"{found}. To read about one: commonground check --explain CODE")


def _print_example(count: RuleCount) -> None:
    """Prints a place on a line of its own, so that file and path can be copied."""
    place = count.example
    print_rich(plain(count.code, "bold") + plain(f"  {_write_line(place.where())}"))
    problem = [("expected", place.expected), ("found", place.found)]
    texts = [f"{name} {_write_line(value)}" for name, value in problem if value is not None]
    # The message about this file alone, such as a command to copy, which no line break may divide.
    if not texts and place.message != count.title:
        click.echo(f"    {_write_line(place.message)}")
    if texts:
        print_rich(plain(f"    {', '.join(texts)}", "dim"))


def _write_line(text: str) -> str:
    """Keeps what is found on the line of its place, so that it cannot look like another."""
    return make_visible(text, one_line=True)


def _print_places(places: Iterable[FoundPlace], form: Form) -> None:
    from commonground.store.findings import FoundPlace

    if form == "csv":
        print_csv(FoundPlace.__struct_fields__, places)
        return
    for each in list(places):
        expected = "" if each.expected is None else f"  expected {each.expected}"
        found = "" if each.found is None else f"  found {each.found}"
        click.echo(_write_line(f"{each.where()}{expected}{found}"))


def _print_counts_csv(counts: list[RuleCount]) -> None:
    names = ("corpus", "code", "severity", "title", "count", "dialogues", "released", "new")
    where = ("source_file", "source_path")
    print_csv(
        (*names, *where),
        (
            [getattr(each, name) for name in names] + [getattr(each.example, n) for n in where]
            for each in counts
        ),
    )


def _print_json(
    database: Database,
    corpus: str | None,
    counts: list[RuleCount],
    code: str | None,
    limit: int | None,
) -> None:
    from commonground.store.findings import list_places

    totals: dict[str, int] = {}
    for each in counts:
        totals[each.code] = totals.get(each.code, 0) + each.count
    codes = [code] if code else list(totals)
    findings = {each: list(list_places(database, each, corpus, limit)) for each in codes}
    print_json({"codes": totals, "rules": counts, "findings": findings})


def _check_integrity(store: Path, corpora: Sequence[str], form: Form) -> None:
    """Prints whether a store has what was imported; exits with 1 where anything is damaged.

    Without names of corpora, all of the store is looked at.
    """
    from commonground.store.opening import open_store

    opened = open_store(store)
    path = opened.path
    names = list(corpora) or sorted({*opened.corpora(), *opened.damaged})
    for name in names:
        # A name that is not there is an error now; of a damaged import it is known that it is
        # there.
        if name not in opened.damaged:
            opened.corpus(name)
    with progress_bar("verifying") as progress:
        verified = [_verify(path, name, progress) for name in names]
    rows = ((each["corpus"], each["parts"], len(each["damages"])) for each in verified)
    if not print_data(form, verified, ("corpus", "parts", "damaged"), rows):
        _print_verified(verified, path)
    if any(each["damages"] for each in verified):
        raise click.exceptions.Exit(1)


def _verify(store: Path, name: str, progress: Callable[[int, int], None]) -> dict[str, Any]:
    from commonground.errors import StoreError
    from commonground.store.layout.integrity import Damage, verify_import
    from commonground.store.layout.manifest import MANIFEST_NAME, load_manifest

    try:
        manifest = load_manifest(store, name)
    except StoreError as error:
        damages, parts = [Damage(name, MANIFEST_NAME, error.message)], 0
    else:
        assert manifest is not None  # noqa: S101 - it was listed by its manifest
        damages, parts = list(verify_import(store, manifest, progress)), len(manifest.parts)
    return {"corpus": name, "parts": parts, "damages": [to_builtins(each) for each in damages]}


def _print_verified(verified: list[dict[str, Any]], store: Path) -> None:
    from commonground.store.layout.manifest import import_command

    rows = []
    for each in verified:
        count = len(each["damages"])
        held = f"{count:,} damaged" if count else "whole"
        rows.append((each["corpus"], f"{each['parts']:,}", held))
    print_table(("corpus", "parts", ""), rows, right=("parts",))
    for each in verified:
        for damage in each["damages"]:
            print_rich(f"{each['corpus']}: {damage['where']} {damage['what']}")
        if each["damages"]:
            print_rich("To repair it, import the same files again:")
            click.echo(f"  {import_command(each['corpus'], store)}\n")
