"""The event log of a study: one SQLite file that only grows, and is the truth.

What was appended is on the disk when :meth:`EventLog.append` returns, so that an act may be
acknowledged then and not before. Nothing is edited; a correction is another event. Only
``erasing`` takes anything out.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec

from commonground.errors import StoreError
from commonground.play.collect import log_chain
from commonground.play.collect.events import LOBBY, Event, read_what

VERSION = 2
"""Version of the tables; those of 1 had no chain, and any other is refused."""

_TABLES = """
CREATE TABLE facts (name TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE events (
  number INTEGER PRIMARY KEY,
  session TEXT NOT NULL,
  seq INTEGER NOT NULL,
  at_us INTEGER NOT NULL,
  client_at_ms INTEGER,
  participant TEXT,
  role TEXT,
  type TEXT NOT NULL,
  round INTEGER,
  payload TEXT NOT NULL,
  client_msg_id TEXT,
  chain TEXT NOT NULL,
  UNIQUE (session, seq)
);
CREATE INDEX events_of_participants ON events (participant);
"""

_GUARDS = {
    "events_are_not_edited": "BEFORE UPDATE ON events",
    "events_are_not_deleted": "BEFORE DELETE ON events",
}
"""Triggers that keep other programs, too, from changing what happened."""

_COLUMNS = log_chain.COLUMNS.split(", ")
_INSERT = f"INSERT INTO events ({log_chain.COLUMNS}, chain) VALUES ({', '.join('?' * 11)})"
_PATIENCE_S = 5.0
"""Seconds to wait for another program that has the log locked."""


class NotNowError(StoreError):
    """The log cannot be written to now: the disk is full, or another program holds the file.

    It may be again, and nothing of it is lost.
    """


class EventLog:
    """The log of a study, open for one writer or for reading.

    It may be used from several threads, but by one at a time.
    """

    def __init__(self, path: Path, connection: sqlite3.Connection) -> None:
        self.path = path
        self._connection = connection
        self._last = dict(connection.execute("SELECT session, max(seq) FROM events GROUP BY 1"))
        self._files = _look_at(path)

    @classmethod
    def create(cls, path: Path) -> EventLog:
        """Makes an empty log.

        Raises:
            StoreError: there is a file of that name, or none can be written.
        """
        if path.exists():
            raise StoreError(f"{path} exists.", "A log is never overwritten.")
        connection = _connect(path)
        try:
            path.chmod(0o600)
            connection.executescript(_TABLES)
            set_guards(connection)
            with connection:
                connection.execute("INSERT INTO facts VALUES ('version', ?)", (str(VERSION),))
        except sqlite3.Error as error:
            connection.close()
            raise _explain(path, error) from error
        return cls(path, connection)

    @classmethod
    def open(cls, path: Path, *, write: bool = False) -> EventLog:
        """Opens a log.

        Args:
            write: whether to append to it; the whole file is then looked through for damage, and
                a log of version 1 is given its chain.

        Raises:
            StoreError: it is missing, locked, damaged or of another version.
        """
        if not path.is_file():
            raise StoreError(f"{path} is missing.", "Is this the folder of a study?")
        connection = _connect(path)
        try:
            _check(path, connection, thoroughly=write)
            return cls(path, connection)
        except sqlite3.Error as error:
            connection.close()
            raise _explain(path, error) from error
        except StoreError:
            connection.close()
            raise

    def append(self, events: Sequence[Event]) -> None:
        """Writes events in one transaction; they are on the disk when this returns.

        Raises:
            NotNowError: there is no room, or the file is locked. None of the events is in the
                log; try again later.
            StoreError: an event does not follow the one before it, or the log is damaged, or is
                not there any more.
        """
        self._guard()
        last: dict[str, int] = {}
        for event in events:
            before = last.get(event.session, self._last.get(event.session, 0))
            if event.seq != before + 1:
                raise StoreError(
                    f"{self.path}: event {event.seq} of session {event.session or 'lobby'!r} "
                    f"does not follow {before}."
                )
            last[event.session] = event.seq
        rows = [_to_row(event) for event in events]
        try:
            # This ends the transaction, not the connection: it commits, or takes all of it back.
            with self._connection as connection:
                # Erasing, of another connection, may make the chain anew at any other time.
                connection.execute("BEGIN IMMEDIATE")
                number, chain = log_chain.find_last(connection)
                for row in rows:
                    number, chain = number + 1, log_chain.make_link(chain, row)
                    connection.execute(_INSERT, (*row, chain))
        except sqlite3.Error as error:
            # A commit that fails leaves its transaction open.
            with suppress(sqlite3.Error):
                self._connection.rollback()
            raise _explain(self.path, error) from error
        # What was written to a file that nobody finds again is not kept.
        self._guard_place()
        # The commit changed the file; what it looks like now is what the next look compares with.
        self._files = _look_at(self.path)
        log_chain.write_last(self.path, number, chain)
        self._last.update(last)

    def _guard(self) -> None:
        """Looks whether another program changed the file, and if so, whether it is whole.

        SQLite has pages in memory, so that it would not notice for long.
        """
        self._guard_place()
        if _look_at(self.path) == self._files:
            return
        fresh = _connect(self.path)
        try:
            _check(self.path, fresh, thoroughly=True)
        except sqlite3.Error as error:
            raise _explain(self.path, error) from error
        finally:
            fresh.close()

    def _guard_place(self) -> None:
        """Raises an error where the file, or what SQLite keeps beside it, is another one now."""
        for before, now in zip(self._files, _look_at(self.path), strict=True):
            if before is not None and (now is None or now[:2] != before[:2]):
                raise StoreError(
                    f"{self.path} was replaced or deleted while it was written to.",
                    "Restore it, with its file -wal, or restore a backup.",
                )

    def read(self, session: str | None = None, *, after: int = 0) -> Iterator[Event]:
        """Yields events in the order in which they happened.

        Args:
            session: only of this one; ``LOBBY`` for what happened outside of sessions, None for
                all.
            after: only those after this number of the session; 0 for all.

        Raises:
            StoreError: the log is locked or damaged, or an event is missing.
        """
        last: dict[str, int] = {} if session is None else {session: after}
        asked, values = f"SELECT {log_chain.COLUMNS} FROM events", ()  # type: str, tuple[object, ...]
        if session is not None:
            asked, values = f"{asked} WHERE session = ? AND seq > ?", (session, after)
        try:
            for row in self._connection.execute(f"{asked} ORDER BY number", values):
                name, seq = row[0], row[1]
                if seq != last.get(name, 0) + 1:
                    raise StoreError(
                        f"{self.path} is damaged: before event {seq} of session "
                        f"{name or 'lobby'!r} some are missing.",
                        "Restore a backup of it.",
                    )
                last[name] = seq
                yield _from_row(row)
        except sqlite3.Error as error:
            raise _explain(self.path, error) from error
        except msgspec.DecodeError as error:
            advice = "Restore a backup of it."
            raise StoreError(f"{self.path} is damaged: {error}.", advice) from error

    def find_session(self, participant: str) -> str | None:
        """Returns the session that somebody was last in; None for none."""
        found = self._connection.execute(
            "SELECT session FROM events WHERE participant = ? AND session != ? "
            "ORDER BY number DESC LIMIT 1",
            (participant, LOBBY),
        ).fetchone()
        return None if found is None else str(found[0])

    def last_seq(self, session: str) -> int:
        """Returns the number of a session's last event; 0 where there is none."""
        last: int = self._last.get(session, 0)
        return last

    def backup(self, path: Path) -> None:
        """Copies the log as it is now, while it is written to.

        Raises:
            StoreError: the copy cannot be written, or the log is damaged.
        """
        before = log_chain.read_last(self.path)
        try:
            with closing(sqlite3.connect(path)) as copy:
                self._connection.backup(copy)
                # Pages are copied whatever is in them.
                (verdict,) = copy.execute("PRAGMA quick_check(1)").fetchone()
                if verdict == "ok" and log_chain.is_chained(copy):
                    log_chain.check_chain(self.path, copy, before)
                    log_chain.write_last(path, *log_chain.find_last(copy))
            path.chmod(0o600)
        except sqlite3.Error as error:
            raise _explain(path, error) from error
        if verdict != "ok":
            advice = "Restore an earlier backup of it."
            raise StoreError(f"{self.path} is damaged: {verdict}.", advice)

    def close(self) -> None:
        """Closes the file; nothing can be appended to it or read from it after that."""
        self._connection.close()


def set_guards(connection: sqlite3.Connection) -> None:
    """Makes the log refuse to be edited, whoever tries."""
    for name, when in _GUARDS.items():
        connection.execute(
            f"CREATE TRIGGER {name} {when} BEGIN SELECT raise(ABORT, 'the log only grows'); END"
        )


def lift_guards(connection: sqlite3.Connection) -> None:
    """Lets the log be edited, until :func:`set_guards` in the same transaction."""
    for name in _GUARDS:
        connection.execute(f"DROP TRIGGER IF EXISTS {name}")


def _connect(path: Path) -> sqlite3.Connection:
    try:
        connection = sqlite3.connect(path, timeout=_PATIENCE_S, check_same_thread=False)
        # What is erased is to be gone from the file, not only from the tables.
        connection.execute("PRAGMA secure_delete = ON")
        connection.execute("PRAGMA journal_mode = WAL")
        # In this mode a commit returns when the disk has it, even should the power fail then.
        connection.execute("PRAGMA synchronous = FULL")
    except sqlite3.Error as error:
        raise _explain(path, error) from error
    return connection


_Seen = tuple[int, ...] | None


def _look_at(path: Path) -> tuple[_Seen, _Seen]:
    """Returns which files a log is: itself, with when it was changed, and the one beside it."""
    found: list[_Seen] = []
    for each in (path, path.with_name(f"{path.name}-wal")):
        try:
            seen = each.stat()
        # The file beside it is there only while somebody writes.
        except OSError:
            found.append(None)
        else:
            found.append((seen.st_dev, seen.st_ino, seen.st_size, seen.st_mtime_ns))
    itself, beside = found
    # The file beside it grows with every commit, which is no other log: device and number tell.
    return itself, beside and beside[:2]


def _check(path: Path, connection: sqlite3.Connection, *, thoroughly: bool) -> None:
    found = connection.execute("SELECT value FROM facts WHERE name = 'version'").fetchone()
    version = found[0] if found else "none"
    if version not in ("1", str(VERSION)):
        raise StoreError(
            f"{path} is a log of version {version}; this commonground knows version {VERSION}.",
            "Use the commonground that made it.",
        )
    if thoroughly:
        # One fault is enough to say so; to list all of them takes as long as the log is.
        (verdict,) = connection.execute("PRAGMA quick_check(1)").fetchone()
        if verdict != "ok":
            raise StoreError(f"{path} is damaged: {verdict}.", "Restore a backup of it.")
        if version == "1":
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                lift_guards(connection)
                connection.execute("ALTER TABLE events ADD COLUMN chain TEXT NOT NULL DEFAULT ''")
                log_chain.chain_anew(connection)
                set_guards(connection)
                new = "UPDATE facts SET value = ? WHERE name = 'version'"
                connection.execute(new, (str(VERSION),))
        log_chain.check_chain(path, connection, log_chain.read_last(path))


def _explain(path: Path, error: sqlite3.Error) -> StoreError:
    # The low byte is the kind of error; what stands above tells kinds of the kind apart.
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR) & 0xFF
    # A file that may not grow further is told as an I/O error.
    if code in (sqlite3.SQLITE_FULL, sqlite3.SQLITE_IOERR):
        return NotNowError(f"{path} cannot be written to: {error}.", "Make room on the disk.")
    if code in (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED):
        return NotNowError(f"{path} is locked by another program.", "End that program, try again.")
    if code in (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM):
        return StoreError(f"{path} cannot be opened: {error}.", "Are you allowed to write there?")
    return StoreError(f"{path} is not a log, or is damaged: {error}.", "Restore a backup of it.")


def _to_row(event: Event) -> list[object]:
    payload = msgspec.json.encode(event.payload).decode()
    return [payload if each == "payload" else getattr(event, each) for each in _COLUMNS]


def _from_row(row: tuple[Any, ...]) -> Event:
    fields = dict(zip(_COLUMNS, row, strict=True))
    return Event(what=read_what(fields.pop("type"), fields.pop("payload")), **fields)
