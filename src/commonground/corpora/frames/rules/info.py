"""Rules of Frames about the values that frames hold."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.checks import find_repeats
from commonground.corpora.frames.native import Frame, FramesDialogue, InfoValue
from commonground.corpora.frames.rules._places import FramesRules, iterate_frames
from commonground.corpora.frames.vocabulary import MARKS, SLOTS
from commonground.findings import Place
from commonground.records import render_path

rules = FramesRules("CG-FRAMES-", "dialogues")


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
