"""Erasing a person: afterwards no byte of what the person gave is left in files of ours.

Rows of the log are not taken out but emptied, so that numbers stay gapless; a session of the
person stays as a number and what the partner did, and is exported no more. Exports and backups
that were made of the study are known to it, and are cleared in the same way.
"""

from __future__ import annotations

import shutil
import sqlite3
import time
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

import msgspec

from commonground.collect.exports.exporting import PICTURES, export_study
from commonground.collect.identities import Identities
from commonground.collect.live.ledger import ERASED
from commonground.collect.live.standing import restore_hall
from commonground.collect.log import GUARDS, LOBBY, EventLog, set_guards
from commonground.collect.setup.study import (
    IDENTITIES,
    LOG,
    MATERIAL,
    SETTINGS,
    Study,
    note_place,
    read_places,
)
from commonground.errors import SourceError, StoreError, UsageError


def erase_participant(study: Study, pid: str, identities: Identities) -> None:
    """Deletes everything of a person: in the log, the identities, exports and backups.

    Exports are written anew; those whose folder is gone are out of our reach.

    Args:
        study: that the person took part in; nobody may be writing to its log.
        pid: pseudonym of the person.
        identities: of the study.

    Raises:
        CommongroundError: a file cannot be cleared; the message names it.
    """
    clear_log(study.log_path, pid)
    identities.forget(pid)
    places = read_places(study)
    for folder in map(Path, places.backups):
        if (folder / LOG).is_file():
            clear_log(folder / LOG, pid)
        if (folder / IDENTITIES).is_file():
            copy = Identities(folder / IDENTITIES)
            try:
                copy.forget(pid)
            finally:
                copy.close()
    for folder in map(Path, places.exports):
        if folder.is_dir():
            export_study(study, folder, pictures=(folder / PICTURES).is_dir())


def backup_study(study: Study, folder: Path) -> Path:
    """Copies the log and the identities as they are now; the study may be served meanwhile.

    Args:
        study: to copy.
        folder: to make the copy below, in a folder named by the time.

    Raises:
        SourceError: the folder cannot be written.
        StoreError: a file cannot be copied.
    """
    target = folder / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    try:
        target.mkdir(parents=True)
    except OSError as error:
        raise SourceError(f"{target}: {error.strerror}.") from error
    try:
        with closing(study.open_log()) as log:
            log.backup(target / LOG)
        with closing(Identities(study.identities_path)) as identities:
            identities.backup(target / IDENTITIES)
    except StoreError:
        shutil.rmtree(target)  # half a backup is none
        raise
    for name in (SETTINGS, MATERIAL):
        shutil.copy(study.folder / name, target / name)
    note_place(study, "backups", target)
    return target


def clear_log(path: Path, pid: str) -> None:
    """Empties a person's rows of a log, and writes the file anew so that none of it is left.

    Raises:
        StoreError: the file cannot be cleared.
    """
    try:
        with closing(sqlite3.connect(path, timeout=5)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            with connection:
                # The log refuses to be edited. This is the one exception, and the guards are back
                # when it ends: all of it is one transaction.
                for name in GUARDS:
                    connection.execute(f"DROP TRIGGER IF EXISTS {name}")
                _empty_rows(connection, pid)
                set_guards(connection)
            # Pages that were freed, and the log of changes beside the file, hold old bytes.
            connection.execute("VACUUM")
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be cleared of {pid}: {error}.") from error


def _empty_rows(connection: sqlite3.Connection, pid: str) -> None:
    own = "SELECT number, type, payload FROM events WHERE participant = ?"
    for number, kind, payload in connection.execute(own, (pid,)).fetchall():
        kept = {"was": kind}
        if kind == "participant.arrived":
            # Numbers of arrival name people in exports: the next one must not get this one's.
            kept["number"] = msgspec.json.decode(payload)["number"]
        connection.execute(
            "UPDATE events SET type = ?, participant = NULL, payload = ?, client_at_ms = NULL, "
            "client_msg_id = NULL WHERE number = ?",
            (ERASED, msgspec.json.encode(kept).decode(), number),
        )
    _empty_answers(connection, pid)
    # Others' rows name the person where they say who was paired.
    connection.execute(
        # A pseudonym is too long and too random to stand in a text by accident.
        "UPDATE events SET payload = replace(payload, ?, ?) WHERE instr(payload, ?)",
        (pid, ERASED, pid),
    )


def _empty_answers(connection: sqlite3.Connection, pid: str) -> None:
    """Empties what models were asked and answered in a person's sessions, which quotes the person.

    What it cost stays, since limits count it.
    """
    rows = connection.execute(
        "SELECT number, type, payload FROM events WHERE type LIKE 'agent.%' AND session IN "
        "(SELECT session FROM events WHERE instr(payload, ?) AND type = 'session.paired')",
        (pid,),
    )
    for number, kind, payload in rows.fetchall():
        said = msgspec.json.decode(payload)
        kept = {"was": kind, **{name: said[name] for name in ("cost", "usage") if name in said}}
        connection.execute(
            "UPDATE events SET type = ?, payload = ? WHERE number = ?",
            (ERASED, msgspec.json.encode(kept).decode(), number),
        )


def erase_named(study: Study, name: str) -> int:
    """Deletes everything of a person, given by pseudonym or by a platform's name.

    Returns:
        How many events of the log were emptied.

    Raises:
        UsageError: there is nobody of that name.
        StoreError: the study is being served, or a file cannot be cleared.
    """
    with study.lock():
        identities = Identities(study.identities_path)
        log = study.open_log(write=True)
        try:
            known = {event.participant: 0 for event in log.read(LOBBY) if event.participant}
            found = [each for each in identities.find_pseudonyms(name) if each in known]
            # The identity may be forgotten already, where an erasing before was broken off.
            if name in known and name not in found:
                found.append(name)
            if not found:
                raise UsageError(
                    f"There is nobody named {name!r} in {study.folder}.",
                    "Give the pseudonym, or the id of the platform, in full.",
                )
            count = sum(event.participant in found for event in log.read())
            _end_sessions_of(study, log, found)
            for pid in found:
                erase_participant(study, pid, identities)
        finally:
            log.close()
            identities.close()
    return count


def _end_sessions_of(study: Study, log: EventLog, pids: list[str]) -> None:
    """Takes people out of sessions that were under way when the server ended."""
    hall = restore_hall(study, log, str)
    now_us = time.time_ns() // 1000
    for pid in pids:
        if pid in hall.ledger.people:
            log.append(hall.forget(pid, now_us).events)
