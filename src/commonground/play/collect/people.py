"""Participants: how far each has come, and the ways out.

Stages follow each other in one direction; an exit is final, but for ``completed``, after which
a person may play again where the study allows it.
"""

from __future__ import annotations

from typing import Any, Literal, get_args

import msgspec

Stage = Literal["arrived", "consented", "instructed", "waiting", "playing", "out"]
"""How far a person has come.

``arrived`` sees the consent text, ``consented`` the instructions and the quiz, ``instructed`` the
warm-up, ``waiting`` the waiting room, ``playing`` is in a session, ``out`` sees an exit.
"""

Exit = Literal[
    "completed",
    "withdrew",
    "timed_out",
    "connection_lost",
    "partner_left",
    "screened_out",
    "unfit",
    "quota_full",
    "waited_out",
    "time_over",
    "ended_by_moderator",
    "stopped",
]

PaymentClass = Literal["full", "partial", "none"]

EXITS: dict[Exit, PaymentClass] = {
    "completed": "full",
    "withdrew": "none",
    "timed_out": "none",
    "connection_lost": "partial",
    "partner_left": "full",
    "screened_out": "partial",
    "unfit": "partial",
    "quota_full": "partial",
    "waited_out": "partial",
    "time_over": "full",
    "ended_by_moderator": "full",
    "stopped": "none",
}
"""The exits, and the class in which each is paid unless the study says otherwise.

Nobody loses pay by what a partner, the study or the clock did, nor all of it by a line that broke.
Who ``stopped`` was given one piece after the other, and is paid for each that was completed.
"""

assert set(EXITS) == set(get_args(Exit))  # noqa: S101 - two spellings of one list


Quota = Literal["study", "role", "material", "review"]
"""What is full for somebody who came too late: the study has all sessions that are wanted, or all
of the role that the person came for, or the person has seen all that there is to play with, or
should not go on before somebody has looked at what the person did."""


class Result(msgspec.Struct, frozen=True):
    """What the last game came to, as its people are told.

    Attributes:
        points: that they have together; None where the scenario counts none.
        best: that they could have.
    """

    points: float | None
    best: float
    seconds: float


class Participant(msgspec.Struct, kw_only=True):
    """What is known of a participant; all but ``connection``, ``seen_us``, ``result`` is logged.

    Attributes:
        pid: pseudonym.
        number: of arrival, from 1; what released files name the person by.
        platform: ``plain``, ``prolific``, ``sona`` or ``mturk``.
        role: the only seat that the person may take; None for any.
        browser: by what the study knows the browser in which the person agreed, or came; None where
            it kept nothing.
        since_us: when the stage was reached.
        quota: which one is full, where that is the exit; None otherwise.
        code: that goes with the exit.
        tries: failed tries of the quiz.
        sessions: that the person began.
        completed: that the person played to their end.
        earned: how often the person left in each class of payment, or went on to the next piece.
        agreed: whether the person has agreed to the consent text.
        fit: whether the person's browser passed the device check; None where it was not tried.
        answered: when the person was asked the researcher's own questions, and answered.
        seen: what the person has played with, as :attr:`Stock.met` names it.
        connection: the tab that is connected; None for none.
        seen_us: when the person last gave a sign of life.
        closed: whether the person closed the page, or left it, and has not come back to it.
        offered: whether a paid exit of the waiting room was offered.
        partner: ``model`` for somebody who is to meet a model, ``person`` for others; None where
            that was not drawn.
        models: of the sessions of somebody who was drawn for a condition, by role; None elsewhere.
        result: of the last game that the person completed; None until somebody asks for it.
        excluded: why all that the person did counts no more; None where it counts.
        cleared: whether the researcher looked at what the person did, and lets them go on.
        told: what the researcher wrote to the person alone.
        bonuses: hundredths that the person is to be paid beside, by what each is for.
    """

    pid: str
    number: int
    language: str
    platform: str
    role: str | None = None
    browser: str | None = None
    stage: Stage = "arrived"
    since_us: int = 0
    way_out: Exit | None = None
    quota: Quota | None = None
    code: str | None = None
    session: str | None = None
    tries: int = 0
    sessions: int = 0
    completed: int = 0
    earned: dict[PaymentClass, int] = msgspec.field(default_factory=dict)
    agreed: bool = False
    fit: bool | None = None
    answered: tuple[str, ...] = ()
    # Most have met one person: a tuple takes a quarter of what a set does.
    partners: tuple[str, ...] = ()
    # Frozen, so that people share them: thousands of people have met one set of pictures.
    seen: frozenset[str] = frozenset()
    connection: int | None = None
    seen_us: int = 0
    closed: bool = False
    offered: bool = False
    partner: str | None = None
    models: dict[str, str] | None = None
    result: Result | None = None
    excluded: str | None = None
    cleared: bool = False
    told: tuple[str, ...] = ()
    bonuses: dict[str, int] = msgspec.field(default_factory=dict)

    def move_to(self, stage: Stage, at_us: int) -> None:
        """Notes that the person has come to a stage."""
        self.stage = stage
        self.since_us = at_us

    @property
    def way_lost(self) -> Exit:
        """The exit of somebody who gives no more signs of life, or none of going on.

        Whoever closed the page, or is there and does nothing, has left; else the line broke, which
        is nobody's fault.
        """
        is_there = self.connection is not None
        return "timed_out" if is_there or self.closed else "connection_lost"

    def describe(self) -> dict[str, Any]:
        """Returns what the monitor shows of the person."""
        return {
            "participant": self.pid,
            "number": self.number,
            "stage": self.stage,
            "role": self.role,
            "exit": self.way_out,
            "quota": self.quota,
            "session": self.session,
            "sessions": self.sessions,
            "connected": self.connection is not None,
            "since_us": self.since_us,
            "seen_us": self.seen_us,
            "platform": self.platform,
            "language": self.language,
        }
