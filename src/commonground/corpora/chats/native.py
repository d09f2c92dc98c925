"""Files of chats: tables, files for training, and exports of messengers."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any

from commonground.corpora.chats.gathering import (
    NAMES,
    Chat,
    gather_chats,
    gather_objects,
    group_rows,
    list_lines,
    name_dialogue,
    plain_name,
)
from commonground.corpora.chats.messengers import (
    People,
    gather_json,
    gather_people,
    gather_whatsapp,
    list_discord_columns,
    render_json,
    render_people,
    render_whatsapp,
)
from commonground.corpora.chats.tables import (
    TableRow,
    read_csv,
    read_json_lines,
    read_parquet,
    render_csv,
    render_json_lines,
    render_parquet,
)
from commonground.files.formats import Columns, FileFormat, MissingColumn, RowsRecord


def _read_csv_chats(data: bytes, named: Columns) -> Iterator[RowsRecord | MissingColumn]:
    known = {name for names in NAMES.values() for name in names}
    header, lines = read_csv(
        data, lambda columns: sum(plain_name(each) in known for each in columns)
    )
    discord = None if named else list_discord_columns(header)
    if discord is not None:
        return group_rows(lines, discord, "line", is_whole=True)
    return gather_chats(lines, header, named)


def _read_json_chats(data: bytes, named: Columns) -> Iterator[RowsRecord | MissingColumn]:
    lines = read_json_lines(data)
    columns = (column for each in lines if isinstance(each, TableRow) for column in each.cells)
    return gather_objects(lines, list(dict.fromkeys(columns)), named)


def _read_parquet_chats(data: bytes, named: Columns) -> Iterator[RowsRecord | MissingColumn]:
    header, lines = read_parquet(data)
    return gather_objects(lines, header, named, "row")


_BESIDE = (
    "speakers|conversations|corpus|index|users|channels|groups|dms|mpims|integration_logs|canvases"
)
"""JSON files that ConvoKit and Slack write beside the messages; Slack's users are read."""


def _chats(
    name: str,
    title: str,
    pattern: str,
    gather: Callable[[bytes, Columns], Iterable[RowsRecord | MissingColumn]],
    render: Callable[[Sequence[Any]], bytes],
    *,
    has_columns: bool = True,
) -> FileFormat:
    return FileFormat(
        name=name,
        title=title,
        pattern=pattern,
        record=Chat,
        layout="rows",
        role="main",
        dialogue_id=name_dialogue,
        gather_rows=gather,
        render_rows=render,
        fields=tuple(NAMES) if has_columns else (),
    )


FORMATS = (
    _chats(
        "table",
        "CSV with a row for each message",
        r"(?i:.*\.(csv|tsv))",
        _read_csv_chats,
        lambda records: render_csv(list_lines(records)),
    ),
    _chats(
        "lines",
        "JSON Lines with an object for each message or dialogue",
        r"(?i:.*\.(jsonl|ndjson))",
        _read_json_chats,
        lambda records: render_json_lines(list_lines(records)),
    ),
    _chats(
        "parquet",
        "Parquet with a row for each message or dialogue",
        r"(?i:.*\.parquet)",
        _read_parquet_chats,
        lambda records: render_parquet(list_lines(records)),
    ),
    _chats(
        "json",
        "JSON with a list of messages or dialogues, or an export of Slack or Discord",
        rf"(?i:(?!({_BESIDE})\.json).*\.json)",
        gather_json,
        lambda records: render_json(records, list_lines(records)),
    ),
    _chats(
        "whatsapp",
        "text that WhatsApp exports",
        r"(?i:_chat\.txt|.*whatsapp.*\.txt)",
        gather_whatsapp,
        lambda records: render_whatsapp(list_lines(records)),
        has_columns=False,
    ),
    FileFormat(
        name="users",
        title="who wrote in an export of Slack",
        pattern=r"users\.json",
        record=People,
        layout="rows",
        gather_rows=gather_people,
        render_rows=render_people,
    ),
)
