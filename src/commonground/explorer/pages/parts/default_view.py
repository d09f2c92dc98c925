"""The view of a corpus that has none of its own: what there was to see, and what held when."""

from __future__ import annotations

from collections import defaultdict
from itertools import pairwise

import msgspec

from commonground.explorer.pages.parts.state_changes import write_value
from commonground.model import Dialogue, Display, State
from commonground.printing import count_of
from commonground.view import OutlineItem, Stage, View

OUTLINE_STEP = 20
"""Events from one line of the outline to the next, where a dialogue has no parts."""


class Sight(msgspec.Struct, kw_only=True):
    """What one viewer had before them.

    Attributes:
        viewer: None for all speakers.
        displays: what they saw, by position.
    """

    viewer: str | None
    displays: list[Display]


class DefaultStage(Stage, kw_only=True):
    """What was to be seen in a range of events, by viewer, in order of first showing."""

    sights: list[Sight]


class HeldSlot(msgspec.Struct, frozen=True):
    """A slot of a state with its values.

    Attributes:
        kind: of the state's part, as in the column ``kind``.
        values: those that are ruled out begin with ``not``.
    """

    kind: str
    slot: str
    values: list[str]


class Held(msgspec.Struct, kw_only=True):
    """What one layer says of one frame.

    Attributes:
        layer: whose annotation it is.
        frame: number of the frame; None where the state has none.
        active: whether the frame is the active one; None where there are none.
        slots: its slots, in order; empty for an empty state.
    """

    layer: str
    frame: int | None = None
    active: bool | None = None
    slots: list[HeldSlot]


class StateStage(Stage, kw_only=True):
    """What holds in a range of events: the last state of each layer, frame by frame."""

    held: list[Held]


class DefaultView(View, kw_only=True):
    """The default view.

    Attributes:
        stages: panels of what was seen, in order; empty where nothing was shown.
        states: panels of what held, in order; empty where the corpus has no states.
    """

    stages: list[DefaultStage] = msgspec.field(default_factory=list)
    states: list[StateStage] = msgspec.field(default_factory=list)


def build_view(dialogue: Dialogue) -> DefaultView:
    """Makes parts the outline, and displays the panels."""
    ranges = _segment_ranges(dialogue)
    stages = [
        *_segment_stages(dialogue, ranges),
        *_event_stages(dialogue, len(dialogue.events) - 1),
    ]
    return DefaultView(
        outline=_outline(dialogue, ranges),
        stages=sorted(stages, key=lambda each: each.first),
        states=_state_stages(dialogue),
    )


def _segment_ranges(dialogue: Dialogue) -> list[tuple[int, int, int]]:
    """Lists runs of events in one part, as part, first and last event."""
    runs: list[list[int]] = []
    for number, event in enumerate(dialogue.events):
        if event.segment is None:
            continue
        # A part that is come back to is a run of its own: panels are ranges of events.
        if runs and runs[-1][0] == event.segment and runs[-1][2] == number - 1:
            runs[-1][2] = number
        else:
            runs.append([event.segment, number, number])
    return [(part, first, last) for part, first, last in runs]


def _outline(dialogue: Dialogue, ranges: list[tuple[int, int, int]]) -> list[OutlineItem]:
    if ranges:
        return [
            OutlineItem(
                label=f"Part {part}", event=first, detail=count_of(last - first + 1, "event")
            )
            for part, first, last in ranges
        ]
    count = len(dialogue.events)
    if count <= OUTLINE_STEP:
        return []
    return [
        OutlineItem(label=f"Events {first} to {min(first + OUTLINE_STEP, count) - 1}", event=first)
        for first in range(0, count, OUTLINE_STEP)
    ]


def _segment_stages(dialogue: Dialogue, ranges: list[tuple[int, int, int]]) -> list[DefaultStage]:
    shown: dict[int | None, list[Display]] = defaultdict(list)
    for each in dialogue.displays:
        if each.event is None:
            shown[each.segment].append(each)
    return [
        DefaultStage(first=first, last=last, title=f"Part {part}", sights=_sights(shown[part]))
        for part, first, last in ranges
        if shown.get(part)
    ]


def _event_stages(dialogue: Dialogue, last: int) -> list[DefaultStage]:
    """What is shown from an event on is seen until something else is shown."""
    shown: dict[int, list[Display]] = {}
    for each in dialogue.displays:
        if each.event is not None:
            shown.setdefault(each.event, []).append(each)
    starts = sorted(shown)
    return [
        DefaultStage(
            first=first, last=after - 1, title=f"From event {first}", sights=_sights(shown[first])
        )
        for first, after in pairwise([*starts, last + 1])
    ]


def _sights(displays: list[Display]) -> list[Sight]:
    by_viewer: dict[str | None, list[Display]] = {}
    for each in displays:
        by_viewer.setdefault(each.viewer, []).append(each)
    return [
        Sight(
            viewer=viewer,
            displays=sorted(each, key=lambda d: (d.position is None, d.position or 0)),
        )
        for viewer, each in by_viewer.items()
    ]


def _state_stages(dialogue: Dialogue) -> list[StateStage]:
    """A state holds until the next one of its layer; a panel ends where any layer changes."""
    at: dict[int, dict[str, list[State]]] = {}
    for each in dialogue.states:
        at.setdefault(each.event, {}).setdefault(each.layer, []).append(each)
    starts = sorted(at)
    holding: dict[str, list[State]] = {}
    stages = []
    for first, after in pairwise([*starts, len(dialogue.events)]):
        # Layers without rows at this event go on holding what they held.
        holding |= at[first]
        held = [each for states in holding.values() for each in _held(states)]
        stages.append(StateStage(first=first, last=after - 1, title="State", held=held))
    return stages


def _held(states: list[State]) -> list[Held]:
    frames: dict[int | None, Held] = {}
    slots: dict[tuple[int | None, str, str], HeldSlot] = {}
    for each in states:
        if each.frame not in frames:
            frames[each.frame] = Held(
                layer=each.layer, frame=each.frame, active=each.active, slots=[]
            )
        if each.slot is None:
            continue
        key = (each.frame, each.kind, each.slot)
        if key not in slots:
            slots[key] = HeldSlot(each.kind, each.slot, [])
            frames[each.frame].slots.append(slots[key])
        slots[key].values.append(write_value(each))
    return list(frames.values())
