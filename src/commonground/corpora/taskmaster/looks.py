"""What the rules of several generations of Taskmaster look at."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from commonground.checks.generic import span_gives
from commonground.corpora.taskmaster.convert import Context
from commonground.corpora.taskmaster.native import (
    CoffeeDialogue,
    CoffeeSegment,
    CoffeeUtterance,
    PlainDialogue,
    PlainUtterance,
    Segment,
    TicketDialogue,
    TicketUtterance,
)
from commonground.findings import Examined, Place, Rule, rule

AnyDialogue = PlainDialogue | TicketDialogue | CoffeeDialogue
AnyUtterance = PlainUtterance | TicketUtterance | CoffeeUtterance


def _utterances(record: AnyDialogue) -> Sequence[AnyUtterance]:
    return record.utterances


def _segments(utterance: AnyUtterance) -> Sequence[Segment | CoffeeSegment]:
    return utterance.segments or ()


def event_of(examined: Examined, number: int) -> int | None:
    """Returns the number of the event that an utterance became; null where it became none."""
    if examined.dialogue is None:
        return None
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
    """Builds the place at an utterance, or at something below it."""
    return Place(f".utterances[{number}]{below}", event=event_of(examined, number), **facts)


_DIGITS = re.compile(r"-?[0-9]{1,10}")


def offset(value: int | str) -> int | None:
    """Returns an offset as a number; null where it is text that holds none."""
    if isinstance(value, int):
        return value
    return int(value) if _DIGITS.fullmatch(value) else None


def _is_exact(text: str, segment: Segment | CoffeeSegment) -> bool:
    start, end = offset(segment.start_index), offset(segment.end_index)
    return start is not None and end is not None and span_gives(text, start, end, segment.text)


def check_spans(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """Yields the segments whose offsets do not give their text."""
    for number, each in enumerate(_utterances(record)):
        for i, segment in enumerate(_segments(each)):
            if not _is_exact(each.text, segment):
                found = f"{segment.start_index} to {segment.end_index}"
                below = f".segments[{i}]"
                yield place(examined, number, below, expected=repr(segment.text), found=found)


def check_index(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """Yields the utterances whose index is not their position."""
    for number, each in enumerate(_utterances(record)):
        if each.index != number:
            expected, found = str(number), str(each.index)
            yield place(examined, number, ".index", expected=expected, found=found)


def check_text(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """Yields the utterances without text."""
    for number, each in enumerate(_utterances(record)):
        if not each.text or each.text.isspace():
            yield place(examined, number, ".text", found=repr(each.text))


def check_labelled(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """Yields the segments without any label."""
    for number, each in enumerate(_utterances(record)):
        for i, segment in enumerate(_segments(each)):
            if not segment.annotations:
                yield place(examined, number, f".segments[{i}].annotations", found="[]")


def check_order(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """Yields the utterances whose segments do not stand in order of their offsets."""
    for number, each in enumerate(_utterances(record)):
        segments = _segments(each)
        if len(segments) > 1:
            pairs = [(offset(s.start_index) or 0, offset(s.end_index) or 0) for s in segments]
            if pairs != sorted(pairs):
                found = ", ".join(f"{start} to {end}" for start, end in pairs)
                yield place(examined, number, ".segments", found=found)


def check_key_absent(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """Yields the lists that are there but empty, where the release leaves the key out."""
    for number, each in enumerate(_utterances(record)):
        for name in ("segments", "apis"):
            if getattr(each, name, None) == []:
                yield place(examined, number, f".{name}", expected="no key", found="[]")


def check_splits(record: AnyDialogue, examined: Examined) -> Iterator[Place]:
    """Yields the dialogue if it stands in several released splits."""
    splits = context_of(examined).splits_of.get(record.conversation_id, ())
    if len(splits) > 1:
        yield Place(".conversation_id", expected="one split", found=", ".join(splits))


Labels = frozenset[str]


def undeclared_labels(
    utterances: Sequence[AnyUtterance], declared: Labels, endings: tuple[str, ...] = ()
) -> Iterator[tuple[int, str, str]]:
    """Yields utterance number, path below it and name of each label that is not declared.

    Args:
        utterances: of any generation.
        declared: the declared labels; where there are none nothing is yielded.
        endings: what may stand behind a declared label.
    """
    for number, each in enumerate(utterances if declared else ()):
        for i, segment in enumerate(_segments(each)):
            for j, label in enumerate(segment.annotations):
                name = label.name
                for ending in endings:
                    name = name.removesuffix(ending)
                if name not in declared:
                    yield number, f".segments[{i}].annotations[{j}].name", label.name


def spans_rule(code: str, name: str, known: int | None) -> Rule:
    """Builds the rule on offsets for one format."""
    return rule(
        code,
        "error",
        "The offsets of a segment do not give its text.",
        why="A span that is cut at its offsets has other words than its label was given for.",
        advice="Trust the text; look for it near the offsets, counted in code points.",
        format=name,
        known=known,
    )(check_spans)


def index_rule(code: str, name: str, known: int | None) -> Rule:
    """Builds the rule on the numbers of utterances for one format."""
    return rule(
        code,
        "error",
        "The index of an utterance is not its position.",
        why="An utterance is missing, comes twice, or stands in the wrong place.",
        advice="Compare the dialogue with the released file.",
        format=name,
        known=known,
    )(check_index)


def text_rule(code: str, name: str, known: int | None) -> Rule:
    """Builds the rule on empty utterances for one format."""
    return rule(
        code,
        "warning",
        "An utterance has no words.",
        why="Models are given a turn in which nothing is said.",
        advice="Leave the utterance out, or the dialogue.",
        format=name,
        known=known,
    )(check_text)


def labelled_rule(code: str, name: str, known: int | None) -> Rule:
    """Builds the rule on segments without a label for one format."""
    return rule(
        code,
        "error",
        "A segment has no label.",
        why="It marks a stretch without saying as what, so it is in no table but `native`.",
        advice="Leave it out, or ask for its label where it came from.",
        format=name,
        known=known,
    )(check_labelled)


def order_rule(code: str, name: str, known: int | None) -> Rule:
    """Builds the rule on the order of segments for one format."""
    return rule(
        code,
        "note",
        "The segments of an utterance do not stand in order of their offsets.",
        why="Code that walks through text and segments together goes wrong.",
        advice="Sort the spans by `start_char` before use.",
        format=name,
        known=known,
    )(check_order)


def key_rule(code: str, name: str, known: int | None) -> Rule:
    """Builds the rule on empty lists for one format."""
    return rule(
        code,
        "note",
        "A list is empty where the release leaves the key out.",
        why="Nothing is lost; but the file was not written the way the release was.",
        advice="Read an absent key and an empty list alike.",
        format=name,
        known=known,
    )(check_key_absent)
