"""What each player may do now, as JSON Schemas of the payloads."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from commonground.corpora.frames.native import Author
from commonground.corpora.frames.vocabulary import ACTS, MARKS, REFERENCES, SLOTS
from commonground.play.scenario import CHAT, Allowed, payload_schema
from commonground.play.scenarios.frames.game.state import LONGEST, MOST_TURNS, FramesState


def _list(items: dict[str, Any], least: int = 0) -> dict[str, Any]:
    return {"type": "array", "items": items, "minItems": least}


def _one_of(*values: Any) -> dict[str, Any]:
    return {"enum": list(values)}


# Released searches have their numbers as texts, MAX_DURATION aside.
_DIGITS = {"type": "string", "pattern": "^[0-9]{1,16}$"}
_CITY = {"type": "string", "minLength": 1}
_VALUE = {"type": ["string", "boolean", "null"]}
_SAID = {"type": ["string", "boolean"]}
_ANY_SLOT = _one_of(*sorted(SLOTS))
_ANNOTATIONS = _list(payload_schema(("val",), key=_ANY_SLOT, val=_VALUE))
_HELD = _one_of(*sorted(SLOTS | MARKS))
_HELD_VALUE = payload_schema(
    val={"type": ["string", "boolean", "array", "null"]}, negated={"type": "boolean"}
)
_END = Allowed("frames.end", payload_schema(), due=False)
_RATING = Allowed(
    "frames.survey", payload_schema(rating={"type": "integer", "minimum": 1, "maximum": 5})
)
_SUCCESS = Allowed("frames.survey", payload_schema(success={"type": "boolean"}))
_SEARCH = Allowed(
    "frames.search",
    due=False,
    payload=payload_schema(
        (
            *("ORIGIN_CITY", "DESTINATION_CITY", "START_TIME", "END_TIME"),
            *("ARE_DATES_FLEXIBLE", "MAX_DURATION", "NUM_CHILDREN", "PRICE_MIN", "PRICE_MAX"),
        ),
        ORIGIN_CITY=_CITY,
        DESTINATION_CITY=_CITY,
        START_TIME=_DIGITS,
        END_TIME=_DIGITS,
        ARE_DATES_FLEXIBLE=_one_of("true"),
        MAX_DURATION={"type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": 10**16},
        NUM_ADULTS=_DIGITS,
        NUM_CHILDREN=_DIGITS,
        PRICE_MIN=_DIGITS,
        PRICE_MAX=_DIGITS,
    ),
)


def _allow_message(state: FramesState, author: Author) -> list[Allowed]:
    """Returns that somebody may write, if so; due from whoever did not write last."""
    is_open = state.phase == "chat" or (state.phase == "task" and author == "user")
    # What somebody writes in a row is one turn, so whoever wrote last may go on in it.
    if not is_open or (state.last_author != author and len(state.runs) >= MOST_TURNS):
        return []
    text = {"type": "string", "minLength": 1, "maxLength": LONGEST}
    return [Allowed(CHAT, payload_schema(text=text), due=state.last_author != author)]


def allow_user(state: FramesState) -> list[Allowed]:
    """Returns what the user may do in a session that is not over: write, end the chat, rate it."""
    found = _allow_message(state, "user")
    if state.phase == "chat":
        found.append(_END)
    if state.phase == "survey" and state.rating is None:
        found.append(_RATING)
    return found


def allow_wizard(state: FramesState) -> list[Allowed]:
    """Returns what the wizard may do: write, search, gestures, say whether the task was done."""
    found = _allow_message(state, "wizard")
    if state.phase == "chat":
        found.append(_SEARCH)
        found += _allow_offer(state)
    found += _allow_gestures(state)
    if state.phase == "survey" and state.success is None:
        found.append(_SUCCESS)
    return found


def _allow_offer(state: FramesState) -> list[Allowed]:
    filled = [number for number, each in enumerate(state.searches, 1) if each.packages]
    if not filled:
        return []
    # Of any of them: a schema cannot say that the rows depend on the search. The rules refuse
    # others.
    most = max(len(state.searches[number - 1].packages) for number in filled)
    offer = payload_schema(
        ("name", "of", "parent"),
        search=_one_of(*filled),
        row={"type": "integer", "minimum": 1, "maximum": most},
        tell=_list(_ANY_SLOT, least=1),
        name=_one_of("offer", "suggest"),
        of=_one_of("wizard"),
        parent=_one_of(None, *range(1, len(state.book.frames) + 1)),
    )
    return [Allowed("frames.offer", offer, due=False)]


def _allow_gestures(state: FramesState) -> tuple[Allowed, ...]:
    """Returns the gestures about what the user said last, and about the wizard's next message."""
    of: list[Author] = []
    if state.last_author == "user" and state.success is None and not state.draft:
        of.append("user")
    if state.phase == "chat":
        of.append("wizard")
    notes = {each: len(state.notes(each)) for each in of}
    undoable = tuple((each, found) for each, found in notes.items() if found)
    book = state.book
    opening = tuple(each for each in of if each == "wizard" or not state.has_opened)
    frames = len(book.frames)
    return _list_gestures(tuple(of), undoable, opening, frames, book.active) if of else ()


# Asked for after every act, and large; all sessions share those of equal numbers.
@lru_cache(maxsize=1024)
def _list_gestures(
    of: tuple[Author, ...],
    undoable: tuple[tuple[Author, int], ...],
    opening: tuple[Author, ...],
    frames: int,
    active: int,
) -> tuple[Allowed, ...]:
    """Lists gestures about somebody's words.

    Some words have so many to take back, and some may make a new frame or go to another.
    """
    numbers = range(1, frames + 1)
    found = _allow_notes(of, _one_of(*numbers))
    if opening:
        found += _allow_frames(opening, numbers, active)
    if undoable:
        most = max(number for _, number in undoable)
        note = {"type": "integer", "minimum": 1, "maximum": most}
        whose = _one_of(*(each for each, _ in undoable))
        found.append(("frames.undo", payload_schema(("note",), of=whose, note=note)))
    return tuple(Allowed(name, payload, due=False) for name, payload in found)


_Gesture = tuple[str, dict[str, Any]]
"""The type of an act, and the schema of its payload."""


def _allow_notes(of: tuple[Author, ...], frame: dict[str, Any]) -> list[_Gesture]:
    """Returns the gestures that note what words do, and what a frame holds and is asked for."""
    whose = _one_of(*of)
    names = sorted({name for each in of for name in ACTS[each]} - {"offer", "switch_frame"})
    question = payload_schema(
        ("value",),
        of=whose,
        frame=frame,
        kind=_one_of("request", "binary", "compare"),
        by=_one_of("user", "wizard"),
        keys=_list(_HELD),
        value={"type": ["string", "boolean", "array"]},
        open={"type": "boolean"},
    )
    act = payload_schema(("args",), of=whose, name=_one_of(*names), args=_list(_arg(frame)))
    edit = payload_schema(of=whose, frame=frame, slot=_HELD, values=_list(_HELD_VALUE))
    return [("frames.act", act), ("frames.slot", edit), ("frames.question", question)]


def _allow_frames(opening: tuple[Author, ...], numbers: range, active: int) -> list[_Gesture]:
    """Returns the gestures that make a frame, and that go to another one."""
    # A frame without anything new would be its parent again.
    args = {**_list(_arg(_one_of(*numbers))), "minItems": 1}
    parent = _one_of(None, *numbers)
    new = payload_schema(("parent",), of=_one_of(*opening), args=args, parent=parent)
    if "user" not in opening or len(numbers) < 2:
        return [("frames.frame_new", new)]
    switch = payload_schema(
        ("of", "slots", "fromrange"),
        of=_one_of("user"),
        frame=_one_of(*(number for number in numbers if number != active)),
        slots=_ANNOTATIONS,
        fromrange={"type": "boolean"},
    )
    return [("frames.frame_new", new), ("frames.frame_switch", switch)]


def _arg(frame: dict[str, Any]) -> dict[str, Any]:
    """Returns the schema of an argument of an act: a slot, or references to frames."""
    reference = payload_schema(frame=frame, annotations=_ANNOTATIONS, fromrange={"type": "boolean"})
    return {
        "anyOf": [
            payload_schema(("val",), key=_one_of(*sorted(SLOTS - {"ref_anaphora"})), val=_SAID),
            payload_schema(key=_one_of(*sorted(REFERENCES)), val=_list(reference, least=1)),
        ]
    }
