"""Nothing is dropped silently: what an export holds and what it says is lost are the source."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow.parquet as pq
import pytest
from pyarrow import csv

from commonground.errors import UsageError
from commonground.exports.dialogue_rows import ANNOTATIONS
from commonground.exports.format import get_export
from commonground.exports.run import run_export
from commonground.exports.selection import Selection
from tests.contract.conftest import NAMES, Simulated
from tests.thorough import a_few
from tests.unit.exports.chat_reading import read_chat
from tests.unit.exports.hf_reading import read_hf
from tests.unit.exports.variants import is_of_rows

SOME = ("chats", "photobook", "simmc2")
"""Corpora that fill all tables between them; exports take tables and know no corpus."""

Rows = Counter[str]
"""Rows by table."""


def read_lines(folder: Path, pattern: str) -> Iterator[Any]:
    for path in sorted(folder.rglob(pattern)):
        yield from map(json.loads, path.read_bytes().splitlines())


def count_annotations(holder: dict[str, Any]) -> Rows:
    return Counter({name: len(holder.get(name, ())) for name in ANNOTATIONS})


def count_event(event: dict[str, Any]) -> Rows:
    """Counts an event, its annotations, and the actions in it."""
    found = Counter(events=1) + count_annotations(event)
    for action in event.get("actions", ()):
        found += count_event(action)
    return found


def count_whole(holder: dict[str, Any]) -> Rows:
    """Counts a dialogue but for its utterances."""
    found = Counter(dialogues=1, speakers=len(holder["speakers"])) + count_annotations(holder)
    for action in holder.get("actions_before", ()):
        found += count_event(action)
    return found


def read_convokit(out: Path) -> Rows:
    found: Rows = Counter()
    for line in read_lines(out, "utterances.jsonl"):
        found += count_event(line["meta"])
    for path in out.rglob("conversations.json"):
        for talk in json.loads(path.read_bytes()).values():
            found += count_whole(talk["meta"])
    return found


def read_tables(tables: dict[str, Any]) -> Rows:
    return Counter({name: table.num_rows for name, table in tables.items()})


def read_chat_lines(out: Path) -> Rows:
    found = read_tables(read_chat(out)) if list(out.rglob("*.jsonl")) else Counter()
    shown: dict[str, int] = {}
    for line in read_lines(out, "*.jsonl"):
        contents = [m["content"] for m in line["messages"] if isinstance(m["content"], list)]
        pictures = sum(part["type"] == "image_url" for parts in contents for part in parts)
        # With an example per turn, the last one of a dialogue has all that is shown.
        shown[line["metadata"]["dialogue_id"]] = pictures
    found["displays"] = sum(shown.values())
    return found


def read_parquet(out: Path) -> Rows:
    return Counter({p.stem: pq.read_metadata(p).num_rows for p in out.rglob("*.parquet")})


def read_csv(out: Path) -> Rows:
    options = csv.ParseOptions(newlines_in_values=True)
    return Counter(
        {p.stem: csv.read_csv(p, parse_options=options).num_rows for p in out.rglob("*.csv")}
    )


Reader = Callable[[Path], Rows]
CHAT = ("dialogues", "speakers", "events", "displays")
TALK = ("dialogues", "speakers", "events", *ANNOTATIONS)
CASES: list[tuple[str, dict[str, object], Reader, tuple[str, ...]]] = [
    ("chat", {}, read_chat_lines, CHAT),
    ("chat", {"as": "A"}, read_chat_lines, CHAT),
    ("chat", {"merge": True}, read_chat_lines, CHAT),
    ("chat", {"per": "turn"}, read_chat_lines, CHAT),
    ("convokit", {}, read_convokit, TALK),
    ("convokit", {"actions": "utterances"}, read_convokit, TALK),
    ("hf", {"native": True}, lambda out: read_tables(read_hf(out)), ()),
    ("parquet", {}, read_parquet, ()),
    ("csv", {}, read_csv, ()),
    ("croissant", {}, read_parquet, ()),
]
"""Format, options, what reads it, and the tables to count; none means all."""


@pytest.mark.parametrize("simulated", a_few(NAMES, SOME), indirect=True)
@pytest.mark.parametrize(
    ("name", "options", "read", "tables"), CASES, ids=[f"{n}-{o}" for n, o, _, _ in CASES]
)
def test_what_is_held_and_what_is_lost_add_up(
    name: str,
    options: dict[str, object],
    read: Reader,
    tables: tuple[str, ...],
    simulated: Simulated,
    tmp_path: Path,
) -> None:
    corpus, export = simulated.entry.name, get_export(name)
    out = tmp_path / "out"
    selection = Selection(simulated.opened, [corpus])
    try:
        report = run_export(export, selection, out, options)
    except UsageError as error:
        assert options == {"as": "A"}  # nobody is called A
        pytest.skip(error.message)
    rows = {each: simulated.corpus.table(each).num_rows for each in tables}
    rows = rows or simulated.corpus.manifest.counts
    found = read(out)
    lost: Rows = Counter()
    for each in report.lost:
        for table in rows:
            if is_of_rows(export, each, table):
                lost[table] += each.count
    assert {table: found[table] + lost[table] for table in rows} == dict(rows)
