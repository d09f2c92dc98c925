"""A Frames dialogue as its page shows it: a metro map, frame cards, searches and acts."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from commonground.corpora.frames.view.frames import (
    FrameCard,
    Moments,
    Snapshot,
    Standing,
    label_frames,
    list_standing,
    make_cards,
    read_snapshots,
)
from commonground.corpora.frames.view.metro_map import MetroMap, Stop, make_map
from commonground.corpora.frames.view.searches import SearchStage, make_searches
from commonground.model import Act, Dialogue, Utterance
from commonground.view import OutlineItem, Stage, View


class TurnStage(Stage, kw_only=True):
    """The frames at a turn.

    Attributes:
        cards: the active frame and those that the turn changed.
        others: numbers of the frames that it left alone.
        since: event from which each of those stands as it does.
        searches: the searches of the turn, as events.
    """

    cards: list[FrameCard]
    others: list[int]
    since: dict[int, int]
    searches: list[int]


class ActPart(msgspec.Struct, kw_only=True, gc=False):
    """The slots of an act that concern one frame in one way.

    Attributes:
        frame: the frame; None where the act is about none.
        event: event that created the frame; None where none did.
        relation: ``ref``, ``read`` or ``write`` where the frame is referred to; else None.
        creates: whether the act creates the frame.
        slots: slot and value; the value is None where it is asked for.
    """

    frame: int | None
    event: int | None
    relation: str | None
    creates: bool = False
    slots: list[tuple[str, str | None]] = []


class ActChip(msgspec.Struct, gc=False):
    """A dialogue act as the page shows it: its name, and its slots grouped by frame."""

    act: str
    parts: list[ActPart]


class FramesView(View, kw_only=True):
    """What the page of a Frames dialogue shows.

    Attributes:
        map: the metro map; None where the dialogue has no frames.
        labels: name of each frame that has one.
        created: event that created each frame.
        turns: the frames at each utterance, by event.
        searches: the searches, by event.
        acts: the acts of each utterance, by event.
        standing: every frame as it stands, from one turn that changes it to the next one.
    """

    map: MetroMap | None
    labels: dict[int, str]
    created: dict[int, int]
    turns: dict[int, TurnStage]
    searches: dict[int, SearchStage]
    acts: dict[int, list[ActChip]]
    standing: list[Standing]


def build_view(dialogue: Dialogue) -> FramesView:
    """Turns a dialogue into what its page shows."""
    moments = read_snapshots(dialogue)
    labels = label_frames(moments)
    created: dict[int, int] = {}
    for event, frames in moments.items():
        for number in frames:
            created.setdefault(number, event)
    metro = make_map(dialogue, moments, labels, created)
    searches = make_searches(dialogue)
    return FramesView(
        outline=_outline(metro.stops if metro else [], labels, searches),
        map=metro,
        labels=labels,
        created=created,
        turns={each.first: each for each in _turns(dialogue, moments, labels)},
        searches={each.first: each for each in searches},
        acts=make_chips(dialogue, created),
        standing=list_standing(moments, labels),
    )


def _turns(dialogue: Dialogue, moments: Moments, labels: Mapping[int, str]) -> list[TurnStage]:
    before: Mapping[int, Snapshot] = {}
    turns: list[TurnStage] = []
    searches: list[int] = []
    since: dict[int, int] = {}
    for number, event in enumerate(dialogue.events):
        if not isinstance(event, Utterance):
            searches.append(number)
            continue
        # An utterance without states leaves the frames as they were.
        after = moments.get(number, before)
        cards = make_cards(before, after, labels)
        listed = {card.frame for card in cards}
        since |= {
            frame: number
            for frame, snapshot in after.items()
            if frame not in before or before[frame].held != snapshot.held
        }
        others = [frame for frame in after if frame not in listed]
        stage = TurnStage(
            first=number,
            last=number,
            title=f"Frames at turn {number if event.turn is None else event.turn}",
            cards=cards,
            others=others,
            since={frame: since[frame] for frame in others},
            searches=searches,
        )
        turns.append(stage)
        before, searches = after, []
    return turns


def _outline(
    stops: Sequence[Stop], labels: Mapping[int, str], searches: Sequence[SearchStage]
) -> list[OutlineItem]:
    """Lists each stay on a frame, and the searches during it."""
    items = []
    frame = None
    for stop in stops:
        if stop.frame is not None and stop.frame != frame:
            frame = stop.frame
            items.append(
                OutlineItem(label=f"Frame {frame}", event=stop.event, detail=labels.get(frame))
            )
    items += [
        OutlineItem(
            label=each.title,
            event=each.first,
            detail=f"{each.offered} offered" if each.offered else None,
            level=1,
        )
        for each in searches
    ]
    return sorted(items, key=lambda item: item.event)


def make_chips(dialogue: Dialogue, created: Mapping[int, int]) -> dict[int, list[ActChip]]:
    """Returns the acts of each event; of the two released layers the one with references."""
    chips: dict[int, list[ActChip]] = {}
    last: tuple[int, str, int] | None = None
    for act in dialogue.acts:
        if act.layer == "acts_without_refs":
            continue
        of_event = chips.setdefault(act.event, [])
        # Rows of an act follow each other, a row for each slot.
        if last != (act.event, act.layer, act.act_index):
            last = (act.event, act.layer, act.act_index)
            # Labels that people added are all called so: the layer says what they are.
            of_event.append(ActChip(act.act if act.layer == "acts" else act.layer, []))
        if act.slot_index is not None:
            _add_slot(of_event[-1].parts, act, created)
    return chips


def _add_slot(parts: list[ActPart], act: Act, created: Mapping[int, int]) -> None:
    creates = act.relation == "id"
    relation = None if creates else act.relation
    part = parts[-1] if parts else None
    if creates:
        # The number may come last, after references to other frames.
        part = next(
            (each for each in parts if (each.frame, each.relation) == (act.frame, None)), None
        )
    if part is None or part.frame != act.frame or part.relation != relation:
        event = None if act.frame is None else created.get(act.frame)
        part = ActPart(frame=act.frame, event=event, relation=relation, slots=[])
        parts.append(part)
    if creates:
        part.creates = True
    elif act.slot is not None:
        part.slots.append((act.slot, act.value))
