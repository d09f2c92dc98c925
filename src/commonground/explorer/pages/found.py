"""The dialogues that a query found, to take along: as a table, as ids, as the code that gives them.

The code selects by a condition over the table ``dialogues`` where a query says no more than that
can; every other query is answered by the ids themselves.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import msgspec

from commonground.errors import unknown_name
from commonground.explorer.corpora import FoundDialogues, OpenCorpus
from commonground.explorer.search.language import QUANTITY_NAMES, Term
from commonground.files.spreadsheets import write_sheet
from commonground.schema import quote_sql

MOST_SHOWN = 40
"""Ids that the code on a page names; longer code can be downloaded."""

_IDS_A_LINE = 100
"""Characters of a line of ids."""


class FoundSet(msgspec.Struct, frozen=True, kw_only=True):
    """Code for what a query found: its dialogues in Python, their ids in SQL."""

    python: str
    sql: str


class FoundFile(msgspec.Struct, frozen=True):
    """A file with what a query found."""

    name: str
    media_type: str
    text: str


def write_code(opened: OpenCorpus, query: str) -> FoundSet:
    """Writes the code that gives the dialogues that a query finds.

    Args:
        query: empty for all.

    Raises:
        QueryError: the query is wrong.
    """
    return opened.remember(("code", query), lambda: _write_code(opened, opened.select(query)))


def show_code(opened: OpenCorpus, query: str) -> FoundSet | None:
    """Writes the code for a page; None where it is too long for that.

    Args:
        query: empty for all.

    Raises:
        QueryError: the query is wrong.
    """
    selection = opened.select(query)
    is_long = len(selection.ordinals) > MOST_SHOWN
    if is_long and (opened.is_part or _write_condition(opened, selection.found.terms) is None):
        return None
    return write_code(opened, query)


def _write_code(opened: OpenCorpus, selection: FoundDialogues) -> FoundSet:
    name = opened.name
    sql = f"SELECT dialogue_id\nFROM dialogues\nWHERE corpus = {quote_sql(name)}"
    begin = f"import commonground as cg\n\ncorpus = cg.load({name!r})"
    terms = selection.found.terms
    if not terms and not opened.is_part:
        return FoundSet(python=begin, sql=sql)
    # Of a part only ids will do: a condition would select from the whole corpus.
    condition = None if opened.is_part else _write_condition(opened, terms)
    if condition is not None:
        python = f"{begin}.select(\n    where={condition!r}\n)"
        return FoundSet(python=python, sql=f"{sql}\n  AND {condition}")
    # Without ids the list has a null: SQL knows no empty list, and nothing equals null.
    ids = _ids(opened, selection)
    return FoundSet(
        python=f"{begin}.select(\n    ids=[\n{_fold(map(repr, ids), 8)}\n    ]\n)",
        sql=f"{sql}\n  AND dialogue_id IN (\n{_fold(map(quote_sql, ids), 4) or '    NULL'}\n  )",
    )


def _write_condition(opened: OpenCorpus, terms: Sequence[Term]) -> str | None:
    """Writes the terms as a condition over ``dialogues``; None where it cannot say them."""
    written = [_write_term(opened, each) for each in terms]
    parts = [each for each in written if each is not None]
    return " AND ".join(parts) if len(parts) == len(written) else None


def _write_term(opened: OpenCorpus, term: Term) -> str | None:
    if term.span is not None and term.field in QUANTITY_NAMES:
        column, span = QUANTITY_NAMES[term.field], term.span
        # Fifteen digits: 0.1 stays 0.1, where seventeen would write 0.10000000000000001.
        low = None if math.isinf(span.low) else f"{'>' if span.above else '>='} {span.low:.15g}"
        high = None if math.isinf(span.high) else f"{'<' if span.below else '<='} {span.high:.15g}"
        bounds = " AND ".join(f"{column} {each}" for each in (low, high) if each)
        if not bounds:
            return None
        return f"NOT ({bounds})" if term.negated else f"({bounds})"
    if term.field not in ("split", "domain") or term.prefix:
        return None
    known = opened.index.postings.fields[term.field].values
    if not all(each in known for each in term.values):
        return None
    condition = f"{term.field} IN ({', '.join(map(quote_sql, term.values))})"
    # What has none is not one of them either, which a comparison with null does not say.
    return f"coalesce(NOT {condition}, true)" if term.negated else condition


def _fold(words: Iterable[str], indent: int) -> str:
    """Writes words with commas, some on each line."""
    lines, line = [], " " * indent
    for each in words:
        if len(line) + len(each) >= _IDS_A_LINE and line.strip():
            lines.append(line.rstrip())
            line = " " * indent
        line += f"{each}, "
    if line.strip():
        lines.append(line.rstrip())
    return "\n".join(lines).rstrip(",")


def _ids(opened: OpenCorpus, selection: FoundDialogues) -> list[str]:
    ids = opened.index.blocks.ids
    return [ids[each] for each in selection.ordinals.tolist()]


def write_found(opened: OpenCorpus, query: str, sort: str, form: str) -> FoundFile:
    """Writes what a query found, in order.

    Args:
        query: empty for all.
        sort: of the dialogues; empty for the order of the files.
        form: ending of the file: ``csv``, ``jsonl``, ``txt`` for ids, ``py`` or ``sql``.

    Raises:
        QueryError: the query is wrong.
        UsageError: there is no such form or order.
    """
    if form not in _TYPES:
        raise unknown_name("form", form, _TYPES, "of what was found")
    selection = opened.select(query, sort)
    if form in _ROWS:
        text = _ROWS[form](opened, selection)
    else:
        code = write_code(opened, query)
        text = (code.python if form == "py" else code.sql) + "\n"
    return FoundFile(f"{opened.name}-found.{form}", _TYPES[form], text)


def _list_rows(opened: OpenCorpus, selection: FoundDialogues) -> list[dict[str, Any]]:
    """Lists the dialogues with all that a list can show of them; null for what one has not."""
    ordinals = selection.ordinals.tolist()
    quantities = opened.index.postings.quantities
    rows: list[dict[str, Any]] = []
    for ordinal, card in zip(ordinals, opened.index.digest.cards(ordinals), strict=True):
        row: dict[str, Any] = dict.fromkeys(_list_columns(opened))
        for name in row:
            if name in opened.searcher.quantities:
                number = float(quantities[name][ordinal])
                row[name] = None if math.isnan(number) else number
            else:
                row[name] = getattr(card, name)
        rows.append(row)
    return rows


def _list_columns(opened: OpenCorpus) -> list[str]:
    said = ["dialogue_id", "split", "domain", "n_events", "n_utterances"]
    return [*said, *opened.searcher.quantities, "findings", "source_file"]


def _write_csv(opened: OpenCorpus, selection: FoundDialogues) -> str:
    rows = _list_rows(opened, selection)
    return write_sheet(_list_columns(opened), (list(row.values()) for row in rows))


def _write_lines(opened: OpenCorpus, selection: FoundDialogues) -> str:
    rows = _list_rows(opened, selection)
    return "".join(json.dumps(each, ensure_ascii=False) + "\n" for each in rows)


def _write_ids(opened: OpenCorpus, selection: FoundDialogues) -> str:
    return "".join(f"{each}\n" for each in _ids(opened, selection))


_ROWS: dict[str, Callable[[OpenCorpus, FoundDialogues], str]] = {
    "csv": _write_csv,
    "jsonl": _write_lines,
    "txt": _write_ids,
}
"""Forms that have a row for each dialogue; the others are code that gives them."""

_TYPES = {
    "csv": "text/csv",
    "jsonl": "application/jsonl",
    "txt": "text/plain",
    "py": "text/x-python",
    "sql": "application/sql",
}
"""Media types of all forms."""
