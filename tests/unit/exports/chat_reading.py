"""The tables of a folder that ``commonground export chat`` wrote."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import FormatError
from commonground.exports.formats.chat_messages import MergedUtterance, Metadata
from commonground.exports.point_of_view import Event

COLUMNS: dict[str, tuple[str, ...]] = {
    "dialogues": ("corpus", "dialogue_id", "split", "domain", "n_events", "n_utterances"),
    "speakers": ("corpus", "dialogue_id", "speaker", "role", "agent_id"),
    "events": (
        "corpus",
        "dialogue_id",
        "event",
        "kind",
        "speaker",
        "text",
        "name",
        "arguments",
        "result",
    ),
}
"""The columns that come back, by table."""


class _Function(msgspec.Struct):
    name: str
    arguments: msgspec.Raw


class _Call(msgspec.Struct):
    id: str
    function: _Function


class _Message(msgspec.Struct):
    role: str
    content: str | list[Any] | None = None
    tool_calls: list[_Call] = []


class Line(msgspec.Struct):
    """A line as far as it is read.

    Attributes:
        messages: all of them; empty where they stand in the next two.
        prompt: messages before the answer.
        completion: the answer.
        metadata: what messages have no room for; None where the line was written by others.
    """

    messages: list[_Message] = []
    prompt: list[_Message] = []
    completion: list[_Message] = []
    metadata: Metadata | None = None

    def all_messages(self) -> list[_Message]:
        """Returns the messages, also where they stand as prompt and completion."""
        return self.messages or [*self.prompt, *self.completion]


def read_chat(folder: str | Path) -> dict[str, Any]:
    """Reads dialogues, speakers and events back as Arrow tables, by name.

    Dialogues come file by file. Of examples per turn, the last of each dialogue is taken. Actions
    of the others are not there, and pictures are not read.

    Args:
        folder: what the export wrote, or one corpus of it.

    Raises:
        FormatError: it holds no such export, or a line is damaged.
    """
    from commonground.store.arrow import pa
    from commonground.store.tables.columns import arrow_schema

    last: dict[tuple[str, str], tuple[Line, Metadata]] = {}
    for line, facts in _read_lines(Path(folder)):
        key = (facts.corpus, facts.dialogue_id)
        # With `--per turn` a dialogue has many lines; the longest has all that the others have.
        if key not in last or len(last[key][1].events) < len(facts.events):
            last[key] = (line, facts)
    rows = _Rows()
    for line, facts in last.values():
        rows.add(line, facts)
    tables = {}
    for name, columns in COLUMNS.items():
        schema = pa.schema([arrow_schema(name).field(column) for column in columns])
        values = [dict(zip(columns, row, strict=True)) for row in rows.of[name]]
        tables[name] = pa.Table.from_pylist(values, schema=schema)
    return tables


class _Rows:
    """Gathers the rows of tables, dialogue by dialogue, in the order of :data:`COLUMNS`."""

    def __init__(self) -> None:
        self.of: dict[str, list[tuple[Any, ...]]] = {name: [] for name in COLUMNS}

    def add(self, line: Line, facts: Metadata) -> None:
        """Adds a dialogue with its speakers and the events that its line has messages of."""
        keys = (facts.corpus, facts.dialogue_id)
        counts = (facts.n_events, facts.n_utterances)
        self.of["dialogues"].append((*keys, facts.split, facts.domain, *counts))
        self.of["speakers"] += [(*keys, s.speaker, s.role, s.agent_id) for s in facts.speakers]
        # Some templates want words after the calls that came after them.
        for e in sorted(read_events(line, facts), key=lambda each: each.event):
            row = (e.event, e.kind, e.speaker, e.text, e.name, e.arguments, e.result)
            self.of["events"].append((*keys, *row))


def read_events(line: Line, facts: Metadata) -> Iterator[Event]:
    """Yields the events that a line has messages of, without their segments."""
    call: Event | None = None
    names = {each.call: each.name for each in facts.renamed}
    messages = line.all_messages()
    rows = zip(facts.events, facts.said_by, messages, strict=True)
    joined: dict[int, list[MergedUtterance]] = {}
    for each in facts.joined:
        joined.setdefault(each.message, []).append(each)
    for place, (number, speaker, message) in enumerate(rows):
        if call is not None and message.role != "tool":
            yield call
            call = None
        said = joined.get(place, [])
        yield from (_utterance(each, message.content) for each in said)
        if number is None or speaker is None:
            continue
        if message.tool_calls:
            # Its result is in the message after it, if any, with which it is yielded.
            call = _action(number, speaker, message.tool_calls[0], facts, names)
        elif message.role == "tool" and call is not None:
            call.result = None if message.content == "null" else str(message.content)
            yield call
            call = None
        elif not said:
            text = str(message.content)
            yield Event(number, "utterance", speaker, None, text, None, None, None)
    if call is not None:
        yield call


def _utterance(said: MergedUtterance, content: str | list[Any] | None) -> Event:
    """Returns one of the utterances that a message was made of."""
    if said.length is None:
        text = content[said.at]["text"] if isinstance(content, list) else ""
    else:
        text = str(content)[said.at : said.at + said.length]
    return Event(said.event, "utterance", said.speaker, None, text, None, None, None)


def _action(
    number: int, speaker: str, call: _Call, facts: Metadata, names: dict[str, str]
) -> Event:
    # ``--arguments string`` wrote them as a text of JSON, ``object`` as JSON itself.
    raw = bytes(call.function.arguments)
    text: str | None = msgspec.json.decode(raw) if raw.startswith(b'"') else raw.decode()
    if call.id in facts.without_arguments:
        text = None
    elif call.id in facts.wrapped and text is not None:
        # Cut out and not decoded: what was wrapped comes back sign for sign.
        text = text.removeprefix('{"value":').removesuffix("}")
    name = names.get(call.id, call.function.name)
    return Event(number, "action", speaker, None, None, name, text, None)


def _read_lines(root: Path) -> Iterator[tuple[Line, Metadata]]:
    files = [path for path in sorted(root.rglob("*.jsonl")) if ".metadata." not in path.name]
    if not files:
        advice = "Name what `commonground export chat` wrote."
        raise FormatError(f"{root} has no *.jsonl.", advice)
    for path in files:
        beside = path.with_name(f"{path.stem}.metadata.jsonl")
        # `iter` of a function and a value that never comes: None without an end.
        others: Iterable[Metadata | None] = (
            _decode(beside, Metadata) if beside.exists() else iter(lambda: None, 0)
        )
        for number, (line, other) in enumerate(
            zip(_decode(path, Line), others, strict=False), start=1
        ):
            facts = line.metadata or other
            if facts is None:
                raise FormatError(f"{path} line {number} has no metadata.", "Export it again.")
            yield line, facts


def _decode(path: Path, kind: Any) -> Iterator[Any]:
    decoder = msgspec.json.Decoder(kind)
    with path.open("rb") as file:
        for number, data in enumerate(file, start=1):
            try:
                yield decoder.decode(data)
            except msgspec.DecodeError as error:
                raise FormatError(f"{path} line {number}: {error}.") from error
