"""Ids of dialogues that several shards claim.

An import may have millions of ids. Here each is a number of 64 bits, since as Python texts they
would take more memory than all else that an import keeps.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import numpy as np

from commonground.store.importing.planning import ShardJob
from commonground.store.importing.shards import ShardReport, import_shard

_REPEATED = re.compile(r"~\d+\Z")
"""What is after the later of two dialogues of one id."""


def resolve_duplicates(
    plan: Sequence[ShardJob], reports: Sequence[ShardReport], context: Any
) -> list[ShardReport]:
    """Imports those shards again that hold ids of an earlier shard, now knowing them.

    Shards run without knowing of each other. Ids that two of them claim are rare, so a few are
    imported twice rather than all of them waiting for those before.

    Args:
        context: what the corpus prepared from its side files.

    Returns:
        The reports, some of them new.
    """
    repeated = _find_repeated(reports)
    if not repeated:
        return list(reports)
    taken: set[str] = set()
    resolved = []
    for job, report in zip(plan, reports, strict=True):
        ids = _choose(report, repeated)
        if taken.isdisjoint(ids):
            resolved.append(report)
        else:
            again = msgspec.structs.replace(job, taken=frozenset(taken))
            resolved.append(import_shard(again, context))
            ids = _choose(resolved[-1], repeated)
        taken.update(ids)
    return resolved


def _find_repeated(reports: Iterable[ShardReport]) -> frozenset[int]:
    """Returns the numbers of the ids that more than one dialogue has, or would have had."""
    ids = (each for report in reports for each in report.unpack().dialogue_ids)
    found = np.sort(np.fromiter(map(_number, ids), np.int64))
    return frozenset(found[1:][found[1:] == found[:-1]].tolist())


def _number(dialogue_id: str) -> int:
    """Returns the number of an id as it was before others had it, too."""
    if "~" in dialogue_id:
        dialogue_id = _REPEATED.sub("", dialogue_id)
    return hash(dialogue_id)


def _choose(report: ShardReport, repeated: frozenset[int]) -> list[str]:
    return [each for each in report.unpack().dialogue_ids if _number(each) in repeated]
