"""The wizard's gestures: what they note of the dialogue, and what they do to the frames.

A gesture is about what the user said last (``of`` is ``user``), or about what the wizard is going
to say. Of each there is a struct with the form of its payload, and a function that says what comes
of it: a :class:`~commonground.play.scenarios.frames.game.state.Noted`, or why it is refused.
Nothing is annotated afterwards: the acts and frames of a released turn are those of its gestures.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Literal

import msgspec

from commonground.corpora.frames import native
from commonground.corpora.frames.vocabulary import (
    ACTS,
    DONT_CARE,
    FLAGS,
    LABELS,
    MARKS,
    REFERENCES,
    SLOTS,
)
from commonground.play.scenario import Refusal
from commonground.play.scenarios.frames.game import frame_book as books
from commonground.play.scenarios.frames.game.frame_book import Book
from commonground.play.scenarios.frames.game.saying import word_offer
from commonground.play.scenarios.frames.game.state import FramesState, Noted, add_note, set_notes
from commonground.play.scenarios.frames.travel.values import (
    FLAG_OF,
    Value,
    hold_value,
    say_package,
)
from commonground.records import UNSET


class Gesture(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Base of the payloads of gestures: each is about somebody's words."""

    of: native.Author


class ActGesture(Gesture, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Notes a dialogue act that makes no frame."""

    name: str
    args: list[native.Slot] = []


class FrameGesture(Gesture, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Notes that the user wants something else, or that the wizard suggests it: a new frame.

    Attributes:
        args: what is new in it, as in an act.
        parent: the frame that it comes from; None for the first one where the user makes it, for
            the one that is referred to, or else the active one, where the wizard does.
    """

    args: list[native.Slot]
    parent: int | None = None


class SwitchGesture(Gesture, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Notes that the user goes to another frame.

    Attributes:
        slots: the words by which the user refers to it.
        fromrange: whether they stand for several frames, of which this is one.
    """

    of: Literal["user"] = "user"
    frame: int
    slots: list[native.Annotation] = []
    fromrange: bool = False


class OfferGesture(Gesture, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Takes a row of a search result into the wizard's next message: an offer, in a new frame.

    Attributes:
        search: number of the search in the session, from 1.
        row: number of the package in its result, from 1.
        tell: slots that the message says.
        parent: the frame that the new one comes from; None for the active one.
    """

    of: Literal["wizard"] = "wizard"
    search: int
    row: int
    tell: list[str]
    name: Literal["offer", "suggest"] = "offer"
    parent: int | None = None


class EditGesture(Gesture, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Puts a slot of a frame right, without a dialogue act.

    Attributes:
        slot: of it, or one of the marks.
        values: all that it is to hold; none to empty it.
    """

    frame: int
    slot: str
    values: list[native.InfoValue]


class QuestionGesture(Gesture, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Opens or closes a question about a frame, without a dialogue act.

    Attributes:
        by: who asks it; comparisons are always the user's.
        keys: the slot that is asked about; of a comparison, one or several.
        value: to be confirmed, for a yes-or-no question.
    """

    frame: int
    kind: Literal["request", "binary", "compare"]
    by: native.Author
    keys: list[str]
    value: str | bool | list[str] = []
    open: bool


class UndoGesture(Gesture, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Takes back a gesture about the same words; those that came after it are made again.

    Attributes:
        note: number of the gesture, from 1; None for the last.
    """

    note: int | None = None


GESTURES: dict[str, type[Gesture]] = {
    "frames.act": ActGesture,
    "frames.frame_new": FrameGesture,
    "frames.frame_switch": SwitchGesture,
    "frames.offer": OfferGesture,
    "frames.slot": EditGesture,
    "frames.question": QuestionGesture,
    "frames.undo": UndoGesture,
}
"""The gestures, by type of act."""


def find_note(state: FramesState, gesture: Gesture) -> Noted | Refusal:
    """Returns what comes of a gesture that is not taken back, or why it is refused."""
    refusal = _refuse_time(state, gesture.of)
    if refusal is not None:
        return refusal
    found = _note(state, gesture)
    if isinstance(found, Refusal):
        return found
    if found.act is not None and gesture.of == "user":
        value = _find_unsaid(found.act, state.runs[-1].text)
        refusal = None if value is None else Refusal("not_in_text", parameters={"value": value})
    return refusal or msgspec.structs.replace(found, gesture=gesture)


def _note(state: FramesState, gesture: Gesture) -> Noted | Refusal:
    book = state.book
    match gesture:
        case ActGesture():
            return _note_act(book, gesture)
        # A user's words make one frame at most: in the released file the new frame of a user's turn
        # is always the active one.
        case FrameGesture() if gesture.of == "user" and state.has_opened:
            return Refusal("frame_made")
        case FrameGesture():
            return _note_frame(book, gesture)
        case SwitchGesture() if state.has_opened:
            return Refusal("frame_made")
        case SwitchGesture() | EditGesture() | QuestionGesture() if not book.has(gesture.frame):
            return Refusal("no_frame", parameters={"frame": gesture.frame})
        case SwitchGesture():
            return _note_switch(book, gesture)
        case OfferGesture():
            return _note_offer(state, gesture)
        case EditGesture():
            return _note_edit(book, gesture)
        case QuestionGesture():
            return _note_question(book, gesture)
    return Refusal("unknown_type", "protocol")


def _refuse_time(state: FramesState, of: native.Author) -> Refusal | None:
    """Says why nothing can be noted about these words now; None where it can."""
    if of == "user":
        if state.last_author != "user" or state.success is not None:
            return Refusal("nothing_to_note")
        # What the wizard prepares may name frames that a note about the user would make.
        return Refusal("draft_open") if state.draft else None
    if state.phase == "task":
        return Refusal("user_begins")
    return None if state.phase == "chat" else Refusal("chat_closed")


def undo(state: FramesState, of: native.Author, number: int | None = None) -> FramesState | Refusal:
    """Returns the state without a gesture; those after it are made again, as they were made.

    Args:
        number: of the gesture among those about the same words, from 1; None for the last.
    """
    refusal = _refuse_time(state, of)
    if refusal is not None:
        return refusal
    notes = state.notes(of)
    at = len(notes) if number is None else number
    if not 1 <= at <= len(notes):
        return Refusal("nothing_to_undo")
    taken, later = notes[at - 1], notes[at:]
    made = taken.made
    # The numbers of frames that come after it would mean others.
    if made is not None and any(frame >= made for each in later for frame in _name_frames(each)):
        return Refusal("needed", parameters={"frame": made})
    state = set_notes(state, of, notes[: at - 1])
    for each in later:
        assert isinstance(each.gesture, Gesture)  # noqa: S101 - only replays make others
        found = find_note(state, each.gesture)
        if isinstance(found, Refusal):
            return Refusal("needed", parameters={"frame": made})
        state = add_note(state, of, found)
    return state


def _name_frames(note: Noted) -> set[int]:
    own = (getattr(note.gesture, field, None) for field in ("frame", "parent"))
    named = {number for number in own if number is not None}
    return named if note.act is None else named.union(books.frames_of(note.act))


def _find_unsaid(act: native.DialogueAct, text: str) -> str | None:
    """Returns the first value of an act that a text does not have, capitals aside; None for none.

    Labels are not said, and "any" is said in many ways.
    """
    plain = text.casefold()
    said = [(s.key, s.val) for s in books.bare_slots(act)]
    said += [(key, value) for _, key, value in books.noted_slots(act)]
    for key, value in said:
        if not isinstance(value, str) or key in LABELS or value == DONT_CARE:
            continue
        if value.casefold() not in plain:
            return value
    return None


def _note_act(book: Book, gesture: ActGesture) -> Noted | Refusal:
    if gesture.name not in ACTS[gesture.of] or gesture.name in ("offer", "switch_frame"):
        return Refusal("bad_act", "protocol", {"name": gesture.name})
    act = native.DialogueAct(name=gesture.name, args=gesture.args)
    refusal = _refuse_args(book, gesture.of, act)
    return refusal or Noted(act, books.carry(book, gesture.of, act))


def _refuse_args(book: Book, of: native.Author, act: native.DialogueAct) -> Refusal | None:
    """Says what is wrong with the slots of an act; None where nothing is."""
    for arg in act.args:
        if arg.key not in REFERENCES:
            if arg.key == "ref_anaphora":
                return Refusal("bad_slot", "protocol", {"slot": arg.key})
            refusal = _refuse_value(arg.key, arg.val)
            if arg.val is None:  # outside of references, what is asked for has no value at all
                refusal = Refusal("bad_value", "protocol", {"slot": arg.key})
        elif not isinstance(arg.val, list) or not arg.val:
            refusal = Refusal("bad_value", "protocol", {"slot": arg.key})
        elif arg.key != "ref" and (of, act.name) != ("wizard", "inform"):
            refusal = Refusal("bad_slot", "protocol", {"slot": arg.key})
        else:
            refusal = _refuse_references(book, arg.val)
        if refusal is not None:
            return refusal
    return None


def _refuse_references(book: Book, references: Iterable[native.Reference]) -> Refusal | None:
    for reference in references:
        if not book.has(reference.frame):
            return Refusal("no_frame", parameters={"frame": reference.frame})
        for note in reference.annotations:
            refusal = _refuse_value(note.key, note.val)
            if refusal is not None:
                return refusal
    return None


def _refuse_value(slot: str, value: object) -> Refusal | None:
    """Says what is wrong with a slot of an act; None where nothing is."""
    if slot not in SLOTS:
        return Refusal("bad_slot", "protocol", {"slot": slot})
    if value is UNSET or value is None:
        return None
    fits = isinstance(value, bool) if slot in FLAGS else isinstance(value, str) and bool(value)
    return None if fits else Refusal("bad_value", "protocol", {"slot": slot})


def _note_frame(book: Book, gesture: FrameGesture) -> Noted | Refusal:
    name = "inform" if gesture.of == "user" else "suggest"
    act = native.DialogueAct(name=name, args=gesture.args)
    refusal = _refuse_args(book, gesture.of, act)
    if refusal is not None:
        return refusal
    said = [slot for slot in books.bare_slots(act) if isinstance(slot.val, str | bool)]
    if not said:
        return Refusal("nothing_new")
    parent = gesture.parent
    if parent is None:
        # The released frames of wizards all follow this, those of users nearly all.
        referred = books.frames_of(act) or [book.active]
        parent = books.ROOT if gesture.of == "user" else referred[0]
    if not book.has(parent):
        return Refusal("no_frame", parameters={"frame": parent})
    book = books.add_frame(book, parent, [slot.key for slot in said])
    if gesture.of == "user":
        book = books.activate(book, len(book.frames))
        return Noted(act, books.carry(book, "user", act), made=len(book.frames))
    act.args.append(native.Slot(key="id", val=len(book.frames)))
    return Noted(act, books.carry(book, "wizard", act), made=len(book.frames))


def _note_switch(book: Book, gesture: SwitchGesture) -> Noted | Refusal:
    if gesture.frame == book.active:
        return Refusal("already_active", parameters={"frame": gesture.frame})
    reference = native.Reference(
        frame=gesture.frame, annotations=gesture.slots, fromrange=gesture.fromrange
    )
    refusal = _refuse_references(book, [reference])
    act = native.DialogueAct(name="switch_frame", args=[native.Slot(key="ref", val=[reference])])
    return refusal or Noted(act, books.activate(book, gesture.frame))


_OF_PACKAGES = frozenset(
    {
        *("or_city", "dst_city", "str_date", "end_date", "seat", "duration"),
        *("name", "category", "price", "gst_rating"),
        *FLAG_OF.values(),
        *("airport", "beach", "downtown", "mall", "market", "museum", "palace", "park"),
        *("shopping", "university"),
    }
)
"""Slots that a package says: an offer takes none over that the package does not bear out."""


def _note_offer(state: FramesState, gesture: OfferGesture) -> Noted | Refusal:
    if not 1 <= gesture.search <= len(state.searches):
        return Refusal("no_search", parameters={"search": gesture.search})
    packages = state.searches[gesture.search - 1].packages
    if not 1 <= gesture.row <= len(packages):
        return Refusal("no_package", parameters={"row": gesture.row, "most": len(packages)})
    package = packages[gesture.row - 1]
    said = say_package(package)
    for slot in gesture.tell:
        if slot not in said:
            return Refusal("not_of_package", parameters={"slot": slot})
    # Anyone who is told neither cannot know which row of the result is meant.
    if not {"name", "price"}.intersection(gesture.tell):
        return Refusal("nothing_to_know_by")
    parent = state.book.active if gesture.parent is None else gesture.parent
    if not state.book.has(parent):
        return Refusal("no_frame", parameters={"frame": parent})
    stated = {slot: said[slot] for slot in dict.fromkeys(gesture.tell)}
    return _make_offer(state.book, parent, gesture.name, package, stated)


def _make_offer(
    book: Book, parent: int, name: str, package: native.Package, stated: dict[str, Value]
) -> Noted:
    known = {slot: hold_value(slot, value) for slot, value in say_package(package).items()}
    # Held as so and it is not, or ruled out and it is; what a package does not say is no.
    wrong = [
        slot
        for slot, values in book.frame(parent).info.items()
        if slot in _OF_PACKAGES
        and any(each.negated == (each.val == known.get(slot, False)) for each in values)
    ]
    args = [native.Slot(key=slot, val=value) for slot, value in stated.items()]
    if parent != book.active:
        referred = native.Reference(frame=parent, annotations=[], fromrange=False)
        args.insert(0, native.Slot(key="ref", val=[referred]))
    book = books.add_frame(book, parent, [*wrong, *stated])
    args.append(native.Slot(key="id", val=len(book.frames)))
    act = native.DialogueAct(name=name, args=args)
    after = books.carry(book, "wizard", act)
    return Noted(act, after, word_offer(stated), len(book.frames))


def _note_edit(book: Book, gesture: EditGesture) -> Noted | Refusal:
    if gesture.slot not in SLOTS | MARKS:
        return Refusal("bad_slot", "protocol", {"slot": gesture.slot})
    held = book.frame(gesture.frame).info.get(gesture.slot, [])
    if held == gesture.values:
        return Refusal("no_change")
    return Noted(None, books.set_values(book, gesture.frame, gesture.slot, gesture.values))


def _note_question(book: Book, gesture: QuestionGesture) -> Noted | Refusal:
    if any(key not in SLOTS | MARKS for key in gesture.keys):
        return Refusal("bad_slot", "protocol", {"slot": " ".join(gesture.keys)})
    if gesture.kind != "compare" and len(gesture.keys) != 1:
        return Refusal("one_slot", parameters={"found": len(gesture.keys)})
    frame = book.frame(gesture.frame)
    found = _change_questions(frame, gesture)
    return Refusal("no_change") if found is None else Noted(None, books.change_frame(book, found))


def _change_questions(frame: native.Frame, gesture: QuestionGesture) -> native.Frame | None:
    """Returns a frame with a question more or less; None where that changes nothing."""
    question: native.Request | native.BinaryQuestion | native.CompareRequest
    if gesture.kind == "request":
        question = native.Request(author=gesture.by, key=gesture.keys[0])
    elif gesture.kind == "binary":
        question = native.BinaryQuestion(
            author=gesture.by, key=gesture.keys[0], value=gesture.value
        )
    else:
        question = native.CompareRequest(author="user", keys=gesture.keys)
    field = _QUESTIONS[gesture.kind]
    asked: list[Any] = getattr(frame, field)
    if not gesture.open and question not in asked:
        return None
    if gesture.open:
        left = [*asked, question]
    else:
        # The last that is equal goes.
        at = max(number for number, each in enumerate(asked) if each == question)
        left = [*asked[:at], *asked[at + 1 :]]
    changes: dict[str, Any] = {field: left}
    return msgspec.structs.replace(frame, **changes)


_QUESTIONS = {
    "request": "requests",
    "binary": "binary_questions",
    "compare": "compare_requests",
}
"""Where a frame has its open questions, by kind."""


def list_offers(state: FramesState) -> dict[int, OfferGesture]:
    """Returns the offers that were made or begun, by the frames that they made."""
    notes = [note for run in state.runs for note in run.notes]
    return {
        note.made: note.gesture
        for note in (*notes, *state.draft)
        if isinstance(note.gesture, OfferGesture) and note.made is not None
    }


def iterate_acts(notes: Iterable[Noted]) -> Iterator[native.DialogueAct]:
    """Yields the dialogue acts of gestures."""
    for note in notes:
        if note.act is not None:
            yield note.act
