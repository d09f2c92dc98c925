"""What both shopping games have in common: rounds of a user and an assistant, the end, the survey.

A round is one text of the user and one of the assistant; between the two the assistant looks for
things and shows them, and its text closes the round. The user ends the talk by Done when a round is
closed, or by a goodbye once something is in the cart, and then the assistant has the last word.
After that both grade the talk from 1 to 5 and may write a comment.

A game says what the assistant may do in its turn, which are called gestures here, and what comes of
them: see :class:`ShopGame`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, Generic, Literal, TypeVar

import msgspec

from commonground.model import Json
from commonground.play import acts
from commonground.play.scenario import (
    CHAT,
    Act,
    Allowed,
    Refusal,
    ReleasedFile,
    Sitting,
    Timer,
    payload_schema,
)
from commonground.play.scenarios.simmc.game.graphs import UserKnowledge
from commonground.play.scenarios.simmc.release import Opinion, ShopRound, release_records
from commonground.play.scenarios.simmc.shop.items import Item, ShopFacts, View
from commonground.play.world import Function, World

LONGEST = 500
"""Characters that a text may have; released ones have 238 at most."""

LONGEST_COMMENT = 1_000
"""Characters that the comment of the survey may have."""

LEAST_GRADE, MOST_GRADE = 1, 5

Role = Literal["user", "assistant"]
Phase = Literal["talk", "survey", "over"]
"""Of a session, for both: talking; grading the talk; nothing any more."""

ROLES: tuple[Role, Role] = ("user", "assistant")

R = TypeVar("R", bound=ShopRound)


class Survey(msgspec.Struct, frozen=True, gc=False):
    """What somebody thinks of the talk: a grade from 1 to 5, and a comment, which may be empty."""

    grade: int
    text: str


class Talk(msgspec.Struct, frozen=True):
    """The talk between two acts.

    Attributes:
        chat: everything that was written, as views show it.
        round: that is on, from 1.
        parting: whether the user has said goodbye, so that the assistant has the last word.
        surveys: of those who have answered.
        last_us: time of the last act; None before the first.
        ended: why it was ended before its time; None where it was not.
    """

    chat: tuple[dict[str, Any], ...] = ()
    round: int = 1
    turn: Role = "user"
    parting: bool = False
    closed: bool = False
    surveys: dict[str, Survey] = {}
    last_us: int | None = None
    ended: str | None = None

    @property
    def phase(self) -> Phase:
        """Where the session stands: talking, answering questions about it, or over."""
        if self.ended is not None or len(self.surveys) == len(ROLES):
            return "over"
        return "survey" if self.closed else "talk"


class ShopState(msgspec.Struct, Generic[R], frozen=True, kw_only=True):
    """What the state of every shopping game has.

    Attributes:
        view: of the shop, as its world's calls have left it.
        rounds: those that are closed.
        open: the round in which the assistant is to answer; None where the user is to speak.
    """

    facts: ShopFacts
    view: View = View()
    known: UserKnowledge = UserKnowledge()
    rounds: tuple[R, ...] = ()
    open: R | None = None
    talk: Talk = msgspec.field(default_factory=Talk)

    @property
    def now(self) -> R:
        """The round that is on, in the assistant's turn."""
        assert self.open is not None  # noqa: S101 - ``apply`` looked whose turn it is
        return self.open

    @property
    def items(self) -> Mapping[int, Item]:
        """The items by their numbers."""
        return self.facts.by_number


S = TypeVar("S", bound=ShopState[Any])
M = TypeVar("M")

replace = msgspec.structs.replace


_COMMON: dict[str, type[msgspec.Struct]] = {
    CHAT: acts.Text,
    "simmc.goodbye": acts.Text,
    "simmc.done": acts.Empty,
    "simmc.survey": Survey,
    **acts.SERVER_FORMS,
}
_BY_USER = frozenset({"simmc.goodbye", "simmc.done"})
_BY_BOTH = frozenset({CHAT, "simmc.survey"})

_REFUSALS = acts.COMMON_REFUSALS | {
    *("stale_round", "not_your_turn", "talk_over", "talk_not_over"),
    *("empty", "too_long", "unprintable", "reserved_sign"),
    *("nothing_said", "cart_empty", "no_grade", "already_answered"),
}
_SIGNS = ("<SOM>", "<EOM>", "<EOB>", "<EOR>", "<EOS>", "=> Belief State", "User :", "System :")
"""What divides the parts of a target line, which has no way to escape it."""


def refuse_text(text: str) -> Refusal | None:
    """Says why a text cannot be said; None where it can."""
    sign = next((each for each in _SIGNS if each in text), None)
    reserved = Refusal("reserved_sign", parameters={"found": sign}) if sign else None
    return acts.refuse_line(text, LONGEST) or reserved


def _write(state: S, act: Act, text: str) -> S:
    said = acts.show_message(act, text, state.talk.round)
    return replace(state, talk=replace(state.talk, chat=(*state.talk.chat, said)))


def _grade(state: S, role: str, survey: Survey) -> S | Refusal:
    talk = state.talk
    if not LEAST_GRADE <= survey.grade <= MOST_GRADE:
        limits = {"field": "grade", "least": LEAST_GRADE, "most": MOST_GRADE}
        return Refusal("no_grade", parameters=limits)
    if (found := len(survey.text)) > LONGEST_COMMENT:
        return Refusal("too_long", parameters={"most": LONGEST_COMMENT, "found": found})
    if role in talk.surveys:
        return Refusal("already_answered")
    if talk.phase != "survey":
        return Refusal("talk_not_over")
    return replace(state, talk=replace(talk, surveys={**talk.surveys, role: survey}))


class ShopGame(ABC, Generic[S, M]):
    """The rules that shopping games share; see :class:`~commonground.play.scenario.Scenario`.

    Attributes:
        functions: of the shop's world, which are called for the assistant.
        gestures: what the assistant may do in its turn: types of act, with their payloads.
        gesture_refusals: codes of refusals of the game's own.
    """

    name: str
    version: str
    material: type[M]
    functions: Sequence[Function]
    gestures: Mapping[str, type[msgspec.Struct]]
    gesture_refusals: frozenset[str]

    corpus = "simmc"
    roles: tuple[str, ...] = ROLES

    @property
    def act_types(self) -> frozenset[str]:
        """The types of act that ``apply`` knows."""
        return frozenset({*_COMMON, *self.gestures})

    @property
    def refusals(self) -> frozenset[str]:
        """The codes of all refusals."""
        return _REFUSALS | self.gesture_refusals

    # What a game adds

    @abstractmethod
    def start(self, material: M, seed: int) -> S:
        """Returns the state before the first act."""

    @abstractmethod
    def open_round(self, state: S, text: str) -> S:
        """Returns the state after the user has spoken."""

    @abstractmethod
    def _gesture(self, state: S, kind: str, payload: Any) -> S | Refusal:
        """Returns the state after the assistant has done something, or why it cannot.

        The payload is of the type that :attr:`gestures` has for the kind of act.
        """

    @abstractmethod
    def close_round(self, state: S, text: str) -> S:
        """Returns the state after the assistant has answered."""

    @abstractmethod
    def show(self, state: S, role: str) -> dict[str, Any]:
        """Returns what of the shop a role sees."""

    @abstractmethod
    def allowed_gestures(self, state: S) -> Iterator[Allowed]:
        """Yields what the assistant may do in its turn beside answering."""

    @abstractmethod
    def finish(self, state: S, sitting: Sitting) -> Sequence[Any]:
        """Returns the native records of a session."""

    # What all have

    def call(self, state: S, name: str, **arguments: Json) -> S:
        """Returns the state after a function of the shop's world was called."""
        world = World(self.name, self.functions, state.facts, View())
        return replace(state, view=world.call(state.view, name, arguments).state)

    def apply(self, state: S, act: Act) -> S | Refusal:
        """Returns the state after an act, or why it is refused."""
        talk = state.talk
        if self.is_over(state):
            return Refusal("over")
        if (refusal := acts.refuse_stranger(act, self._authors, talk.last_us)) is not None:
            return refusal
        payload = acts.read_payload(act.payload, {**_COMMON, **self.gestures}[act.type])
        if isinstance(payload, Refusal):
            return payload
        if act.round is not None and act.round != talk.round:
            return Refusal("stale_round", parameters={"round": talk.round})
        talk = replace(talk, last_us=act.at_us)
        state = replace(state, talk=talk)
        # Moderators and the server may write, and end the session, at any time.
        if isinstance(payload, acts.Reason):
            return replace(state, talk=replace(talk, ended=payload.reason))
        if isinstance(payload, acts.Text) and act.role is None:
            return _write(state, act, payload.text)
        if isinstance(payload, Survey):
            return _grade(state, act.role or "", payload)
        if talk.phase != "talk":
            return Refusal("talk_over")
        if act.role != talk.turn:
            return Refusal("not_your_turn")
        if isinstance(payload, acts.Text):
            return self._speak(state, act, payload.text)
        if act.type != "simmc.done":
            return self._gesture(state, act.type, payload)
        # In round 1 there is not yet an answer of the assistant.
        return (
            Refusal("nothing_said")
            if talk.round == 1
            else replace(state, talk=replace(talk, closed=True))
        )

    @cached_property
    def _authors(self) -> dict[str, tuple[str | None, ...]]:
        return {
            **dict.fromkeys(self.gestures, ("assistant",)),
            **dict.fromkeys(_BY_USER, ("user",)),
            **dict.fromkeys(_BY_BOTH, self.roles),
            **dict.fromkeys(acts.BY_SERVER, (None,)),
        }

    def _speak(self, state: S, act: Act, text: str) -> S | Refusal:
        if (refusal := refuse_text(text)) is not None:
            return refusal
        parting = act.type == "simmc.goodbye"
        if parting and not state.view.cart:
            return Refusal("cart_empty")
        state = _write(state, act, text)
        talk = state.talk
        if act.role == "user":
            opened = replace(state, talk=replace(talk, turn="assistant", parting=parting))
            return self.open_round(opened, text)
        closed = self.close_round(state, text)
        # The user had said goodbye, so that this answer was the last word.
        if talk.parting:
            return replace(closed, talk=replace(talk, closed=True))
        return replace(closed, talk=replace(talk, round=talk.round + 1, turn="user"))

    def view(self, state: S, role: str) -> dict[str, Any]:
        """Returns what a role sees: the talk, and what :meth:`show` gives of the shop.

        ``yours`` says whether it is to write or act, ``parting`` whether the next answer is the
        last, ``cart`` what is in the cart, ``answered`` whether it has graded the talk.
        """
        talk = state.talk
        return {
            "round": talk.round,
            "phase": talk.phase,
            "yours": talk.phase == "talk" and talk.turn == role,
            "parting": talk.parting,
            "cart": list(state.view.cart),
            "answered": role in talk.surveys,
            "longest": LONGEST,
            "ended": talk.ended,
            "chat": list(talk.chat),
            **self.show(state, role),
        }

    def allowed(self, state: S, role: str) -> Sequence[Allowed]:
        """Returns what a role may do now: in its turn write and act, after the talk grade it."""
        talk = state.talk
        if talk.phase == "survey" and role not in talk.surveys:
            return (_SURVEY,)
        if talk.phase != "talk" or talk.turn != role:
            return ()
        if role == "assistant":
            return (_WRITE, *self.allowed_gestures(state))
        bye = (_GOODBYE,) if state.view.cart else ()
        return (_WRITE, *bye, *((_DONE,) if talk.round > 1 else ()))

    def timers(self, _state: S, /) -> Sequence[Timer]:
        """Returns none: there is all the time that it takes."""
        return ()

    def is_over(self, state: S) -> bool:
        """Says whether both have graded the talk, or the session was ended."""
        return state.talk.phase == "over"

    def is_complete(self, state: S) -> bool:
        """Says whether both have graded the talk."""
        return len(state.talk.surveys) == len(self.roles)

    def list_opinions(self, state: S, sitting: Sitting) -> list[Opinion]:
        """Returns how the two graded the talk, as records have it."""
        return [
            Opinion(
                domain=self.name.removeprefix("simmc-"),
                dialogue_idx=sitting.number,
                role=role,
                agent=sitting.agents.get(role),
                grade=each.grade,
                text=each.text,
            )
            for role, each in state.talk.surveys.items()
        ]

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields dialogues and API calls as released, and what people thought of their talks."""
        return release_records(records)


def plain(value: Any) -> Any:
    """Returns a struct as plain JSON values; unlike ``to_builtins`` with lists for tuples."""
    return msgspec.json.decode(msgspec.json.encode(value))


_TEXT = {"type": "string", "minLength": 1, "maxLength": LONGEST}
_GRADE = {"type": "integer", "minimum": LEAST_GRADE, "maximum": MOST_GRADE}
_COMMENT = {"type": "string", "maxLength": LONGEST_COMMENT}
_WRITE = Allowed(CHAT, payload_schema(text=_TEXT))
_GOODBYE = Allowed("simmc.goodbye", payload_schema(text=_TEXT), due=False)
_DONE = Allowed("simmc.done", payload_schema(), due=False)
_SURVEY = Allowed("simmc.survey", payload_schema(grade=_GRADE, text=_COMMENT))
