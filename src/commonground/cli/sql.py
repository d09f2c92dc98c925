"""``commonground sql``: runs a query on the tables, and prints or writes its rows."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import (
    Form,
    form_options,
    print_data,
    print_rich,
    print_table,
    store_option,
)
from commonground.cli._streams import binary_output, machine_output
from commonground.errors import SourceError, UsageError

if TYPE_CHECKING:
    from commonground.store.sql.limits import Limits
    from commonground.store.sql.query import Database, QueryResult

SECTION = "look"

FORMATS = ("table", "csv", "json", "parquet")


@click.command(short_help="Query the store with SQL.")
@click.argument("query", required=False)
@click.option("--tables", is_flag=True, help="List the tables and their columns.")
@click.option(
    "--format",
    "to",
    type=click.Choice(FORMATS),
    help="How to write the result.  [default: table; in a file what its name says, or json]",
)
@click.option("--corpus", "corpora", multiple=True, help="Query only this corpus; may be repeated.")
@click.option(
    "--for-spreadsheets",
    is_flag=True,
    help="Begin a CSV with a byte-order mark, and put ' before texts that spreadsheets would run: "
    "= + - @ tab.",
)
@click.option("--output", type=click.Path(path_type=Path), help="File to write the result to.")
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=200,
    show_default=True,
    help="Rows of a printed table.",
)
@click.option(
    "--max-rows",
    type=click.IntRange(0),
    help="Rows that a result may have; 0 for no limit.  [default: 1000000]",
)
@click.option(
    "--max-seconds",
    type=click.FloatRange(0),
    help="Seconds that a query may take; 0 for no limit.  [default: 60]",
)
@click.option("--memory", metavar="SIZE", help="Memory that it may use: 4GB, 50%.  [default: 80%]")
@store_option
@form_options
def command(
    query: str | None,
    tables: bool,
    to: str | None,
    corpora: tuple[str, ...],
    for_spreadsheets: bool,
    output: Path | None,
    limit: int,
    max_rows: int | None,
    max_seconds: float | None,
    memory: str | None,
    store: Path | None,
    form: Form,
) -> None:
    """Query the store with SQL. Queries can read the tables and nothing else.

    QUERY is SQL, or a file with SQL. In it $corpus is the corpus that --corpus names, so that the
    query files of the figures run unchanged.

    To read the CSV with pandas, pass keep_default_na=False, na_values=[""]: otherwise words such as
    None and NA become missing values.

    A query that needs too much time or memory is stopped. COMMONGROUND_SQL_ROWS,
    COMMONGROUND_SQL_SECONDS and COMMONGROUND_SQL_MEMORY change the limits for Python, too.

    \b
    Example:
      commonground sql "select corpus, count(*) from events group by 1"
      commonground sql "select * from acts" --output acts.parquet
      commonground sql "select name, count(*) from events group by 1" --format csv
      commonground sql my-query.sql --corpus frames
    """
    from commonground.store.opening import open_store
    from commonground.store.sql.limits import user_limits
    from commonground.store.sql.query import Database

    # What does not go together is refused before a store is opened or a query run.
    chosen = _choose_format(to, output, form)
    if for_spreadsheets and chosen != "csv":
        raise UsageError("--for-spreadsheets is for CSV.", "Add --format csv.")
    if tables:
        _print_tables(form)
        return
    if query is None:
        raise UsageError("There is no query.", "See: commonground sql --help")
    query, parameters = _read_query(query, corpora)
    limits = user_limits(max_seconds, max_rows)
    opened = open_store(store)
    asked = opened.only(corpora or opened.all_corpora())
    database = Database(asked.path, asked.manifests, memory=memory)
    # A table is the only thing that is cut: a file that lacks rows would pass for whole.
    if chosen == "table":
        _print_table(database.select(query, parameters, limits=limits, cut=True), limit)
    elif chosen == "parquet":
        _write_parquet(database, query, parameters, limits, output)
    else:
        found = database.select(query, parameters, limits=limits)
        if for_spreadsheets:
            found = _disarm(found)
        _write_text(found, chosen, output, mark=for_spreadsheets)


def _read_query(query: str, corpora: tuple[str, ...]) -> tuple[str, dict[str, str]]:
    """Returns the SQL, read from a file where one is named, and the values of its parameters.

    Raises:
        SourceError: the file cannot be read.
        UsageError: the query asks for a corpus, and not exactly one is named.
    """
    # No SQL ends so, and a file of queries is named so.
    if query.endswith(".sql"):
        try:
            query = Path(query).read_text(encoding="utf-8")
        except OSError as error:
            raise SourceError(f"{query} cannot be read: {error.strerror}.") from error
        except UnicodeDecodeError as error:
            raise SourceError(f"{query} is not UTF-8: {error.reason}.") from error
    if "$corpus" not in query:
        return query, {}
    if len(corpora) != 1:
        raise UsageError("The query asks for $corpus.", "Name one: --corpus frames")
    return query, {"corpus": corpora[0]}


def _choose_format(to: str | None, output: Path | None, flag: Form) -> str:
    """Returns the format that is asked for, or what the file is named for.

    Raises:
        UsageError: two are asked for, or a table in a file.
    """
    if flag is not None and to not in (None, flag):
        raise UsageError(f"--{flag} and --format {to} exclude each other.", "Give one of them.")
    named = flag or to
    if output is None:
        return named or "table"
    ending = output.suffix.lower().removeprefix(".")
    chosen = named or (ending if ending in FORMATS else "json")
    if chosen == "table":
        raise UsageError("A table is for people to read.", f"For {output} choose csv or json.")
    return chosen


def _print_tables(form: Form) -> None:
    from commonground.schema import TABLES, VIEWS

    tables = (*TABLES, *VIEWS)
    told = [{"table": t.name, "row": t.row, "columns": list(t.names)} for t in tables]
    if not print_data(form, told, ("table", "row", "columns"), (row.values() for row in told)):
        rows = ((each.name, each.row, ", ".join(each.names)) for each in tables)
        print_table(("table", "a row is", "columns"), rows)


def _print_table(found: QueryResult, limit: int) -> None:
    numbers = tuple(
        name for name, kind in zip(found.columns, found.types, strict=True) if _is_number(kind)
    )
    print_table(found.columns, (map(_show, row) for row in found.rows[:limit]), numbers)
    if len(found.rows) > limit:
        more = "more than " if found.is_cut else ""
        print_rich(f"{limit:,} of {more}{len(found.rows):,} rows; see --limit and --format")


def _is_number(kind: str) -> bool:
    # As DuckDB names types: DECIMAL(18,3), HUGEINT, UBIGINT, TINYINT.
    return kind.startswith(("DECIMAL", "DOUBLE", "FLOAT")) or kind.endswith(("INT", "INTEGER"))


def _show(value: Any) -> str:
    if value is None:
        return ""
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _disarm(found: QueryResult) -> QueryResult:
    """Makes texts of a result, headings included, texts to a spreadsheet, too."""
    from msgspec.structs import replace

    from commonground.files.spreadsheets import disarm

    rows = [tuple(disarm(v) if isinstance(v, str) else v for v in row) for row in found.rows]
    return replace(found, columns=list(map(disarm, found.columns)), rows=rows)


def _write_text(found: QueryResult, to: str, output: Path | None, *, mark: bool) -> None:
    import csv
    import json

    from commonground.files.spreadsheets import MARK

    with _sink(output) as sink:
        if to == "csv":
            sink.write(MARK if mark else "")
            writer = csv.writer(sink, lineterminator="\n")
            writer.writerow(found.columns)
            writer.writerows(found.rows)
        else:
            rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
            # Times, decimals and the like have no form in JSON: they become text.
            json.dump(rows, sink, ensure_ascii=False, indent=2, default=str)
            sink.write("\n")


def _write_parquet(
    database: Database,
    query: str,
    parameters: dict[str, str],
    limits: Limits,
    output: Path | None,
) -> None:
    from commonground.store.arrow import pq

    if output is None and sys.stdout.isatty():
        raise UsageError("Parquet cannot be shown in a terminal.", "Add --output FILE.")
    found = database.arrow(query, parameters, limits=limits)
    with _sink(output, binary=True) as sink:
        pq.write_table(found, sink, compression="zstd")


@contextmanager
def _sink(output: Path | None, *, binary: bool = False) -> Iterator[Any]:
    """Opens a file, or standard output."""
    if output is None:
        yield binary_output() if binary else machine_output()
        return
    from commonground.files.outputs import new_file

    with (
        new_file(output) as staged,
        staged.open("wb") if binary else staged.open("w", encoding="utf-8") as file,
    ):
        yield file
