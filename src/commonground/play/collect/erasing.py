"""Erasing a person: afterwards no byte of what the person gave is left in files of ours.

It is ordered first, in :mod:`~commonground.play.collect.orders`, and goes on at every start of a
server and with every later order until a search for bytes finds nothing any more.

Rows of the log are not taken out but emptied, so that numbers stay gapless; a session of the
person stays as a number and what the partner did, and is exported no more. Exports and backups
that were made of the study are known to it, and are cleared in the same way.
"""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import msgspec

from commonground.errors import CommongroundError, SourceError, StoreError, UsageError
from commonground.files.listings import find_changed, read_listing
from commonground.play.collect.events import (
    ERASED,
    LOBBY,
    Erased,
    ModeratorExcluded,
    ParticipantArrived,
    read_what,
)
from commonground.play.collect.exports.exporting import PICTURES, TABLE, WHAT, export_study
from commonground.play.collect.identities import Identities
from commonground.play.collect.kept_payments import keep_pay, read_kept
from commonground.play.collect.live.standing import restore_hall
from commonground.play.collect.live.study_clock import StudyClock
from commonground.play.collect.log import EventLog, lift_guards, set_guards
from commonground.play.collect.log_chain import (
    chain_anew,
    find_last,
    is_chained,
    last_path,
    write_last,
)
from commonground.play.collect.orders import Order, make_order, read_orders, write_orders
from commonground.play.collect.setup.places import note_place, read_places
from commonground.play.collect.setup.study import (
    BONUSES,
    FOR_ALL,
    IDENTITIES,
    LOG,
    MATERIAL,
    ORDERS,
    PAYMENTS,
    PROLIFIC,
    SETTINGS,
    Study,
)

_BLOCK = 1 << 24
"""Bytes of a file that are searched at a time."""


class UnfinishedError(StoreError):
    """Data of people whose erasing was ordered are left somewhere; the message says where."""


def order_erasing(study: Study, pid: str, identities: Identities) -> None:
    """Notes that a person's data are to be deleted; :func:`finish_erasing` does it.

    Raises:
        CommongroundError: it cannot be noted, so that nothing is deleted.
    """
    orders = read_orders(study)
    if all(each.pid != pid for each in orders):
        write_orders(study, [*orders, make_order(study, pid, identities)])


def finish_erasing(study: Study, identities: Identities) -> list[str]:
    """Deletes everything of the people whose erasing was ordered: in the log, identities, copies.

    Exports are written anew; those whose folder is gone are out of our reach. Whatever cannot be
    cleared keeps nothing else from being cleared. Nobody may be writing to the log meanwhile.

    Returns:
        The pseudonyms of those of whom nothing is left.

    Raises:
        UnfinishedError: something is left, and where; those orders stay.
        FormatError: the list of orders, or of copies, is damaged.
    """
    orders = read_orders(study)
    if not orders:
        return []
    failures: list[str] = []
    for clear in _list_jobs(study, orders, identities):
        try:
            clear()
        except CommongroundError as error:
            failures.append(str(error).rstrip("."))
    left: list[Order] = []
    done: list[str] = []
    for order in orders:
        places = [] if failures else _find_traces(study, order)
        failures += [f"{each} still has data of {order.pid}" for each in places]
        if failures:
            left.append(order)
        else:
            done.append(order.pid)
    write_orders(study, left)
    if left:
        names = ", ".join(each.pid for each in left)
        raise UnfinishedError(
            f"Not all data of {names} are deleted yet: {'; '.join(failures)}.",
            "Repair or delete what is named. `commonground collect erase`, and "
            "every start of the server, resumes it.",
        )
    return done


def _list_jobs(
    study: Study, orders: list[Order], identities: Identities
) -> Iterator[Callable[[], object]]:
    places, own = read_places(study), identities.study
    for order in orders:
        pid = order.pid
        yield partial(_clear_study, study, order, identities)
        yield partial(identities.forget, pid)
        for folder in map(Path, places.backups):
            if (folder / LOG).is_file():
                yield partial(clear_log, folder / LOG, pid)
            if (folder / IDENTITIES).is_file():
                yield partial(_clear_identities, folder / IDENTITIES, pid)
    for folder in map(Path, places.exports):
        listing = read_listing(folder)
        # Another study may have been exported there since.
        if listing is not None and (listing.what, listing.of) == (WHAT, own):
            pictures = (folder / PICTURES).is_dir()
            yield partial(export_study, study, folder, pictures=pictures)


def _clear_study(study: Study, order: Order, identities: Identities) -> None:
    """Clears the log of a person, when it is noted what the person is still to be paid."""
    keep_pay(study, order, identities)
    for folder in (Path(each) for each in read_places(study).backups):
        if (study.folder / PAYMENTS).is_file() and folder.is_dir():
            copy = folder / PAYMENTS
            try:
                shutil.copy(study.folder / PAYMENTS, copy)
                copy.chmod(0o600)
            except OSError as error:
                raise SourceError(f"{copy} cannot be written: {error.strerror}.") from error
    clear_log(study.log_path, order.pid)


def _clear_identities(path: Path, pid: str) -> None:
    with closing(Identities(path)) as copy:
        copy.forget(pid)


def _find_traces(study: Study, order: Order) -> list[Path]:
    """Returns the files of a study and its copies in which bytes of a person stand.

    What the researcher wrote for everybody is not searched: its words may be a person's, too.
    """
    places = read_places(study)
    folders = [study.folder, *map(Path, (*places.backups, *places.exports))]
    # What was written anew is made of the cleared log, which is searched itself. If it has a text
    # of the person, such as the name of a hotel, others' games have that, too.
    anew = {path for folder in map(Path, places.exports) for path in _list_written(folder)}
    needles, names = order.needles(), order.needles(with_texts=False)
    # What is kept for paying people is all that may stay of one, and nowhere else.
    tables = {folder / PAYMENTS for folder in (study.folder, *map(Path, places.backups))}
    tables |= {Path(each) / TABLE for each in places.exports}
    kept = frozenset(t for each in read_kept(study.folder) for t in (each.platform_id, each.code))
    unpaid = order.needles(with_texts=False, kept=kept)
    return sorted(
        {
            path
            for folder in folders
            for path in folder.rglob("*")
            if path.is_file()
            and path.name != ORDERS
            and path.relative_to(folder).parts[0] not in FOR_ALL
            and _holds(path, unpaid if path in tables else names if path in anew else needles)
        }
    )


def _list_written(folder: Path) -> Iterator[Path]:
    """Yields the files of an export that are as they were written."""
    listing = read_listing(folder)
    if listing is None:
        return
    try:
        changed = find_changed(folder, listing)
    except OSError as error:
        raise SourceError(f"{folder} cannot be searched: {error.strerror}.") from error
    yield from (folder / name for name in listing.files if name not in changed)


def _holds(path: Path, needles: list[bytes]) -> bool:
    overlap = max(map(len, needles))
    before = b""
    try:
        with path.open("rb") as file:
            while block := file.read(_BLOCK):
                data = before + block
                if any(each in data for each in needles):
                    return True
                before = data[-overlap:]
    except OSError as error:
        raise SourceError(f"{path} cannot be searched: {error.strerror}.") from error
    return False


def backup_study(study: Study, folder: Path) -> Path:
    """Copies a study as it is now, while it is served or not, into a folder named by the time.

    It is made below the one that is given.

    Raises:
        SourceError: the folder cannot be written.
        StoreError: a file cannot be copied.
    """
    target = folder / datetime.now(UTC).strftime("%Y%m%dT%H%M%S.%fZ")
    try:
        target.mkdir(parents=True)
        target.chmod(0o700)
    except OSError as error:
        raise SourceError(f"{target}: {error.strerror}.") from error
    # Before it holds anything: whatever ends this, erasing knows of it.
    note_place(study, "backups", target)
    try:
        with closing(study.open_log()) as log:
            log.backup(target / LOG)
        with closing(study.open_identities()) as identities:
            identities.backup(target / IDENTITIES)
    except StoreError:
        shutil.rmtree(target)  # half a backup is none
        raise
    kept = [each for each in (PAYMENTS, PROLIFIC, BONUSES) if (study.folder / each).is_file()]
    for name in (SETTINGS, MATERIAL, *kept):
        shutil.copy(study.folder / name, target / name)
        (target / name).chmod(0o600)
    return target


def clear_log(path: Path, pid: str) -> None:
    """Empties a person's rows of a log, and writes the file anew so that none of it is left.

    Raises:
        StoreError: the file cannot be cleared.
    """
    try:
        with closing(sqlite3.connect(path, timeout=5)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            # What it says is of the previous chain; until it is written anew nothing is known.
            last_path(path).unlink(missing_ok=True)
            with connection:
                # The log refuses to be edited. This is the one exception, and the guards are back
                # when it ends: all of it is one transaction, which Python would begin only later.
                connection.execute("BEGIN IMMEDIATE")
                lift_guards(connection)
                _empty_rows(connection, pid)
                if is_chained(connection):
                    chain_anew(connection)
                set_guards(connection)
            # Pages that were freed, and the log of changes beside the file, hold old bytes.
            connection.execute("VACUUM")
            busy, _, _ = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
            if is_chained(connection):
                write_last(path, *find_last(connection))
    except sqlite3.Error as error:
        raise StoreError(f"{path} cannot be cleared of {pid}: {error}.") from error
    if busy:
        raise StoreError(
            f"{path} cannot be cleared of {pid}: another program reads it.", "End that program."
        )


_PAIRED = "SELECT session FROM events WHERE instr(payload, ?) AND type = 'session.paired'"
"""The sessions of a person."""


def _empty_rows(connection: sqlite3.Connection, pid: str) -> None:
    own = "SELECT number, type, payload FROM events WHERE participant = ? ORDER BY number"
    rows = connection.execute(own, (pid,)).fetchall()
    words = [number for number, kind, _ in rows if kind == ModeratorExcluded.type]
    for number, kind, payload in rows:
        arrival: int | None = None
        left_out: tuple[str, ...] = ()
        if kind == ParticipantArrived.type:
            # Numbers of arrival name people in exports: the next one must not get this one's.
            arrival = msgspec.json.decode(payload, type=ParticipantArrived).number
        if number in words[-1:] and msgspec.json.decode(payload, type=ModeratorExcluded).on:
            left_out = tuple(sid for (sid,) in connection.execute(_PAIRED, (pid,)))
        kept = Erased(kind, arrival, left_out=left_out)
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
        "SELECT number, type, payload FROM events "
        f"WHERE type LIKE 'agent.%' AND session IN ({_PAIRED})",
        (pid,),
    )
    for number, kind, payload in rows.fetchall():
        said = read_what(kind, payload)
        kept = Erased(kind, cost=getattr(said, "cost", None), usage=getattr(said, "usage", None))
        connection.execute(
            "UPDATE events SET type = ?, payload = ? WHERE number = ?",
            (ERASED, msgspec.json.encode(kept).decode(), number),
        )


def erase_named(study: Study, name: str) -> int:
    """Deletes everything of a person, given by pseudonym or by a platform's name.

    Whatever was ordered before and broken off is finished, too.

    Returns:
        How many events of the log were emptied.

    Raises:
        UsageError: there is nobody of that name.
        UnfinishedError: something of somebody is left.
        StoreError: the study is being served, or a file of it cannot be used.
    """
    with (
        study.lock(),
        closing(study.open_identities()) as identities,
        closing(study.open_log(write=True)) as log,
    ):
        known = {event.participant for event in log.read(LOBBY) if event.participant}
        found = {each for each in identities.find_pseudonyms(name) if each in known}
        found |= {name} & known
        ordered = {e.pid for e in read_orders(study) if name in (e.pid, *e.names)}
        for pid in sorted(found):
            order_erasing(study, pid, identities)
        count = sum(event.participant in found | ordered for event in log.read())
        end_sessions(study, log)
        finish_erasing(study, identities)
    if not found | ordered:
        raise UsageError(
            f"There is no participant {name!r} in {study.folder}.",
            "Give the pseudonym, or the id of the platform, in full.",
        )
    return count


def end_sessions(study: Study, log: EventLog) -> None:
    """Takes people whose erasing was ordered out of what was under way when the server ended.

    Raises:
        StoreError: the log cannot be read or written.
    """
    pids = [each.pid for each in read_orders(study)]
    if not pids:
        return
    hall = restore_hall(study, log, str)
    # Not the machine's clock: a time that goes by is nobody else's either.
    clock = StudyClock(hall.ledger)
    for pid in pids:
        if pid in hall.ledger.people:
            log.append(hall.do(clock(), hall.forget, pid).events)
