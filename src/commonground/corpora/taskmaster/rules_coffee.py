"""Rules of generation 4: dialogues, utterances and segments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from commonground.corpora.taskmaster.looks import (
    index_rule,
    labelled_rule,
    place,
    spans_rule,
    text_rule,
)
from commonground.corpora.taskmaster.native import CoffeeDialogue
from commonground.findings import Examined, Place, rule

spans_4 = spans_rule("CG-TASKMASTER-401", "dialogs4", 0)
index_4 = index_rule("CG-TASKMASTER-402", "dialogs4", 0)
text_4 = text_rule("CG-TASKMASTER-403", "dialogs4", 0)
labelled_4 = labelled_rule("CG-TASKMASTER-404", "dialogs4", 0)


@rule(
    "CG-TASKMASTER-405",
    "note",
    "The offsets of a segment are numbers written as text.",
    why="Readers of the other generations stop here; in the store they are numbers.",
    advice="Turn them into numbers where you read the files yourself.",
    format="dialogs4",
    known=82,
)
def text_offsets(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """Looks at the types of both offsets, once per segment."""
    for number, each in enumerate(record.utterances):
        for i, segment in enumerate(each.segments):
            if isinstance(segment.start_index, str) or isinstance(segment.end_index, str):
                found = f"{segment.start_index!r} to {segment.end_index!r}"
                yield place(examined, number, f".segments[{i}]", expected="numbers", found=found)


@rule(
    "CG-TASKMASTER-406",
    "note",
    "A segment is not a generated one with the label `request`.",
    why="All segments of the release are; others come from elsewhere.",
    advice="Nothing, if you annotated it.",
    format="dialogs4",
    known=0,
)
def annotator(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """Looks at annotator and labels."""
    for number, each in enumerate(record.utterances):
        for i, segment in enumerate(each.segments):
            names = [label.name for label in segment.annotations]
            if segment.annotator_id != "GENERATED" or set(names) - {"request"}:
                found = f"{', '.join(names)} by {segment.annotator_id}"
                yield place(examined, number, f".segments[{i}]", found=found)


@rule(
    "CG-TASKMASTER-407",
    "note",
    "The dialogue has no instructions.",
    why="What the writer was asked to do is not known.",
    advice="Group such dialogues by `scenario`.",
    format="dialogs4",
    known=575,
)
def no_instructions(record: CoffeeDialogue, _examined: Examined) -> Iterator[Place]:
    """Looks for null."""
    if record.instructions is None:
        yield Place(".instructions", expected="text", found="null")


@rule(
    "CG-TASKMASTER-408",
    "warning",
    "The first utterance is not the user's.",
    why="In the release the user always begins.",
    advice="See whether an utterance is missing.",
    format="dialogs4",
    known=0,
)
def first_speaker(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """Looks at the first utterance."""
    if record.utterances and record.utterances[0].speaker != "user":
        yield place(examined, 0, ".speaker", expected="user", found="assistant")


@rule(
    "CG-TASKMASTER-409",
    "note",
    "The last utterance is the user's.",
    why="The assistant's answer is missing.",
    advice="Leave the last utterance out where answers are predicted.",
    format="dialogs4",
    known=75,
)
def last_speaker(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """Looks at the last utterance."""
    number = len(record.utterances) - 1
    if number >= 0 and record.utterances[number].speaker != "assistant":
        yield place(examined, number, ".speaker", expected="assistant", found="user")


@rule(
    "CG-TASKMASTER-410",
    "warning",
    "A speaker speaks twice in a row.",
    why="In the release user and assistant always take turns.",
    advice="See whether an utterance is missing.",
    format="dialogs4",
    known=0,
)
def alternation(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """Looks at neighbours."""
    for number, (before, each) in enumerate(pairwise(record.utterances), 1):
        if before.speaker == each.speaker:
            yield place(examined, number, ".speaker", found=each.speaker)
