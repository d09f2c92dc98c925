"""A row for each participant, with what the study measures of them: for the monitor and CSV."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from commonground.play.collect.live.hall import Hall
from commonground.play.collect.people import Exit, Participant, Stage
from commonground.play.scenario import WorkDone

PAGE = 50
"""Rows that the monitor shows at a time."""

State = Literal["excluded", "review"]
"""Why what somebody did counts for nothing."""


class PersonRow(msgspec.Struct, frozen=True):
    """What is measured of a participant.

    Attributes:
        participant: pseudonym.
        number: of arrival.
        state: why what the person did counts for nothing; None where it counts.
        reason: why the person was excluded; None otherwise.
        cleared: whether the researcher looked at the person's work and lets them go on.
        sessions: that the person began.
        done: games or units that the person finished.
        known: answers that the person gave where the right one is known.
        right: of these, the right ones.
        kappa: agreement with the majority of others, on units that all have finished; None where
            there is nothing to compare.
        seconds: median time of a unit, or of a message since what was done before it; None where
            there are none.
        pastes: texts that were pasted.
        flags: messages with words that the study looks for.
        owed: amount of all exits, without bonuses.
        bonus: that was noted beside.
        seen_us: last sign of life, Unix microseconds by the clock of the study.
    """

    participant: str
    number: int
    platform: str
    stage: Stage
    exit: Exit | None
    session: str | None
    state: State | None
    reason: str | None
    cleared: bool
    sessions: int
    done: int
    known: int
    right: int
    kappa: float | None
    seconds: float | None
    pastes: int
    flags: int
    owed: float
    bonus: float
    connected: bool
    seen_us: int


COLUMNS = PersonRow.__struct_fields__
"""Names of the columns, by any of which rows can be sorted."""


def list_people(hall: Hall) -> list[PersonRow]:
    """Returns a row for each participant, in the order of their arrival."""
    ledger = hall.ledger
    stopped = ledger.assignments.list_stopped() if ledger.assignments is not None else frozenset()
    people = sorted(ledger.people.values(), key=lambda each: each.number)
    return [_describe(hall, each, is_stopped=each.number in stopped) for each in people]


def _describe(hall: Hall, person: Participant, *, is_stopped: bool) -> PersonRow:
    assignments, work = hall.ledger.assignments, hall.ledger.work.of(person.pid)
    done = WorkDone(done=person.completed)
    if assignments is not None:
        done = assignments.describe(person.number)
    return PersonRow(
        participant=person.pid,
        number=person.number,
        platform=person.platform,
        stage=person.stage,
        exit=person.way_out,
        session=person.session,
        state="excluded" if person.excluded is not None else "review" if is_stopped else None,
        reason=person.excluded,
        cleared=person.cleared,
        sessions=person.sessions,
        done=done.done,
        known=done.known,
        right=done.right,
        kappa=done.kappa,
        seconds=work.speed(by_unit=assignments is not None),
        pastes=work.pastes,
        flags=work.flags,
        owed=hall.settings.payment.total_of(person.earned),
        bonus=sum(person.bonuses.values()) / 100,
        connected=person.connection is not None,
        seen_us=person.seen_us,
    )


def sort_people(rows: Sequence[PersonRow], by: str, *, down: bool = False) -> list[PersonRow]:
    """Returns rows by a column; what is not known comes last either way.

    Args:
        by: name of the column. Known answers are sorted by the share that is right.
        down: whether the largest come first.
    """
    known = [each for each in rows if _value(each, by) is not None]
    unknown = [each for each in rows if _value(each, by) is None]
    return [*sorted(known, key=lambda each: _value(each, by), reverse=down), *unknown]


def _value(row: PersonRow, column: str) -> Any:
    if column == "right":
        return row.right / row.known if row.known else None
    return getattr(row, column)


def describe_page(
    hall: Hall, *, by: str = "number", down: bool = False, page: int = 0, now_us: int = 0
) -> dict[str, Any]:
    """Returns a page of the table as plain JSON values.

    Args:
        by: column to sort by; any other text sorts by arrival.
        page: which one, from 0; the last one where there are fewer.
    """
    rows = sort_people(list_people(hall), by if by in COLUMNS else "number", down=down)
    pages = max(1, -(-len(rows) // PAGE))
    page = min(max(page, 0), pages - 1)
    shown = rows[page * PAGE : (page + 1) * PAGE]
    return {
        "now_us": now_us,
        "people": len(rows),
        "page": page,
        "pages": pages,
        "rows": [msgspec.to_builtins(each) for each in shown],
        "by_unit": hall.ledger.assignments is not None,
        "currency": hall.settings.payment.currency,
        "has_known": any(each.known for each in rows),
        "has_kappa": any(each.kappa is not None for each in rows),
    }
