"""Rules on utterances and segments that hold in every generation alike, a code for each."""

from __future__ import annotations

from collections.abc import Iterator

from commonground.checks import span_gives
from commonground.corpora.taskmaster.convert import read_number
from commonground.corpora.taskmaster.native.dialogues import CoffeeSegment, Segment
from commonground.corpora.taskmaster.rules._shared import (
    AnyDialogue,
    iterate_segments,
    place,
    utterances_of,
)
from commonground.findings import Examined, Place, Ruleset


def _is_exact(text: str, segment: Segment | CoffeeSegment) -> bool:
    start, end = read_number(segment.start_index), read_number(segment.end_index)
    return start is not None and end is not None and span_gives(text, start, end, segment.text)


def check_spans(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """The offsets of a segment do not give its text.

    The span at these offsets holds other words than those that were labelled.

    Trust the text; look for it near the offsets, counted in code points.
    """
    for number, below, each, segment in iterate_segments(record):
        if not _is_exact(each.text, segment):
            found = f"{segment.start_index} to {segment.end_index}"
            yield place(examined, number, below, expected=repr(segment.text), found=found)


def check_index(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """The index of an utterance is not its position.

    An utterance is missing, duplicated or out of place.

    Compare the dialogue with the released file.
    """
    for number, each in enumerate(utterances_of(record)):
        if each.index != number:
            expected, found = str(number), str(each.index)
            yield place(examined, number, ".index", expected=expected, found=found)


def check_text(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """An utterance has no words.

    Models would see a turn in which nothing is said.

    Leave the utterance out, or the dialogue.
    """
    for number, each in enumerate(utterances_of(record)):
        if not each.text or each.text.isspace():
            yield place(examined, number, ".text", found=repr(each.text))


def check_labelled(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """A segment has no label.

    It marks words without saying what they are, so it is in no table but `native`.

    Leave it out, or ask for its label where it came from.
    """
    for number, below, _, segment in iterate_segments(record):
        if not segment.annotations:
            yield place(examined, number, f"{below}.annotations", found="[]")


def check_order(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """The segments of an utterance are not in the order of their offsets.

    Code that steps through text and segments together fails.

    Sort the spans by `start_char` before use.
    """
    for number, each in enumerate(utterances_of(record)):
        bounds = ((each.start_index, each.end_index) for each in each.segments or ())
        pairs = [(read_number(start) or 0, read_number(end) or 0) for start, end in bounds]
        if pairs != sorted(pairs):
            found = ", ".join(f"{start} to {end}" for start, end in pairs)
            yield place(examined, number, ".segments", found=found)


def check_key_absent(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """A list is empty where the release leaves the key out.

    Nothing is lost; but the file was not written the way the release was.

    Read an absent key and an empty list alike.
    """
    for number, each in enumerate(utterances_of(record)):
        for name in ("segments", "apis"):
            # Only generation 3 has `apis`; a key that is absent is UNSET, which equals no list.
            if getattr(each, name, None) == []:
                yield place(examined, number, f".{name}", expected="no key", found="[]")


FIRST = Ruleset("CG-TASKMASTER-1", "dialogs1")
SECOND = Ruleset("CG-TASKMASTER-2", "dialogs2")
THIRD = Ruleset("CG-TASKMASTER-3", "dialogs3")
FOURTH = Ruleset("CG-TASKMASTER-4", "dialogs4", known=0)

RULES = (
    *(each.error(1)(check_spans) for each in (FIRST, SECOND, FOURTH)),
    # Generations 1, 2 and 4 were not checked in full; of these the released count is not known.
    THIRD.error(1, known=0)(check_spans),
    *(each.error(2)(check_index) for each in (FIRST, SECOND, THIRD, FOURTH)),
    *(each.warning(3)(check_text) for each in (FIRST, SECOND, THIRD, FOURTH)),
    *(each.error(4)(check_labelled) for each in (FIRST, SECOND, THIRD, FOURTH)),
    *(each.note(5)(check_order) for each in (FIRST, SECOND, THIRD)),
    *(each.note(6)(check_key_absent) for each in (FIRST, SECOND, THIRD)),
)
