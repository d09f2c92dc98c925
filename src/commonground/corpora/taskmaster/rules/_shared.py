"""What the rules of several generations of Taskmaster look at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commonground.corpora.taskmaster.convert import Context
from commonground.corpora.taskmaster.native.dialogues import (
    CoffeeDialogue,
    CoffeeSegment,
    CoffeeUtterance,
    PlainDialogue,
    PlainUtterance,
    Segment,
    TicketDialogue,
    TicketUtterance,
)
from commonground.findings import Examined, Place

AnyDialogue = PlainDialogue | TicketDialogue | CoffeeDialogue
AnyUtterance = PlainUtterance | TicketUtterance | CoffeeUtterance


def utterances_of(record: AnyDialogue) -> Sequence[AnyUtterance]:
    return record.utterances


def segments_of(utterance: AnyUtterance) -> Sequence[Segment | CoffeeSegment]:
    return utterance.segments or ()


def event_of(examined: Examined, number: int) -> int | None:
    """Returns the number of the event that an utterance became; null where it became none."""
    if examined.dialogue is None:
        return None
    # Calls are events, too, so an utterance may stand further back than its number says.
    seen = -1
    for event, each in enumerate(examined.dialogue.events):
        seen += each.kind == "utterance"
        if seen == number:
            return event
    return None


def context_of(examined: Examined) -> Context:
    """Returns what the side files said; empty where nothing was prepared."""
    return examined.context if isinstance(examined.context, Context) else Context()


def place(examined: Examined, number: int, below: str = "", **facts: str | None) -> Place:
    """Builds the place at an utterance, or at something below it.

    Args:
        examined: gives the event that the utterance became.
        number: of the utterance in its dialogue, from 0.
        below: JSON path below the utterance; empty for the utterance itself.
        facts: what else the place says, such as ``expected`` and ``found``.
    """
    return Place(f".utterances[{number}]{below}", event=event_of(examined, number), **facts)


# As in `convert`: at most ten digits, since `int` of a very long text takes very long.
_DIGITS = re.compile(r"-?[0-9]{1,10}")


def offset(value: int | str) -> int | None:
    """Returns an offset as a number; null where it is text that holds none."""
    if isinstance(value, int):
        return value
    return int(value) if _DIGITS.fullmatch(value) else None


def several_splits(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """Yields the dialogue if it stands in several released splits; rules on it call this."""
    splits = context_of(examined).splits_of.get(record.conversation_id, ())
    if len(splits) > 1:
        yield Place(".conversation_id", expected="one split", found=", ".join(splits))


def undeclared_labels(
    record: AnyDialogue, examined: Examined, domain: str = "", endings: tuple[str, ...] = ()
) -> Iterator[Place]:
    """Yields each label that is not declared; rules on them call this.

    Args:
        record: a dialogue of any generation.
        examined: gives the declared labels.
        domain: whose labels they are; generations 1 and 3 have one list for all.
        endings: what may stand after a declared label.
    """
    declared = context_of(examined).labels.get(domain, frozenset())
    # Where no list of labels was found, no label can be judged.
    for number, each in enumerate(utterances_of(record) if declared else ()):
        for i, segment in enumerate(segments_of(each)):
            for j, label in enumerate(segment.annotations):
                name = label.name
                for ending in endings:
                    name = name.removesuffix(ending)
                if name not in declared:
                    below = f".segments[{i}].annotations[{j}].name"
                    expected, found = "a declared label", label.name
                    yield place(examined, number, below, expected=expected, found=found)
