"""Rules of generation 4: dialogues, utterances and segments."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from commonground.corpora.taskmaster.native.dialogues import CoffeeDialogue
from commonground.corpora.taskmaster.rules._shared import iterate_segments, place
from commonground.findings import Examined, Place, Ruleset

rules = Ruleset("CG-TASKMASTER-", "dialogs4", known=0)


@rules.note(405, known=82)
def text_offsets(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """The offsets of a segment are numbers written as text.

    Readers of the other generations stop here; in the store they are numbers.

    Turn them into numbers where you read the files yourself.
    """
    for number, below, _, segment in iterate_segments(record):
        if isinstance(segment.start_index, str) or isinstance(segment.end_index, str):
            found = f"{segment.start_index!r} to {segment.end_index!r}"
            yield place(examined, number, below, expected="numbers", found=found)


@rules.note(406)
def annotator(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """A segment is not a generated one with the label `request`.

    All segments of the release are generated requests; others come from elsewhere.

    Do nothing if you annotated it.
    """
    for number, each in enumerate(record.utterances):
        for i, segment in enumerate(each.segments):
            names = [label.name for label in segment.annotations]
            if segment.annotator_id != "GENERATED" or set(names) - {"request"}:
                found = f"{', '.join(names)} by {segment.annotator_id}"
                yield place(examined, number, f".segments[{i}]", found=found)


@rules.note(407, known=575)
def no_instructions(record: CoffeeDialogue) -> Iterator[Place]:
    """The dialogue has no instructions.

    What the writer was asked to do is not known.

    Group such dialogues by `scenario`.
    """
    if record.instructions is None:
        yield Place(".instructions", expected="text", found="null")


@rules.warning(408)
def first_speaker(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """The first utterance is not the user's.

    In the release, the user always begins.

    Check whether an utterance is missing.
    """
    if record.utterances and record.utterances[0].speaker != "user":
        yield place(examined, 0, ".speaker", expected="user", found="assistant")


@rules.note(409, known=75)
def last_speaker(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """The last utterance is the user's.

    The assistant's answer is missing.

    Leave the last utterance out where answers are predicted.
    """
    number = len(record.utterances) - 1
    if number >= 0 and record.utterances[number].speaker != "assistant":
        yield place(examined, number, ".speaker", expected="assistant", found="user")


@rules.warning(410)
def alternation(record: CoffeeDialogue, examined: Examined) -> Iterator[Place]:
    """A speaker speaks twice in a row.

    In the release, user and assistant always take turns.

    Check whether an utterance is missing.
    """
    for number, (before, each) in enumerate(pairwise(record.utterances), 1):
        if before.speaker == each.speaker:
            yield place(examined, number, ".speaker", found=each.speaker)
