"""Dialogue acts as chips: what each says of which frame, references as links."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from commonground.model import Act, Dialogue


class Part(msgspec.Struct, kw_only=True, gc=False):
    """The slots of an act that concern one frame in one way.

    Attributes:
        frame: the frame; null where the act is about none.
        event: event that created the frame; null where none did.
        relation: ``ref``, ``read`` or ``write`` where the frame is referred to; else null.
        creates: whether the act creates the frame.
        slots: slot and value; the value is null where it is asked for.
    """

    frame: int | None
    event: int | None
    relation: str | None
    creates: bool = False
    slots: list[tuple[str, str | None]] = []


class ActChip(msgspec.Struct, gc=False):
    """A dialogue act."""

    act: str
    parts: list[Part]


def make_chips(dialogue: Dialogue, created: Mapping[int, int]) -> dict[int, list[ActChip]]:
    """Returns the acts of each event.

    Args:
        dialogue: the dialogue; of its two layers only the one with references is shown.
        created: event that created each frame.
    """
    chips: dict[int, list[ActChip]] = {}
    last: tuple[int, int] | None = None
    for act in dialogue.acts:
        if act.layer != "acts":
            continue
        of_event = chips.setdefault(act.event, [])
        if last != (act.event, act.act_index):
            last = (act.event, act.act_index)
            of_event.append(ActChip(act.act, []))
        if act.slot_index is not None:
            _add_slot(of_event[-1].parts, act, created)
    return chips


def _add_slot(parts: list[Part], act: Act, created: Mapping[int, int]) -> None:
    creates = act.relation == "id"
    relation = None if creates else act.relation
    part = parts[-1] if parts else None
    if creates:
        # The number may come last, behind references to other frames.
        part = next(
            (each for each in parts if (each.frame, each.relation) == (act.frame, None)), None
        )
    if part is None or part.frame != act.frame or part.relation != relation:
        event = None if act.frame is None else created.get(act.frame)
        part = Part(frame=act.frame, event=event, relation=relation, slots=[])
        parts.append(part)
    if creates:
        part.creates = True
    elif act.slot is not None:
        part.slots.append((act.slot, act.value))
