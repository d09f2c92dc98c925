"""What can happen in a study: one struct for each type of event, as the log has it.

An :class:`Event` says when, where and by whom something happened; its ``what`` says the rest. In
the log a type and a JSON object stand for it, whose fields are those of the struct in their order,
without those that are None. A field that is added later must have a default, or old logs are not
read any more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, Literal, TypeVar

import msgspec

from commonground.play.collect.people import Exit, PaymentClass, Quota
from commonground.play.collect.setup.partners import Decision
from commonground.play.scenario import Scenario

LOBBY = ""
"""The stream of what happens outside of sessions: arrivals, consents, exits."""


class Kind(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened, but for acts of scenarios.

    Attributes:
        type: its name in the log.
    """

    type: ClassVar[str] = ""


NudgeLevel = Literal["nudge", "tell", "offer"]
"""What is done about silence: the person is asked to go on, the partner is told, or may end."""


# People, before and between sessions


class ParticipantArrived(Kind, frozen=True):
    """Somebody came for the first time.

    Attributes:
        number: of arrival, from 1; models have numbers of the same row.
        language: of the pages.
        platform: ``plain``, ``prolific`` or ``mturk``.
        role: the only seat that the person may take; None for any.
    """

    type = "participant.arrived"
    number: int
    language: str
    platform: str
    role: str | None = None


class ParticipantConsented(Kind, frozen=True):
    """Somebody agreed to a consent text, of which ``digest`` is the SHA-256."""

    type = "participant.consented"
    version: str
    digest: str
    language: str


class ParticipantInstructed(Kind, frozen=True):
    """Somebody answered the quiz right; the answers are numbers of options."""

    type = "participant.instructed"
    answers: list[int]


class ParticipantFailedQuiz(Kind, frozen=True):
    """Somebody answered the quiz, not all of it right."""

    type = "participant.failed_quiz"
    answers: list[int]


class ParticipantReady(Kind, frozen=True):
    """Somebody went to the waiting room.

    Attributes:
        partner: what was drawn then, if anything was.
        models: of the sessions of somebody who was drawn for a condition, by role; None elsewhere.
    """

    type = "participant.ready"
    partner: str | None = None
    models: dict[str, str] | None = None


class ParticipantOffered(Kind, frozen=True):
    """Somebody who has waited for long may leave and is paid for it."""

    type = "participant.offered"


class ParticipantWithdrew(Kind, frozen=True):
    """Somebody left of their own accord."""

    type = "participant.withdrew"


class ParticipantCoded(Kind, frozen=True, rename={"way_out": "exit", "group": "class"}):
    """Somebody was seen out, and given a code for their pay.

    Attributes:
        way_out: the exit.
        group: class in which it is paid.
        code: that the person was shown.
        quota: which one is full, where that is the reason.
    """

    type = "participant.coded"
    way_out: Exit
    group: PaymentClass
    code: str
    quota: Quota | None = None


class ParticipantContinued(Kind, frozen=True, rename={"way_out": "exit", "group": "class"}):
    """Somebody completed a session and is given the next piece; as if coded, without a code."""

    type = "participant.continued"
    way_out: Exit
    group: PaymentClass
    code: str


# Browsers


class ParticipantConnected(Kind, frozen=True):
    """Somebody's page connected; ``last_seq`` is the last event that it knew of its session."""

    type = "participant.connected"
    last_seq: int | None = None


class ParticipantReturned(Kind, frozen=True):
    """Somebody's page connected who had been in the session before."""

    type = "participant.returned"
    last_seq: int


class ParticipantDisconnected(Kind, frozen=True):
    """Somebody's page is not connected any more: ``closed``, ``silent`` or ``restart``."""

    type = "participant.disconnected"
    reason: str


class ParticipantAbsent(Kind, frozen=True):
    """Somebody gave no sign of life for so long that the partner is told."""

    type = "participant.absent"


class ParticipantNudged(Kind, frozen=True):
    """Somebody whose move it is was silent for so long that something is done about it."""

    type = "participant.nudged"
    level: NudgeLevel


class ParticipantSignal(Kind, frozen=True):
    """A browser told how a text came about; in the log, the numbers stand beside the kind."""

    type = "participant.signal"
    kind: str
    numbers: dict[str, int | float]


class PageShown(Kind, frozen=True):
    """A browser is about to be sent another page of the game, with these pictures."""

    type = "page.shown"
    pictures: list[str]


# Sessions


class SessionCreated(Kind, frozen=True, kw_only=True):
    """A session was begun.

    Attributes:
        number: of the session in the study, from 1.
        piece: number of the material that it is played with.
        seed: that the scenario starts from.
        scenario: its name.
        version: of the scenario's rules.
        condition: name of the condition; None where the study has none.
    """

    type = "session.created"
    number: int
    piece: int
    seed: int
    condition: str | None = None
    scenario: str
    version: str


class SeatedModel(msgspec.Struct, frozen=True):
    """A language model in a seat, and version and hash of what it is told."""

    model: str
    prompt: str


class SessionPaired(Kind, frozen=True, kw_only=True):
    """The seats of a session were given; the first four fields are those of its creation.

    Attributes:
        seats: pseudonyms, of models, too, by role.
        models: the language models among them, by role.
        asked: roles whose people came for just that seat.
    """

    type = "session.paired"
    number: int
    piece: int
    seed: int
    condition: str | None = None
    seats: dict[str, str]
    models: dict[str, SeatedModel] = {}
    asked: list[str] = []


class SessionStarted(Kind, frozen=True):
    """Everybody was there for the first time."""

    type = "session.started"


class SessionEnded(Kind, frozen=True):
    """A session ended; nothing comes after it.

    Attributes:
        reason: why.
        again: pseudonyms of those who go back to the waiting room.
    """

    type = "session.ended"
    reason: str
    again: list[str]


class PairingRefused(Kind, frozen=True):
    """Two people wait who may not play together."""

    type = "pairing.refused"
    people: tuple[str, str]
    reason: str


# Acts, and what else players do


class ActTaken(msgspec.Struct, frozen=True):
    """An act of the scenario, whose own type it has, such as ``chat.message``."""

    type: str
    payload: dict[str, Any]


class ActRefused(Kind, frozen=True):
    """An act that was not taken, and why; see :class:`~commonground.play.scenario.Refusal`."""

    type = "act.refused"
    act: str = msgspec.field(name="type")
    payload: dict[str, Any]
    code: str
    kind: Literal["rule", "protocol"]
    parameters: dict[str, Any]


class ChatTyping(Kind, frozen=True):
    """Somebody began or ceased to type."""

    type = "chat.typing"
    on: bool


class ChatFlagged(Kind, frozen=True):
    """Words were found that the study looks for; ``of`` is the number of the act's event."""

    type = "chat.flagged"
    verdict: Literal["flag", "warn", "block"]
    words: list[str]
    of: int


# The researcher


class ModeratorMessage(Kind, frozen=True):
    """The researcher wrote to the people in some seats."""

    type = "moderator.message"
    text: str
    roles: list[str]


class ModeratorPause(Kind, frozen=True):
    """The researcher paused a session, or let it go on."""

    type = "moderator.pause"
    on: bool


class ModeratorEnd(Kind, frozen=True):
    """The researcher ended a session."""

    type = "moderator.end"


# Language models


class AgentArrived(Kind, frozen=True):
    """A model was given a pseudonym, ``agent``, and a number as people have one."""

    type = "agent.arrived"
    number: int
    agent: str
    model: str


class AgentRequest(Kind, frozen=True):
    """A model is about to be asked.

    Attributes:
        number: of the request in its session, from 1.
        model: its name.
        prompt: version and hash of what it is told.
        text: what it sees.
        pictures: their names, likewise.
        tools: types of the acts that are allowed.
        told: the instructions; None from the second request on, as they are the same.
    """

    type = "agent.request"
    number: int
    model: str
    prompt: str
    text: str
    pictures: list[str]
    tools: list[str]
    told: str | None = None


class _Answer(Kind, frozen=True):
    """A model answered.

    Attributes:
        number: of the request.
        model: its name.
        reply: as inspect_ai has it.
        usage: tokens, by kind.
        cost: of the answer.
    """

    number: int
    model: str
    reply: Any
    usage: dict[str, int]
    cost: float


class AgentParseError(_Answer, frozen=True):
    """A model answered with no act that can be read."""

    type = "agent.parse_error"


class AgentReply(_Answer, frozen=True):
    """A model answered, and what that means."""

    type = "agent.reply"
    decided: Decision


class AgentLate(Kind, frozen=True):
    """A model answered when its session, ``of``, was over; nothing but its cost counts."""

    type = "agent.late"
    of: str
    usage: dict[str, int]
    cost: float


class AgentLeft(Kind, frozen=True):
    """A model cannot go on, and why: in a word, and in words for the researcher."""

    type = "agent.left"
    reason: str
    why: str


# Erasing


class Erased(Kind, frozen=True):
    """An event of somebody whose data were deleted.

    Attributes:
        was: its type.
        number: of an arrival, which is not given to anybody else.
        cost: of a model's answer, since limits count it.
        usage: likewise.
    """

    type = "erased"
    was: str
    number: int | None = None
    cost: float | None = None
    usage: dict[str, int] | None = None


ERASED = Erased.type
"""Type of the events of people whose data were deleted; stands for their pseudonyms, too."""

What = Kind | ActTaken
"""What happened."""

W = TypeVar("W", bound=What)

_KINDS: list[type[Kind]] = [*Kind.__subclasses__(), *_Answer.__subclasses__()]
_DECODERS = {each.type: msgspec.json.Decoder(each) for each in _KINDS if each.type}
_DECODE_PAYLOAD = msgspec.json.Decoder(dict[str, Any]).decode


def is_act(kind: str, scenario: Scenario[Any, Any]) -> bool:
    """Says whether a type is one of the scenario's acts; sessions and moderators are ours."""
    return kind in scenario.act_types and kind not in _DECODERS


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened.

    Attributes:
        what: happened.
        at_us: Unix microseconds by the clock of the study, which stands while its server does; no
            two events of a study have the same.
        session: id of the session; empty for what happened outside of one.
        seq: number in its session, from 1 and without gaps.
        participant: pseudonym of who did it; None for the server and moderators.
        role: seat of the participant in the session; None outside of one.
        round: part of the session that it was done in; None where that means nothing.
        client_at_ms: what the participant's browser took for the time, Unix milliseconds.
        client_msg_id: the browser's own name for an act, the same when it is sent again.
    """

    what: What
    at_us: int
    session: str = LOBBY
    seq: int = 0
    participant: str | None = None
    role: str | None = None
    round: int | None = None
    client_at_ms: int | None = None
    client_msg_id: str | None = None

    @property
    def type(self) -> str:
        """Its type in the log: ``chat.message``, ``participant.arrived`` and so on."""
        return self.what.type

    @property
    def payload(self) -> dict[str, Any]:
        """What the log has of it beside its type, as plain JSON values."""
        match self.what:
            case ActTaken(payload=payload):
                return payload
            case ParticipantSignal(kind=kind, numbers=numbers):
                return {"kind": kind, **numbers}
            case what:
                return msgspec.to_builtins(what)  # type: ignore[no-any-return]

    def to_plain(self) -> dict[str, Any]:
        """Returns all of it as plain JSON values, without what is empty or None."""
        values = {
            "type": self.type,
            "at_us": self.at_us,
            "session": self.session,
            "seq": self.seq,
            "participant": self.participant,
            "role": self.role,
            "payload": self.payload,
            "round": self.round,
            "client_at_ms": self.client_at_ms,
            "client_msg_id": self.client_msg_id,
        }
        return {name: each for name, each in values.items() if each not in (None, "", {})}


def cost_of(what: What) -> float:
    """Returns what was paid for a model's answer; 0 for whatever else happened."""
    match what:
        # What was erased keeps its cost.
        case AgentReply(cost=cost) | AgentParseError(cost=cost) | AgentLate(cost=cost):
            return cost
        case Erased(cost=cost):
            return cost or 0.0
    return 0.0


def find_what(events: Iterable[Event], kind: type[W]) -> W:
    """Returns what happened in the first event of a kind, of which there must be one."""
    return next(each.what for each in events if isinstance(each.what, kind))


def read_what(kind: str, payload: str) -> What:
    """Returns what happened.

    Args:
        kind: type of the event; one that is not ours is that of an act.
        payload: JSON.

    Raises:
        DecodeError: it is not what events of this type have; msgspec's.
    """
    if kind == ParticipantSignal.type:
        numbers = _DECODE_PAYLOAD(payload)
        return ParticipantSignal(numbers.pop("kind", ""), numbers)
    decoder = _DECODERS.get(kind)
    if decoder is None:
        return ActTaken(kind, _DECODE_PAYLOAD(payload))
    what: What = decoder.decode(payload)
    return what
