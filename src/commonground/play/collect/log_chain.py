"""The chain of a log: each event has the hash of all before it; the last stands in a file apart.

So an event that was changed or taken out is told, and so is a log that was cut off at the end, or
replaced by an older copy: the file apart (``log.sqlite-last``) says how far it had come.
"""

from __future__ import annotations

import hashlib
import os
import sqlite3
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from commonground.errors import StoreError

COLUMNS = (
    "session, seq, at_us, client_at_ms, participant, role, type, round, payload, client_msg_id"
)
"""Columns of an event that its hash is of, in this order."""


def make_link(before: str, row: Sequence[object]) -> str:
    """Returns the hash of an event.

    Args:
        before: that of the event before; empty for the first.
        row: values of :data:`COLUMNS`.
    """
    return hashlib.sha256(before.encode() + msgspec.json.encode(row)).hexdigest()


def find_last(connection: sqlite3.Connection) -> tuple[int, str]:
    """Returns number and hash of the last event; 0 and an empty one where there is none."""
    asked = "SELECT number, chain FROM events ORDER BY number DESC LIMIT 1"
    found: tuple[int, str] | None = connection.execute(asked).fetchone()
    return found or (0, "")


def is_chained(connection: sqlite3.Connection) -> bool:
    """Says whether a log has hashes; those from before version 2 have none."""
    return any(row[1] == "chain" for row in connection.execute("PRAGMA table_info(events)"))


def chain_anew(connection: sqlite3.Connection) -> None:
    """Gives all events their hashes, within a transaction that may edit them."""
    before, links = "", []
    for number, *row in connection.execute(f"SELECT number, {COLUMNS} FROM events ORDER BY number"):
        before = make_link(before, row)
        links.append((before, number))
    connection.executemany("UPDATE events SET chain = ? WHERE number = ?", links)


def check_chain(path: Path, connection: sqlite3.Connection, last: tuple[int, str] | None) -> None:
    """Refuses a log that is not what was written.

    Args:
        path: of the log, for messages about it.
        last: number and hash of an event that it had; None where that is not known.

    Raises:
        StoreError: an event was changed or taken out, or events are missing at the end.
    """
    before, number, found = "", 0, None
    asked = f"SELECT number, chain, {COLUMNS} FROM events ORDER BY number"
    for number, chain, *row in connection.execute(asked):
        before = make_link(before, row)
        if chain != before:
            raise StoreError(
                f"{path} is damaged: event {number} or one before it was changed or taken out.",
                "Restore a backup of it.",
            )
        if last is not None and number == last[0]:
            found = chain
    if last is not None and found != last[1]:
        ends = f"ends with event {number}, and {last[0]} was written"
        what = ends if number < last[0] else f"has another event {last[0]} than was written"
        raise StoreError(
            f"{path} {what}: it was cut off, or is another copy.",
            f"Restore the right one; if you restored a backup on purpose, delete "
            f"{last_path(path)}.",
        )


def last_path(path: Path) -> Path:
    """Returns the file apart that says how far a log has come."""
    return path.with_name(f"{path.name}-last")


def write_last(path: Path, number: int, chain: str) -> None:
    """Notes how far a log has come: number and hash of its last event.

    After the log is on the disk, so that it never says more than that; where it cannot be written,
    it says less, which is no fault.
    """
    with suppress(OSError):
        # Of one length, so that it needs no room on a disk that is full.
        line = f"{number:020} {chain:64}\n".encode()
        file = os.open(last_path(path), os.O_WRONLY | os.O_CREAT, 0o600)
        try:
            os.write(file, line)
        finally:
            os.close(file)


def read_last(path: Path) -> tuple[int, str] | None:
    """Returns how far a log had come; None where that is not known."""
    try:
        number, _, chain = last_path(path).read_text(encoding="ascii").strip().partition(" ")
        return int(number), chain.strip()
    except (OSError, ValueError):
        return None
