"""The metro map of a dialogue: a line per frame, a stop per turn, where the talk changed lines.

Everything is measured in pixels from the upper left corner of the drawing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import msgspec

from commonground.corpora.frames.view.frames import Moments, Snapshot
from commonground.model import Dialogue, Utterance

LEFT_PX = 140
"""Room for the names of the frames that are there from the first turn on."""
TOP_PX = 58
COLUMN_PX = 27
VISITED_PX, PASSED_PX = 26, 18
"""Height of a line where the talk stops, and of one that it passes by."""
# The mean of the style sheet's font at its size: names are cut before they are drawn.
_CHARACTER_PX = 6.6


class MetroLine(msgspec.Struct, kw_only=True, gc=False):
    """A frame.

    Attributes:
        frame: its number.
        label: its name, cut to the room there is; empty where it has none.
        title: its name in full.
        event: event that created it.
        parent: frame it was made from.
        visited: whether any turn is about it.
        y: height of the line.
        x1: where it begins.
        x2: where it ends.
        label_x: right edge of its name.
        branch: SVG path from the parent's line; None where it has no parent.
    """

    frame: int
    label: str
    title: str
    event: int
    parent: int | None
    visited: bool
    y: float
    x1: float
    x2: float
    label_x: float
    branch: str | None


class Stop(msgspec.Struct, kw_only=True, gc=False):
    """A turn on the line of its active frame.

    Attributes:
        event: the utterance.
        turn: its number.
        user: whether the user speaks; else the wizard does.
        frame: the active frame; None where the release names none.
        switched_from: the frame that was active before, where this turn changed it.
        creates: frames that are new in this turn.
        searches: number of searches before the wizard spoke.
        search_event: the first of them; None where there is none.
        x: place.
        y: height.
    """

    event: int
    turn: int
    user: bool
    frame: int | None
    switched_from: int | None
    creates: list[int]
    searches: int
    search_event: int | None
    x: float
    y: float


class Leg(msgspec.Struct, gc=False):
    """The way from one stop to the next: an SVG path, and whether it changes lines."""

    path: str
    switch: bool


class MetroMap(msgspec.Struct, kw_only=True):
    """All that is drawn, and the size of the drawing.

    Attributes:
        width: of the drawing, in pixels.
        height: of the drawing, in pixels.
        lines: one per frame, from top to bottom.
        stops: one per turn, from left to right.
        legs: pieces that join a stop to the next.
    """

    width: float
    height: float
    lines: list[MetroLine]
    stops: list[Stop]
    legs: list[Leg]


class _Turn(msgspec.Struct):
    event: int
    utterance: Utterance
    searches: list[int]
    frames: Mapping[int, Snapshot]


def make_map(
    dialogue: Dialogue, moments: Moments, labels: Mapping[int, str], created: Mapping[int, int]
) -> MetroMap | None:
    """Lays the map out; returns None for a dialogue without frames.

    Args:
        dialogue: the dialogue.
        moments: its frames after each utterance, by event and number.
        labels: names of the frames that have one.
        created: event that created each frame, in that order.
    """
    turns = _turns(dialogue, moments)
    if not created or not turns:
        return None
    columns = {turn.event: LEFT_PX + i * COLUMN_PX for i, turn in enumerate(turns)}
    visited = {s.frame for frames in moments.values() for s in frames.values() if s.active}
    heights = _heights(created, visited)
    end = LEFT_PX + (len(turns) - 1) * COLUMN_PX + 12
    parents = {frame: moments[event][frame].parent for frame, event in created.items()}
    lines = [
        MetroLine(
            frame=frame,
            label=_shorten(labels.get(frame, ""), columns[event]),
            title=labels.get(frame, ""),
            event=event,
            parent=parents[frame],
            visited=frame in visited,
            y=heights[frame],
            x1=columns[event],
            x2=end,
            label_x=columns[event] - 20,
            branch=_branch(_parent_height(parents[frame], heights), heights[frame], columns[event]),
        )
        for frame, event in created.items()
    ]
    stops = _stops(turns, columns, heights, created)
    bottom = max(heights.values()) + 16
    return MetroMap(width=end + 12, height=bottom, lines=lines, stops=stops, legs=_legs(stops))


def _turns(dialogue: Dialogue, moments: Moments) -> list[_Turn]:
    turns: list[_Turn] = []
    searches: list[int] = []
    for number, event in enumerate(dialogue.events):
        if isinstance(event, Utterance):
            turns.append(_Turn(number, event, searches, moments.get(number, {})))
            searches = []
        else:
            searches.append(number)
    return turns


def _heights(created: Mapping[int, int], visited: set[int]) -> dict[int, float]:
    heights, y = {}, float(TOP_PX)
    previous = 0
    for frame in created:
        pitch = VISITED_PX if frame in visited else PASSED_PX
        y += (previous + pitch) / 2 if previous else 0
        heights[frame], previous = y, pitch
    return heights


def _shorten(label: str, x: float) -> str:
    """Cuts a name to the room left of where its line begins, which its number shares."""
    room = min(28, int((x - 48) / _CHARACTER_PX))
    return label if len(label) <= room else label[: room - 1].rstrip() + "…"


def _parent_height(parent: int | None, heights: Mapping[int, float]) -> float | None:
    return None if parent is None else heights.get(parent)


def _branch(start: float | None, end: float, x: float) -> str | None:
    if start is None:
        return None
    # The corner is rounded downwards or upwards.
    turn = 8 if end > start else -8
    trunk = x - 13
    return f"M{trunk:g} {start:g}V{end - turn:g}Q{trunk:g} {end:g} {trunk + 8:g} {end:g}H{x:g}"


def _stops(
    turns: Sequence[_Turn],
    columns: Mapping[int, float],
    heights: Mapping[int, float],
    created: Mapping[int, int],
) -> list[Stop]:
    new_at: dict[int, list[int]] = {}
    for frame, event in created.items():
        new_at.setdefault(event, []).append(frame)
    stops: list[Stop] = []
    # A turn that no frame is active at stops where the one before did.
    y, before = next(iter(heights.values())), None
    for number, turn in enumerate(turns):
        active = next((s.frame for s in turn.frames.values() if s.active), None)
        if active is not None:
            y = heights[active]
        stops.append(
            Stop(
                event=turn.event,
                turn=number if turn.utterance.turn is None else turn.utterance.turn,
                user=turn.utterance.speaker == "user",
                frame=active,
                switched_from=before if before != active and active is not None else None,
                creates=new_at.get(turn.event, []),
                searches=len(turn.searches),
                search_event=turn.searches[0] if turn.searches else None,
                x=columns[turn.event],
                y=y,
            )
        )
        before = before if active is None else active
    return stops


def _legs(stops: Sequence[Stop]) -> list[Leg]:
    """Joins stops on one line straight, and others by a curve between their columns."""
    legs = []
    for a, b in pairwise(stops):
        if a.y == b.y:
            legs.append(Leg(f"M{a.x:g} {a.y:g}H{b.x:g}", switch=False))
        else:
            half = (a.x + b.x) / 2
            curve = f"M{a.x:g} {a.y:g}C{half:g} {a.y:g} {half:g} {b.y:g} {b.x:g} {b.y:g}"
            legs.append(Leg(curve, switch=True))
    return legs
