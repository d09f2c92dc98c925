"""What logs of inspect_ai keep of scored replies, as instances that every number comes of."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from commonground.bench.evaluation.reporting import list_main
from commonground.bench.evaluation.scoring import measure_scored
from commonground.bench.evaluation.tasks import get_task
from commonground.bench.inspect_tasks.scoring.rates import name_ends
from commonground.errors import TaskError
from commonground.statistics.counts import sum_counts
from commonground.task import Scored

UNANSWERED = "unanswered"
"""What the metadata of a sample holds: the counts that it has without a reply, and its place."""

Row = tuple[Mapping[str, Any], Mapping[str, Any], str]
"""Metadata of a sample, metadata of its score, and the sample's id."""


def read_scored(row: Row) -> Scored | None:
    """Returns the instance that a log has the score of; None where it has none."""
    about, facts, name = row
    if "counts" not in facts:
        return None
    return Scored(
        instance_id=name,
        dialogue_id=about["dialogue_id"],
        counts=facts["counts"],
        predicted=facts.get("predicted"),
        split=facts.get("split"),
        is_missing=bool(facts.get("is_missing")),
    )


def merge_epochs(scored: Iterable[Scored]) -> list[Scored]:
    """Sums the counts of an instance that was asked about several times."""
    groups: dict[str, list[Scored]] = {}
    for each in scored:
        groups.setdefault(each.instance_id, []).append(each)
    return [_merge(group) if len(group) > 1 else group[0] for group in groups.values()]


def _merge(group: list[Scored]) -> Scored:
    first = group[0]
    names = dict.fromkeys(name for each in group for name in each.counts)
    return Scored(
        instance_id=first.instance_id,
        dialogue_id=first.dialogue_id,
        counts={
            name: sum_counts(each.counts[name] for each in group if name in each.counts)
            for name in names
        },
        split=first.split,
        is_missing=all(each.is_missing for each in group),
    )


def group_rows(rows: Iterable[Row]) -> dict[str, list[Row]]:
    """Groups rows by what a file of predictions holds; the name is empty where all are of one.

    They come in the order of the instances, so that resampling gives the same whatever the order
    in which a model replied.
    """
    groups: dict[tuple[str, str | None], list[Row]] = {}
    for row in sorted(rows, key=lambda row: row[1].get("place", 0)):
        part, split = row[1].get("part") or "", row[1].get("split")
        # Without parts a file has all splits: then the split is not looked at.
        groups.setdefault((part, split if part else None), []).append(row)
    if len(groups) == 1:
        return {"": next(iter(groups.values()))}
    return {"/".join(filter(None, key)): mine for key, mine in groups.items()}


def summarise(rows: Iterable[Row]) -> dict[str, float]:
    """Returns the main numbers of replies, each with the ends of its interval after it.

    Raises:
        TaskError: they are of several tasks.
    """
    listed = list(rows)
    names = {row[0]["asked_task"] for row in listed}
    if not names:
        return {}
    if len(names) > 1:
        raise TaskError(f"Replies are of several tasks: {', '.join(sorted(names))}.")
    task, values = get_task(names.pop()), dict[str, float]()
    for group, mine in group_rows(listed).items():
        prefix = f"{group}/" if group else ""
        scored = merge_epochs(filter(None, map(read_scored, mine)))
        measured, _problems = measure_scored(task, scored)
        for each in list_main(task, measured):
            values |= name_ends(f"{prefix}{each.name}", each.value, each.low, each.high)
        values[f"{prefix}unread"] = float(sum(bool(row[1].get("fault")) for row in mine))
    return values
