"""Turns simulated moves into released turns, with every annotation of the full form."""

from __future__ import annotations

import copy
from typing import Any

import msgspec

from commonground.corpora.simmc.native import (
    ActSlots,
    ApiCall,
    ApiCalls,
    Dialogue1,
    LabelObject,
    Turn,
    TurnLabel,
)
from commonground.corpora.simmc.wording import Said
from commonground.corpora.simmc.world import Item, Shop
from commonground.records import UNSET


class Plan(msgspec.Struct, frozen=True):
    """An act of one side: what it does, to which items, filling which blanks of the sentence."""

    act: str
    items: tuple[int, ...] = ()
    blanks: tuple[str, ...] = ()


class Move(msgspec.Struct):
    """A turn before it is written down.

    Attributes:
        said: the user's words.
        plan: the user's act.
        answer: the assistant's words.
        answer_plan: the assistant's act.
        call: what the assistant does.
        told: what the assistant says of items: attribute to value, by item.
        likes: the item that the user likes; null if none.
        strokes: raw keystrokes of the assistant.
    """

    said: Said
    plan: Plan
    answer: Said
    answer_plan: Plan
    call: ApiCall
    told: dict[int, dict[str, str]] = {}
    likes: int | None = None
    strokes: list[Any] = []


class Stage:
    """A dialogue being written down: what is in view, what has a number, what is known."""

    def __init__(self, shop: Shop, number: int) -> None:
        self.shop = shop
        self.number = number
        self.turns: list[Turn] = []
        self.calls: list[ApiCall] = []
        self.view: dict[int, str] = {}
        self._numbers: dict[int, int] = {}
        self._graph: dict[str, dict[str, Any]] = {}

    def show(self, view: dict[int, str]) -> None:
        """Puts items in view, each at its place."""
        self.view = view
        for item in view:
            self._numbers.setdefault(item, len(self._numbers))

    def name(self, item: int) -> str:
        """Returns the name of an item in this dialogue; it must have been in view."""
        return f"OBJECT_{self._numbers[item]}"

    def has_seen(self, item: int) -> bool:
        """Says whether an item has been in view."""
        return item in self._numbers

    def scene(self) -> dict[str, dict[str, str | list[str]]]:
        """Returns what is in view, as it is released."""
        return {
            self.name(item): {**self.shop.item(item).seen, "pos": place}
            for item, place in self.view.items()
        }

    def write(self, move: Move, then: dict[int, str] | None = None, *, blank: bool = False) -> None:
        """Writes a move down.

        Args:
            move: what is said and done.
            then: what is in view afterwards; null if that does not change.
            blank: whether the scene is released as empty at this turn.
        """
        scene = {} if blank else self.scene()
        self._know(scene)
        before = copy.deepcopy(self._graph)
        if move.likes is not None:
            self._graph[self.name(move.likes)]["PREFER by"] = ["USER"]
        between = copy.deepcopy(self._graph)
        labels = self._labels(move.said, move.plan), self._labels(move.answer, move.answer_plan)
        beliefs = self._belief(move.said, move.plan), self._belief(move.answer, move.answer_plan)
        if then is not None:
            self.show(then)
            self._know(self.scene())
        for item, facts in move.told.items():
            self._graph[self.name(item)].update({k: [v] for k, v in facts.items()})
        self.calls.append(move.call)
        self.turns.append(
            Turn(
                turn_idx=len(self.turns),
                domain=self.shop.domain,
                transcript=move.said.text,
                system_transcript=move.answer.text,
                belief_state=beliefs[0],
                visual_objects=scene,
                system_belief_state=beliefs[1],
                transcript_annotated=_annotated(move.said, move.plan),
                system_transcript_annotated=_annotated(move.answer, move.answer_plan),
                turn_label=labels[0],
                system_turn_label=labels[1],
                state_graph_0=before,
                state_graph_1=between,
                state_graph_2=copy.deepcopy(self._graph),
                raw_assistant_keystrokes=move.strokes,
            )
        )

    def _know(self, scene: dict[str, dict[str, str | list[str]]]) -> None:
        for name, attributes in scene.items():
            self._graph.setdefault(name, {}).update(attributes)

    def _belief(self, said: Said, plan: Plan) -> list[Any]:
        prefix = self.shop.domain
        slots = [[f"{prefix}-O", self.name(item)] for item in plan.items if self.has_seen(item)]
        slots += [[f"{prefix}-{slot_of(blank)}", said.words(blank)] for blank in plan.blanks]
        return [ActSlots(act=plan.act, slots=slots)]

    def _labels(self, said: Said, plan: Plan) -> list[TurnLabel]:
        seen = [item for item in plan.items if self.has_seen(item)]
        objects = [
            LabelObject(
                obj_idx=self._numbers[item],
                obj_name=self.name(item),
                obj_type=self.shop.item(item).kind,
            )
            for item in seen
        ]
        slots = [[slot_of(blank), said.words(blank)] for blank in plan.blanks]
        return [TurnLabel(act=plan.act, objects=objects, slots=slots)]

    def finish(self, task: int | None) -> Dialogue1:
        """Returns the dialogue."""
        return Dialogue1(
            dialogue=self.turns,
            dialogue_idx=self.number,
            domains=[self.shop.domain],
            dialogue_task_id=UNSET if task is None else task,
            dialogue_coref_map={str(item): number for item, number in self._numbers.items()},
        )

    def actions(self, focus: list[int] | None) -> ApiCalls:
        """Returns the API calls of the dialogue."""
        images = UNSET if focus is None else focus
        return ApiCalls(dialog_id=self.number, actions=self.calls, focus_images=images)


def slot_of(blank: str) -> str:
    """Returns the slot of a blank: ``price2`` is a second ``price``."""
    return blank.rstrip("0123456789")


def _annotated(said: Said, plan: Plan) -> str:
    slots = []
    for node, blank in enumerate(plan.blanks, 2):
        start, end = said.places[blank]
        slot: dict[str, Any] = {
            "id": f"O.{slot_of(blank)}",
            "span": {"start": start, "end": end},
            "text": said.words(blank),
            "node_id": node,
        }
        if blank == "brand":
            slot["subframe"] = {"utterance": slot["text"], "intent": ".name", "slots": []}
        slots.append(slot)
    span = {"start": 0, "end": len(said.text)}
    return repr([{"intent": plan.act, "slots": slots, "span": span, "node_id": 1}])


def priced(item: Item) -> str:
    """Returns what an assistant says of an item's price."""
    price = item.facts.get("price")
    return price if price is not None else f"${float(item.facts['sale_price']):.0f}"
