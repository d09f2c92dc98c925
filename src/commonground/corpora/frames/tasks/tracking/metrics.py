"""The official tables for parts of the data: by subtask, as the authors tag them, and by fold.

Files that were tagged with the official tagger have their tags in the official tables. The
subtasks are the tags of ``examples/label-frames-dataset.sh``, found in untagged files too.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from commonground.bench.metrics.frames_tracking import (
    CHOSEN,
    FRAMES_TRACKING,
    combine,
    list_references,
    list_tables,
)
from commonground.corpora.frames.native import Turn
from commonground.corpora.frames.tasks.gold import UserTurn, list_acts
from commonground.metric import Counts, Metric, Values

_OFFERS = ("offer", "suggest")
_SWITCH = "switch_frame"


def list_tags(place: UserTurn) -> list[str]:
    """Lists the tags of a user turn, in the order of the script."""
    before = place.before
    changed = before is not None and before.labels.active_frame != place.turn.labels.active_frame
    switches = _has_act(place.turn, (_SWITCH,))
    tags = []
    # As the script's filters `active-frame-changed` and `has-act switch_frame`: tags may overlap,
    # and a turn may have none about frames.
    if changed and switches:
        tags += ["framechange.switch_frame", *_by_offer("framechange.switch_frame", before)]
        if any(act["name"] == _SWITCH and not _has_slots(act) for act in place.acts):
            tags.append("framechange.switch_frame.noargs")
    if _has_act(place.turn, ("request_compare",)):
        tags.append("reqcomp")
    if changed and not switches:
        tags.append("framechange.valuechange")
    if not changed:
        tags += [] if switches else ["noframechange"]
        tags += _by_offer("noframechange", before)
    return [*tags, "noanno" if _has_bare(place.turn) else "no_noanno"]


def _has_act(turn: Turn, names: Collection[str]) -> bool:
    return any(act["name"] in names for act in list_acts(turn))


def _has_slots(act: Mapping[str, Any]) -> bool:
    """Says whether an act has a slot, in a reference or by itself, an ``id`` included."""
    for arg in act["args"]:
        if arg["key"] not in ("ref", "read", "write"):
            return True
        if any(target.get("annotations") for target in arg["val"]):
            return True
    return False


def _has_bare(turn: Turn) -> bool:
    active = turn.labels.active_frame
    return any(
        reference.slot == "NOANNO"
        for act in list_acts(turn)
        for reference in list_references(act, active)
    )


def _by_offer(tag: str, before: Turn | None) -> list[str]:
    if before is None:
        return []
    return [f"{tag}.offer" if _has_act(before, _OFFERS) else f"{tag}.nooffer"]


def name_subtasks(place: UserTurn, counts: Counts) -> dict[str, float]:
    """Puts the counts of a turn under the name of each of its tags."""
    tags = list_tags(place)
    named: dict[str, float] = {}
    for kind in ("tag/", "noanno/"):
        for part in ("cnt", "accuracy", "loglik"):
            count = counts.get(f"{kind}total_{part}")
            if count is not None:
                named |= {f"{kind}{tag}_{part}": count for tag in tags}
    return named | ({CHOSEN: counts[CHOSEN]} if CHOSEN in counts else {})


TRACKING_SUBTASKS = Metric(
    name="frames_tracking_subtasks",
    version=FRAMES_TRACKING.version,
    title="The rows of frames_tracking for the tags of the authors' example script.",
    matches="Maluuba/frames@20c0024 frames/utils.py, examples/label-frames-dataset.sh",
    score=name_subtasks,
    combine=combine,
    tables=list_tables,
    best=FRAMES_TRACKING.best,
    neutral=FRAMES_TRACKING.neutral,
)


# Between a fold and the name of a count; neither has it.
_MARK = "|"
_ROWS = ("tag/", "noanno/", CHOSEN)


def name_fold(fold: str | None, counts: Counts) -> dict[str, float]:
    """Puts the counts by tag of a turn under the name of its fold; none where it is in none."""
    if fold is None:
        return {}
    return {
        f"{fold}{_MARK}{name}": count for name, count in counts.items() if name.startswith(_ROWS)
    }


def combine_folds(sums: Counts) -> Values:
    """Returns ``fold-<n>:<value>`` for each fold, and ``mean:<value>`` over those that have it."""
    values: Values = {}
    listed: dict[str, list[float]] = {}
    for fold, counts in sorted(_divide(sums).items()):
        for name, value in combine(counts).items():
            values[f"{fold}:{name}"] = value
            if value is not None:
                listed.setdefault(name, []).append(value)
    means = {f"mean:{name}": sum(found) / len(found) for name, found in listed.items()}
    return values | means


def _divide(sums: Counts) -> Mapping[str, dict[str, float]]:
    folds: dict[str, dict[str, float]] = {}
    for name, count in sums.items():
        fold, _, rest = name.partition(_MARK)
        folds.setdefault(fold, {})[rest] = count
    return folds


TRACKING_FOLDS = Metric(
    name="frames_tracking_folds",
    version=FRAMES_TRACKING.version,
    title="The rows by tag of frames_tracking for each fold, and their means over the folds.",
    matches=FRAMES_TRACKING.matches,
    score=name_fold,
    combine=combine_folds,
    best=FRAMES_TRACKING.best,
    neutral=FRAMES_TRACKING.neutral,
)
