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
    "partner_left",
    "screened_out",
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
    "partner_left": "full",
    "screened_out": "partial",
    "quota_full": "partial",
    "waited_out": "partial",
    "time_over": "full",
    "ended_by_moderator": "full",
    "stopped": "none",
}
"""The exits, and the class in which each is paid unless the study says otherwise.

Nobody loses pay by what a partner, the study or the clock did. Who ``stopped`` was given one piece
after the other, and is paid for each that was completed.
"""

assert set(EXITS) == set(get_args(Exit))  # noqa: S101 - two spellings of one list


Quota = Literal["study", "role", "material", "review"]
"""What is full for somebody who came too late: the study has all sessions that are wanted, or all
of the role that the person came for, or the person has seen all that there is to play with, or
should not go on before somebody has looked at what the person did."""


class Participant(msgspec.Struct, kw_only=True):
    """What is known of a participant; everything but ``connection`` and ``seen_us`` is logged.

    Attributes:
        pid: pseudonym.
        number: of arrival, from 1; what released files name the person by.
        language: of the pages.
        platform: ``plain``, ``prolific`` or ``mturk``.
        role: the only seat that the person may take; None for any.
        stage: how far the person has come.
        since_us: when the stage was reached.
        way_out: the exit; None before.
        quota: which one is full, where that is the exit; None otherwise.
        code: that goes with the exit.
        session: that the person is in; None outside of one.
        tries: failed tries of the quiz.
        sessions: that the person began.
        completed: that the person played to their end.
        partners: met so far.
        seen: what the person has played with, as :attr:`Stock.met` names it.
        connection: the tab that is connected; None for none.
        seen_us: when the person last gave a sign of life.
        offered: whether a paid exit of the waiting room was offered.
        partner: ``model`` for somebody who is to meet a model, ``person`` for others; None where
            that was not drawn.
        models: of the sessions of somebody who was drawn for a condition, by role; None elsewhere.
    """

    pid: str
    number: int
    language: str
    platform: str
    role: str | None = None
    stage: Stage = "arrived"
    since_us: int = 0
    way_out: Exit | None = None
    quota: Quota | None = None
    code: str | None = None
    session: str | None = None
    tries: int = 0
    sessions: int = 0
    completed: int = 0
    # Most have met one person: a tuple takes a quarter of what a set does.
    partners: tuple[str, ...] = ()
    # Frozen, so that people share them: thousands of people have met one set of pictures.
    seen: frozenset[str] = frozenset()
    connection: int | None = None
    seen_us: int = 0
    offered: bool = False
    partner: str | None = None
    models: dict[str, str] | None = None

    def move_to(self, stage: Stage, at_us: int) -> None:
        """Notes that the person has come to a stage."""
        self.stage = stage
        self.since_us = at_us

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
