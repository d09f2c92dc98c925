"""What is counted of the segments of a game: which are right, how many there are, how long."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from commonground.corpora.photobook.segments import Segment, build_chains
from commonground.metric import Counts, Metric, Values
from commonground.metrics.base import precision_recall_f1, ratio

OFFICIAL = "dmg-photobook/photobook_dataset@cf01f08 segmentation/utils/dialogue_segmentation.py"

_PARTS = ("segments", "boundaries", "links", "chains")
_TARGETS, _LENGTH = "targets ", "length "


def score_segments(wanted: list[Segment], given: list[Segment]) -> Counts:
    """Counts the parts of one game that are right; a segment that is given twice is wrong once."""
    gold, predicted = _parts(wanted), _parts(given)
    counts: dict[str, float] = {"n": 1, "all_exact": int(gold["segments"] == predicted["segments"])}
    for part in _PARTS:
        counts[f"gold {part}"] = gold[part].total()
        counts[f"predicted {part}"] = predicted[part].total()
        counts[f"correct {part}"] = (gold[part] & predicted[part]).total()
    return counts


def _parts(segments: list[Segment]) -> dict[str, Counter[Any]]:
    """Takes segments apart: whole, texts only, pairs of text and image, chains."""
    chains = [
        (chain.image, tuple(segments[i].messages for i in chain.segments))
        for chain in build_chains(segments)
    ]
    return {
        "segments": Counter(segments),
        "boundaries": Counter((each.round_index, each.messages) for each in segments),
        "links": Counter({(m, image) for s in segments for m in s.messages for image in s.targets}),
        "chains": Counter(chains),
    }


def combine_parts(sums: Counts) -> Values:
    """Returns precision, recall and F1 of each part, and the share of games fully right."""
    values: Values = {}
    for part in _PARTS:
        correct, predicted = sums.get(f"correct {part}", 0), sums.get(f"predicted {part}", 0)
        values |= precision_recall_f1(correct, predicted, sums.get(f"gold {part}", 0), f"{part}_")
    return values | {"all_exact": ratio(sums.get("all_exact", 0), sums.get("n", 0))}


def count_statistics(segments: Sequence[Segment]) -> dict[str, float]:
    """Counts the segments and chains of one game."""
    counts: dict[str, float] = {"games": 1, "segments": len(segments)}
    counts["messages"] = sum(len(each.messages) for each in segments)
    counts["empty"] = sum(not each.messages for each in segments)
    for each in segments:
        name = f"{_TARGETS}{len(each.targets)}"
        counts[name] = counts.get(name, 0) + 1
    for chain in build_chains(segments):
        name = f"{_LENGTH}{len(chain.segments)}"
        counts[name] = counts.get(name, 0) + 1
    return counts


def combine_statistics(sums: Counts) -> Values:
    """Returns numbers of segments and chains, by length as well, and mean lengths."""
    number = sums.get("segments", 0)
    values: Values = {
        "games": sums.get("games", 0),
        "segments": number,
        "messages_per_segment_mean": ratio(sums.get("messages", 0), number),
        "empty_segments": sums.get("empty", 0),
    }
    for length, count in _by_length(sums, _TARGETS).items():
        values[f"targets_per_segment_{length}"] = count
        values[f"share_{length}"] = ratio(count, number)
    chains = _by_length(sums, _LENGTH)
    total = sum(chains.values())
    values["chains"] = total
    values["chains_ge2"] = total - chains.get(1, 0)
    values["mean_chain"] = ratio(sum(n * count for n, count in chains.items()), total)
    return values | {f"segments_per_chain_{n}": count for n, count in chains.items()}


def _by_length(sums: Counts, prefix: str) -> dict[int, float]:
    """Returns the counts of a prefix by the number behind it, in order."""
    names = [name for name in sums if name.startswith(prefix) and sums[name]]
    return dict(sorted((int(name.removeprefix(prefix)), sums[name]) for name in names))


def count_cases(cases: Mapping[int, int]) -> dict[str, float]:
    """Counts how often each case of the authors' heuristic came up in one game."""
    return {f"Case {number}": count for number, count in cases.items()}


def combine_cases(sums: Counts) -> Values:
    """Returns how often each case came up, in order of their numbers."""
    numbers = sorted(int(name.removeprefix("Case ")) for name in sums if sums[name])
    return {f"Case {number}": sums[f"Case {number}"] for number in numbers}


SEGMENT_F1 = Metric(
    name="segment_f1",
    version="2",
    title=(
        "Precision, recall and F1 of segments, of their texts alone (boundaries), of "
        "pairs of text and image (links), and of whole reference chains."
    ),
    score=score_segments,
    combine=combine_parts,
)

STATISTICS = Metric(
    name="statistics",
    version="1",
    title="How many predicted segments and chains there are, and how long they are.",
    score=count_statistics,
    combine=combine_statistics,
    neutral=("*",),
)

GOLD_STATISTICS = Metric(
    name="gold_statistics",
    version="1",
    title="The same of the authors' segments.",
    matches=OFFICIAL,
    score=count_statistics,
    combine=combine_statistics,
    neutral=("*",),
)

GOLD_CASES = Metric(
    name="gold_cases",
    version="1",
    title="How often each case of the heuristic came up.",
    matches=OFFICIAL,
    score=count_cases,
    combine=combine_cases,
    neutral=("*",),
)
