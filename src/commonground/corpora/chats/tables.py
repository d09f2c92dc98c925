"""CSV, JSON Lines and Parquet as rows of cells; a row that cannot be read costs only itself."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import msgspec

from commonground.files.formats import OddRow

DELIMITERS = (",", ";", "\t", "|")

_MOST_LINES = 1000
"""Lines that one cell may have: a quote that is not closed must not swallow the whole file."""


class TableRow(NamedTuple):
    """A row of a table.

    Attributes:
        number: the line that it begins in, from 1; in Parquet and in lists of JSON, its number.
        text: the row as it stands.
    """

    number: int
    cells: dict[str, Any]
    text: str


def split_lines(data: bytes) -> list[str | OddRow]:
    """Decodes the lines of a file; those that are not UTF-8 are odd rows."""
    lines: list[str | OddRow] = []
    for number, line in enumerate(data.split(b"\n"), 1):
        try:
            lines.append(line.decode())
        except UnicodeDecodeError:
            text = line.decode(errors="backslashreplace")
            lines.append(OddRow(number, text.removesuffix("\r"), "UTF-8", is_utf8=False))
    return lines


def read_csv(
    data: bytes, count_known: Callable[[Sequence[str]], int]
) -> tuple[list[str], list[TableRow | OddRow]]:
    """Reads a table with a header; returns its columns and rows.

    Args:
        data: the file, without a byte order mark.
        count_known: says how many of some columns have a name that is known, by which the
            delimiter is found.
    """
    lines = split_lines(data)
    first = next((n for n, line in enumerate(lines) if isinstance(line, OddRow) or line.strip()), 0)
    headers = {each: _take_row(lines, first, each) for each in DELIMITERS}
    # Of delimiters that do as well, that which gives more columns; then the first.
    delimiter = max(DELIMITERS, key=lambda each: _rate(headers[each][0], count_known))
    cells, used = headers[delimiter]
    if cells is None:
        return [], [line for line in lines[first : first + 1] if isinstance(line, OddRow)]
    if not any(map(str.strip, cells)):
        return [], []
    # A column gets a number after its name where another has the name.
    header: list[str] = []
    for cell in cells:
        name, count = cell, 2
        while name in header:
            name, count = f"{cell}~{count}", count + 1
        header.append(name)
    return header, list(_read_rows(lines, first + used, header, delimiter))


def _rate(cells: list[str] | None, count_known: Callable[[Sequence[str]], int]) -> tuple[int, int]:
    return (0, 0) if cells is None else (count_known(cells), len(cells))


def _read_rows(
    lines: Sequence[str | OddRow], at: int, header: Sequence[str], delimiter: str
) -> Iterator[TableRow | OddRow]:
    while at < len(lines):
        line = lines[at]
        if isinstance(line, OddRow):
            yield line
            at += 1
            continue
        if not line.strip("\r\n"):
            at += 1
            continue
        cells, used = _take_row(lines, at, delimiter)
        text = line.removesuffix("\r")
        if cells is not None and len(cells) == len(header):
            yield TableRow(at + 1, dict(zip(header, cells, strict=True)), text)
            at += used
            continue
        expected = f"{len(header)} cells" if cells is not None else "quotes that are closed"
        # Where several lines make no row, the first of them is wrong, and the others may be right.
        yield OddRow(at + 1, text, expected)
        at += 1


def _take_row(
    lines: Sequence[str | OddRow], at: int, delimiter: str
) -> tuple[list[str] | None, int]:
    """Returns the cells of the row that begins in a line, or None, and its number of lines."""
    text, used = "", 0
    for line in lines[at : at + _MOST_LINES]:
        if isinstance(line, OddRow):
            break
        text += f"\n{line}" if used else line
        used += 1
        if used > 1 and '"' not in line:
            continue
        cells = _parse_row(text.removesuffix("\r"), delimiter)
        if cells is not None:
            return cells, used
    first = lines[at]
    # Many writers of tabs quote nothing.
    if delimiter == "\t" and isinstance(first, str):
        return first.removesuffix("\r").split("\t"), 1
    return None, 1


def _parse_row(text: str, delimiter: str) -> list[str] | None:
    if '"' not in text:
        return text.split(delimiter)
    try:
        rows = list(csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, strict=True))
    except csv.Error:
        return None
    return rows[0] if len(rows) == 1 else None


def read_json_lines(data: bytes) -> list[TableRow | OddRow]:
    """Reads a file with a JSON object in each line."""
    found: list[TableRow | OddRow] = []
    for number, line in enumerate(split_lines(data), 1):
        if isinstance(line, OddRow):
            found.append(line)
        elif line.strip():
            found.append(_read_json_line(number, line.removesuffix("\r")))
    return found


def _read_json_line(number: int, text: str) -> TableRow | OddRow:
    try:
        cells = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError, UnicodeError):
        cells = None
    return (
        TableRow(number, cells, text)
        if isinstance(cells, dict)
        else OddRow(number, text, "an object")
    )


def read_parquet(data: bytes) -> tuple[list[str], list[TableRow | OddRow]]:
    """Reads a Parquet file; returns its columns and rows, and neither where it is none."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.ParquetFile(io.BytesIO(data)).read()
    except (pa.ArrowException, OSError, ValueError):
        return [], [OddRow(1, "", "a Parquet file")]
    lines: list[TableRow | OddRow] = []
    for number, row in enumerate(table.to_pylist(), 1):
        cells = msgspec.to_builtins(row, str_keys=True, enc_hook=str)
        cells = {name: None if _is_nan(cell) else cell for name, cell in cells.items()}
        lines.append(TableRow(number, cells, msgspec.json.encode(cells).decode()))
    return table.column_names, lines


def _is_nan(cell: Any) -> bool:
    """Says whether a cell is what dataframes have where there is nothing."""
    return isinstance(cell, float) and math.isnan(cell)


def render_csv(lines: Sequence[TableRow | OddRow]) -> bytes:
    """Writes rows to CSV as spreadsheets do, each in the line that it had."""
    out = io.StringIO(newline="")
    writer = csv.writer(out)
    header = next((list(each.cells) for each in lines if isinstance(each, TableRow)), [])
    writer.writerow(header)
    # Counted as the reader counts lines, those inside of quotes included.
    at = 1 + out.getvalue().count("\n")
    for each in lines:
        number = each.line if isinstance(each, OddRow) else each.number
        out.write("\r\n" * (number - at))
        begin = out.tell()
        if isinstance(each, OddRow):
            out.write(f"{each.text}\r\n")
        else:
            writer.writerow(each.cells.values())
        out.seek(begin)
        at = max(at, number) + out.read().count("\n")
    return out.getvalue().encode()


def render_json_lines(lines: Sequence[TableRow | OddRow]) -> bytes:
    """Writes rows to JSON Lines, each in the line that it had."""
    out, at = [], 1
    for each in lines:
        number = each.line if isinstance(each, OddRow) else each.number
        out.append(b"\n" * (number - at))
        text = each.text.encode() if isinstance(each, OddRow) else msgspec.json.encode(each.cells)
        out.append(text + b"\n")
        at = max(at, number) + 1
    return b"".join(out)


def render_parquet(lines: Sequence[TableRow | OddRow]) -> bytes:
    """Writes rows to a Parquet file; dates become texts."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    out = io.BytesIO()
    pq.write_table(pa.Table.from_pylist([x.cells for x in lines if isinstance(x, TableRow)]), out)
    return out.getvalue()
