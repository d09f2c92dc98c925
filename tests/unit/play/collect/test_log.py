from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from commonground.errors import StoreError
from commonground.play.collect.events import LOBBY, ActTaken, Event
from commonground.play.collect.log import EventLog, NotNowError, lift_guards, set_guards
from commonground.play.collect.log_chain import last_path


def event(
    seq: int, session: str = "s1", payload: dict[str, Any] | None = None, **fields: Any
) -> Event:
    what = ActTaken("chat.message", payload or {})
    return Event(what=what, at_us=seq, session=session, seq=seq, **fields)


@pytest.fixture
def log(tmp_path: Path) -> EventLog:
    return EventLog.create(tmp_path / "log.sqlite")


def test_events_come_back_as_they_were(log: EventLog) -> None:
    written = [
        event(1, participant="p", role="A", payload={"text": "ü\n\x00"}, round=2),
        event(1, LOBBY),
        event(2, client_at_ms=5, client_msg_id="m"),
    ]
    log.append(written)
    assert list(log.read()) == written
    assert list(log.read("s1", after=1)) == [written[2]]
    log.close()
    again = EventLog.open(log.path, write=True)
    assert list(again.read()) == written
    assert again.last_seq("s1") == 2
    again.close()


def test_numbers_have_no_gaps_and_no_repetitions(log: EventLog) -> None:
    log.append([event(1)])
    for seq in (1, 3):
        with pytest.raises(StoreError, match="does not follow 1"):
            log.append([event(seq)])
    with pytest.raises(StoreError, match="does not follow 2"):
        log.append([event(2), event(4)])
    assert [each.seq for each in log.read()] == [1]  # all of a transaction, or nothing
    log.close()


def test_nobody_edits_what_happened(log: EventLog) -> None:
    log.append([event(1)])
    other = sqlite3.connect(log.path)
    for statement in ("UPDATE events SET payload = '{}'", "DELETE FROM events"):
        with pytest.raises(sqlite3.DatabaseError, match="only grows"):
            other.execute(statement)
    other.close()
    log.close()


def test_a_full_disk_is_told_and_nothing_of_the_transaction_stays(log: EventLog) -> None:
    log.append([event(1)])
    pages = log._connection.execute("PRAGMA page_count").fetchone()[0]
    log._connection.execute(f"PRAGMA max_page_count = {pages}")
    large = [event(number, payload={"text": "x" * 4000}) for number in range(2, 40)]
    with pytest.raises(NotNowError, match="full"):
        log.append(large)
    assert [each.seq for each in log.read()] == [1]
    log._connection.execute("PRAGMA max_page_count = 100000")
    log.append(large)  # the very same, once there is room
    assert log.last_seq("s1") == 39
    log.close()


def test_a_log_that_cannot_be_used_says_why(tmp_path: Path) -> None:
    with pytest.raises(StoreError, match="is missing"):
        EventLog.open(tmp_path / "none.sqlite")
    (tmp_path / "text.sqlite").write_text("this is no database, and never was one")
    with pytest.raises(StoreError, match="not a log, or is damaged"):
        EventLog.open(tmp_path / "text.sqlite")
    log = EventLog.create(tmp_path / "log.sqlite")
    log.append([event(number, payload={"text": "x" * 500}) for number in range(1, 200)])
    log.close()
    with pytest.raises(StoreError, match="exists"):
        EventLog.create(tmp_path / "log.sqlite")
    data = bytearray((tmp_path / "log.sqlite").read_bytes())
    data[8192:60_000] = b"\x5a" * (60_000 - 8192)
    (tmp_path / "torn.sqlite").write_bytes(data)
    with pytest.raises(StoreError, match="damaged"):
        EventLog.open(tmp_path / "torn.sqlite", write=True)


def test_events_that_are_missing_or_garbled_are_told(log: EventLog) -> None:
    log.append([event(number) for number in range(1, 4)])
    connection = log._connection
    lift_guards(connection)
    connection.execute("UPDATE events SET payload = '{' WHERE seq = 3")
    with pytest.raises(StoreError, match="is damaged"):
        list(log.read())
    connection.execute("UPDATE events SET payload = '{}'")
    connection.execute("DELETE FROM events WHERE seq = 2")
    with pytest.raises(StoreError, match="before event 3 of session 's1' some are missing"):
        list(log.read())
    with pytest.raises(StoreError, match="some are missing"):
        list(log.read("s1", after=1))
    assert [each.seq for each in log.read("s1", after=3)] == []


def test_a_log_of_another_version_is_refused(log: EventLog) -> None:
    log._connection.execute("UPDATE facts SET value = '99'")
    log._connection.commit()
    log.close()
    with pytest.raises(StoreError, match="version 99; this commonground knows version 2"):
        EventLog.open(log.path)


def test_a_locked_log_is_told(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonground.play.collect.log._PATIENCE_S", 0.05)
    log.close()
    mine, other = EventLog.open(log.path, write=True), sqlite3.connect(log.path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(NotNowError, match="locked by another program"):
        mine.append([event(1)])
    other.rollback()
    mine.append([event(1)])
    other.close()
    mine.close()


def edit(path: Path, *statements: str) -> None:
    """Changes a log after its back, with its guards lifted."""
    with closing(sqlite3.connect(path)) as other, other:
        lift_guards(other)
        for statement in statements:
            other.execute(statement)
        set_guards(other)


def write_log(path: Path, events: int) -> Path:
    with closing(EventLog.create(path)) as log:
        for number in range(1, events + 1):
            log.append([event(number, payload={"text": f"message {number}"})])
    return path


@pytest.mark.parametrize(
    ("statement", "told"),
    [
        ("UPDATE events SET payload = '{}' WHERE number = 3", "event 3 or one before it was chang"),
        ("UPDATE events SET at_us = 9 WHERE number = 2", "event 2 or one before it was changed"),
        ("DELETE FROM events WHERE number = 4", "event 5 or one before it was changed or taken"),
        ("DELETE FROM events WHERE number > 3", "ends with event 3, and 5 was written: it was cut"),
        ("DELETE FROM events", "ends with event 0, and 5 was written"),
    ],
)
def test_a_log_that_was_changed_or_cut_off_is_named(
    tmp_path: Path, statement: str, told: str
) -> None:
    path = write_log(tmp_path / "log.sqlite", 5)
    with closing(EventLog.open(path, write=True)) as log:
        log.backup(tmp_path / "first.sqlite")
    edit(path, statement)
    with pytest.raises(StoreError, match=f"log.sqlite .*{told}"):
        EventLog.open(path, write=True)
    with closing(EventLog.open(path)) as log, pytest.raises(StoreError, match=told):
        log.backup(tmp_path / "copy.sqlite")
    EventLog.open(tmp_path / "first.sqlite", write=True).close()


def test_an_older_copy_in_its_place_is_named(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", 5)
    before = path.read_bytes()
    with closing(EventLog.open(path, write=True)) as log:
        log.append([event(6)])
    path.write_bytes(before)
    with pytest.raises(StoreError, match="ends with event 5, and 6 was written"):
        EventLog.open(path, write=True)
    last_path(path).unlink()  # it was meant
    EventLog.open(path, write=True).close()


def test_what_says_how_far_it_came_may_say_less(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", 5)
    earlier = last_path(path).read_bytes()
    with closing(EventLog.open(path, write=True)) as log:
        log.append([event(6)])
    last_path(path).write_bytes(earlier)  # the power failed before it was written
    EventLog.open(path, write=True).close()


def test_a_log_of_version_1_is_given_its_chain(tmp_path: Path) -> None:
    path = write_log(tmp_path / "log.sqlite", 3)
    edit(path, "ALTER TABLE events DROP COLUMN chain", "UPDATE facts SET value = '1'")
    last_path(path).unlink()
    with closing(EventLog.open(path)) as log:
        assert [each.seq for each in log.read()] == [1, 2, 3]
    with closing(EventLog.open(path, write=True)) as log:
        log.append([event(4)])
    edit(path, "UPDATE events SET payload = '{}' WHERE number = 1")
    with pytest.raises(StoreError, match="event 1 or one before it was changed"):
        EventLog.open(path, write=True)
