"""The rules of the PhotoBook game.

Two players, A and B, go through five pages. On each, a player sees six images, three of them
highlighted, and finds out by chatting which of these the partner sees as well. A round goes like
this, for each player by itself until it says "both":

1. Mark each highlighted image as common or different; again as often as one likes, the last mark
   counts. Marks are kept by round and image, so that none can leak into another page.
2. Submit when all three are marked; marks are locked then.
3. When both have submitted, each sees which of its own three marks are right.
4. Ask for the next page; it comes when both have asked. After the fifth page there is a
   questionnaire instead, and after both answers the game is over.

The chat is open all the time, and nobody has to wait for a turn. An act that names another round
than the one that is on is refused.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from random import Random
from typing import Any, Literal

import msgspec

from commonground.corpora.photobook.native import Answers, Game, Label
from commonground.corpora.photobook.schedule import ROUNDS
from commonground.play import scenario
from commonground.play.acts import (
    BY_SERVER,
    COMMON_REFUSALS,
    SERVER_FIELDS,
    refuse_fields,
    refuse_line,
    refuse_stranger,
    show_message,
)
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
from commonground.play.scenarios.photobook.material import (
    Board,
    GamePage,
    PhotobookMaterial,
    require_sound,
)
from commonground.play.scenarios.photobook.release import build_game

LONGEST = 99
"""Characters that a text may have."""

LONGEST_COMMENT = 1_000
"""Characters that the comment of the questionnaire may have; released ones have 401 at most."""

GRADES = ("col", "partner_u", "self_u")
"""What the questionnaire asks: collaboration, partner understood me, I understood partner."""

Phase = Literal["play", "review", "questionnaire", "over"]
"""Of a round, for both players: marking; seeing what was right; answering; nothing any more."""


class PlayerPage(msgspec.Struct, frozen=True, gc=False):
    """What one player has done on the page that is on.

    Attributes:
        marks: the last label of each image that was marked.
        submitted: whether the marks are locked.
        reviewed: whether the player's page has shown which marks are right.
        asked: whether the player asked for the next page.
    """

    marks: dict[str, Label] = {}
    submitted: bool = False
    reviewed: bool = False
    asked: bool = False


class Setting(msgspec.Struct, frozen=True):
    """What does not change in a game.

    Attributes:
        pages: its pages, in the order of this game.
        goals: by round and player, the right label of each image to be marked.
    """

    material: PhotobookMaterial
    pages: tuple[GamePage, ...]
    goals: tuple[dict[str, dict[str, Label]], ...]


class PhotobookState(msgspec.Struct, frozen=True):
    """A game between two acts.

    Attributes:
        round: the page that is on, from 1.
        sides: what each player has done on it.
        done: the same of the pages before.
        acts: of each round so far, what the released format has of it.
        chat: everything that was written, as :meth:`PhotoBook.view` shows it.
        answers: of the players who have answered the questionnaire.
        last_us: time of the last act; None before the first.
        ended: why it was ended before its time; None where it was not.
    """

    setting: Setting
    round: int = 1
    sides: dict[str, PlayerPage] = msgspec.field(
        default_factory=lambda: {"A": PlayerPage(), "B": PlayerPage()}
    )
    done: tuple[dict[str, PlayerPage], ...] = ()
    acts: tuple[tuple[Act, ...], ...] = ((),)
    chat: tuple[dict[str, Any], ...] = ()
    answers: dict[str, Answers] = {}
    last_us: int | None = None
    ended: str | None = None

    @property
    def phase(self) -> Phase:
        """Where the game stands: marking a page, its result, the questions at the end, or over."""
        if self.ended is not None or len(self.answers) == 2:
            return "over"
        a, b = self.sides["A"], self.sides["B"]
        if not (a.submitted and b.submitted):
            return "play"
        return "review" if self.round < ROUNDS else "questionnaire"

    def goal(self, role: str) -> dict[str, Label]:
        """Returns the right label of each image that a player is to mark on this page."""
        return self.setting.goals[self.round - 1][role]

    def score(self, round_nr: int, role: str) -> int:
        """Returns the points of a player in a round: how many of its last marks are right."""
        sides = self.sides if round_nr == self.round else self.done[round_nr - 1]
        goal = self.setting.goals[round_nr - 1][role]
        return sum(sides[role].marks.get(image) == label for image, label in goal.items())


_replace = msgspec.structs.replace


def _refuse_mark(state: PhotobookState, role: str, payload: dict[str, Any]) -> Refusal | None:
    image, goal = payload["image"], state.goal(role)
    if payload["label"] not in ("common", "different"):
        return Refusal("bad_payload", "protocol", {"field": "label"})
    if image not in goal:
        shown = image in _board(state, role).images
        # Two codes, since released logs have both: 1 mark of the one kind and 11 of the other.
        return Refusal("not_highlighted" if shown else "not_on_page", parameters={"image": image})
    return Refusal("locked") if state.sides[role].submitted else None


def _refuse_answers(state: PhotobookState, role: str, payload: dict[str, Any]) -> Refusal | None:
    for name in GRADES:
        # JSON's true is an int to Python.
        if isinstance(payload[name], bool) or not 1 <= payload[name] <= 5:
            return Refusal("no_grade", parameters={"field": name, "least": 1, "most": 5})
    if (found := len(payload["text"])) > LONGEST_COMMENT:
        return Refusal("too_long", parameters={"most": LONGEST_COMMENT, "found": found})
    if role in state.answers:
        return Refusal("already_answered")
    return None if state.phase == "questionnaire" else Refusal("not_submitted")


def _refuse_by_type(state: PhotobookState, act: Act) -> Refusal | None:
    """Says why an act of the right form is not allowed now; None where it is."""
    role = act.role or ""
    match act.type:
        case scenario.CHAT:
            text = act.payload["text"]
            # The released format tells texts from actions by it, and has no way to escape it.
            if text.startswith("<") and len(text) <= LONGEST:
                return Refusal("starts_with_tag", parameters={"found": "<"})
            return refuse_line(text, LONGEST)
        case "photobook.mark":
            return _refuse_mark(state, role, act.payload)
        case "photobook.submit":
            side = state.sides[role]
            if side.submitted:
                return Refusal("already_submitted")
            missing = len(state.goal(role).keys() - side.marks.keys())
            return Refusal("marks_missing", parameters={"missing": missing}) if missing else None
        case "photobook.review":
            if state.phase == "play":
                return Refusal("not_submitted")
            return Refusal("already_reviewed") if state.sides[role].reviewed else None
        case "photobook.next":
            if state.round == ROUNDS:
                return Refusal("last_page")
            if state.phase == "play":
                return Refusal("not_submitted")
            return Refusal("already_asked") if state.sides[role].asked else None
        case "photobook.questionnaire":
            return _refuse_answers(state, role, act.payload)
    return None  # moderators and the server may write, and end the game, at any time


def carry_out(state: PhotobookState, act: Act) -> PhotobookState:
    """Returns the state after an act, whether or not the rules would allow it."""
    role, payload = act.role or "", act.payload
    match act.type:
        case scenario.CHAT | "moderator.message":
            message = show_message(act, payload["text"], state.round)
            return _replace(state, chat=(*state.chat, message))
        case "photobook.mark":
            marks = state.sides[role].marks
            return _change(state, role, marks={**marks, payload["image"]: payload["label"]})
        case "photobook.submit":
            return _change(state, role, submitted=True)
        case "photobook.review":
            return _change(state, role, reviewed=True)
        case "photobook.next":
            asked = _change(state, role, asked=True)
            both = asked.sides["A"].asked and asked.sides["B"].asked
            return turn_page(asked) if both else asked
        case "photobook.questionnaire":
            answers = msgspec.convert(payload, Answers)
            return _replace(state, answers={**state.answers, role: answers})
    return _replace(state, ended=payload["reason"])


def _change(state: PhotobookState, role: str, **changes: Any) -> PhotobookState:
    return _replace(state, sides={**state.sides, role: _replace(state.sides[role], **changes)})


def turn_page(state: PhotobookState) -> PhotobookState:
    """Goes on to the next page."""
    return _replace(
        state,
        round=state.round + 1,
        sides={"A": PlayerPage(), "B": PlayerPage()},
        done=(*state.done, state.sides),
        acts=(*state.acts, ()),
    )


def note(state: PhotobookState, act: Act) -> PhotobookState:
    """Keeps an act for the released format in the round that it names, without any other effect.

    For replays: the log has acts that the rules refuse.
    """
    at = (act.round or state.round) - 1
    acts = state.acts
    return _replace(
        state,
        acts=(*acts[:at], (*acts[at], act), *acts[at + 1 :]),
        last_us=max(act.at_us, state.last_us or act.at_us),
    )


_FIELDS: dict[str, dict[str, type]] = {
    CHAT: {"text": str},
    "photobook.mark": {"image": str, "label": str},
    "photobook.submit": {},
    "photobook.review": {},
    "photobook.next": {},
    "photobook.questionnaire": {**dict.fromkeys(GRADES, int), "text": str},
    **SERVER_FIELDS,
}
"""The types of act, with the fields that their payloads need."""

_AUTHORS = {kind: (None,) if kind in BY_SERVER else ("A", "B") for kind in _FIELDS}

_REFUSALS = COMMON_REFUSALS | {
    *("stale_round", "empty", "too_long", "starts_with_tag", "unprintable"),
    *("not_on_page", "not_highlighted", "locked", "marks_missing", "already_submitted"),
    *("not_submitted", "already_reviewed", "already_asked", "last_page"),
    *("no_grade", "already_answered"),
}
_NOT_RELEASED = frozenset({"photobook.review", *BY_SERVER})
"""Types that the released format has nothing for."""


class PhotoBook:
    """How two players find out in five rounds which of their images both have.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.
    """

    name = "photobook"
    corpus = "photobook"
    version = "1"
    roles = ("A", "B")
    act_types = frozenset(_FIELDS)
    refusals = _REFUSALS
    material = PhotobookMaterial

    def start(self, material: PhotobookMaterial, seed: int) -> PhotobookState:
        """Draws the order of the pages, unless the material says it."""
        require_sound(material)
        order = material.order
        if order is None:
            order = tuple(Random(f"{seed}:pages").sample(range(ROUNDS), ROUNDS))
        pages = tuple(material.pages[number] for number in order)
        goals = tuple({role: page.goal(role) for role in self.roles} for page in pages)
        return PhotobookState(Setting(material, pages, goals))

    def apply(self, state: PhotobookState, act: Act) -> PhotobookState | Refusal:
        """Returns the state after an act, or why it is refused."""
        refusal = self._refuse(state, act)
        if refusal is not None:
            return refusal
        acts = state.acts
        timed = _replace(
            state,
            # The round that is on is the last of the tuple; the act joins it before the page may
            # turn.
            acts=acts if act.type in _NOT_RELEASED else (*acts[:-1], (*acts[-1], act)),
            last_us=act.at_us,
        )
        return carry_out(timed, act)

    def _refuse(self, state: PhotobookState, act: Act) -> Refusal | None:
        if self.is_over(state):
            return Refusal("over")
        refusal = refuse_stranger(act, _AUTHORS, state.last_us)
        refusal = refusal or refuse_fields(act.payload, _FIELDS[act.type])
        if refusal is not None:
            return refusal
        if act.round is not None and act.round != state.round:
            return Refusal("stale_round", parameters={"round": state.round})
        return _refuse_by_type(state, act)

    def view(self, state: PhotobookState, role: str) -> dict[str, Any]:
        """Returns what a player sees; nothing of the partner but texts and what both know.

        ``images`` are the six of the page, row by row: ``image`` (path), ``highlighted``,
        ``mark`` and ``right`` (null until both have submitted). ``waiting`` is true where this
        player has done its part and the partner has not. ``score`` is of this page, from the
        review on.
        """
        phase, side, goal = state.phase, state.sides[role], state.goal(role)
        reviewing, board = phase != "play" and side.submitted, _board(state, role)
        done = {"play": side.submitted, "review": side.asked}
        return {
            "round": state.round,
            "rounds": ROUNDS,
            "phase": phase,
            "images": [
                {
                    "image": image,
                    "highlighted": flag,
                    "mark": side.marks.get(image),
                    "right": side.marks.get(image) == goal[image] if reviewing and flag else None,
                }
                for image, flag in zip(board.images, board.highlighted, strict=True)
            ],
            "submitted": side.submitted,
            "reviewed": side.reviewed,
            "asked": side.asked,
            "answered": role in state.answers,
            "waiting": done.get(phase, role in state.answers),
            "score": state.score(state.round, role) if reviewing else None,
            "longest": LONGEST,
            "ended": state.ended,
            "chat": list(state.chat),
        }

    def allowed(self, state: PhotobookState, role: str) -> Sequence[Allowed]:
        """Returns what a player may do now: always write, and what the phase asks for."""
        phase, side = state.phase, state.sides[role]
        if phase == "over":
            return ()
        found = [_WRITE]
        goal = state.goal(role)
        if phase == "play" and not side.submitted:
            image = {"enum": list(goal)}
            found.append(Allowed("photobook.mark", payload_schema(image=image, label=_LABEL)))
            if goal.keys() <= side.marks.keys():
                found.append(_SUBMIT)
        if phase != "play" and not side.reviewed:
            found.append(_REVIEW)
        if phase == "review" and not side.asked:
            found.append(_NEXT)
        if phase == "questionnaire" and role not in state.answers:
            found.append(_QUESTIONNAIRE)
        return found

    def timers(self, _state: PhotobookState, /) -> Sequence[Timer]:
        """Returns none: players may take any time."""
        return ()

    def is_over(self, state: PhotobookState) -> bool:
        """Says whether both have answered the questionnaire, or the game was ended."""
        return state.ended is not None or len(state.answers) == 2

    def is_complete(self, state: PhotobookState) -> bool:
        """Says whether both have answered the questionnaire."""
        return len(state.answers) == 2

    def finish(self, state: PhotobookState, sitting: Sitting) -> Sequence[Game]:
        """Returns the log of the game as released; of one that broke off, its rounds so far.

        A game in which nobody did anything has none. The log has neither reviews nor what the
        server and moderators did.
        """
        game = build_game(state, sitting)
        return [] if game is None else [game]

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields one file for each log, under its released name."""
        for game in records:
            a, b = game.agent_ids
            name = f"{game.game_id}_{a}_{b}_{game.domain_id}.json"
            yield ReleasedFile(f"logs/{name}", msgspec.json.encode(game))


def _board(state: PhotobookState, role: str) -> Board:
    page = state.setting.pages[state.round - 1]
    return page.A if role == "A" else page.B


_LABEL = {"enum": ["common", "different"]}
_GRADE = {"type": "integer", "minimum": 1, "maximum": 5}
# Models are told what `_refuse_by_type` refuses, as far as JSON Schema can say it.
_TEXT = {"type": "string", "minLength": 1, "maxLength": LONGEST, "pattern": "^[^<]"}
_COMMENT = {"type": "string", "maxLength": LONGEST_COMMENT}
_WRITE = Allowed(CHAT, payload_schema(text=_TEXT))
_SUBMIT = Allowed("photobook.submit", payload_schema())
_REVIEW = Allowed("photobook.review", payload_schema())
_NEXT = Allowed("photobook.next", payload_schema())
_QUESTIONNAIRE = Allowed(
    "photobook.questionnaire", payload_schema(**dict.fromkeys(GRADES, _GRADE), text=_COMMENT)
)


SCENARIO = PhotoBook()
