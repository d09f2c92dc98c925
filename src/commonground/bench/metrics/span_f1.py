"""Labelled spans of a text: precision, recall and F1, exact and by overlap."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import msgspec

from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import (
    harmonic_mean,
    list_f1_parts,
    precision_recall_f1,
    ratio,
)


class LabelledSpan(msgspec.Struct, frozen=True, gc=False):
    """A stretch of text.

    Attributes:
        end: the code point after the last.
    """

    start: int
    end: int
    label: str


def score_spans(
    gold: Sequence[LabelledSpan], predicted: Sequence[LabelledSpan]
) -> dict[str, float]:
    """Counts one text.

    A predicted span is exact where a gold one of the same label has the same ends; a span that
    is given twice must be there twice. It overlaps where it shares a code point with a gold one
    of the same label; a gold span is found where a predicted one does.
    """
    wanted, given = Counter(gold), Counter(predicted)
    return {
        "n": 1,
        "gold": len(gold),
        "predicted": len(predicted),
        "exact": sum((wanted & given).values()),
        "overlapping": _count_overlapping(predicted, gold),
        "found": _count_overlapping(gold, predicted),
        "all_exact": int(wanted == given),
    }


def _count_overlapping(spans: Sequence[LabelledSpan], others: Sequence[LabelledSpan]) -> int:
    return sum(
        any(o.label == span.label and o.start < span.end and span.start < o.end for o in others)
        for span in spans
    )


def combine(sums: Counts) -> Values:
    """Returns precision, recall and F1 of both kinds and the share of texts fully right."""
    gold, predicted = sums.get("gold", 0), sums.get("predicted", 0)
    precision = ratio(sums.get("overlapping", 0), predicted)
    recall = ratio(sums.get("found", 0), gold)
    return {
        **precision_recall_f1(sums.get("exact", 0), predicted, gold, "exact_"),
        "overlap_precision": precision,
        "overlap_recall": recall,
        "overlap_f1": harmonic_mean(precision, recall),
        "all_exact": ratio(sums.get("all_exact", 0), sums.get("n", 0)),
    }


SPAN_F1 = Metric(
    name="span_f1",
    version="2",
    title="Precision, recall and F1 of labelled spans, exact and by overlap.",
    score=score_spans,
    combine=combine,
    parts={
        **list_f1_parts("exact", "predicted", "gold", "exact_"),
        "overlap_precision": ("overlapping", "predicted"),
        "overlap_recall": ("found", "gold"),
        "overlap_f1": ("overlapping", "found", "predicted", "gold"),
    },
)


def score_labels(gold: Sequence[LabelledSpan], predicted: Sequence[LabelledSpan]) -> Counts:
    """Counts the exact spans of one text, label by label."""
    counts: dict[str, float] = {}
    for label in {span.label for span in (*gold, *predicted)}:
        mine = [span for span in gold if span.label == label]
        theirs = [span for span in predicted if span.label == label]
        found = score_spans(mine, theirs)
        for name in ("gold", "predicted", "exact"):
            counts[f"{name} {label}"] = found[name]
    return counts


def combine_labels(sums: Counts) -> Values:
    """Returns precision, recall and F1 of exact spans for each label of the gold."""
    values: Values = {}
    for name in sorted(sums):
        kind, _, label = name.partition(" ")
        if kind == "gold" and sums[name]:
            exact, predicted = sums.get(f"exact {label}", 0), sums.get(f"predicted {label}", 0)
            values |= precision_recall_f1(exact, predicted, sums[name], f"{label}:")
    return values


SPAN_F1_BY_LABEL = Metric(
    name="span_f1_by_label",
    version="2",
    title="Precision, recall and F1 of exact spans, label by label.",
    score=score_labels,
    combine=combine_labels,
)
