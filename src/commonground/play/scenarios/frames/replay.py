"""Released dialogues as what their people did, so that they fork.

The release has neither the users' cards nor the database: the card is what the first frame held in
the end, and the database is all that somebody found, as in the world of the same file. What the
rules of today refuse, or do otherwise, is put right by an act of its own, ``frames.released``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from commonground.corpora.frames.native import (
    FORMATS,
    Author,
    DialogueAct,
    Frame,
    FramesDialogue,
    Package,
    Search,
    Turn,
    read_time,
)
from commonground.corpora.frames.vocabulary import MOST_PACKAGES
from commonground.files.documents import decode_all
from commonground.play.acts import show_message
from commonground.play.scenario import CHAT, Act, Recorded, Refusal, Replayer
from commonground.play.scenarios.frames.game.frame_book import Book
from commonground.play.scenarios.frames.game.showing import show_search
from commonground.play.scenarios.frames.game.state import (
    FramesState,
    Noted,
    add_message,
    add_note,
    replace,
)
from commonground.play.scenarios.frames.material import FramesMaterial
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.scenarios.frames.travel.cards import TaskCard, is_solvable
from commonground.play.scenarios.frames.travel.database import open_database
from commonground.play.scenarios.frames.travel.values import Value
from commonground.play.worlds.travel import TravelFacts, find_facts, read_courses
from commonground.records import UNSET

RELEASED = "frames.released"
"""An act of nobody: the frames are as released from here on."""

_FOUND = "found"
"""Part of a search that was released: what it found."""

_WISHES = (
    *("or_city", "dst_city", "n_adults", "n_children", "str_date", "end_date"),
    *("budget", "max_duration", "flex"),
)


class _Frames(msgspec.Struct, frozen=True):
    of: Author
    acts: list[DialogueAct]
    frames: tuple[Frame, ...]
    active: int


def record_file(name: str, data: bytes) -> list[Recorded]:
    """Reads the dialogues of a file as what their people did.

    Raises:
        FormatError: it is no file of dialogues; the message says where.
    """
    dialogues: list[FramesDialogue] = [each.record for each in decode_all(name, data, FORMATS[0])]
    courses = [course for each in dialogues for course in read_courses(each)]
    worlds: dict[str, TravelFacts] = {
        group: find_facts([each for each in courses if each.group == group])
        for group in {each.group for each in courses}
    }
    return [
        _Recorder(each, worlds[course.group]).record()
        for each, course in zip(dialogues, courses, strict=True)
        if each.turns and open_database(worlds[course.group].packages).deals
    ]


class _Recorder:
    """A released dialogue on its way through the rules."""

    def __init__(self, dialogue: FramesDialogue, facts: TravelFacts) -> None:
        card = _make_card(dialogue, facts)
        self._dialogue = dialogue
        self._material = FramesMaterial((card,), facts.packages, facts.suggests)
        self._state = SCENARIO.start(self._material, 0)
        self._acts: list[Act] = []

    def record(self) -> Recorded:
        """Returns what was done, in order."""
        for turn in self._dialogue.turns:
            at_us = round((read_time(turn.timestamp, 1000) or 0) * 1_000)
            if turn.author == "user":
                self._do(CHAT, "user", {"text": turn.text}, at_us)
                self._note(turn, [*self._switch(turn)])
            else:
                for form, at in _list_searches(turn):
                    self._do("frames.search", "wizard", form, at)
                self._note(turn, turn.labels.acts)
                self._do(CHAT, "wizard", {"text": turn.text}, at_us)
        labels = self._dialogue.labels
        self._try("frames.end", "user", {})
        self._try("frames.survey", "user", {"rating": labels.userSurveyRating})
        self._try("frames.survey", "wizard", {"success": labels.wizardSurveyTaskSuccessful})
        name, acts = self._dialogue.id, tuple(self._acts)
        return Recorded(name=name, seed=0, material=self._material, acts=acts)

    def _do(self, kind: str, role: str | None, payload: dict[str, Any], at_us: int = 0) -> None:
        """Does something, whether or not the rules would allow it."""
        # Some searches have a time outside their turn.
        act = Act(kind, role, payload, max(at_us, (self._state.last_us or 0) + 1))
        after = follow(self._state, act)
        assert isinstance(after, FramesState)  # noqa: S101 - words, or what the rules allow
        self._state = after
        self._acts.append(act)

    def _try(self, kind: str, role: str, payload: dict[str, Any]) -> bool:
        """Does something if the rules allow it, and says whether they do."""
        act = Act(kind, role, payload, (self._state.last_us or 0) + 1)
        is_allowed = not isinstance(SCENARIO.apply(self._state, act), Refusal)
        if is_allowed:
            self._do(kind, role, payload)
        return is_allowed

    def _switch(self, turn: Turn) -> Iterator[DialogueAct]:
        """Switches to other frames; yields the acts that are still to be noted."""
        for act in turn.labels.acts:
            found = [each for arg in act.args if isinstance(arg.val, list) for each in arg.val]
            if act.name == "switch_frame" and len(act.args) == len(found) == 1:
                slots = msgspec.to_builtins(found[0].annotations)
                payload = {"frame": found[0].frame, "slots": slots, "fromrange": found[0].fromrange}
                if self._try("frames.frame_switch", "wizard", payload):
                    continue
            yield act

    def _note(self, turn: Turn, acts: list[DialogueAct]) -> None:
        labels = turn.labels
        noted = _Frames(turn.author, acts, tuple(labels.frames), labels.active_frame)
        self._do(RELEASED, None, msgspec.to_builtins(noted))


def _list_searches(turn: Turn) -> Iterator[tuple[dict[str, Any], int]]:
    """Yields the searches of a turn with what they found, each with its time."""
    if turn.db is UNSET:
        return
    for query, packages in zip(turn.db.search, turn.db.result, strict=False):
        form = msgspec.to_builtins(query)
        del form["timestamp"]
        form[_FOUND] = msgspec.to_builtins(packages)
        # Searches are timed in seconds, turns in milliseconds.
        yield form, round((read_time(query.timestamp) or 0) * 1_000_000)


def _make_card(dialogue: FramesDialogue, facts: TravelFacts) -> TaskCard:
    """Makes the card of a user: wishes are what the first frame holds at the end."""
    frames = dialogue.turns[-1].labels.frames
    held = frames[0].info if frames else {}
    wishes: dict[str, Value] = {}
    for slot in _WISHES:
        for value in held.get(slot, []):
            if isinstance(value.val, str | bool) and not value.negated:
                wishes.setdefault(slot, value.val)
    card = TaskCard(f"released-{dialogue.id}", "strict", "", wishes)
    return msgspec.structs.replace(card, solvable=is_solvable(card, open_database(facts.packages)))


def follow(state: FramesState, act: Act) -> FramesState | Refusal:
    """Returns the state after an act, of a released dialogue whether or not the rules allow it."""
    if act.type == RELEASED:
        # Acts are noted, and the frames are as released from the last of them on.
        noted = msgspec.convert(act.payload, _Frames)
        is_new = noted.of == "user" and len(noted.frames) > len(state.book.frames)
        after = state
        for each in noted.acts:
            after = add_note(after, noted.of, Noted(each, after.book))
        book, made = Book(noted.frames, noted.active), len(noted.frames) if is_new else None
        after = add_note(after, noted.of, Noted(None, book, made=made))
    elif act.type == "frames.search" and _FOUND in act.payload:
        form = {key: each for key, each in act.payload.items() if key != _FOUND}
        query = msgspec.convert({"timestamp": act.at_us / 1_000_000, **form}, Search)
        packages = msgspec.convert(act.payload[_FOUND], list[Package])
        found = show_search(len(state.searches) + 1, query, packages[:MOST_PACKAGES])
        searches, waiting = (*state.searches, found), state.waiting + 1
        after = replace(state, searches=searches, waiting=waiting)
    else:
        result = SCENARIO.apply(state, act)
        if not isinstance(result, Refusal) or act.type != CHAT:
            return result
        author: Author = "user" if act.role == "user" else "wizard"
        text = act.payload["text"]
        after = replace(state, chat=(*state.chat, show_message(act, text)))
        after = add_message(after, author, text, act.at_us)
    first_us = act.at_us if state.first_us is None else state.first_us
    return replace(after, first_us=first_us, last_us=act.at_us)


REPLAY = Replayer(record=record_file, follow=follow)
