"""A SIMMC dialogue as its page shows it: scenes, actions, belief states, state graphs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import msgspec

from commonground.corpora.simmc.convert.objects import catalogue_id
from commonground.corpora.simmc.view.actions import ActionLine, make_actions
from commonground.corpora.simmc.view.acts import (
    Layer,
    find_abouts,
    make_layers,
    mark_texts,
)
from commonground.corpora.simmc.view.graphs import GraphPanel, make_graphs
from commonground.corpora.simmc.view.mentions import Doubt, TalkCard, find_doubts, make_talk
from commonground.corpora.simmc.view.scenes import SceneStage, TurnEvents, list_turns, make_scenes
from commonground.corpora.simmc.view.things import Ref, Things
from commonground.model import Dialogue
from commonground.view import MarkedText, OutlineItem, Stage, View

_TASK_LISTS = (
    ("focus_image", "in focus at first"),
    ("memory_images", "in the user's memory"),
    ("database_images", "to be found"),
)


class TurnStage(Stage, kw_only=True):
    """What a turn does to the things that are talked about.

    Attributes:
        talked: the things that the turn speaks of, where more is known than is in view.
        others: the things that only earlier turns spoke of.
        graph: the state graphs; None where the release has none.
    """

    talked: list[TalkCard]
    others: list[Ref]
    graph: GraphPanel | None


class TaskList(msgspec.Struct, frozen=True):
    """Some images of the task that the user was given."""

    words: str
    things: list[Ref]


class SimmcView(View, kw_only=True):
    """What the page of a SIMMC dialogue shows.

    Attributes:
        scenes: what was in view, in order.
        shows: whether the release says what was in view at all.
        turns: what each turn does, in order; those that do nothing of the kind are left out.
        actions: the assistant's actions, by event.
        layers: belief states and other acts, by event.
        marked: utterances with marked words, by event.
        doubts: whether a reference is ambiguous, by event.
        abouts: things that an utterance points at and no act of it names, by event.
    """

    scenes: list[SceneStage]
    shows: bool
    turns: list[TurnStage]
    actions: dict[int, ActionLine]
    layers: dict[int, list[Layer]]
    marked: dict[int, MarkedText]
    doubts: dict[int, Doubt]
    task: list[TaskList]
    abouts: dict[int, list[Ref]]


def build_view(dialogue: Dialogue) -> SimmcView:
    """Turns a dialogue of either version into what its page shows."""
    things = Things(dialogue)
    turns = list_turns(dialogue)
    graphs = make_graphs(dialogue, turns, things)
    layers = make_layers(dialogue, things)
    return SimmcView(
        outline=[
            OutlineItem(label=f"Turn {turn.label}", event=turn.first, detail=_doing(dialogue, turn))
            for turn in turns
        ],
        scenes=make_scenes(dialogue, turns, things),
        shows=bool(dialogue.displays),
        turns=_turn_stages(dialogue, turns, things, graphs),
        actions=make_actions(dialogue, things),
        layers=layers,
        marked=mark_texts(dialogue),
        doubts=find_doubts(dialogue, things),
        task=_task(dialogue, things),
        abouts=find_abouts(dialogue, layers, things),
    )


def _turn_stages(
    dialogue: Dialogue,
    turns: Sequence[TurnEvents],
    things: Things,
    graphs: Mapping[int, GraphPanel],
) -> list[TurnStage]:
    stages = []
    met: dict[str, Ref] = {}
    talk = make_talk(dialogue, turns, things)
    for turn in turns:
        cards, graph = talk.get(turn.first, []), graphs.get(turn.first)
        here = {card.thing.object_id: card.thing for card in cards}
        others = [thing for object_id, thing in met.items() if object_id not in here]
        met |= here
        if not cards and not graph:
            continue
        stage = TurnStage(
            first=turn.first,
            last=turn.last,
            title=f"Turn {turn.label}",
            talked=cards,
            others=others,
            graph=graph,
        )
        stages.append(stage)
    return stages


def _doing(dialogue: Dialogue, turn: TurnEvents) -> str | None:
    names = [dialogue.events[number].name or "" for number in turn.actions]
    # The released action of a round in which nothing was done is the word None.
    return ", ".join(name for name in names if name != "None") or None


def _task(dialogue: Dialogue, things: Things) -> list[TaskList]:
    facts = dialogue.attributes if isinstance(dialogue.attributes, dict) else {}
    lists = []
    for key, words in _TASK_LISTS:
        value = facts.get(key)
        numbers = value if isinstance(value, list) else [value]
        refs = [
            things.ref(catalogue_id(dialogue.domain, number))
            for number in numbers
            if isinstance(number, int)
        ]
        if refs:
            lists.append(TaskList(words, refs))
    return lists
