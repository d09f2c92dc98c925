"""How many segments and chains there are, and how long they are."""

from __future__ import annotations

from collections.abc import Sequence

from commonground.corpora.photobook.segments import Segment, build_chains
from commonground.metrics.base import Counts, Values, ratio

OFFICIAL = "dmg-photobook/photobook_dataset@cf01f08 segmentation/utils/dialogue_segmentation.py"

_TARGETS, _LENGTH = "targets ", "length "


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


def combine_cases(sums: Counts) -> Values:
    """Returns how often each case came up, in order of their numbers."""
    numbers = sorted(int(name.removeprefix("Case ")) for name in sums if sums[name])
    return {f"Case {number}": sums[f"Case {number}"] for number in numbers}
