"""``commonground sql``."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from commonground.cli._options import new_table, print_json, print_rich, store_option
from commonground.errors import StoreError, UsageError

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
    from commonground.store.corpus import open_store

    if tables:
        _print_tables()
        return
    if query is None:
        raise UsageError("A query is wanted.", "See: commonground sql --help")
    found = open_store(store).sql(query)
    if to == "table" and output is None:
        _print_table(found, limit)
    else:
        _write(found, to, output)


def _print_tables() -> None:
    from commonground.schema import TABLES

    table = new_table("table", "a row is", "columns")
    for each in TABLES:
        table.add_row(each.name, each.row, ", ".join(each.names))
    print_rich(table)


def _print_table(found: Any, limit: int) -> None:
    numbers = tuple(
        name
        for name, kind in zip(found.column_names, found.schema.types, strict=True)
        if str(kind).startswith(("int", "uint", "float", "double", "decimal"))
    )
    table = new_table(*found.column_names, right=numbers)
    from rich.text import Text

    for row in zip(*(c.to_pylist() for c in found.slice(0, limit).columns), strict=True):
        table.add_row(*(Text("" if value is None else _show(value)) for value in row))
    print_rich(table)
    if found.num_rows > limit:
        print_rich(f"{limit:,} of {found.num_rows:,} rows; see --limit and --format")


def _show(value: Any) -> str:
    return f"{value:,.6g}" if isinstance(value, float) else str(value)


def _write(found: Any, to: str, output: Path | None) -> None:
    if to == "parquet" and output is None and sys.stdout.isatty():
        raise UsageError("Parquet is nothing for a terminal.", "Add --output FILE.")
    if to in ("json", "table") and output is None:
        print_json(found.to_pylist())
        return
    try:
        with output.open("wb") if output else sys.stdout.buffer as sink:
            _write_to(found, to, sink)
    except OSError as error:
        raise StoreError(f"{output} cannot be written: {error.strerror}.") from error


def _write_to(found: Any, to: str, sink: Any) -> None:
    import msgspec
    import pyarrow.csv
    import pyarrow.parquet

    if to == "csv":
        pyarrow.csv.write_csv(found, sink)
    elif to == "parquet":
        pyarrow.parquet.write_table(found, sink, compression="zstd")
    else:
        sink.write(msgspec.json.encode(found.to_pylist()))
