from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from commonground.collect.log import GUARDS, LOBBY, Event, EventLog, NotNowError
from commonground.errors import StoreError


def event(seq: int, session: str = "s1", **fields: object) -> Event:
    return Event(type="chat.message", at_us=seq, session=session, seq=seq, **fields)  # type: ignore[arg-type]


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
    for name in GUARDS:
        connection.execute(f"DROP TRIGGER {name}")
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
    with pytest.raises(StoreError, match="version 99; this commonground knows version 1"):
        EventLog.open(log.path)


def test_a_locked_log_is_told(log: EventLog, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("commonground.collect.log._PATIENCE_S", 0.05)
    log.close()
    mine, other = EventLog.open(log.path, write=True), sqlite3.connect(log.path)
    other.execute("BEGIN IMMEDIATE")
    with pytest.raises(NotNowError, match="locked by another program"):
        mine.append([event(1)])
    other.rollback()
    mine.append([event(1)])
    other.close()
    mine.close()
