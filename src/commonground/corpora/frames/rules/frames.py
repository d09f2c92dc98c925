"""Rules of Frames about the frames: how they come about, and what they hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.checks import find_repeats
from commonground.corpora.frames.native import Frame, FramesDialogue, InfoValue, Turn
from commonground.corpora.frames.rules._places import FramesRules, iterate_frames
from commonground.corpora.frames.vocabulary import MARKS, SLOTS
from commonground.findings import Place
from commonground.printing import count_of
from commonground.records import render_path

rules = FramesRules("CG-FRAMES-", "dialogues", known=0)


@rules.error(31)
def frames_are_numbered(record: FramesDialogue) -> Iterator[Place]:
    """The frames are not numbered 1, 2, 3 and so on.

    Prediction files refer to a frame by its position in the list.

    Number the frames in order of their creation.
    """
    for number, turn in enumerate(record.turns):
        frames = turn.labels.frames
        if not frames:
            yield Place(f".turns[{number}].labels.frames", "a frame")
        for wanted, frame in enumerate(frames, 1):
            if frame.frame_id != wanted:
                path = f".turns[{number}].labels.frames[{wanted - 1}].frame_id"
                yield Place(path, str(wanted), str(frame.frame_id))


@rules.error(32)
def frames_stay(record: FramesDialogue) -> Iterator[Place]:
    """A frame of the previous turn is missing.

    Frames stay open to the end; a later reference to it could not be resolved.

    Keep every frame in every later turn.
    """
    before = 0
    for number, turn in enumerate(record.turns):
        count = len(turn.labels.frames)
        if count < before:
            yield Place(f".turns[{number}].labels.frames", f"{before} frames or more", str(count))
        before = count


@rules.error(33)
def parent_is_earlier(record: FramesDialogue) -> Iterator[Place]:
    """A frame does not come from an earlier frame.

    Every frame but the first is a copy of an earlier one, with changes.

    Check `frame_parent_id`; only the first frame has null.
    """
    for number, index, frame in iterate_frames(record):
        parent, own = frame.frame_parent_id, frame.frame_id
        # No parent is right for the first frame only; an earlier one is for any other.
        if (own == 1) if parent is None else 1 <= parent < own:
            continue
        expected = "null" if own == 1 else f"a frame before {own}"
        found = "null" if parent is None else str(parent)
        path = f".turns[{number}].labels.frames[{index}].frame_parent_id"
        yield Place(path, expected, found)


@rules.error(34)
def active_exists(record: FramesDialogue) -> Iterator[Place]:
    """The active frame does not exist.

    It is not known what the user is talking about.

    Check `active_frame`.
    """
    for number, turn in enumerate(record.turns):
        active = turn.labels.active_frame
        if all(frame.frame_id != active for frame in turn.labels.frames):
            expected = f"one of {count_of(len(turn.labels.frames), 'frame')}"
            yield Place(f".turns[{number}].labels.active_frame", expected, str(active))


@rules.warning(35)
def wizard_names_frames(record: FramesDialogue) -> Iterator[Place]:
    """A frame appears on a wizard turn though no act creates it.

    The wizard makes frames by offers and suggestions that carry an `id`.

    Add the `id` to the act that makes the frame.
    """
    for number, turn, index, frame in _new_frames(record):
        created = [slot.val for act in turn.labels.acts for slot in act.args if slot.key == "id"]
        if turn.author == "wizard" and frame.frame_id not in created:
            path, found = f".turns[{number}].labels.frames[{index}]", f"frame {frame.frame_id}"
            yield Place(path, "a frame that an act creates", found)


@rules.warning(36)
def user_activates(record: FramesDialogue) -> Iterator[Place]:
    """A frame appears on a user turn but is not the active one.

    The user makes a frame by changing what is asked for, and then talks about that frame.

    Make the new frame active.
    """
    for number, turn, _, frame in _new_frames(record):
        if turn.author == "user" and frame.frame_id != turn.labels.active_frame:
            found = str(turn.labels.active_frame)
            yield Place(f".turns[{number}].labels.active_frame", str(frame.frame_id), found)


def _new_frames(record: FramesDialogue) -> Iterator[tuple[int, Turn, int, Frame]]:
    """Yields the frames that were not there the turn before, with turn and index."""
    known: set[int] = set()
    for number, turn in enumerate(record.turns):
        frames = turn.labels.frames
        # Nearly always: most turns make no frame.
        if len(frames) == len(known) and all(frame.frame_id in known for frame in frames):
            continue
        for index, frame in enumerate(frames):
            if frame.frame_id not in known:
                known.add(frame.frame_id)
                yield number, turn, index, frame


@rules.warning(37, known=1)
def user_chooses_frame(record: FramesDialogue) -> Iterator[Place]:
    """The active frame changes on a wizard turn.

    Which frame is talked about is the user's choice: only user turns change it.

    Do not assume that the active frame of a wizard turn is that of the turn before.
    """
    before: int | None = None
    for number, turn in enumerate(record.turns):
        active = turn.labels.active_frame
        if turn.author == "wizard" and before is not None and active != before:
            yield Place(f".turns[{number}].labels.active_frame", str(before), str(active))
        before = active


@rules.note(38, known=16)
def switches_by_act(record: FramesDialogue) -> Iterator[Place]:
    """The user goes back to an earlier frame without a `switch_frame` act.

    The acts do not show the change of frame.

    Use the frame from `active_frame`.
    """
    before: int | None = None
    known: set[int] = set()
    for number, turn in enumerate(record.turns):
        active = turn.labels.active_frame
        went_back = before is not None and active != before and active in known
        if went_back and turn.author == "user":
            acts = [act.name for act in turn.labels.acts]
            if "switch_frame" not in acts:
                yield Place(f".turns[{number}].labels.acts", "switch_frame", " ".join(acts))
        before = active
        known.update(frame.frame_id for frame in turn.labels.frames)


@rules.warning(44)
def user_compares(record: FramesDialogue) -> Iterator[Place]:
    """The wizard, not the user, asks to compare frames.

    Users ask to compare; wizards answer.

    Check the author.
    """
    for number, index, frame in iterate_frames(record):
        for position, each in enumerate(frame.compare_requests):
            if each.author != "user":
                path = f".turns[{number}].labels.frames[{index}].compare_requests[{position}]"
                yield Place(f"{path}.author", "user", each.author)


@rules.note(45, known=371)
def question_has_value(record: FramesDialogue) -> Iterator[Place]:
    """A yes-or-no question has an empty list where its value belongs.

    The data do not say which value was asked about.

    Read it as a question about the slot.
    """
    for number, index, frame in iterate_frames(record):
        for position, each in enumerate(frame.binary_questions):
            if type(each.value) is list:
                path = f".turns[{number}].labels.frames[{index}].binary_questions[{position}].value"
                yield Place(path, "a value", repr(each.value))


@rules.note(39, known=47)
def info_is_not_null(record: FramesDialogue) -> Iterator[Place]:
    """A value that a frame holds is null.

    The slot is known to be set, but not to what.

    Leave the value out.
    """
    for number, index, frame in iterate_frames(record):
        # Places are worked out only where there is something to say.
        if None in _held(frame):
            for path, each in _values(frame, number, index):
                if each.val is None:
                    yield Place(f"{path}.val", "a value", "null")


def _held(frame: Frame) -> list[object]:
    """Returns all values of a frame; fast, as there are hundreds of thousands."""
    return [each.val for values in frame.info.values() for each in values]


def _values(frame: Frame, number: int, index: int) -> Iterator[tuple[str, InfoValue]]:
    for slot, values in frame.info.items():
        for position, each in enumerate(values):
            yield _info_path(number, index, slot, position), each


def _info_path(number: int, index: int, slot: str, *more: int) -> str:
    return f".turns[{number}].labels.frames[{index}]{render_path(('info', slot, *more))}"


@rules.note(40, known=8286)
def info_is_a_set(record: FramesDialogue) -> Iterator[Place]:
    """A frame holds the same value of a slot twice.

    Values accumulate while the frame stays open, and a value that is repeated is added again.

    Use the set of values.
    """
    # Values of a slot differ, whether negated or not.
    for number, index, frame in iterate_frames(record):
        for slot, values in frame.info.items():
            if len(values) > 1 and (twice := _repeated(values)) is not None:
                yield Place(_info_path(number, index, slot), None, twice)


def _repeated(values: list[InfoValue]) -> str | None:
    # By `repr`, since lists have no hash, and "True" is another value than True.
    for index, text in find_repeats(repr(each.val) for each in values):
        value = values[index].val
        return value if isinstance(value, str) else text
    return None


@rules.note(41, known=112)
def info_is_not_a_list(record: FramesDialogue) -> Iterator[Place]:
    """A value that a frame holds is a list.

    `HEARMORE` marks that the wizard offered to tell more; the list is hardly ever filled.

    Read `HEARMORE` as a mark, whatever its value.
    """
    for number, index, frame in iterate_frames(record):
        if list in map(type, _held(frame)):
            for path, each in _values(frame, number, index):
                if type(each.val) is list:
                    yield Place(f"{path}.val", None, repr(each.val))


@rules.warning(42, known=0)
def info_slot_is_known(record: FramesDialogue) -> Iterator[Place]:
    """A slot that a frame holds is not one of the corpus's slots.

    Frames have 61 slots; any other is a misspelling or an extension.

    Compare the name with the list in the corpus card.
    """
    for number, index, frame in iterate_frames(record):
        if frame.info.keys() <= _INFO_SLOTS:
            continue
        for slot in frame.info:
            if slot not in _INFO_SLOTS:
                yield Place(_info_path(number, index, slot), "a known slot", slot)


_INFO_SLOTS = SLOTS | MARKS
# `21.809`; a price in cents has two digits there.
_LONG_FRACTION = re.compile(r"\d\.\d{3}")


@rules.note(43, known=74)
def price_is_in_cents(record: FramesDialogue) -> Iterator[Place]:
    """A price or budget that a frame holds has more than two decimals.

    A thousands separator was read as a decimal point: `21.809` stands for 21,809.

    Compare it with the price of the package, or with what was said.
    """
    for number, index, frame in iterate_frames(record):
        for slot in ("price", "budget"):
            for position, each in enumerate(frame.info.get(slot, ())):
                if type(each.val) is str and _LONG_FRACTION.search(each.val):
                    path = f"{_info_path(number, index, slot, position)}.val"
                    yield Place(path, None, each.val)
