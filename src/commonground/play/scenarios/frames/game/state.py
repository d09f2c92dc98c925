"""A session between two acts: what was said, what the frames hold, what the wizard has begun."""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from commonground.corpora.frames.native import Author, DialogueAct, Package, Search
from commonground.play.scenarios.frames.game.frame_book import Book, open_book
from commonground.play.scenarios.frames.material import FramesMaterial
from commonground.play.scenarios.frames.travel.cards import TaskCard

Phase = Literal["task", "chat", "survey", "over"]
"""The user reads the card; both chat; both answer the survey; nothing any more."""

LONGEST = 1_000
"""Characters that a message may have; released turns have 609 at most."""

MOST_TURNS = 60
"""Runs of messages that a chat may have; the longest released one has 48."""


class Setting(msgspec.Struct, frozen=True):
    """What does not change in a session; the seed drew the card from those of the material."""

    material: FramesMaterial
    card: TaskCard
    seed: int


class WizardSearch(msgspec.Struct, frozen=True):
    """A search of the wizard.

    Attributes:
        query: as released, with its time.
        packages: what it found, cheapest first; ten at most.
        shown: both as views show them, in plain JSON values.
        fits: whether the packages fit the query; false where others are suggested.
    """

    query: Search
    packages: tuple[Package, ...]
    shown: dict[str, Any]
    fits: bool = True


class Noted(msgspec.Struct, frozen=True):
    """A gesture of the wizard.

    Attributes:
        act: the dialogue act that it notes; None for a mere edit of frames.
        book: the frames after it.
        text: words for the wizard's message, ready to be sent or changed.
        made: number of the frame that it makes; None for none.
        gesture: what was done, so that it can be done again without one that came before it; None
            where released dialogues are taken apart.
    """

    act: DialogueAct | None
    book: Book
    text: str = ""
    made: int | None = None
    gesture: msgspec.Struct | None = None


class MessageRun(msgspec.Struct, frozen=True):
    """Messages of one author in a row: a turn of the released format.

    Attributes:
        base: the frames before them.
        texts: what was written, trimmed.
        at_us: time of the user's first, or of the wizard's last, so that what the wizard searched
            for the user's words lies between the two.
        searches: made before the last of them and after the wizard's message before.
    """

    author: Author
    base: Book
    texts: tuple[str, ...]
    at_us: int
    notes: tuple[Noted, ...] = ()
    searches: tuple[WizardSearch, ...] = ()

    @property
    def text(self) -> str:
        """All of it, as one text."""
        return " ".join(self.texts)

    @property
    def book(self) -> Book:
        """The frames after the last gesture about the messages; without one, those before."""
        return self.notes[-1].book if self.notes else self.base


class FramesState(msgspec.Struct, frozen=True):
    """A session between two acts.

    Attributes:
        draft: gestures about the wizard's next message.
        waiting: how many of the searches wait for the wizard's next message.
        chat: everything that was written, as views show it.
        rating, success: of the user's and of the wizard's survey; None before it.
        closed: whether the chat is over and the surveys are open.
        first_us, last_us: times of the first and of the last act; None before the first.
        ended: why it was ended before its time; None where it was not.
    """

    setting: Setting
    runs: tuple[MessageRun, ...] = ()
    draft: tuple[Noted, ...] = ()
    searches: tuple[WizardSearch, ...] = ()
    waiting: int = 0
    chat: tuple[dict[str, Any], ...] = ()
    rating: float | None = None
    success: bool | None = None
    closed: bool = False
    first_us: int | None = None
    last_us: int | None = None
    ended: str | None = None

    @property
    def phase(self) -> Phase:
        """Where the session stands: reading the task, talking, rating, or over."""
        if self.ended is not None or (self.rating is not None and self.success is not None):
            return "over"
        if self.closed:
            return "survey"
        return "chat" if self.runs else "task"

    @property
    def book(self) -> Book:
        """The frames as the wizard sees them, with what it has begun."""
        if self.draft:
            return self.draft[-1].book
        return self.runs[-1].book if self.runs else open_book()

    @property
    def last_author(self) -> Author | None:
        """Who wrote last; None before the first message."""
        return self.runs[-1].author if self.runs else None

    @property
    def has_opened(self) -> bool:
        """Says whether the user's last words have a new frame, which stays the active one.

        The new frame of the first turn is the first one.
        """
        is_first = len(self.runs) == 1
        return is_first or any(note.made is not None for note in self.notes("user"))

    def notes(self, of: Author) -> tuple[Noted, ...]:
        """Returns the gestures about what the user said last, or about what the wizard will say."""
        if of == "wizard":
            return self.draft
        return self.runs[-1].notes if self.last_author == "user" else ()


replace = msgspec.structs.replace


def add_note(state: FramesState, of: Author, note: Noted) -> FramesState:
    """Returns the state with one more gesture about somebody's words."""
    return set_notes(state, of, (*state.notes(of), note))


def set_notes(state: FramesState, of: Author, notes: tuple[Noted, ...]) -> FramesState:
    """Returns the state with other gestures about the user's last words, or the wizard's next."""
    if of == "wizard":
        return replace(state, draft=notes)
    *before, last = state.runs
    return replace(state, runs=(*before, replace(last, notes=notes)))


def add_message(state: FramesState, author: Author, text: str, at_us: int) -> FramesState:
    """Returns the state after a message; the wizard's takes its gestures and searches with it.

    Args:
        text: as it was typed; white space around it goes.
        at_us: the time, in Unix microseconds.
    """
    *before, last = state.runs or (None,)
    if last is None or last.author != author:
        before = [*before, last] if last is not None else []
        # A new turn begins with the frames that the one before ended with.
        last = MessageRun(author, last.book if last is not None else open_book(), (), at_us)
    last = replace(last, texts=(*last.texts, text.strip()))
    if author == "wizard":
        # Not [-waiting:], which would be all of them where none waits.
        taken = state.searches[len(state.searches) - state.waiting :]
        notes, searches = (*last.notes, *state.draft), (*last.searches, *taken)
        last = replace(last, notes=notes, searches=searches, at_us=at_us)
        state = replace(state, draft=(), waiting=0)
    return replace(state, runs=(*before, last))
