"""A file of labels: what a study found out about events of a corpus, as a layer of its own.

It names the events by dialogue and number, as the store does, so that it joins their tables; see
``store.layers``. What people voted is in it one by one, under pseudonyms, beside the majority.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from commonground.errors import FormatError
from commonground.statistics.agreement import compute_agreement, compute_alpha

VERSION = 1
Vote = tuple[str, str]
"""Who, as a pseudonym, and the answer."""


class Decision(msgspec.Struct, frozen=True, omit_defaults=True):
    """What somebody decided where people differed.

    Attributes:
        by: who decided, as they named themselves.
        at: when, as ISO 8601; None where nothing says so.
        note: why; empty where nothing was written.
    """

    answer: str
    by: str
    at: str | None = None
    note: str = ""


class Label(msgspec.Struct, frozen=True, omit_defaults=True):
    """What is so of one candidate at one event.

    Attributes:
        votes: of as many different people as were asked, in order of time.
        label: the answer that more than half of them gave; None where there is none. What was
            decided takes its place.
        candidate: what was asked about, such as an object; None where it is the event itself.
        text: of the candidate, as people saw it.
        of: hash of the event, by which the store finds it again; None where the study had none.
        decision: of somebody who looked at votes that differ; None where nobody did.
    """

    dialogue_id: str
    event: int
    votes: list[Vote]
    label: str | None
    candidate: str | None = None
    text: str | None = None
    of: str | None = None
    decision: Decision | None = None


class LabelFile(msgspec.Struct, frozen=True, kw_only=True):
    """A layer of labels.

    Attributes:
        people: how many answered it for each event.
        labels: by dialogue and event, in the order in which they were begun.
        skipped: how many events were skipped so often that nobody was asked any more.
    """

    version: int = VERSION
    layer: str
    corpus: str
    question: str
    answers: list[str]
    people: int
    labels: list[Label]
    skipped: int = 0


EVENT = "event"
"""Id of the only candidate of a unit that asks about the event itself."""


def find_majority(votes: Sequence[Vote]) -> str | None:
    """Returns the answer that more than half gave; None where there is none."""
    answer, count = Counter(answer for _, answer in votes).most_common(1)[0]
    return answer if 2 * count > len(votes) else None


def find_label(label: Label) -> str | None:
    """Returns what was decided of something, else what most people say; None for neither."""
    return label.decision.answer if label.decision is not None else find_majority(label.votes)


def read_labels(name: str, data: bytes) -> LabelFile:
    """Reads a file of labels.

    Args:
        name: of the file, for messages about it.

    Raises:
        FormatError: it is none, or is of another version; or a label does not follow from its
            votes. Says where.
    """
    try:
        file = msgspec.json.decode(data, type=LabelFile)
    except msgspec.DecodeError as error:
        advice = "`commonground collect export` of a labelling study writes such files."
        raise FormatError(f"{name} is not a file of labels: {error}.", advice) from error
    if file.version != VERSION:
        raise FormatError(f"{name} is of version {file.version}; this is version {VERSION}.")
    if not is_layer_name(file.layer):
        raise FormatError(
            f"{name}: $.layer: expected letters, digits, '-' and '_', found {file.layer!r}."
        )
    _check_doubles(name, file.labels)
    for place, label in enumerate(file.labels):
        given = [answer for _, answer in label.votes]
        given += [label.decision.answer] if label.decision is not None else []
        strange = next((answer for answer in given if answer not in file.answers), None)
        if strange is not None or not label.votes:
            found = "none" if strange is None else repr(strange)
            expected = f"one of {', '.join(file.answers)}"
            raise FormatError(
                f"{name}: $.labels[{place}].votes: expected {expected}, found {found}."
            )
        _check_sense(f"{name}: $.labels[{place}]", label)
        if label.label != find_label(label):
            expected, found = str(find_label(label)), str(label.label)
            raise FormatError(
                f"{name}: $.labels[{place}].label: expected {expected}, found {found}.",
                "It is what was decided, else what more than half of the votes say, or null.",
            )
    return file


def is_layer_name(name: str) -> bool:
    """Says whether a layer may have a name, which is part of file names, addresses and queries."""
    return name.replace("-", "").replace("_", "").isalnum()


def _check_sense(where: str, label: Label) -> None:
    """Refuses a label that two votes of one person are in, or that is of nothing.

    Raises:
        FormatError: it is one.
    """
    people = Counter(person for person, _ in label.votes)
    double = next((person for person, count in people.items() if count > 1), None)
    if double is not None:
        raise FormatError(f"{where}.votes: expected one of each person, found two of {double!r}.")
    if label.event < 0 or label.candidate == "":
        found = label.event if label.event < 0 else "an empty candidate"
        raise FormatError(f"{where}: expected an event from 0 and a candidate, found {found}.")


def _check_doubles(name: str, labels: Sequence[Label]) -> None:
    first: dict[tuple[str, int, str], int] = {}
    for place, each in enumerate(labels):
        before = first.setdefault((each.dialogue_id, each.event, each.candidate or EVENT), place)
        if before != place:
            raise FormatError(
                f"{name}: $.labels[{place}] is of the same event and candidate as "
                f"$.labels[{before}]."
            )


def measure_layer(votes: Sequence[Sequence[Vote]]) -> dict[str, float | None]:
    """Returns how far people agree on the labels of a layer: alpha, and how many are unanimous."""
    answers = [tuple(answer for _, answer in each) for each in votes]
    unanimous = sum(len(set(each)) == 1 for each in answers)
    return {
        "alpha": compute_alpha(answers),
        "pairwise": compute_agreement(answers),
        "unanimous": unanimous / len(answers) if answers else None,
    }
