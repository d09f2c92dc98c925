"""What is suggested to the wizard about a user's words, against what annotators noted of them.

The state before each user turn is the released one, so that no turn is judged by an error in one
before it. ``COMMONGROUND_FRAMES`` names the file.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from benchmarks.measure import Line
from commonground.corpora.frames.native import DialogueAct, FramesDialogue, Turn
from commonground.play.scenario import Act, Refusal
from commonground.play.scenarios.frames.game import frame_book as books
from commonground.play.scenarios.frames.game.frame_book import Book
from commonground.play.scenarios.frames.game.learned import (
    HeardTurn,
    learn,
    read_dialogues,
    read_turns,
)
from commonground.play.scenarios.frames.game.state import FramesState
from commonground.play.scenarios.frames.game.suggesting import suggest_gestures
from commonground.play.scenarios.frames.rules import SCENARIO
from commonground.play.scenarios.frames.travel.values import hold_value

DIALOGUES = 400

Pair = tuple[str, str]
"""A dialogue act and one of its slots, inside references or not; no slot is an empty text."""

Suggest = Callable[[FramesState], list[dict[str, Any]]]

_SWITCH = "switch_frame"


@dataclass
class Figures:
    """What was counted over user turns.

    Attributes:
        turns: how many.
        exact: those with just the annotated pairs.
        wrong: those with a pair that is not annotated.
        silent: those without any suggestion that have annotated acts.
        noted: annotated pairs, by act.
        suggested: suggested pairs, by act.
        right: those that are annotated, by act.
        turns_with: turns with an act, whatever its slots, by act.
        turns_found: those of them in which it is suggested, by act.
        values: how many suggested pairs that are right have a value, and how many the same one.
        switches: annotated switches.
        outcomes: of these: to the ``right`` frame, to a ``wrong`` one, a ``new`` frame or
            ``missed``.
        renewed: new frames that are suggested for values that another frame has.
        refused: gestures that the rules of the game refuse.
    """

    turns: int = 0
    exact: int = 0
    wrong: int = 0
    silent: int = 0
    noted: Counter[str] = field(default_factory=Counter)
    suggested: Counter[str] = field(default_factory=Counter)
    right: Counter[str] = field(default_factory=Counter)
    turns_with: Counter[str] = field(default_factory=Counter)
    turns_found: Counter[str] = field(default_factory=Counter)
    values: Counter[str] = field(default_factory=Counter)
    switches: int = 0
    outcomes: Counter[str] = field(default_factory=Counter)
    renewed: int = 0
    refused: int = 0

    def precision(self, act: str | None = None) -> float:
        """Returns how many of the suggested pairs are annotated; of one act or of all."""
        return _share(self.right, self.suggested, act)

    def recall(self, act: str | None = None) -> float:
        """Returns how many of the annotated pairs are suggested; of one act or of all."""
        return _share(self.right, self.noted, act)

    def found(self, act: str) -> float:
        """Returns in how many of the turns that have an act it is suggested, with any slots."""
        return _share(self.turns_found, self.turns_with, act)


def _share(part: Counter[str], whole: Counter[str], act: str | None) -> float:
    over = whole.total() if act is None else whole[act]
    return (part.total() if act is None else part[act]) / over if over else 0.0


def measure(turns: Iterable[HeardTurn], suggest: Suggest = suggest_gestures) -> Figures:
    """Counts what is suggested at user turns.

    Args:
        turns: states with their annotated turns.
        suggest: what suggests.
    """
    figures = Figures()
    for state, turn in turns:
        _count_turn(figures, state, turn, suggest(state))
    return figures


def _count_turn(
    figures: Figures, state: FramesState, turn: Turn, gestures: list[dict[str, Any]]
) -> None:
    acts = [_take_act(gesture) for gesture in gestures]
    noted, suggested = _list_values(turn.labels.acts), _list_values(acts)
    right = noted.keys() & suggested.keys()
    figures.turns += 1
    figures.exact += noted.keys() == suggested.keys()
    figures.wrong += len(right) < len(suggested)
    figures.silent += bool(noted) and not suggested
    for counter, pairs in (
        (figures.noted, noted.keys()),
        (figures.suggested, suggested.keys()),
        (figures.right, right),
    ):
        counter.update(name for name, _ in pairs)
    names, proposed = ({name for name, _ in pairs} for pairs in (noted, suggested))
    figures.turns_with.update(names)
    figures.turns_found.update(names & proposed)
    for pair in right:
        if noted[pair]:
            figures.values.update(["with"])
            figures.values.update(["same"] if noted[pair] & suggested[pair] else [])
    _count_frames(figures, state, turn, gestures)
    for gesture in gestures:
        at_us = (state.last_us or 0) + 1
        found = SCENARIO.apply(state, Act(gesture["type"], "wizard", gesture["payload"], at_us))
        figures.refused += isinstance(found, Refusal)
        state = state if isinstance(found, Refusal) else found


def _count_frames(
    figures: Figures, state: FramesState, turn: Turn, gestures: list[dict[str, Any]]
) -> None:
    book = state.runs[-1].base
    kinds = {each["type"]: each["payload"] for each in gestures}
    new = kinds.get("frames.frame_new")
    if new is not None and _is_held(book, new["args"]):
        figures.renewed += 1
    targets = {n for a in turn.labels.acts if a.name == _SWITCH for n in books.frames_of(a)}
    # A few are annotated as switches to the frame that was active; there is nothing to suggest.
    if not targets - {book.active}:
        return
    figures.switches += 1
    switch = kinds.get("frames.frame_switch")
    if switch is not None:
        figures.outcomes["right" if switch["frame"] in targets else "wrong"] += 1
    else:
        figures.outcomes["new" if new is not None else "missed"] += 1


def _is_held(book: Book, args: list[dict[str, Any]]) -> bool:
    said = {arg["key"]: hold_value(arg["key"], arg["val"]) for arg in args}
    return any(
        frame.frame_id != book.active
        and all(_fold(book.held(frame.frame_id).get(k)) == _fold(v) for k, v in said.items())
        for frame in book.frames
    )


def _take_act(gesture: dict[str, Any]) -> DialogueAct:
    payload = gesture["payload"]
    if gesture["type"] == "frames.frame_switch":
        found = {"frame": payload["frame"], "annotations": payload["slots"], "fromrange": False}
        act = {"name": _SWITCH, "args": [{"key": "ref", "val": [found]}]}
    else:
        act = {"name": payload.get("name", "inform"), "args": payload.get("args", [])}
    return msgspec.convert(act, DialogueAct)


def _list_values(acts: Iterable[DialogueAct]) -> dict[Pair, set[Any]]:
    """Lists the pairs of acts with their values; what is only asked for has none."""
    found: dict[Pair, set[Any]] = {}
    for act in acts:
        said = [(slot.key, slot.val) for slot in books.bare_slots(act)]
        said += [(key, value) for _, key, value in books.noted_slots(act)]
        if not said:
            found.setdefault((act.name, ""), set())
        for key, value in said:
            mine = found.setdefault((act.name, key), set())
            if isinstance(value, str | bool):
                mine.add(_fold(hold_value(key, value)))
    return found


def _fold(value: Any) -> Any:
    return value.casefold().strip() if isinstance(value, str) else value


HELD_OUT = ("U21E41CQP", "U23KPC9QV", "U21RP4FCY", "U2709166N")
"""Users of the released folds 1, 2 and 9, which the model that is measured has not seen."""


def run() -> list[Line]:
    place = os.environ.get("COMMONGROUND_FRAMES")
    if place is None:
        return []
    dialogues = read_dialogues(Path(place))
    rules = describe(measure(read_turns(dialogues[:DIALOGUES])))
    return [*_name("rules", rules), *_name("learned", describe(measure_learned(dialogues)))]


def measure_learned(dialogues: Sequence[FramesDialogue]) -> Figures:
    """Learns from the other folds and counts what is suggested in those held out."""
    turns = list(read_turns(dialogues))
    sizes = [sum(t.author == "user" for t in each.turns) for each in dialogues]
    held = [
        d.user_id in HELD_OUT for d, size in zip(dialogues, sizes, strict=True) for _ in range(size)
    ]
    model = learn(turn for turn, out in zip(turns, held, strict=True) if not out)
    asked = [turn for turn, out in zip(turns, held, strict=True) if out]
    return measure(asked, partial(suggest_gestures, model=model))


def _name(way: str, lines: Iterable[Line]) -> list[Line]:
    return [replace(line, job=f"{way}: {line.job}") for line in lines]


def describe(figures: Figures) -> list[Line]:
    """Writes figures as lines of the report, with their bars."""
    exact, switches = figures.exact / figures.turns, figures.outcomes["right"] / figures.switches
    lines = [
        Line(
            f"user turns with just the annotated acts and slots, of {figures.turns:,}",
            f"{exact:.1%}",
            f"with something wrong {figures.wrong / figures.turns:.1%}, nothing suggested "
            f"{figures.silent / figures.turns:.1%}, refused {figures.refused}",
            None,
            "at least 60 %",
            exact >= 0.6,
        ),
        Line(
            "suggested acts and slots that are annotated",
            f"{figures.precision():.3f}",
            f"recall {figures.recall():.3f}; values the same "
            f"{figures.values['same']:,} of {figures.values['with']:,}",
            None,
            "at least .85",
            figures.precision() >= 0.85,
        ),
        Line(
            f"switches to the right frame, of {figures.switches:,}",
            f"{switches:.1%}",
            ", ".join(f"{name} {figures.outcomes[name]}" for name in ("wrong", "new", "missed")),
            None,
            "at least 60 %",
            switches >= 0.6,
        ),
        Line(
            "new frames for a value that another frame has",
            str(figures.renewed),
            "",
            None,
            "none",
            not figures.renewed,
        ),
    ]
    return lines + [_describe_act(figures, act) for act, _ in figures.noted.most_common()]


_HALF = frozenset({"affirm", "negate", "request_compare"})


def _describe_act(figures: Figures, act: str) -> Line:
    found = figures.found(act)
    return Line(
        f"`{act}`, {figures.turns_with[act]:,} turns with it",
        f"suggested in {found:.3f}",
        f"with its slots: recall {figures.recall(act):.3f}, precision {figures.precision(act):.3f}",
        None,
        "at least .5" if act in _HALF else "",
        found >= 0.5 if act in _HALF else None,
    )
