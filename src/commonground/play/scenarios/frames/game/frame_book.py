"""The frames of a dialogue, and what each dialogue act does to them.

A book never changes; whatever happens makes a new one, which shares the frames that stayed as they
were. The effects of acts were counted in the released file: those here are what the annotators did
in most places (``commonground play frames --replay`` lists the others).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import msgspec

from commonground.corpora.frames.native import (
    Author,
    BinaryQuestion,
    CompareRequest,
    DialogueAct,
    Frame,
    InfoValue,
    Request,
    Slot,
)
from commonground.corpora.frames.vocabulary import MARKS, REFERENCES
from commonground.play.scenarios.frames.travel.values import Value, hold_value
from commonground.records import UNSET

Info = Mapping[str, Sequence[InfoValue]]

ROOT = 1
"""The first frame: what the user wants before anything was offered or changed."""

REJECTED = InfoValue(val=False, negated=True)
ACCEPTED = InfoValue(val=False, negated=False)
"""How the released file marks offers that the user turned down, and that the user took up."""

_TRUE = InfoValue(val=True, negated=False)


class Book(msgspec.Struct, frozen=True):
    """Every frame of a dialogue as it stands now.

    Attributes:
        frames: in order of their numbers, which count from 1.
        active: number of the frame that is talked about.
    """

    frames: tuple[Frame, ...]
    active: int = ROOT

    def frame(self, number: int) -> Frame:
        """Returns a frame by its number."""
        return self.frames[number - 1]

    def has(self, number: int) -> bool:
        """Says whether there is a frame of that number."""
        return 1 <= number <= len(self.frames)

    def held(self, number: int) -> dict[str, Value]:
        """Returns the first value of each slot of a frame that is not ruled out."""
        found: dict[str, Value] = {}
        for slot, values in self.frame(number).info.items():
            for each in values:
                if isinstance(each.val, str | bool) and not each.negated:
                    found.setdefault(slot, each.val)
        return found


_replace = msgspec.structs.replace


def open_book() -> Book:
    """Returns the book of a dialogue in which nothing was said: one empty frame."""
    return Book((_make_frame(ROOT, None, {}),))


def _make_frame(number: int, parent: int | None, info: Info) -> Frame:
    return Frame(
        frame_id=number,
        frame_parent_id=parent,
        info={slot: list(values) for slot, values in info.items()},
        requests=[],
        binary_questions=[],
        compare_requests=[],
    )


def change_frame(book: Book, frame: Frame) -> Book:
    """Returns the book with another frame in the place of the one of its number."""
    at = frame.frame_id - 1
    return _replace(book, frames=(*book.frames[:at], frame, *book.frames[at + 1 :]))


def set_values(book: Book, number: int, slot: str, values: Sequence[InfoValue]) -> Book:
    """Returns the book with these values of a slot in a frame; without the slot for no values."""
    frame = book.frame(number)
    info = {**frame.info, slot: list(values)}
    if not values:
        del info[slot]
    return change_frame(book, _replace(frame, info=info))


def add_frame(book: Book, parent: int, but: Iterable[str] = ()) -> Book:
    """Returns the book with one more frame, which takes over the slots of another, its parent.

    It holds what that one holds, but for what happened to that one (marks and open questions), and
    for the slots in ``but``.
    """
    left = MARKS.union(but)
    info = {slot: each for slot, each in book.frame(parent).info.items() if slot not in left}
    frame = _make_frame(len(book.frames) + 1, parent, info)
    return _replace(book, frames=(*book.frames, frame))


def activate(book: Book, number: int) -> Book:
    """Returns the book with another active frame."""
    return _replace(book, active=number)


def bare_slots(act: DialogueAct) -> Iterator[Slot]:
    """Yields the slots of an act that stand in no reference, but for the number of a new frame."""
    for arg in act.args:
        if arg.key not in REFERENCES and arg.key != "id":
            yield arg


def noted_slots(act: DialogueAct) -> Iterator[tuple[int, str, Value | None]]:
    """Yields the slots in references: the frame, the slot, and the value; None where asked for."""
    for arg in act.args:
        for reference in arg.val if isinstance(arg.val, list) else ():
            for note in reference.annotations:
                value = note.val
                yield reference.frame, note.key, None if value is UNSET else value


def frames_of(act: DialogueAct, *relations: str) -> list[int]:
    """Returns the frames that an act refers to, in order; of some relations or of all."""
    found = [
        reference.frame
        for arg in act.args
        if isinstance(arg.val, list) and (not relations or arg.key in relations)
        for reference in arg.val
    ]
    return list(dict.fromkeys(found))


def created_by(act: DialogueAct) -> int | None:
    """Returns the number of the frame that an act of the wizard makes; None where it makes none."""
    return next((a.val for a in act.args if a.key == "id" and isinstance(a.val, int)), None)


def carry(book: Book, author: Author, act: DialogueAct) -> Book:
    """Returns the book after a dialogue act.

    Frames that the act makes must be there already, and what the user switches to must be active.

    Args:
        author: who performs it, which decides what some acts mean.
        act: with its references filled in.
    """
    created = created_by(act)
    # An act with an id makes that frame: all that it says belongs there, and it answers nothing.
    if created is not None:
        return _put_slots(book, author, act, [created])
    match act.name:
        case "inform":
            targets = frames_of(act, "read", "write") or [book.active]
            book = _put_slots(book, author, act, targets)
            return _answer(book, author, act)
        case "affirm":
            return _affirm(_answer(book, author, act), author, act)
        case "negate":
            return _negate(_answer(book, author, act), act)
        # A suggestion that makes no frame asks whether, as a confirmation does.
        case "request" | "confirm" | "suggest":
            return _ask(book, author, act)
        case "request_compare":
            return _compare(book, act)
    mark = _MARKS.get(act.name)
    if mark is None:
        return book
    for number in frames_of(act) or [book.active]:
        book = set_values(book, number, mark, [_TRUE])
    return book


_MARKS = {"no_result": "NO_RESULT", "moreinfo": "MOREINFO", "request_alts": "REQUEST_ALTS"}
"""What acts leave in the frames that they are about."""


def _put_slots(book: Book, author: Author, act: DialogueAct, targets: Iterable[int]) -> Book:
    """Puts the slots of an act into frames, and those of references into theirs."""
    said = [(number, slot.key, slot.val) for number in targets for slot in bare_slots(act)]
    for number, key, value in [*said, *noted_slots(act)]:
        if isinstance(value, str | bool) and key not in _WORDINGS:
            book = _say(book, number, key, value)
            if author == "wizard":
                book = _pass_on(book, number, key)
    return book


_WORDINGS = frozenset({"ref_anaphora", "impl_anaphora"})
"""Slots that say how a frame was referred to, not what it holds."""


def _say(book: Book, number: int, slot: str, said: Value) -> Book:
    """Returns the book with one value of a slot in a frame, unless the frame holds it already."""
    value, held = hold_value(slot, said), book.frame(number).info.get(slot, ())
    if any(each.val == value and not each.negated for each in held):
        return book
    return set_values(book, number, slot, [InfoValue(val=value, negated=False)])


def _pass_on(book: Book, number: int, slot: str) -> Book:
    """Gives a slot to the frames that came of a frame, where they have none.

    What the wizard tells of some wishes, such as that all hotels have wifi, holds for what was
    offered for them.
    """
    values = book.frame(number).info[slot]
    # A frame's number is larger than its parent's, so one pass in order finds grandchildren, too.
    heirs = {number}
    for frame in book.frames[number:]:
        if frame.frame_parent_id in heirs:
            heirs.add(frame.frame_id)
            if slot not in frame.info:
                book = set_values(book, frame.frame_id, slot, values)
    return book


def _answer(book: Book, author: Author, act: DialogueAct) -> Book:
    """Closes the questions that an act answers.

    Anyone who informs answers all requests about the active frame. Yes-or-no questions are answered
    about what is said; whatever the wizard says answers all about the active frame. A comparison
    is answered by news of the frame.
    """
    keys = {slot.key for slot in bare_slots(act)} | {key for _, key, _ in noted_slots(act)}
    # An act that refers to no frame is about the active one.
    about = {*frames_of(act), *([] if frames_of(act) else [book.active])}
    for frame in book.frames:
        here = frame.frame_id == book.active
        requests = frame.requests
        if act.name == "inform" and here:
            requests = [each for each in requests if each.author == author]
        questions = [
            each
            for each in frame.binary_questions
            if each.author == author
            or not _answers(author, here, frame.frame_id in about, each.key in keys, bool(keys))
        ]
        comparisons = frame.compare_requests
        if author == "wizard" and act.name == "inform" and frame.frame_id in about:
            comparisons = []
        found = _replace(
            frame,
            requests=requests,
            binary_questions=questions,
            compare_requests=comparisons,
        )
        if found != frame:
            book = change_frame(book, found)
    return book


def _answers(author: Author, here: bool, about: bool, said: bool, says: bool) -> bool:
    """Says whether a yes-or-no question of a frame is answered by who did not ask it.

    The frame is the active one (here), or the act is about it; the act gives the slot (said), or
    gives any (says).
    """
    if author == "wizard":
        return here or said
    return about and (said or not says)


def _affirm(book: Book, author: Author, act: DialogueAct) -> Book:
    """Puts what is affirmed into its frame; an offer that is affirmed as such is taken up."""
    for number, key, value in noted_slots(act):
        if isinstance(value, str | bool):
            book = _say(book, number, key, value)
    if author == "user" and not any(noted_slots(act)) and act.args:
        for number in frames_of(act):
            # Only a frame with a hotel was offered; anyone who affirms any other takes nothing up.
            if "name" in book.frame(number).info:
                book = set_values(book, number, "REJECTED", [ACCEPTED])
    return book


def _negate(book: Book, act: DialogueAct) -> Book:
    """Rules out what is negated; a frame that is negated as such, or by name, is turned down."""
    for arg in act.args:
        for reference in arg.val if isinstance(arg.val, list) else ():
            number = reference.frame
            # The name of a hotel only says which offer is meant: it is not itself ruled out.
            notes = [n for n in reference.annotations if n.key not in ("name", "ref_anaphora")]
            if not notes:
                book = set_values(book, number, "REJECTED", [REJECTED])
            for note in notes:
                if isinstance(note.val, str | bool):
                    value = hold_value(note.key, note.val)
                    held = [
                        each
                        for each in book.frame(number).info.get(note.key, ())
                        if each.val != value
                    ]
                    book = set_values(
                        book, number, note.key, [*held, InfoValue(val=value, negated=True)]
                    )
    return book


def _ask(book: Book, author: Author, act: DialogueAct) -> Book:
    """Opens questions: for a value, or with one that is to be confirmed."""
    # A slot with a value is asked about, one without is asked for.
    asked = [(book.active, s.key, None if s.val is UNSET else s.val) for s in bare_slots(act)]
    for number, key, value in [*asked, *noted_slots(act)]:
        if isinstance(value, str | bool):
            held = hold_value(key, value)
            book = _open(book, number, BinaryQuestion(author=author, key=key, value=held))
        elif act.name == "request":
            book = _open(book, number, Request(author=author, key=key))
        elif act.name == "confirm":
            # The released file has an empty list where no value was named.
            book = _open(book, number, BinaryQuestion(author=author, key=key, value=[]))
    return book


def _open(book: Book, number: int, question: Request | BinaryQuestion) -> Book:
    """Returns the book with an open question about a slot, once."""
    frame = book.frame(number)
    if question in (*frame.requests, *frame.binary_questions):
        return book
    if isinstance(question, Request):
        return change_frame(book, _replace(frame, requests=[*frame.requests, question]))
    return change_frame(book, _replace(frame, binary_questions=[*frame.binary_questions, question]))


def _compare(book: Book, act: DialogueAct) -> Book:
    keys = list(dict.fromkeys(slot.key for slot in bare_slots(act)))
    for number in frames_of(act):
        # What is asked of one of the frames only stands in its reference.
        own = [key for frame, key, _ in noted_slots(act) if frame == number]
        asked = CompareRequest(author="user", keys=own or keys)
        frame = book.frame(number)
        asking = [*frame.compare_requests, asked]
        book = change_frame(book, _replace(frame, compare_requests=asking))
    return book
