"""Frame tracking: which frame each slot and each bare reference of a user turn is about.

Official behaviour that is kept: a distribution that sums to more than 1 is normalised, one below
1 is not; what is not a number is the largest of its distribution; the probability of the right
frame is at least 1e-6; an act without any annotated reference refers once to the active frame; a
slot that is predicted without a distribution is right where the first frame is; the log-likelihood
of bare references is taken of the wrong ones.
:data:`FRAMES_TRACKING_CORRECTED` normalises every distribution, takes that of the right ones, and
0 for what is not a number.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import zip_longest
from typing import Any

import msgspec

from commonground.errors import TaskError
from commonground.metric import Counts, Metric, PrintedTable, Values
from commonground.printing import count_of
from commonground.statistics.counts import ratio, sum_exactly

EPSILON = 1e-6
_REFERENCES = ("ref", "read", "write")
BARE = "NOANNO"
"""The slot of a bare reference, by its official name."""
# Metrics add up flat counts by name; these prefixes keep the script's three tables apart in them.
_TAG, _NOANNO, _SLOT, _WARNED = "tag/", "noanno/", "slot/", "warned/"


class Reference(msgspec.Struct, frozen=True, gc=False):
    """A slot, or a bare reference, and the frame it is about.

    Attributes:
        frame: number of the frame in gold acts; probabilities by frame in predicted ones; None
            where none is given.
        slot: name of the slot; ``NOANNO`` for a bare reference.
        value: value of the slot; None where it has none.
    """

    frame: Any
    slot: str
    value: Any


def list_references(act: Mapping[str, Any], active_frame: int | None) -> Iterator[Reference]:
    """Lists the slots of an act in order, then its bare references in order of frame.

    Args:
        act: with ``args``, as released or as predicted.
        active_frame: the frame of slots that stand outside a reference; None in predictions.

    Raises:
        TaskError: a reference stands within another.
    """
    bare, annotated = [], False
    for arg in act["args"]:
        if arg["key"] not in _REFERENCES:
            if arg["key"] != "id":
                yield Reference(active_frame, arg["key"], arg.get("val"))
            continue
        for target in arg["val"]:
            annotations = target.get("annotations") or []
            annotated = annotated or bool(annotations)
            if not annotations:
                bare.append(target["frame"])
            for each in annotations:
                if each["key"] in _REFERENCES:
                    raise TaskError(f"Act {act.get('name')!r} has a reference within another.")
                yield Reference(target["frame"], each["key"], each.get("val"))
    # An act that refers to no frame is about the active one, as if it had said so.
    if not bare and not annotated:
        bare.append(active_frame)
    yield from (Reference(frame, BARE, None) for frame in sorted(bare))


def choose_frame(shares: Sequence[float] | None) -> int:
    """Returns the number of the frame that probabilities choose, as the official script takes them.

    Args:
        shares: of the frames from 1 on; None where none are given.
    """
    # The script takes the argmax of nothing, which is the first place.
    return 1 if shares is None else _find_largest(shares) + 1


def choose_bare(shares: Sequence[float]) -> set[int]:
    """Returns the numbers of the frames that a bare reference with these probabilities is to."""
    return {number for number, share in enumerate(shares, 1) if share > 0.5}


class GoldTurn(msgspec.Struct, frozen=True):
    """A user turn as annotated.

    Attributes:
        acts: as released, each with ``name`` and ``args``.
        active_frame: number of the frame that is active after the turn, from 1.
        tags: names of the table rows that the turn counts in, besides ``total``.
    """

    acts: Sequence[Mapping[str, Any]]
    active_frame: int
    tags: Sequence[str] = ()


class TrackingTables(msgspec.Struct, frozen=True):
    """The sums of the official script, under its keys.

    Attributes:
        cnt: slots, by tag: ``<tag>_cnt``, ``<tag>_accuracy``, ``<tag>_loglik``.
        cnt_noanno: bare references, by tag.
        cnt_comb: slots, by act and slot: ``<act>:<slot>_count`` and so on.
    """

    cnt: dict[str, float]
    cnt_noanno: dict[str, float]
    cnt_comb: dict[str, float]


class _Scored(msgspec.Struct):
    """What one act came to: pairs of right or wrong and log-likelihood."""

    slots: list[tuple[str, bool, float]] = []
    bare: tuple[bool, float] | None = None
    warnings: dict[str, int] = {}


def score_turn(
    gold: GoldTurn, acts: Sequence[Mapping[str, Any]], *, corrected: bool = False
) -> dict[str, float]:
    """Counts one user turn as the official script does.

    Args:
        acts: the predicted acts, each slot in a reference whose ``frame`` holds the
            probabilities of the frames from 1 on.
        corrected: whether every distribution is normalised and no likelihood inverted.

    Raises:
        TaskError: acts or slots differ from the annotated ones in number or name, or a frame is
            not a list of probabilities. The official script stops there.
    """
    if len(acts) != len(gold.acts):
        raise TaskError(
            f"The turn has {count_of(len(gold.acts), 'act')}, and {len(acts)} were predicted."
        )
    found = []
    for act, answer in zip(gold.acts, acts, strict=True):
        try:
            found.append(_score_act(act, answer, gold.active_frame, corrected))
        except (KeyError, TypeError, ValueError, AttributeError) as error:
            problem = f"the prediction for act {act.get('name')!r} has another form"
            raise TaskError(f"{problem} ({type(error).__name__}: {error}).") from error
    return _count_acts(gold, found)


score_turn_corrected = partial(score_turn, corrected=True)
"""Counts one user turn with every distribution normalised and no likelihood inverted."""


def score_unreadable_turn(gold: GoldTurn) -> dict[str, float]:
    """Counts a user turn whose prediction cannot be read: every slot and reference is wrong."""
    wrong, found = math.log(EPSILON), []
    for act in gold.acts:
        slots = [each.slot for each in list_references(act, gold.active_frame)]
        bare = (False, wrong) if BARE in slots else None
        found.append(_Scored([(slot, False, wrong) for slot in slots if slot != BARE], bare))
    return _count_acts(gold, found)


def _count_acts(gold: GoldTurn, found: Sequence[_Scored]) -> dict[str, float]:
    counts: dict[str, float] = {}
    rows = [*gold.tags, "total"]
    for act, scored in zip(gold.acts, found, strict=True):
        for slot, right, loglik in scored.slots:
            for tag in rows:
                _add(counts, f"{_TAG}{tag}", "_cnt", right, loglik)
            _add(counts, f"{_SLOT}{act['name']}:{slot}", "_count", right, loglik)
        if scored.bare:
            for tag in rows:
                _add(counts, f"{_NOANNO}{tag}", "_cnt", *scored.bare)
        for name, count in scored.warnings.items():
            counts[_WARNED + name] = counts.get(_WARNED + name, 0) + count
    return counts


def _add(counts: dict[str, float], row: str, suffix: str, right: bool, loglik: float) -> None:
    for name, value in ((suffix, 1), ("_accuracy", right), ("_loglik", loglik)):
        counts[row + name] = counts.get(row + name, 0) + value


def _score_act(
    act: Mapping[str, Any], answer: Mapping[str, Any], active_frame: int, corrected: bool
) -> _Scored:
    scored = _Scored()
    bare_gold: list[int] = []
    bare_given: Any = None
    # By position, as in the script; where one side is shorter, scoring stops at the gap.
    pairs = zip_longest(list_references(act, active_frame), list_references(answer, None))
    for gold, given in pairs:
        is_bare = False
        if gold is not None and gold.slot == BARE:
            bare_gold.append(gold.frame)
            is_bare = True
        if given is not None and given.slot == BARE and given.frame is not None:
            bare_given = given.frame
            is_bare = True
        if not is_bare:
            scored.slots.append(_score_slot(gold, given, corrected, scored.warnings))
    shares = [bare_given] if isinstance(bare_given, int | float) else bare_given or []
    scored.bare = _score_bare(bare_gold, shares, corrected)
    return scored


def _score_slot(
    gold: Reference | None, given: Reference | None, corrected: bool, warnings: dict[str, int]
) -> tuple[str, bool, float]:
    if gold is None or given is None or gold.slot != given.slot:
        names = [None if each is None else each.slot for each in (gold, given)]
        raise TaskError(f"Slots do not match: expected {names[0]}, found {names[1]}.")
    if gold.value != given.value:
        warnings["values"] = warnings.get("values", 0) + 1
    if given.frame is None:
        return gold.slot, gold.frame == choose_frame(None), math.log(EPSILON)
    shares = _omit_nan(given.frame) if corrected else given.frame
    total, best = sum(shares), choose_frame(shares)
    # The script warns of what cannot be rounding, and normalises whatever is above 1.
    if total > 1.00001:
        warnings["sums"] = warnings.get("sums", 0) + 1
    share = shares[gold.frame - 1] if 0 < gold.frame <= len(shares) else 0.0
    if total > 1 or (corrected and total > 0):
        share /= total
    return gold.slot, best == gold.frame, math.log(max(EPSILON, share))


def _omit_nan(shares: Sequence[float]) -> list[float]:
    return [0.0 if share != share else share for share in shares]


def _find_largest(shares: Sequence[float]) -> int:
    """Returns the place of the first NaN, else of the first of the largest, as numpy does."""
    places = range(len(shares))
    # Only NaN differs from itself. One sum says whether there is any reason to look for one.
    odd = (place for place in places if shares[place] != shares[place])
    first = next(odd, None) if math.isnan(sum(shares)) else None
    return max(places, key=shares.__getitem__) if first is None else first


def _score_bare(
    gold: Sequence[int], shares: Sequence[float], corrected: bool
) -> tuple[bool, float] | None:
    """Scores all bare references of an act at once; None where there are none to score."""
    if corrected:
        shares = _omit_nan(shares)
    if not gold:
        if not shares:
            return None
        # Nothing refers: the official script still takes the likelihood of what is given.
        logs = [_log_floored(1 - p if corrected else p) for p in shares]
        # Right where no frame is given half the probability.
        return max(shares) < 0.5, sum_exactly(logs) / len(logs)
    right = choose_bare(shares) == set(gold)
    if max(gold) > len(shares):
        return right, math.log(EPSILON)
    inside = [shares[number - 1] for number in gold]
    outside = [p for number, p in enumerate(shares, 1) if number not in gold]
    if corrected:
        logs = [_log_floored(p) for p in (*inside, *(1 - p for p in outside))]
    else:
        # The script takes the two sides the other way round (utils.py, unannotated references).
        logs = [_log(p) for p in (*(1 - p for p in inside), *outside)]
    return right, sum_exactly(logs) / len(logs)


def _log_floored(share: float) -> float:
    # ``max`` keeps or drops NaN by the order of its arguments; here it is kept.
    return math.log(share if share != share else max(EPSILON, share))


def _log(share: float) -> float:
    # As numpy has it, where ``math.log`` would raise: -inf for 0, NaN for less and for NaN.
    if share > 0:
        return math.log(share)
    return math.nan if share else -math.inf


def tracking_tables(sums: Counts) -> TrackingTables:
    """Divides summed counts into the three tables of the official script."""
    parts: dict[str, dict[str, float]] = {_TAG: {}, _NOANNO: {}, _SLOT: {}}
    for name, count in sums.items():
        prefix = name[: name.index("/") + 1] if "/" in name else ""
        if prefix in parts:
            parts[prefix][name[len(prefix) :]] = count
    return TrackingTables(parts[_TAG], parts[_NOANNO], parts[_SLOT])


def combine(sums: Counts) -> Values:
    """Returns accuracy and mean log-likelihood of every row of the official tables.

    Rows by tag are ``<tag>_accuracy``, ``<tag>_loglik``, ``<tag>_noanno_accuracy`` and
    ``<tag>_noanno_loglik``; rows by act and slot ``<act>:<slot>_accuracy`` and so on. No likelihood
    is defined where frames were chosen without probabilities.
    """
    are_chosen = bool(sums.get(CHOSEN))
    return {
        name: None
        if are_chosen and name.endswith("loglik")
        else ratio(sums.get(count, 0), sums[number])
        for name, count, number in _list_rates(tuple(sums))
    }


# A bootstrap combines thousands of sums of the same names, of which there are hundreds.
@lru_cache(maxsize=64)
def _list_rates(names: tuple[str, ...]) -> tuple[tuple[str, str, str], ...]:
    """Lists values: their names, and those of the counts that are divided, and by what."""
    listed: list[tuple[str, str, str]] = []
    kinds = ((_TAG, "_cnt", "_"), (_NOANNO, "_cnt", "_noanno_"), (_SLOT, "_count", "_"))
    for prefix, suffix, joint in kinds:
        for number in names:
            if number.startswith(prefix) and number.endswith(suffix):
                row = number.removeprefix(prefix).removesuffix(suffix)
                listed += [
                    (f"{row}{joint}{value}", f"{prefix}{row}_{value}", number)
                    for value in ("accuracy", "loglik")
                ]
    return tuple(listed)


_TAG_HEAD = (
    "Key",
    "count",
    "accuracy (%)",
    "loglik",
    "with-noanno (%)",
    "with-noanno (loglik)",
)
_SLOT_HEAD = _TAG_HEAD[:4]


def list_tables(sums: Counts) -> list[PrintedTable]:
    """Returns both tables, rounded as the official script prints them.

    Rows by slot begin with the rarest; equally frequent ones, which the script prints in any order,
    are by name. A tag without bare references has zeros.
    """
    tables = tracking_tables(sums)
    tags = sorted(_list_rows(tables.cnt, "_cnt"))
    by_tag: list[list[str | float]] = [
        [
            tag,
            *_round_rates(tables.cnt, tag, "_cnt"),
            *_round_rates(tables.cnt_noanno, tag, "_cnt")[1:],
        ]
        for tag in tags
    ]
    combined = tables.cnt_comb
    slots = sorted(_list_rows(combined, "_count"), key=lambda s: (combined[f"{s}_count"], s))
    by_slot: list[list[str | float]] = [[s, *_round_rates(combined, s, "_count")] for s in slots]
    titles = "Slots by tag of their turn, and bare references.", "Slots by act and slot."
    return [
        PrintedTable(name="by_tag", title=titles[0], head=list(_TAG_HEAD), rows=by_tag),
        PrintedTable(name="by_slot", title=titles[1], head=list(_SLOT_HEAD), rows=by_slot),
    ]


def _list_rows(table: Counts, suffix: str) -> list[str]:
    return [name.removesuffix(suffix) for name in table if name.endswith(suffix)]


def _round_rates(table: Counts, row: str, suffix: str) -> list[float]:
    """Returns number, accuracy in percent and mean log-likelihood, the latter to one decimal."""
    number = table.get(row + suffix, 0)
    parts = (100 * table.get(f"{row}_accuracy", 0), table.get(f"{row}_loglik", 0))
    return [number, *(float(f"{part / max(1, number):.1f}") for part in parts)]


CHOSEN = "chosen_without_probabilities"
"""The count of turns whose frames were chosen, as language models do."""

FRAMES_TRACKING = Metric(
    name="frames_tracking",
    version="2",
    title="Accuracy and log-likelihood of the frame of slots and bare references.",
    matches="Maluuba/frames@20c0024 frames/utils.py",
    score=score_turn,
    combine=combine,
    tables=list_tables,
    best={"*loglik": 0.0},
    parts={"total_loglik": (CHOSEN,)},
    # Of bare references the script adds up the likelihoods of what is wrong.
    neutral=("*_noanno_loglik", "*NOANNO_loglik"),
)

FRAMES_TRACKING_CORRECTED = msgspec.structs.replace(
    FRAMES_TRACKING,
    name="frames_tracking_corrected",
    title="As frames_tracking, distributions normalised and likelihoods of the right frames.",
    matches=None,
    score=score_turn_corrected,
    neutral=(),
)
