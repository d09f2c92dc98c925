"""What can happen in a study: one struct for each type of event, as the log has it.

An :class:`Event` says when, where and by whom something happened; its ``what`` says the rest. In
the log a type and a JSON object stand for it, whose fields are those of the struct in their order,
without those that are None. A field that is added later must have a default, or old logs are not
read any more.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, Literal, TypeVar

import msgspec

from commonground.play.collect.people import Exit, PaymentClass, Quota
from commonground.play.collect.setup.partners import Decision
from commonground.play.collect.setup.questions import When
from commonground.play.scenario import Scenario

LOBBY = ""
"""The stream of what happens outside of sessions: arrivals, consents, exits."""


class Kind(msgspec.Struct, frozen=True, omit_defaults=True):
    """What happened, but for acts of scenarios; ``type`` is its name in the log."""

    type: ClassVar[str] = ""


NudgeLevel = Literal["nudge", "tell", "offer"]
"""What is done about silence: the person is asked to go on, the partner is told, or may end."""


# People, before and between sessions


class ParticipantArrived(Kind, frozen=True):
    """Somebody came for the first time.

    Attributes:
        number: of arrival, from 1; models have numbers of the same row.
        platform: ``plain``, ``prolific``, ``sona`` or ``mturk``.
        role: the only seat that the person may take; None for any.
        browser: by what the study knows the person's browser; None where it kept nothing.
    """

    type = "participant.arrived"
    number: int
    language: str
    platform: str
    role: str | None = None
    browser: str | None = None


class ParticipantConsented(Kind, frozen=True):
    """Somebody agreed to a consent text.

    Attributes:
        version: of the text, as the researcher numbers it.
        digest: SHA-256 of the text that was shown.
        browser: that it was done in, as of :class:`ParticipantArrived`.
    """

    type = "participant.consented"
    version: str
    digest: str
    language: str
    browser: str | None = None


class ParticipantInstructed(Kind, frozen=True):
    """Somebody answered the quiz right; the answers are numbers of options."""

    type = "participant.instructed"
    answers: list[int]


class ParticipantAnswered(Kind, frozen=True):
    """Somebody answered the researcher's own questions.

    Attributes:
        when: ``before`` the instructions, or ``after`` the last page.
        answers: by the names of the questions: a text, the number of an option, or a grade.
    """

    type = "participant.answered"
    when: When
    answers: dict[str, str | int]


class ParticipantChecked(Kind, frozen=True):
    """A browser tried what the study needs.

    Attributes:
        failed: what did not work: ``pictures``, ``width``, ``line``, ``storage``, ``sound``.
        measured: numbers by name, such as the ``width_px`` of the window.
    """

    type = "participant.checked"
    failed: list[str]
    measured: dict[str, float]


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


class _PaidExit(Kind, frozen=True, rename={"way_out": "exit", "group": "class"}):
    """Something that somebody is paid for; the code is empty where none was shown."""

    way_out: Exit
    group: PaymentClass
    code: str


class ParticipantCoded(_PaidExit, frozen=True):
    """Somebody was seen out; ``quota`` is the one that is full, where that is the reason."""

    type = "participant.coded"
    quota: Quota | None = None


class ParticipantContinued(_PaidExit, frozen=True):
    """Somebody completed a session and is given the next piece; as if seen out, without a code."""

    type = "participant.continued"


# Browsers


class ParticipantConnected(Kind, frozen=True):
    """Somebody's page connected; ``last_seq`` is the last event that it knew of its session."""

    type = "participant.connected"
    last_seq: int | None = None


class ParticipantReturned(Kind, frozen=True):
    """Somebody's page connected who had been in the session before."""

    type = "participant.returned"
    last_seq: int


class ParticipantAccepted(Kind, frozen=True):
    """Somebody who was paired said that they are there and want to begin."""

    type = "participant.accepted"


class ParticipantDisconnected(Kind, frozen=True):
    """Somebody's page is not connected any more.

    Attributes:
        reason: ``closed`` by the person, who left the page; ``cut`` where the line broke, or a
            page made way for the next one; ``silent`` where nothing was heard for long;
            ``restart`` of the server.
    """

    type = "participant.disconnected"
    reason: str


class ParticipantAbsent(Kind, frozen=True):
    """Somebody gave no sign of life for so long that the partner is told.

    Attributes:
        since_us: when the last sign came, Unix microseconds; None in logs of earlier versions.
    """

    type = "participant.absent"
    since_us: int | None = None


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


class PageUndrawn(Kind, frozen=True):
    """A browser could not draw a picture of the page that it shows."""

    type = "page.undrawn"
    picture: str


# Sessions


class _Drawn(Kind, frozen=True, kw_only=True):
    """What was drawn for a session.

    Attributes:
        number: of the session in the study, from 1.
        piece: number of the material that it is played with.
        condition: None where the study has none.
    """

    number: int
    piece: int
    seed: int
    condition: str | None = None


class SessionCreated(_Drawn, frozen=True, kw_only=True):
    """A session was begun, by a version of the rules of a scenario."""

    type = "session.created"
    scenario: str
    version: str


class SeatedModel(msgspec.Struct, frozen=True):
    """A language model in a seat, and version and hash of what it is told."""

    model: str
    prompt: str


class SessionPaired(_Drawn, frozen=True, kw_only=True):
    """The seats of a session were given.

    Attributes:
        seats: pseudonyms, of models, too, by role.
        models: the language models among them, by role.
        asked: roles whose people came for just that seat.
        asks: whether everybody has to say that they are there before it starts.
    """

    type = "session.paired"
    seats: dict[str, str]
    models: dict[str, SeatedModel] = {}
    asked: list[str] = []
    asks: bool = False


class SessionStarted(Kind, frozen=True):
    """Everybody was there for the first time, and said so where that is asked."""

    type = "session.started"


class SessionEnded(Kind, frozen=True):
    """A session ended; nothing comes after it but changes of a ballot, by who went back to it.

    Attributes:
        again: pseudonyms of those who go back to the waiting room.
    """

    type = "session.ended"
    reason: str
    again: list[str]


class PairingRefused(Kind, frozen=True):
    """Two people wait, here in the order of their pseudonyms, who may not play together.

    The reason is ``met``, ``browser``, ``language``, ``role``, ``quota`` or ``material``.
    """

    type = "pairing.refused"
    people: tuple[str, str]
    reason: str


# Acts, and what else players do


class ActTaken(msgspec.Struct, frozen=True):
    """An act of the scenario, whose own type it has, such as ``chat.message``."""

    type: str
    payload: dict[str, Any]


class ActRefused(Kind, frozen=True):
    """An act, by its type, that was refused; see :class:`~commonground.play.scenario.Refusal`."""

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
    """Words were found that the study looks for.

    Attributes:
        verdict: the strictest of the lists that name one.
        words: as the lists write them.
        of: number of the act's event.
    """

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


class ModeratorClosed(Kind, frozen=True):
    """The researcher lets nobody else begin, or lets people begin again.

    Attributes:
        on: whether nobody may begin.
        by: ``target`` where the study did so itself, as what it watches is sure enough.
    """

    type = "moderator.closed"
    on: bool
    by: Literal["", "target"] = ""


class ModeratorExcluded(Kind, frozen=True):
    """The researcher takes all that somebody did for not done (``on``), or takes that back."""

    type = "moderator.excluded"
    on: bool
    reason: str


class ModeratorCleared(Kind, frozen=True):
    """The researcher looked at what somebody did, and lets the person go on."""

    type = "moderator.cleared"


class ModeratorTold(Kind, frozen=True):
    """The researcher wrote to one person, whose page shows it wherever the person is."""

    type = "moderator.told"
    text: str


class ModeratorBonus(Kind, frozen=True):
    """The researcher owes somebody a bonus, one for each purpose, as the payment table says."""

    type = "moderator.bonus"
    cents: int
    purpose: str


class ModeratorDecided(Kind, frozen=True):
    """Somebody decided what is so where people who label differ; the last decision counts.

    Attributes:
        piece: number of the unit.
        candidate: id of one of the unit's candidates.
        by: who decided, as they named themselves.
        note: why; empty where nothing was written.
    """

    type = "moderator.decided"
    piece: int
    candidate: str
    answer: str
    by: str
    note: str = ""


class ModeratorEnd(Kind, frozen=True):
    """The researcher ended a session."""

    type = "moderator.end"


# Language models


class AgentArrived(Kind, frozen=True):
    """A model is to play for the first time.

    Attributes:
        number: that it has as people have one.
        agent: its pseudonym.
    """

    type = "agent.arrived"
    number: int
    agent: str
    model: str


class AgentRequest(Kind, frozen=True):
    """A model is about to be asked.

    Attributes:
        number: of the request in its session, from 1.
        prompt: version and hash of what it is told.
        text: what it sees.
        pictures: names of those that it sees.
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
        reply: as inspect_ai has it.
        usage: tokens, by kind.
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
    """A model answered when its session was over; nothing but the cost counts.

    Attributes:
        of: id of the session.
        usage: tokens, by kind.
    """

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
        was: type that it had.
        number: of an arrival, which is not given to anybody else.
        cost: of a model's answer, since limits count it.
        usage: likewise.
        left_out: sessions of somebody who was excluded, which still count for nothing.
    """

    type = "erased"
    was: str
    number: int | None = None
    cost: float | None = None
    usage: dict[str, int] | None = None
    left_out: tuple[str, ...] = ()


ERASED = Erased.type
"""Type of the events of people whose data were deleted; stands for their pseudonyms, too."""

What = Kind | ActTaken
"""What happened."""

W = TypeVar("W", bound=What)


def _find_kinds(kind: type[Kind] = Kind) -> Iterator[type[Kind]]:
    for each in kind.__subclasses__():
        yield each
        yield from _find_kinds(each)


_DECODERS = {each.type: msgspec.json.Decoder(each) for each in _find_kinds() if each.type}
_DECODE_PAYLOAD = msgspec.json.Decoder(dict[str, Any]).decode


def is_act(kind: str, scenario: Scenario[Any, Any]) -> bool:
    """Says whether a type is one of the scenario's acts; sessions and moderators are ours."""
    return kind in scenario.act_types and kind not in _DECODERS


class Event(msgspec.Struct, frozen=True, kw_only=True):
    """One thing that happened.

    Attributes:
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
