"""File formats: what a kind of released file is called, holds, and is recognised by.

A corpus declares its formats in ``native.py``; identifying a file, reading it (``dividing``),
writing it back (``roundtrip``), its JSON Schema and its field table all come from that declaration.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, Literal

import msgspec

from commonground.files.sources import Document

Layout = Literal["document", "array", "envelope", "splits", "map", "text", "rows"]
"""Where the records of a file are.

``document``: the file is one JSON record. ``array``: the file is a JSON list of records.
``envelope``: the file is a JSON object, one field of which (``items``) is the list of records.
``splits``: the file is a JSON object of lists of records, one list per split.
``map``: the file is a JSON object of records by id. ``text``: not JSON; the format parses and
renders it itself, one record per element of what ``parse_text`` returns. ``rows``: a table with a
row for each utterance, such as CSV; the format gathers its rows to records itself.
"""


FormatRole = Literal["main", "side", "reference"]
"""``main``: each record becomes a dialogue. ``side``: what the records say goes into dialogues.
``reference``: the records stand by themselves, in the tables ``native`` and ``entries``."""


class FileFormat(msgspec.Struct, frozen=True, kw_only=True):
    r"""One kind of released file.

    Attributes:
        name: short and unique in the corpus: ``log``, ``api_calls``.
        title: what a reader would call it, in a few words.
        pattern: regular expression that the whole base name of such a file matches; where files
            of several formats share a name, with the folder before it: ``ontology/a\.json``.
        record: the declared type of one record.
        layout: see :data:`Layout`.
        items: with layout ``envelope``, the field that holds the records.
        envelope: with layout ``envelope``, the declared type of the rest of the file, all
            fields but ``items``.
        keys: fields that every record has, by which a file of another name is recognised.
        role: see :data:`FormatRole`.
        file_name: with layout ``document``, the name of a record's file, with its fields in braces
            as ``str.format`` takes them; None where the record does not say it.
        dialogue_id: takes a record and its document's name and gives the dialogue that the
            record belongs to; None where it belongs to none.
        parse_text: with layout ``text``: text to records, each with its line number; of a line
            that says nothing, an :class:`OddLine`.
        render_text: with layout ``text``: records back to bytes.
        gather_rows: with layout ``rows``: bytes, and the columns that a user named, to records,
            each with its first row; of a row that says nothing, an :class:`OddRow`; of a file in
            which a column is missing, a :class:`MissingColumn`.
        render_rows: with layout ``rows``: records and odd rows back to bytes.
        fields: with layout ``rows``: what a user may name columns for: ``text``, ``speaker``.
        columns: with layout ``rows``: the columns that the user named.
    """

    name: str
    title: str
    pattern: str
    record: Any
    layout: Layout = "document"
    items: str | None = None
    envelope: Any = None
    keys: frozenset[str] = frozenset()
    role: FormatRole = "side"
    file_name: str | None = None
    dialogue_id: Callable[[Any, str], str | None] | None = None
    parse_text: Callable[[str], Iterable[TextRecord]] | None = None
    render_text: Callable[[Sequence[Any]], bytes] | None = None
    gather_rows: Callable[[bytes, Columns], Iterable[RowsRecord | MissingColumn]] | None = None
    render_rows: Callable[[Sequence[Any]], bytes] | None = None
    fields: tuple[str, ...] = ()
    columns: Columns = ()

    @property
    def is_json(self) -> bool:
        """Whether a file of this format is one JSON text."""
        return self.layout not in ("text", "rows")


Columns = tuple[tuple[str, str], ...]
"""Columns that a user named, each after the field that it is: ``(("text", "message"),)``."""


class OddLine(msgspec.Struct, frozen=True):
    """A line that has not the form of its file's records; reported and kept."""

    line: str


class TextRecord(msgspec.Struct, frozen=True):
    """A record of a file that is not JSON: where it stands, its text, and what it says.

    Attributes:
        line: where it begins, from 1.
        text: as it stands, without the line's end.
        record: what it says, typed.
    """

    line: int
    text: str
    record: Any


class OddRow(msgspec.Struct, frozen=True):
    """A row of a table of which nothing can be made; reported and kept.

    Attributes:
        line: where it stands, from 1.
        text: the row, with escapes where it is not UTF-8.
        expected: what a row needs and this one lacks.
        is_utf8: whether it is UTF-8.
    """

    line: int
    text: str
    expected: str
    is_utf8: bool = True


class RowsRecord(msgspec.Struct, frozen=True):
    """A record that was gathered of the rows of a table: its first row, and what they say."""

    path: str
    record: Any


class MissingColumn(msgspec.Struct, frozen=True):
    """A table cannot be read since it lacks a column.

    Attributes:
        expected: what is not there.
        found: the columns that are.
    """

    expected: str
    found: str


def split_lines(text: str) -> list[str]:
    """Splits text at its line feeds, which stay; nothing else ends a line."""
    # Not ``splitlines``, which ends lines at form feeds and Unicode separators that are in texts.
    lines = [line + "\n" for line in text.split("\n")]
    lines[-1] = lines[-1][:-1]
    return lines if lines[-1] else lines[:-1]


def render_lines(records: Sequence[Any]) -> bytes:
    """Writes records of a text file from their lines as they stood, ends included."""
    return "".join(each.line for each in records).encode()


def identify_document(document: Document, formats: Iterable[FileFormat]) -> FileFormat | None:
    """Returns the first format whose pattern matches the document's name, or None."""
    return identify_name(document.name, formats)


def identify_name(name: str, formats: Iterable[FileFormat]) -> FileFormat | None:
    """Returns the first format whose pattern matches the path of a file, or None.

    A pattern with slashes is matched against as many folders before the base name.
    """
    parts = name.split("/")
    for each in formats:
        folders = each.pattern.count("/")
        if re.fullmatch(each.pattern, "/".join(parts[-1 - folders :])):
            return each
    return None
