"""Exports: the released format, what it cannot hold, a payment table, a data sheet.

::

    logs/...              complete sessions, as the scenario's corpus was released
    extra/events.jsonl    every event of every session, a line each: typing, reconnects, refusals
    extra/sessions.csv    every session: how it ended, what was played with, by which rules, and
                          why it is left out of the logs where its people were stopped
    extra/answers.csv     what people answered to the researcher's own questions, if any
    extra/adjudicated.csv what was decided where people who label differ, and by whom, if anything
    extra/agreement.json  how far they agree, before and after that
    extra/models.jsonl    sessions with a language model: which, its prompt, answers and cost; only
                          where there were any
    images/...            the pictures that complete sessions were played with, if asked for
    private/payments.csv  who is paid what, with the platforms' names of people: share it not
    datasheet.md          the study in figures, for a publication

People are named by the number of their arrival, in all files but ``private``.
"""

from __future__ import annotations

import gc
import shutil
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Final, Literal

import msgspec

from commonground.files.outputs import new_folder
from commonground.files.spreadsheets import write_sheet
from commonground.play.collect import events
from commonground.play.collect.events import Event, cost_of
from commonground.play.collect.exports.datasheet import write_datasheet
from commonground.play.collect.exports.paying import reckon_pay
from commonground.play.collect.exports.replaying import (
    LoggedSession,
    find_stopped,
    leave_out,
    list_played,
    replay_session,
)
from commonground.play.collect.identities import Identities, Identity
from commonground.play.collect.kept_payments import read_kept
from commonground.play.collect.prolific.bonuses import Bonus, read_bonuses, sum_bonuses
from commonground.play.collect.setup.places import note_place
from commonground.play.collect.setup.stock import Stock, list_texts
from commonground.play.collect.setup.study import Study
from commonground.play.labelling.adjudicating import Cast, Decided, gather_votes, measure
from commonground.play.labelling.ballots import Ballot
from commonground.play.scenario import ReleasedFile, Sitting
from commonground.play.scenarios import get_scenario
from commonground.play.sessions.session_logs import MODELS_NAME

WHAT: Final = "export"
"""What an export is called in the list of its files."""

TABLE = "private/payments.csv"
SHEET = "datasheet.md"

_SESSION_COLUMNS = (
    *("session", "created", "seconds", "ended", "erased", "people", "models"),
    *("piece", "seed", "rules", "refused", "flagged", "pasted", "left_out"),
)
_ANSWER_COLUMNS = ("number", "when", "question", "answer", "option", "right")
_PAYMENT_COLUMNS = (
    *("participant", "number", "platform", "platform_id"),
    # What a platform says beside the id stands here.
    *("exit", "completed", "class", "amount", "currency", "code", "receipt", "seconds"),
)
_DECISION_COLUMNS = ("unit", "candidate", "decided", "decided_by", "decided_at", "note", "votes")

PICTURES = "images"
"""Folder of an export that has the pictures."""


class Exported(msgspec.Struct, frozen=True):
    """What an export holds.

    Attributes:
        complete: sessions in the released format.
        sessions: of the log, complete or not.
        released: those of the files that are in the released format.
    """

    folder: Path
    complete: int
    sessions: int
    files: int
    released: int


def export_study(
    study: Study,
    out: Path,
    *,
    pictures: bool = False,
    force: bool = False,
    what: Literal["export", "rehearsal"] = WHAT,
) -> Exported:
    """Writes an export; one of the study that is there already is replaced.

    Args:
        study: may be served meanwhile.
        pictures: whether to copy the pictures of complete sessions into it.
        force: write into a folder of something else, and replace files of the same names.
        what: a rehearsal replaces any other, and no export.

    Raises:
        UsageError: the folder holds something else than an export of the study, or something that
            was changed since.
        SourceError: it cannot be written.
        StoreError: the log is damaged.
    """
    # What is read stays until all is written; looking for garbage in between takes a third longer.
    collects = gc.isenabled()
    gc.disable()
    try:
        kept = {"the study": study.folder}
        with closing(study.open_identities()) as identities:
            of = identities.study if what == WHAT else ""
        # Before it is there: whatever ends this, erasing knows of it.
        note_place(study, "exports", out)
        with new_folder(out, what, kept=kept, of=of, force=force) as beside:
            exported = _write(study, beside, pictures=pictures)
        note_place(study, "exports", out)
    finally:
        if collects:
            gc.enable()
    return msgspec.structs.replace(exported, folder=out)


def _write(study: Study, out: Path, *, pictures: bool) -> Exported:
    with closing(study.open_log()) as file:
        log = list(file.read())
    numbers = number_players(log)
    played = leave_out(list_played(log), find_stopped(study, log))
    decisions = _read_decisions(log, study.stock)
    files = {each.path: each.data for each in _release(study, played, numbers, decisions)}
    released = len(files)
    files["extra/events.jsonl"] = _write_events(played, numbers)
    files["extra/sessions.csv"] = _write_sessions(played, numbers)
    if study.settings.questions:
        files["extra/answers.csv"] = _write_answers(study, log, numbers)
    if any(each.models for each in played):
        files[MODELS_NAME] = _write_models(played, _list_done(study, played))
    files[TABLE] = _write_payments(study, log, numbers)
    files[SHEET] = write_datasheet(study, log, played).encode()
    for folder in {(out / path).parent for path in files}:
        folder.mkdir(parents=True, exist_ok=True)
    for path, data in files.items():
        (out / path).write_bytes(data)
    # It says who people are to their platforms.
    (out / "private").chmod(0o700)
    complete = [each for each in played if each.is_released]
    _write_material(study, complete, out, pictures=pictures)
    return Exported(out, len(complete), len(played), len(files), released)


def number_players(log: Iterable[Event]) -> dict[str, int]:
    """Returns the numbers by which exports name people and models, by pseudonym."""
    numbers: dict[str, int] = {}
    for event in log:
        match event.what:
            case events.ParticipantArrived(number=number):
                numbers[event.participant or ""] = number
            # Models have numbers of the same row, so that a record can name any player by one.
            case events.AgentArrived(number=number, agent=agent):
                numbers[agent] = number
    return numbers


def _release(
    study: Study,
    played: list[LoggedSession],
    numbers: dict[str, int],
    decisions: dict[tuple[str, str], Decided],
) -> Iterator[Any]:
    scenario = get_scenario(study.settings.scenario).rules
    records: list[Any] = []
    for number, each in enumerate(_list_done(study, played)):
        # One that is not released keeps its number, so that those of the others stay.
        if each.is_released:
            agents = {role: numbers[pid] for role, pid in each.seats.items()}
            state = replay_session(study, each)
            records += scenario.finish(state, Sitting(number, agents, frozenset(each.models)))
    yield from _release_decisions(records, decisions)
    yield from scenario.release([*records, *decisions.values()])


def _read_decisions(log: Iterable[Event], stock: Stock) -> dict[tuple[str, str], Decided]:
    """Returns the last decision on each candidate, by unit and candidate."""
    found = {}
    for event in log:
        if isinstance(event.what, events.ModeratorDecided):
            what = event.what
            unit = stock.pieces[what.piece].id
            found[unit, what.candidate] = Decided(
                unit, what.candidate, what.answer, what.by, event.at_us, what.note
            )
    return found


def _release_decisions(
    ballots: Iterable[object], decisions: Mapping[tuple[str, str], Decided]
) -> Iterator[ReleasedFile]:
    """Yields the table of decisions, and how far people agree before and after them."""
    if not decisions:
        return
    by_unit: dict[str, list[Ballot]] = {}
    for each in ballots:
        if isinstance(each, Ballot):
            by_unit.setdefault(each.unit.id, []).append(each)
    cast: dict[str, Cast] = {name: gather_votes(each) for name, each in by_unit.items()}
    rows = []
    for (unit, candidate), each in decisions.items():
        decision, votes = each.to_decision(), cast.get(unit, {}).get(candidate, [])
        said = " ".join(f"{vote.who}={vote.answer}" for vote in votes)
        rows.append((unit, candidate, each.answer, each.by, decision.at, each.note, said))
    yield ReleasedFile("extra/adjudicated.csv", write_sheet(_DECISION_COLUMNS, rows).encode())
    measured = msgspec.json.encode(measure(cast, decisions))
    yield ReleasedFile("extra/agreement.json", msgspec.json.format(measured))


def _list_done(study: Study, played: list[LoggedSession]) -> list[LoggedSession]:
    """Returns sessions that were completed, in the order by which records number them."""
    act_types = get_scenario(study.settings.scenario).rules.act_types

    def began_us(session: LoggedSession) -> int:
        for each in session.events:
            # What was erased says what it was, so that numbers of records stay.
            kind = each.what.was if isinstance(each.what, events.Erased) else each.type
            if kind in act_types:
                return each.at_us
        return session.events[0].at_us

    return sorted((each for each in played if each.reason == "completed"), key=began_us)


def _write_material(
    study: Study, played: list[LoggedSession], out: Path, *, pictures: bool
) -> None:
    if not played:
        return
    pieces = sorted({each.made.piece for each in played})
    used = [study.stock.pieces[piece] for piece in pieces]
    source = get_scenario(study.settings.scenario).material_source()
    source.write(study.stock.pieces if source.whole else used, out, None)
    if pictures:
        shown = study.stock.pictures.intersection(list_texts(msgspec.to_builtins(used)))
        for name in sorted(shown):
            path = study.find_picture(name)
            if path is not None:
                copy = out / PICTURES / name
                copy.parent.mkdir(parents=True, exist_ok=True)
                shutil.copyfile(path, copy)


def _write_events(played: list[LoggedSession], numbers: dict[str, int]) -> bytes:
    lines, encoder = [], msgspec.json.Encoder()
    for each in played:
        for event in each.events:
            line = event.to_plain()
            if event.participant is not None:
                line["participant"] = str(numbers.get(event.participant))
            match event.what:
                case events.SessionPaired(seats=seats):
                    line["payload"]["seats"] = {role: numbers.get(p) for role, p in seats.items()}
                case events.SessionEnded(again=again):
                    line["payload"]["again"] = [numbers.get(pid) for pid in again]
            lines.append(encoder.encode(line))
    return b"\n".join([*lines, b""])


def _write_models(played: list[LoggedSession], done: list[LoggedSession]) -> bytes:
    """Writes what language models did, beside the native records, a line for each seat."""
    records = {each.sid: number for number, each in enumerate(done)}
    lines = []
    for each in played:
        for role, model in each.models.items():
            own = [event.what for event in each.events if event.role == role]
            kinds = Counter(what.type for what in own)
            left = next((what.reason for what in own if isinstance(what, events.AgentLeft)), None)
            line = {
                "session": each.sid,
                "record": records.get(each.sid),
                "role": role,
                **msgspec.to_builtins(model),
                "requests": kinds[events.AgentRequest.type],
                "unreadable": kinds[events.AgentParseError.type],
                "refused": kinds[events.ActRefused.type],
                "cost": sum(map(cost_of, own)),
                "left": left,
            }
            lines.append(msgspec.json.encode(line))
    return b"\n".join([*lines, b""])


def _write_sessions(played: list[LoggedSession], numbers: dict[str, int]) -> bytes:
    rows = []
    for each in played:
        made, first, last = each.made, each.events[0].at_us, each.end_us
        people = " ".join(f"{role}={numbers.get(pid, '')}" for role, pid in each.seats.items())
        created = datetime.fromtimestamp(first / 1e6, UTC)
        rows.append(
            {
                "session": each.sid,
                "created": created.isoformat(timespec="milliseconds"),
                "seconds": round((last - first) / 1e6, 1),
                "ended": each.reason or "under way",
                "erased": int(each.erased),
                "people": people,
                "models": " ".join(f"{role}={e.model}" for role, e in each.models.items()),
                "piece": made.piece,
                "seed": made.seed,
                "rules": f"{made.scenario} {made.version}",
                "refused": sum(isinstance(e.what, events.ActRefused) for e in each.events),
                "flagged": sum(isinstance(e.what, events.ChatFlagged) for e in each.events),
                "pasted": sum(
                    isinstance(e.what, events.ParticipantSignal) and e.what.kind == "paste"
                    for e in each.events
                ),
                "left_out": each.left_out,
            }
        )
    return _write_csv(_SESSION_COLUMNS, rows)


def _write_answers(study: Study, log: list[Event], numbers: dict[str, int]) -> bytes:
    asked = {each.name: each for each in study.settings.questions}
    language, rows = study.settings.languages[0], list[dict[str, Any]]()
    for event in log:
        if not isinstance(event.what, events.ParticipantAnswered):
            continue
        for name, answer in event.what.answers.items():
            question = asked.get(name)
            who = numbers.get(event.participant or "")
            row: dict[str, Any] = {"number": who, "when": event.what.when}
            row |= {"question": name, "answer": answer}
            if question is not None and question.kind == "choice" and isinstance(answer, int):
                row["option"] = question.options[language][answer]
            if question is not None and question.right is not None:
                row["right"] = str(answer == question.right).lower()
            rows.append(row)
    return _write_csv(_ANSWER_COLUMNS, rows)


def _write_payments(study: Study, log: list[Event], numbers: dict[str, int]) -> bytes:
    payment = study.settings.payment
    with closing(study.open_identities()) as identities:
        rows, known = [], identities.list_all()
        bonuses = read_bonuses(study.folder)
        for pid, pay in reckon_pay(log, payment).items():
            identity = known.get(pid)
            rows.append(
                {
                    "participant": pid,
                    "number": numbers[pid],
                    "platform": identity.platform if identity else "",
                    "platform_id": identity.platform_id if identity else "",
                    **(identity.details if identity else {}),
                    **_write_bonus(bonuses, identity, identities, pay.bonus),
                    "exit": pay.way_out,
                    "completed": pay.completed,
                    "class": pay.group,
                    "amount": f"{pay.amount:.2f}",
                    "currency": payment.currency,
                    "code": pay.code,
                    "receipt": identities.receipt(pid),
                    "seconds": round(pay.seconds),
                }
            )
    for number, kept in enumerate(read_kept(study.folder), 1):
        rows.append(
            {
                "participant": f"erased {number}",
                "platform": kept.platform,
                "platform_id": kept.platform_id,
                "amount": f"{kept.amount:.2f}",
                "currency": kept.currency,
                "code": kept.code,
            }
        )
    details = dict.fromkeys(name for row in rows for name in row if name not in _PAYMENT_COLUMNS)
    return _write_csv([*_PAYMENT_COLUMNS[:4], *details, *_PAYMENT_COLUMNS[4:]], rows)


def _write_bonus(
    bonuses: list[Bonus], identity: Identity | None, identities: Identities, noted: float
) -> dict[str, str]:
    """Writes what was paid through Prolific, and what the researcher noted."""
    if identity is None or not (bonuses or noted):
        return {}
    paid = sum_bonuses(bonuses, identity.details.get("SESSION_ID", ""), identities)
    return {"bonus": f"{paid / 100 + noted:.2f}"}


def _write_csv(names: Sequence[str], rows: list[dict[str, Any]]) -> bytes:
    return write_sheet(names, ([row.get(name) for name in names] for row in rows)).encode()
