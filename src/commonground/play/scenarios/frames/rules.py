"""The rules of the Wizard of Oz game of Frames.

A user reads a task card and chats with a wizard, who alone can search for travel packages:

1. The user begins. After that both write when they like; what one writes in a row is one turn.
2. The wizard searches when it likes; what was found goes into its next message. Where nothing
   fits, some material shows other packages.
3. The wizard notes what the user said last, before it goes on: dialogue acts, new frames, switches.
   The rules suggest what they find in the words; the wizard confirms or does otherwise.
4. The wizard makes its next message: rows of results become offers, each in a frame of its own,
   and other acts are noted. What they say must stand in the message. What is begun can be taken
   back until the message is sent.
5. Only the user ends the chat, or the time does; then the user rates it, and the wizard says
   whether the task was done.

The frames after each turn follow from these gestures, so that the log alone gives every snapshot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from commonground.corpora.frames.native import FramesDialogue, Search
from commonground.corpora.frames.vocabulary import MOST_PACKAGES
from commonground.play import acts, scenario
from commonground.play.scenario import CHAT, Act, Allowed, Refusal, ReleasedFile, Sitting, Timer
from commonground.play.scenarios.frames.game.allowing import allow_user, allow_wizard
from commonground.play.scenarios.frames.game.gestures import (
    GESTURES,
    UndoGesture,
    find_note,
    iterate_acts,
    undo,
)
from commonground.play.scenarios.frames.game.learned import PairModel
from commonground.play.scenarios.frames.game.saying import find_missing, reword
from commonground.play.scenarios.frames.game.showing import show_search, show_user, show_wizard
from commonground.play.scenarios.frames.game.state import (
    LONGEST,
    MOST_TURNS,
    FramesState,
    Noted,
    Setting,
    add_message,
    add_note,
    replace,
)
from commonground.play.scenarios.frames.material import FramesMaterial, draw_card, require_sound
from commonground.play.scenarios.frames.release import build_dialogue, release_dialogues
from commonground.play.worlds.travel import TravelFacts, search

LIMIT_S = 45 * 60
"""Seconds after the first act at which the chat is closed; 97 % of released ones are shorter."""


class _Text(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    text: str


class _Nothing(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    pass


class _Rating(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    rating: float


class _Success(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    success: bool


_FORMS: dict[str, type] = {
    CHAT: _Text,
    "frames.end": _Nothing,
    "frames.time_up": _Nothing,
    **GESTURES,
    **acts.SERVER_FORMS,
}
"""The forms of payloads; those of searches and surveys are looked at apart."""

_AUTHORS: dict[str, tuple[str | None, ...]] = {
    **dict.fromkeys((CHAT, "frames.survey"), ("user", "wizard")),
    "frames.end": ("user",),
    **dict.fromkeys(("frames.search", *GESTURES), ("wizard",)),
    **dict.fromkeys((*acts.BY_SERVER, "frames.time_up"), (None,)),
}

_REFUSALS = acts.COMMON_REFUSALS | {
    *("empty", "too_long", "unprintable", "too_many_turns", "user_begins", "chat_closed"),
    *("not_said", "not_in_text", "nothing_to_note", "draft_open"),
    *("nothing_to_undo", "needed"),
    *("bad_act", "bad_slot", "bad_value", "no_frame", "nothing_new", "already_active"),
    *("no_search", "no_package", "not_of_package", "nothing_to_know_by", "no_change"),
    *("bad_query", "one_slot", "frame_made", "chat_open", "no_rating", "already_answered"),
}


class Frames:
    """How a trip is searched for and talked about: a user with a card, a wizard with the packages.

    Its methods are those of :class:`~commonground.play.scenario.Scenario`.

    Attributes:
        suggests: the model that suggestions are made by; None for plain patterns.
    """

    name = "frames"
    corpus = "frames"
    version = "2"
    roles = ("user", "wizard")
    act_types = frozenset(_AUTHORS)
    refusals = _REFUSALS
    material = FramesMaterial

    def __init__(self) -> None:
        self.suggests: PairModel | None = None

    def start(self, material: FramesMaterial, seed: int) -> FramesState:
        """Draws the card that the user is given; the seed decides which."""
        require_sound(material)
        return FramesState(Setting(material, draw_card(material, seed), seed))

    def apply(self, state: FramesState, act: Act) -> FramesState | Refusal:
        """Returns the state after an act, or why it is refused."""
        if self.is_over(state):
            return Refusal("over")
        found = acts.refuse_stranger(act, _AUTHORS, state.last_us) or _carry_out(state, act)
        if isinstance(found, Refusal):
            return found
        first_us = act.at_us if state.first_us is None else state.first_us
        return replace(found, first_us=first_us, last_us=act.at_us)

    def view(self, state: FramesState, role: str) -> dict[str, Any]:
        """Returns what a player sees.

        Both see the chat. The user sees its card, but not whether it can be done; the wizard sees
        its searches, the frames with what it has noted and begun, and suggestions, but no card.
        """
        common = {
            "round": None,
            "phase": state.phase,
            "turns": len(state.runs),
            "most_turns": MOST_TURNS,
            "longest": LONGEST,
            "ended": state.ended,
            "chat": list(state.chat),
        }
        return common | (show_user(state) if role == "user" else show_wizard(state, self.suggests))

    def allowed(self, state: FramesState, role: str) -> Sequence[Allowed]:
        """Returns what a player may do now."""
        if state.phase == "over":
            return ()
        return allow_user(state) if role == "user" else allow_wizard(state)

    def timers(self, state: FramesState) -> Sequence[Timer]:
        """Closes the chat at its limit of time; the surveys are still answered then."""
        if state.first_us is None or state.phase != "chat":
            return ()
        at_us = state.first_us + LIMIT_S * 1_000_000
        return (Timer("chat", at_us, Act("frames.time_up", None, {}, at_us)),)

    def is_over(self, state: FramesState) -> bool:
        """Says whether both have answered the survey, or the session was ended."""
        return state.phase == "over"

    def is_complete(self, state: FramesState) -> bool:
        """Says whether both have answered the survey."""
        return state.rating is not None and state.success is not None

    def finish(self, state: FramesState, sitting: Sitting) -> Sequence[FramesDialogue]:
        """Returns the dialogue as released.

        One that broke off has a record where somebody wrote and the wizard has answered the
        survey: the format has dialogues without a rating, but none without the wizard's word.
        """
        if not state.runs or state.success is None:
            return []
        return [build_dialogue(state, sitting)]

    def release(self, records: Iterable[Any]) -> Iterator[ReleasedFile]:
        """Yields the one file with all dialogues."""
        return release_dialogues(records)


def _carry_out(state: FramesState, act: Act) -> FramesState | Refusal:
    """Returns the state after an act of somebody who may make such acts."""
    if act.type == "frames.search":
        return _search(state, act)
    # Only a survey has two forms: users rate, wizards say whether it worked out.
    form = _FORMS.get(act.type) or (_Rating if act.role == "user" else _Success)
    payload = acts.read_payload(act.payload, form)
    if isinstance(payload, Refusal):
        return payload
    match act.type:
        case scenario.CHAT:
            return _write(state, act, payload.text)
        case "moderator.message":
            return _show(state, act, payload.text)
        case "frames.end" | "frames.time_up":
            if state.phase != "chat":
                return Refusal("chat_closed" if state.closed else "user_begins")
            # What the wizard has begun to say is gone.
            return replace(state, closed=True, draft=(), waiting=0)
        case "frames.survey":
            return _answer(state, payload)
        case "moderator.end" | "session.ended":
            return replace(state, ended=payload.reason)
        case "frames.undo":
            assert isinstance(payload, UndoGesture)  # noqa: S101 - its form
            return undo(state, payload.of, payload.note)
    found = find_note(state, payload)
    return add_note(state, payload.of, found) if isinstance(found, Noted) else found


def _write(state: FramesState, act: Act, text: str) -> FramesState | Refusal:
    by_user = act.role == "user"
    refusal = acts.refuse_line(text, LONGEST)
    if refusal is not None:
        return refusal
    if state.phase == "survey":
        return Refusal("chat_closed")
    if state.phase == "task" and not by_user:
        return Refusal("user_begins")
    author = "user" if by_user else "wizard"
    if state.last_author != author and len(state.runs) == MOST_TURNS:
        return Refusal("too_many_turns", parameters={"most": MOST_TURNS})
    if not by_user:
        before = state.runs[-1].text if state.last_author == "wizard" else ""
        said = f"{before} {text}"
        missing = find_missing(iterate_acts(state.draft), said)
        if missing is not None:
            return Refusal("not_said", parameters={"value": missing})
        state = replace(state, draft=reword(state.draft, said))
    written = _show(state, act, text)
    return add_message(written, "user" if by_user else "wizard", text, act.at_us)


def _show(state: FramesState, act: Act, text: str) -> FramesState:
    return replace(state, chat=(*state.chat, acts.show_message(act, text)))


def _search(state: FramesState, act: Act) -> FramesState | Refusal:
    """Searches the database; what it finds waits for the wizard's next message."""
    if state.phase == "task":
        return Refusal("user_begins")
    if state.phase == "survey":
        return Refusal("chat_closed")
    if not isinstance(act.payload, dict):
        return Refusal("bad_payload", "protocol", {"field": ""})
    given = {"timestamp": act.at_us / 1_000_000, "RESULT_LIMIT": str(MOST_PACKAGES)}
    query = acts.read_payload({**act.payload, **given}, Search)
    if isinstance(query, Refusal):
        return query
    field = _find_bad_field(act.payload)
    if field is not None:
        return Refusal("bad_query", parameters={"field": field})
    material = state.setting.material
    came = search(TravelFacts(material.packages, material.suggests), query)
    found = show_search(len(state.searches) + 1, query, came.packages, fits=came.fits)
    return replace(state, searches=(*state.searches, found), waiting=state.waiting + 1)


_NUMBERS = ("NUM_ADULTS", "NUM_CHILDREN", "PRICE_MIN", "PRICE_MAX", "START_TIME", "END_TIME")


def _find_bad_field(query: dict[str, Any]) -> str | None:
    """Returns the first field of a search form that is not filled in as it must be.

    The released searches have numbers that are none, and five lack the number of adults; the form
    takes neither.
    """
    if "timestamp" in query or "RESULT_LIMIT" in query:
        return "timestamp" if "timestamp" in query else "RESULT_LIMIT"
    for field in _NUMBERS:
        # Only the number of adults must be there; any other field that is absent passes.
        digits = query.get(field, "" if field == "NUM_ADULTS" else "0")
        # Nobody counts or pays in numbers of more than sixteen digits, and no date needs them.
        if not (digits.isascii() and digits.isdigit() and len(digits) <= 16):
            return field
    for field in ("ORIGIN_CITY", "DESTINATION_CITY"):
        if not query.get(field, "x").strip():
            return field
    if query.get("ARE_DATES_FLEXIBLE", "true") != "true":
        return "ARE_DATES_FLEXIBLE"
    # From 1e16 on Python writes a number with an exponent.
    return "MAX_DURATION" if not 0 < query.get("MAX_DURATION", 1) < 1e16 else None


def _answer(state: FramesState, survey: _Rating | _Success) -> FramesState | Refusal:
    if not state.closed:
        return Refusal("chat_open")
    if isinstance(survey, _Success):
        if state.success is not None:
            return Refusal("already_answered")
        return replace(state, success=survey.success)
    if state.rating is not None:
        return Refusal("already_answered")
    if not 1 <= survey.rating <= 5 or not survey.rating.is_integer():
        return Refusal("no_rating", parameters={"least": 1, "most": 5})
    return replace(state, rating=survey.rating)


SCENARIO = Frames()
