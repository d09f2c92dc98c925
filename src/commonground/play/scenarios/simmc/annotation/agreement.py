"""How far annotators of the same dialogues agree, layer by layer."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import combinations

import msgspec

from commonground.play.scenario import ReleasedFile
from commonground.play.scenarios.simmc.annotation.labels import Label
from commonground.statistics.agreement import compute_set_alpha

ANNOTATIONS = "extra/annotations.jsonl"
"""All labels of all annotators, a line for a dialogue and annotator."""

AGREEMENT = "extra/agreement.json"
"""How far annotators agree; only where two labelled the same dialogue."""


class Annotation(msgspec.Struct, frozen=True):
    """What one annotator said of a dialogue.

    Attributes:
        annotator: the number that stays with a participant; None where nobody took part.
        labels: one for each utterance, the user's of a turn before the assistant's; None for one
            that has no label.
    """

    domain: str
    dialogue_idx: int
    annotator: int | None
    labels: tuple[Label | None, ...]


class LayerAgreement(msgspec.Struct, frozen=True):
    """How far annotators agree on a layer.

    Attributes:
        utterances: that two or more labelled.
        equal: share of pairs of labels that are the same.
        f1: of what one annotator of a pair marked against the other; None where nobody marked
            anything.
        alpha: Krippendorff's alpha of what is marked in each utterance, by MASI distance; None
            where there is no variation.
    """

    utterances: int
    equal: float
    f1: float | None
    alpha: float | None


Marks = frozenset[object]

LAYERS: Mapping[str, Callable[[Label], Marks]] = {
    "acts": lambda label: frozenset(each.act for each in label),
    "slots": lambda label: frozenset(slot for each in label for slot in each.slots),
    "objects": lambda label: frozenset(number for each in label for number in each.objects),
}
"""What is marked in an utterance: its acts, stretches of text with their slots, and things."""


def measure_agreement(annotations: Iterable[Annotation]) -> dict[str, LayerAgreement]:
    """Measures agreement, by layer; nothing where no dialogue has labels of two people.

    Of two annotations of a dialogue by the same person the first counts.
    """
    labels = [*_pair_up(annotations)]
    return {name: _measure(labels, take) for name, take in LAYERS.items()} if labels else {}


def _pair_up(annotations: Iterable[Annotation]) -> Iterator[Sequence[Label]]:
    """Yields the labels of each utterance that two or more people labelled."""
    dialogues: dict[tuple[str, int], dict[int | None, Annotation]] = {}
    for each in annotations:
        people = dialogues.setdefault((each.domain, each.dialogue_idx), {})
        people.setdefault(each.annotator, each)
    for people in dialogues.values():
        for labels in zip(*(each.labels for each in people.values()), strict=True):
            found = [label for label in labels if label is not None]
            if len(found) > 1:
                yield found


def _measure(labels: Sequence[Sequence[Label]], take: Callable[[Label], Marks]) -> LayerAgreement:
    units = [[take(label) for label in mine] for mine in labels]
    pairs = [pair for marks in units for pair in combinations(marks, 2)]
    marked = sum(len(one) + len(other) for one, other in pairs)
    return LayerAgreement(
        utterances=len(units),
        equal=sum(one == other for one, other in pairs) / len(pairs),
        f1=2 * sum(len(one & other) for one, other in pairs) / marked if marked else None,
        alpha=compute_set_alpha(units),
    )


def release_annotations(annotations: Sequence[Annotation]) -> Iterator[ReleasedFile]:
    """Yields what everybody labelled, and how far they agree where two labelled the same.

    Annotations are in the order in which the labelling was begun.
    """
    if annotations:
        yield ReleasedFile(ANNOTATIONS, msgspec.json.Encoder().encode_lines(annotations))
    if measured := measure_agreement(annotations):
        yield ReleasedFile(AGREEMENT, msgspec.json.format(msgspec.json.encode(measured)))
