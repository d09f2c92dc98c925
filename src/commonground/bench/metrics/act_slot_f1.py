"""Dialogue acts of a turn with their slots and values: precision, recall and F1 of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Sequence

import msgspec

from commonground.metric import Counts, Metric, Values
from commonground.statistics.counts import f1_by_kind, list_parts_by_kind, ratio


class ActFrame(msgspec.Struct, frozen=True, gc=False):
    """An act and its slots.

    Attributes:
        slots: pairs of slot and value, in no order; the value is None where there is none.
    """

    act: str
    slots: tuple[tuple[str, str | None], ...] = ()


def score_acts(gold: Sequence[ActFrame], predicted: Sequence[ActFrame]) -> dict[str, float]:
    """Counts one turn; order does not matter, repetition does.

    An act is right by its name. A slot is right with its act, a value with its act and slot:
    ``inform(city=Rome)`` for ``inform(city=Oslo)`` has the slot right and the value wrong.
    """
    counts: dict[str, float] = {"n": 1}
    counts |= _count("acts", (f.act for f in gold), (f.act for f in predicted))
    counts |= _count("slots", _list_slots(gold), _list_slots(predicted))
    counts |= _count("values", _list_values(gold), _list_values(predicted))
    return counts | {"exact": int(_list_frames(gold) == _list_frames(predicted))}


def _list_frames(frames: Iterable[ActFrame]) -> Counter[Hashable]:
    # Slots with how often each is there: their order does not count, repetition does.
    return Counter((frame.act, frozenset(Counter(frame.slots).items())) for frame in frames)


def _list_slots(frames: Iterable[ActFrame]) -> Iterable[Hashable]:
    return ((frame.act, slot) for frame in frames for slot, _value in frame.slots)


def _list_values(frames: Iterable[ActFrame]) -> Iterable[Hashable]:
    return ((frame.act, *pair) for frame in frames for pair in frame.slots)


def _count(kind: str, gold: Iterable[Hashable], predicted: Iterable[Hashable]) -> dict[str, float]:
    wanted, given = Counter(gold), Counter(predicted)
    return {
        f"gold_{kind}": wanted.total(),
        f"predicted_{kind}": given.total(),
        f"correct_{kind}": (wanted & given).total(),
    }


_KINDS = ("acts", "slots", "values")


def combine(sums: Counts) -> Values:
    """Returns precision, recall and F1 of acts, slots and values, and the share fully right."""
    return f1_by_kind(sums, _KINDS) | {"exact": ratio(sums.get("exact", 0), sums.get("n", 0))}


ACT_SLOT_F1 = Metric(
    name="act_slot_f1",
    version="2",
    title="Precision, recall and F1 of a turn's acts, of their slots and of their values.",
    score=score_acts,
    combine=combine,
    parts=list_parts_by_kind(_KINDS),
)
