"""Events as logs have them: what was written before is read, and written, to the byte."""

from __future__ import annotations

import json
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest
from tests.unit.play.collect.party import Party

from commonground.play.collect.events import Event, read_what
from commonground.play.collect.log import EventLog

# Invented: people who are paired with people and models, as the commonground wrote it that had no
# types of events; one of them was erased. Each line is a row of the log.
WRITTEN = Path(__file__).with_name("log_of_version_2.jsonl")
MODEL = "mockllm/model"


def read_rows() -> list[list[Any]]:
    return [json.loads(line) for line in WRITTEN.read_text(encoding="utf-8").splitlines()]


@pytest.fixture
def written(tmp_path: Path) -> Path:
    path = tmp_path / "written.sqlite"
    EventLog.create(path).close()
    with closing(sqlite3.connect(path)) as connection, connection:
        insert = f"INSERT INTO events VALUES ({', '.join('?' * 12)})"
        connection.executemany(insert, read_rows())
    return path


def test_a_log_is_read_and_written_again_to_the_byte(written: Path, tmp_path: Path) -> None:
    # Opened to be written to, its chain of hashes is looked through as well.
    with closing(EventLog.open(written, write=True)) as log:
        events = list(log.read())
    again = tmp_path / "again.sqlite"
    with closing(EventLog.create(again)) as log:
        log.append(events)
    with closing(sqlite3.connect(again)) as connection:
        rows = connection.execute("SELECT * FROM events ORDER BY number").fetchall()
    assert [list(row) for row in rows] == read_rows()


def test_a_hall_goes_on_from_a_log(written: Path) -> None:
    models = {
        "conditions": [{}, {"B": MODEL}],
        "prices": {MODEL: {"input": 1e6, "output": 0.0}},
    }
    party = Party(model_partners=True, models=models)
    with closing(EventLog.open(written)) as log:
        party.log = list(log.read())
    party.restart()
    ledger = party.hall.ledger
    assert ledger.arrivals == 9  # of eight people, one of them erased, and a model
    assert ledger.spent == 5.0
    assert ledger.ends == {"partner_left": 3, "withdrew": 1}
    assert {pid: (each.way_out, each.partner) for pid, each in ledger.people.items()} == {
        "late": ("screened_out", None),
        "ann": ("partner_left", "model"),
        "bob": ("timed_out", "person"),
        "dan": ("withdrew", "model"),
        "eve": ("timed_out", "person"),
        "fay": ("timed_out", "person"),
        "gil": (None, "person"),
    }


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("act.refused", '{"type":"x.y","payload":{},"code":"c","kind":"rule","parameters":{}}'),
        ("chat.flagged", '{"verdict":"flag","words":["hell"],"of":11}'),
        ("erased", '{"was":"agent.reply","cost":1.0,"usage":{"input_tokens":1}}'),
        ("moderator.end", "{}"),
        ("pairing.refused", '{"people":["p2","p3"],"reason":"met"}'),
        ("participant.coded", '{"exit":"completed","class":"full","code":"r","quota":"review"}'),
        ("participant.continued", '{"exit":"completed","class":"full","code":""}'),
        ("participant.ready", "{}"),
        ("participant.ready", '{"partner":"model"}'),
        ("participant.ready", '{"partner":"person","models":{}}'),
        ("participant.signal", '{"kind":"rhythm","keys":3,"mean":0.5}'),
        ("photobook.questionnaire", '{"col":5,"partner_u":4,"self_u":3,"text":""}'),
        (
            "session.created",
            '{"number":1,"piece":7,"seed":9,"scenario":"photobook","version":"1"}',
        ),
        (
            "session.paired",
            '{"number":1,"piece":5,"seed":9,"seats":{"A":"ann","B":"bob"},"asked":["A"]}',
        ),
        # Of types that no commonground of now writes.
        ("future.news", '{"b":1,"a":null}'),
    ],
)
def test_what_happened_is_written_as_it_was_read(kind: str, payload: str) -> None:
    event = Event(what=read_what(kind, payload), at_us=1)
    assert event.type == kind
    assert msgspec.json.encode(event.payload).decode() == payload


def test_plain_values_have_nothing_that_is_empty() -> None:
    event = Event(what=read_what("moderator.end", "{}"), at_us=1, session="s1", seq=3, round=0)
    plain = {"type": "moderator.end", "at_us": 1, "session": "s1", "seq": 3, "round": 0}
    assert list(event.to_plain().items()) == list(plain.items())
