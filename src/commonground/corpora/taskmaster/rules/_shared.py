"""What the rules of several generations of Taskmaster look at."""

from __future__ import annotations

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


def iterate_segments(
    record: AnyDialogue,
) -> Iterator[tuple[int, str, AnyUtterance, Segment | CoffeeSegment]]:
    """Yields utterance number, path below the utterance, utterance and segment."""
    for number, each in enumerate(utterances_of(record)):
        segments: Sequence[Segment | CoffeeSegment] = each.segments or ()
        for i, segment in enumerate(segments):
            yield number, f".segments[{i}]", each, segment


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
    for number, below, _, segment in iterate_segments(record) if declared else ():
        for j, label in enumerate(segment.annotations):
            name = label.name
            for ending in endings:
                name = name.removesuffix(ending)
            if name not in declared:
                path, expected = f"{below}.annotations[{j}].name", "a declared label"
                yield place(examined, number, path, expected=expected, found=label.name)
