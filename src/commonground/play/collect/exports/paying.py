"""Who is paid what: every exit of a person has a class, and every class its amount."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import msgspec

from commonground.play.collect.events import (
    Event,
    ModeratorBonus,
    ParticipantArrived,
    ParticipantCoded,
    ParticipantContinued,
)
from commonground.play.collect.people import Exit, PaymentClass
from commonground.play.collect.setup.study import Payment


class Pay(msgspec.Struct):
    """What a person is paid.

    Attributes:
        way_out: the last exit; ``completed`` for somebody who went on to the next piece and is
            not out.
        group: class of that exit.
        completed: sessions played to their end.
        amount: of all exits together: who played twice is paid twice.
        seconds: from arrival to the last exit.
        bonus: that the researcher noted beside the amount.
    """

    way_out: Exit
    group: PaymentClass
    code: str
    completed: int
    amount: float
    seconds: float
    bonus: float = 0.0


def reckon_pay(events: Iterable[Event], payment: Payment) -> dict[str, Pay]:
    """Reckons what everybody is paid who is out, by pseudonym, in the order of first exits.

    Args:
        events: all of a log; who was erased is not in it any more.
    """
    arrived: dict[str, int] = {}
    found: dict[str, Pay] = {}
    bonuses: Counter[str] = Counter()
    for event in events:
        pid = event.participant or ""
        match event.what:
            case ParticipantArrived():
                arrived[pid] = event.at_us
            case ModeratorBonus(cents=cents):
                bonuses[pid] += cents
            case (ParticipantCoded() | ParticipantContinued()) as coded:
                before = found.get(pid)
                is_done = coded.way_out == "completed"
                found[pid] = Pay(
                    way_out=coded.way_out,
                    group=coded.group,
                    code=coded.code,
                    completed=(before.completed if before else 0) + is_done,
                    amount=(before.amount if before else 0) + payment.amounts.get(coded.group, 0),
                    seconds=(event.at_us - arrived[pid]) / 1e6,
                )
    for pid, pay in found.items():
        pay.bonus = bonuses[pid] / 100
    return found
