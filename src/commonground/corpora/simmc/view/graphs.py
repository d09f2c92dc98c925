"""How the state graph of a turn changes: 0 before it, 1 after the user, 2 after the assistant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Literal

import msgspec

from commonground.corpora.simmc.view.scenes import TurnEvents
from commonground.corpora.simmc.view.things import Things
from commonground.model import Dialogue, State

Change = Literal["added", "changed", "removed"]
Graph = dict[str, dict[str, list[str]]]
"""Values by thing and attribute."""

_STEPS = {"state_graph_0": 0, "state_graph_1": 1, "state_graph_2": 2}


class AttributeChange(msgspec.Struct, kw_only=True, gc=False):
    """An attribute that is not what it was in the graph before.

    Attributes:
        step: number of the graph that differs: 1 after the user, 2 after the assistant.
        before: its values until then; empty when added.
        after: its values from then on; empty when removed.
    """

    step: int
    change: Change
    slot: str
    before: list[str] = []
    after: list[str] = []


class GraphCard(msgspec.Struct, kw_only=True):
    """A thing in the state graphs of a turn.

    Attributes:
        name: its name: ``OBJECT_1``, ``USER``.
        object_id: id of the object; None for what is none, such as the user.
        differences: what changed, in order of graph.
        same: attributes that no graph of the turn changes, with their values.
        appears: number of the graph that has it first, where an earlier one has it not.
        vanishes: number of the graph that no longer has it.
    """

    name: str
    object_id: str | None
    differences: list[AttributeChange]
    same: list[tuple[str, str]]
    appears: int | None = None
    vanishes: int | None = None


class GraphPanel(msgspec.Struct):
    """Numbers of the state graphs that a turn has, and its things, those that change first."""

    steps: list[int]
    cards: list[GraphCard]


def make_graphs(
    dialogue: Dialogue, turns: Sequence[TurnEvents], things: Things
) -> dict[int, GraphPanel]:
    """Returns the state graphs of each turn that has some, by its first event."""
    by_event: dict[int, dict[int, Graph]] = {}
    for each in dialogue.states:
        step = _STEPS.get(each.layer)
        if step is not None:
            _add(by_event.setdefault(each.event, {}).setdefault(step, {}), each, things)
    panels = {}
    for turn in turns:
        graphs: dict[int, Graph] = {}
        for event in range(turn.first, turn.last + 1):
            graphs.update(by_event.get(event, {}))
        if graphs:
            panels[turn.first] = _panel(graphs, things)
    return panels


def _add(graph: Graph, state: State, things: Things) -> None:
    slot = state.slot
    if slot is None:
        return
    if state.frame is not None:
        name = things.name_of_frame(state.frame)
    elif "." in slot:
        # Whatever is not called OBJECT_n has its name before the slot, as the conversion writes it.
        name, _, slot = slot.partition(".")
    else:
        name = ""
    values = graph.setdefault(name, {}).setdefault(slot, [])
    if state.value is not None:
        values.append(state.value)


def _panel(graphs: Mapping[int, Graph], things: Things) -> GraphPanel:
    steps = sorted(graphs)
    names = dict.fromkeys(name for step in steps for name in graphs[step])
    cards = [
        _card(name, [(step, graphs[step].get(name)) for step in steps], things) for name in names
    ]
    # `sorted` is stable: things that change come first, all in the order in which they appear.
    return GraphPanel(steps, sorted(cards, key=lambda card: not card.differences))


def _card(
    name: str, states: Sequence[tuple[int, dict[str, list[str]] | None]], things: Things
) -> GraphCard:
    differences: list[AttributeChange] = []
    appears = vanishes = None
    for (_, before), (step, after) in pairwise(states):
        differences += _compare(step, before or {}, after or {})
        if before is None and after is not None:
            appears = step
        elif before is not None and after is None:
            vanishes = step
    changed = {each.slot for each in differences}
    # The latest graph that has the thing: a later one may have dropped it.
    last = next((held for _, held in reversed(states) if held is not None), {})
    return GraphCard(
        name=name,
        object_id=things.id_of(name) if name.startswith("OBJECT_") else None,
        differences=differences,
        same=[(slot, ", ".join(held)) for slot, held in last.items() if slot not in changed],
        appears=appears,
        vanishes=vanishes,
    )


def _compare(
    step: int, before: Mapping[str, list[str]], after: Mapping[str, list[str]]
) -> Iterator[AttributeChange]:
    for slot in dict.fromkeys((*before, *after)):
        old, new = before.get(slot), after.get(slot)
        if old == new:
            continue
        change: Change = "added" if old is None else "removed" if new is None else "changed"
        yield AttributeChange(
            step=step, change=change, slot=slot, before=old or [], after=new or []
        )
