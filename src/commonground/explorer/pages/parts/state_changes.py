"""What changed in the states of a dialogue from one event to the next."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

import msgspec

from commonground.model import State

Sign = Literal["added", "removed", "changed"]
Key = tuple[int | None, str, str]


class StateChange(msgspec.Struct, frozen=True, kw_only=True):
    """A slot of a state that is not what it was before.

    Attributes:
        layer: whose annotation it is.
        frame: number of the frame; None where the state has none.
        kind: what the slot is: ``info``, ``request``, ``attribute``, ...
        before: its values until then; ruled-out ones begin with ``not``. Empty when added.
        after: its values from then on; empty when removed.
    """

    layer: str
    frame: int | None = None
    kind: str
    slot: str
    sign: Sign
    before: list[str] = []
    after: list[str] = []


def find_changes(states: Iterable[State]) -> dict[int, list[StateChange]]:
    """Compares each state with the one before it in the same layer.

    The rows of a layer at an event are the whole state; an event without rows changes nothing.

    Returns:
        The changes by event, layers in order of appearance; events that change nothing are
        left out.
    """
    snapshots: dict[tuple[str, int], dict[Key, list[str]]] = {}
    for each in states:
        slots = snapshots.setdefault((each.layer, each.event), {})
        if each.slot is not None:
            slots.setdefault((each.frame, each.kind, each.slot), []).append(write_value(each))
    changes: dict[int, list[StateChange]] = {}
    before: dict[str, dict[Key, list[str]]] = {}
    # By event alone: sorting keeps the order of what is equal, and so that of the layers.
    for (layer, event), slots in sorted(snapshots.items(), key=lambda item: item[0][1]):
        found = compare_slots(layer, before.get(layer, {}), slots)
        before[layer] = slots
        if found:
            changes.setdefault(event, []).extend(found)
    return changes


def compare_slots(
    layer: str, before: dict[Key, list[str]], after: dict[Key, list[str]]
) -> list[StateChange]:
    """Returns what is in one of two states only, or differs; the order of values is no matter.

    Args:
        before, after: values by frame, kind and slot.
    """
    changes: list[StateChange] = []
    # A turn changes little of a state: what stays is passed over first.
    for key in dict.fromkeys([*before, *after]) if before != after else ():
        old, new = before.get(key, []), after.get(key, [])
        if old == new or sorted(old) == sorted(new):
            continue
        frame, kind, slot = key
        sign: Sign = "changed" if old and new else "added" if new else "removed"
        changes.append(
            StateChange(
                layer=layer, frame=frame, kind=kind, slot=slot, sign=sign, before=old, after=new
            )
        )
    return changes


def write_value(state: State) -> str:
    """Returns the value that a slot has in a state, in words where it is what it has not."""
    value = "" if state.value is None else state.value
    return f"not {value}" if state.negated else value
