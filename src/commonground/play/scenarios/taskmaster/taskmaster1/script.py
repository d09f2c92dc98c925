"""A scripted worker for errands: it knows how each is done, and writes what both would say."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random
from typing import Any

from commonground.play.player import PlayerKind, Seat
from commonground.play.scenarios.taskmaster.invention.errands import (
    ACCEPT,
    ACCEPTED,
    REJECT,
    Errand,
    compose,
    load_errands,
)
from commonground.play.scenarios.taskmaster.players.worker import Worker, load_phrases


class _ErrandWorker(Worker):
    """A worker in free form; other instructions than those invented get empty phrases."""

    def __init__(self, errand: Errand | None, seed: int) -> None:
        super().__init__(load_phrases(), seed)
        self._errand = errand
        rng = Random(f"{seed}:errand")
        self._is_accepted = rng.random() < ACCEPTED
        self._plan = [] if errand is None else plan_turns(errand, rng, accepted=self._is_accepted)

    def wants_turn(self, view: dict[str, Any]) -> bool:
        """Says whether the errand goes on, or turns are missing."""
        written = sum(bubble["text"] is not None for bubble in view["bubbles"])
        return view["missing"] > 0 or written < len(self._plan)

    def write(
        self, view: dict[str, Any], bubble: dict[str, Any], rng: Random, *, is_refused: bool
    ) -> str:
        """Returns the next turn of the errand with the values that were entered."""
        if self._errand is None or is_refused or bubble["number"] >= len(self._plan):
            return super().write(view, bubble, rng, is_refused=is_refused)
        # What was entered, not what the errand had drawn: another worker may have filled in the
        # forms.
        fields = {p["name"]: p["value"] for p in view["page"] if p["kind"] == "field"}
        values = {slot.label: fields[slot.label.replace(".", "_")] for slot in self._errand.slots}
        turn = self._plan[bubble["number"]]
        # An assistant beside another customer than a script knows only what that one has named.
        if any(value is None and f"{{{label}}}" in turn for label, value in values.items()):
            return super().write(view, bubble, rng, is_refused=True)
        return compose(turn, values).text

    def _answer(self, question: str, choices: Sequence[str], last: str, rng: Random) -> str:
        for slot in self._errand.slots if self._errand else ():
            if slot.ask[0] == question:
                return rng.choice(slot.values)
        return super()._answer(question, choices, last, rng)

    def mark(self, view: dict[str, Any], rng: Random) -> list[dict[str, Any]]:
        """Returns the stretches that are proposed, rejected where the errand did not work out."""
        ending = ACCEPT if self._is_accepted else REJECT
        spans = super().mark(view, rng)
        # All are proposed with the first ending, which is ACCEPT.
        return [{**each, "label": each["label"].removesuffix(ACCEPT) + ending} for each in spans]


def plan_turns(errand: Errand, rng: Random, *, accepted: bool) -> list[str]:
    """Returns what user and assistant say in turn, with values as ``{label}``.

    Args:
        accepted: whether the user takes what the assistant offers.
    """
    talk = load_errands().talk
    turns = [rng.choice(errand.opening)]
    for slot in errand.slots:
        turns += [rng.choice(slot.ask), slot.choose_answer(rng)]
    turns.append(errand.choose_offer(rng) if accepted else rng.choice(talk["sorry"]))
    turns.append(rng.choice(talk["thanks"] if accepted else talk["pity"]))
    if rng.random() < 0.5:
        turns.append(rng.choice(talk["welcome"] if accepted else talk["later"]))
    return turns


def _enter(seat: Seat) -> _ErrandWorker:
    errands = {each.name: each for each in load_errands().first}
    return _ErrandWorker(errands.get(seat.material.title), seat.seed)


PLAYER = PlayerKind(
    name="script",
    title="Writes an errand from both sides: what the assistant asks for, and the answers.",
    enter=_enter,
)
