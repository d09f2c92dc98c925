"""``commonground sql``."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from commonground.cli._options import new_table, print_rich, store_option
from commonground.errors import StoreError, UsageError

if TYPE_CHECKING:
    from commonground.store.query import Database

FORMATS = ("table", "csv", "json", "parquet")


@click.command(short_help="Ask the store in SQL.")
@click.argument("query", required=False)
@click.option("--tables", is_flag=True, help="List the tables and their columns.")
@click.option(
    "--format", "to", type=click.Choice(FORMATS), default="table", help="How to print the result."
)
@click.option("--output", type=click.Path(path_type=Path), help="File to write instead.")
@click.option("--limit", type=click.IntRange(1), default=200, help="Rows of a printed table.")
@store_option
def command(
    query: str | None, tables: bool, to: str, output: Path | None, limit: int, store: Path | None
) -> None:
    """Ask the store in SQL. Queries can read the tables and nothing else.

    \b
    Example:
      commonground sql "select corpus, count(*) from events group by 1"
      commonground sql "select * from acts" --format parquet --output acts.parquet
    """
    from commonground.store.opening import open_store

    if tables:
        _print_tables()
        return
    if query is None:
        raise UsageError("A query is wanted.", "See: commonground sql --help")
    database = open_store(store).database
    if to == "table" and output is None:
        _print_table(database, query, limit)
    elif to == "parquet":
        _write_parquet(database, query, output)
    else:
        _write_text(database, query, "json" if to == "table" else to, output)


def _print_tables() -> None:
    from commonground.schema import TABLES

    table = new_table("table", "a row is", "columns")
    for each in TABLES:
        table.add_row(each.name, each.row, ", ".join(each.names))
    print_rich(table)


def _print_table(database: Database, query: str, limit: int) -> None:
    from rich.text import Text

    found = database.select(query)
    numbers = tuple(
        name for name, kind in zip(found.columns, found.types, strict=True) if _is_number(kind)
    )
    table = new_table(*found.columns, right=numbers)
    for row in found.rows[:limit]:
        table.add_row(*(Text("" if value is None else _show(value)) for value in row))
    print_rich(table)
    if len(found.rows) > limit:
        print_rich(f"{limit:,} of {len(found.rows):,} rows; see --limit and --format")


def _is_number(kind: str) -> bool:
    return (
        kind.startswith(("DECIMAL", "DOUBLE", "FLOAT"))
        or kind.endswith("INT")
        or kind
        in (
            "INTEGER",
            "UINTEGER",
        )
    )


def _show(value: Any) -> str:
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _write_text(database: Database, query: str, to: str, output: Path | None) -> None:
    import csv
    import json

    found = database.select(query)
    with _sink(output) as sink:
        if to == "csv":
            writer = csv.writer(sink, lineterminator="\n")
            writer.writerow(found.columns)
            writer.writerows(found.rows)
        else:
            rows = [dict(zip(found.columns, row, strict=True)) for row in found.rows]
            json.dump(rows, sink, ensure_ascii=False, indent=2, default=str)
            sink.write("\n")


def _write_parquet(database: Database, query: str, output: Path | None) -> None:
    from commonground.store.arrow import pq

    if output is None and sys.stdout.isatty():
        raise UsageError("Parquet is nothing for a terminal.", "Add --output FILE.")
    found = database.arrow(query)
    with _sink(output, binary=True) as sink:
        pq.write_table(found, sink, compression="zstd")


@contextmanager
def _sink(output: Path | None, *, binary: bool = False) -> Iterator[Any]:
    """Opens a file, or standard output."""
    if output is None:
        yield sys.stdout.buffer if binary else sys.stdout
        return
    try:
        with output.open("wb") if binary else output.open("w", encoding="utf-8") as file:
            yield file
    except OSError as error:
        raise StoreError(f"{output} cannot be written: {error.strerror}.") from error
