"""The turns of a dialogue as ConvLab has them: who speaks in a row, with acts, state, actions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from itertools import groupby
from typing import Any

import msgspec

from commonground.export.dialogue_rows import DialogueRows, Row
from commonground.export.formats.convlab.ontology import Act, Ontology

_JOINED_BY = " "
"""Stands between utterances that are made one turn."""

_FLAGS = ("true", "false")

Acts = dict[str, list[Act]]
"""The acts of a turn by kind: categorical, non-categorical, binary."""

Count = Callable[[str, int, int], None]
"""Counts a loss: its name, how many, and the event where."""


class Turns:
    """Makes the turns of one dialogue.

    Args:
        dialogue: the dialogue.
        system: label of the speaker who is the system; all others are the user.
        domain: domain of everything in it.
        ontology: learns what occurs.
        spans_are_acts: take spans for acts, where a corpus has no others.
        count: counts losses.
    """

    def __init__(
        self,
        dialogue: DialogueRows,
        system: str,
        domain: str,
        ontology: Ontology,
        *,
        spans_are_acts: bool,
        count: Count,
    ) -> None:
        self._dialogue = dialogue
        self._system = system
        self._domain = domain
        self._ontology = ontology
        self._spans_are_acts = spans_are_acts
        self._count = count

    def make(self) -> list[Row]:
        """Returns the turns; none where nothing is said."""
        said = [event for event in self._dialogue.events if event["kind"] == "utterance"]
        turns = [
            self._make_turn(number, side, list(events))
            # Not sorted before: a turn is what one side says in a row.
            for number, (side, events) in enumerate(groupby(said, self._side))
        ]
        if turns:
            # After all turns are made, as an action may belong to a later one.
            for event in self._dialogue.events:
                if event["kind"] != "utterance":
                    self._place_action(event, turns)
        return turns

    def _side(self, event: Row) -> str:
        return "system" if event["speaker"] == self._system else "user"

    def _make_turn(self, number: int, side: str, events: list[Row]) -> Row:
        acts: Acts = {"categorical": [], "non-categorical": [], "binary": []}
        spans: list[Row] = []
        offset = 0
        for event in events:
            # Which utterance of several it was would else not be known.
            origin = {"event": event["event"]} if len(events) > 1 else {}
            moved = [origin | _move(span, offset) for span in self._rows(event, "spans")]
            spans += moved
            self._add_acts(event, acts, moved if self._spans_are_acts else [], origin, offset)
            offset += len(event["text"]) + len(_JOINED_BY)
        text = _JOINED_BY.join(event["text"] for event in events)
        self._check_spans(text, acts["non-categorical"], events)
        turn = {
            "speaker": side,
            "utterance": text,
            "utt_idx": number,
            "dialogue_acts": acts,
            "events": _facts(events),
        }
        if spans:
            turn["spans"] = spans
        for kind, listed in acts.items():
            self._ontology.add_acts(kind, listed, side)
        if side == "user":
            with_states = [event for event in events if self._rows(event, "states")]
            turn["state"] = self._state(with_states)
            if turn["state"] and len(events) > 1:
                turn["state_event"] = with_states[-1]["event"]
        else:
            turn["db_results"] = {}
            for event in events:
                states = self._rows(event, "states")
                self._count("states of the system", len(states), event["event"])
        return turn

    def _rows(self, event: Row, table: str) -> list[Row]:
        return self._dialogue.annotated_at(event["event"]).get(table, [])

    def _add_acts(
        self,
        event: Row,
        acts: Acts,
        spans: list[Row],
        origin: Row,
        offset: int,
    ) -> None:
        """Adds the acts of an utterance; what two layers say alike is written once.

        Args:
            event: the utterance.
            acts: acts of the turn by kind, which are added to.
            spans: spans to be taken for acts.
            origin: what says which utterance of the turn it is.
            offset: characters of the turn before the utterance.
        """
        known: dict[Any, set[Any]] = {}
        found = self._rows(event, "acts")
        places = find_places(event["text"], found)
        for act in [
            *(self._act(row, places, offset) for row in found),
            *map(self._act_of_span, spans),
        ]:
            key = tuple(act.get(name) for name in ("intent", "slot", "value", "start"))
            about = act.get("frame"), act.get("relation")
            others = known.setdefault(key, set())
            # Without frame and relation it says less than an equal act that has them and came
            # before.
            if about in others or (others and about == (None, None)):
                self._count("acts said twice", 1, event["event"])
                continue
            others.add(about)
            acts["non-categorical" if "value" in act else "binary"].append(act | origin)

    def _act(self, row: Row, places: dict[str, tuple[int, int]], offset: int) -> Act:
        act = {"intent": row["act"], "domain": self._domain, "slot": row.get("slot", "")}
        act |= {name: row[name] for name in ("value", "frame", "relation") if name in row}
        if is_said(row) and row["value"] in places:
            start, end = places[row["value"]]
            # Where it stands in the turn, of which the utterance may be a later part.
            act |= {"start": start + offset, "end": end + offset}
        return act

    def _act_of_span(self, row: Row) -> Act:
        return {
            "intent": "inform",
            "domain": self._domain,
            "slot": row["label"],
            "value": row["text"],
            "start": row["start_char"],
            "end": row["end_char"],
        }

    def _check_spans(self, text: str, acts: list[Act], events: list[Row]) -> None:
        """Takes away places where another text stands; ConvLab refuses them."""
        for act in acts:
            if "start" in act and text[act["start"] : act["end"]] != act["value"]:
                del act["start"], act["end"]
                self._count("places of spans", 1, events[0]["event"])

    def _state(self, with_states: list[Row]) -> dict[str, dict[str, str]]:
        """Returns the state after the last utterance that has one, all slots filled or empty."""
        slots = self._ontology.states.get(self._domain)
        if not slots or not with_states:
            for event in with_states:
                others = len(self._rows(event, "states"))
                self._count("states that are no slots with values", others, event["event"])
            return {}
        *earlier, last = with_states
        for event in earlier:
            self._count("states within a turn", len(self._rows(event, "states")), event["event"])
        values: dict[str, dict[str, None]] = {}
        for row in self._rows(last, "states"):
            reason = _misfit(row)
            if reason:
                self._count(reason, 1, last["event"])
            elif "value" not in row:
                self._count("slots without a value", 1, last["event"])
            else:
                known = values.setdefault(row["slot"], {})
                self._count("values said twice", row["value"] in known, last["event"])
                # A dict for a set that keeps the order in which values came.
                known[row["value"]] = None
                self._ontology.add_value(self._domain, row["slot"], row["value"])
        # Several values of a slot are parted by `|` in the unified format.
        return {self._domain: {slot: "|".join(values.get(slot, ())) for slot in slots}}

    def _place_action(self, event: Row, turns: list[Row]) -> None:
        """Puts an action on the turn of its speaker that it belongs to, or is nearest."""
        for table in ("spans", "acts", "states"):
            count = len(self._rows(event, table))
            self._count("annotations of actions", count, event["event"])
        side = self._side(event)
        turn = _nearest(turns, event["event"], side)
        if turn is None:
            self._count("actions of who says nothing", 1, event["event"])
            return
        turn.setdefault("actions", []).append(event)
        # Only turns of the system have ``db_results``.
        if side == "system" and "result" in event:
            found = msgspec.json.decode(event["result"])
            listed = found if isinstance(found, list) else [found]
            entities = [e if isinstance(e, dict) else {"result": e} for e in listed]
            turn["db_results"].setdefault(self._domain, []).extend(entities)


def find_places(text: str, acts: Iterable[Row]) -> dict[str, tuple[int, int]]:
    """Finds where the values of acts stand in the text that they were annotated in.

    Corpora such as Frames release values without places. A value has one where it stands in the
    text just once, as words of its own, and only one slot has it: nothing is guessed.

    Args:
        text: the utterance.
        acts: rows of its acts.

    Returns:
        Start and end, in code points, by value.
    """
    slots: dict[str, set[str | None]] = {}
    for row in filter(is_said, acts):
        slots.setdefault(row["value"], set()).add(row.get("slot"))
    places = {}
    for value, of_slots in slots.items():
        at = _find_words(text, value)
        if len(of_slots) == 1 and len(at) == 1:
            places[value] = at[0], at[0] + len(value)
    return places


def is_said(act: Row) -> bool:
    """Says whether an act has a value that can stand in a text: no flag, no number of a frame."""
    return bool(act.get("value")) and act["value"] not in _FLAGS and act.get("relation") != "id"


def _find_words(text: str, words: str) -> list[int]:
    """Returns where words stand in a text with no letter or digit beside them."""
    found = []
    at = text.find(words)
    while at >= 0:
        # At the start the first slice is ``text[-1:0]``, which is empty.
        beside = text[at - 1 : at] + text[at + len(words) : at + len(words) + 1]
        if not any(map(str.isalnum, beside)):
            found.append(at)
        at = text.find(words, at + 1)
    return found


def _facts(events: list[Row]) -> list[Row]:
    """Returns what else is known of utterances; their own texts where there are several."""
    left_out = {"kind", "text"} if len(events) == 1 else {"kind"}
    return [{name: e[name] for name in e if name not in left_out} for e in events]


def _move(span: Row, offset: int) -> Row:
    start, end = span["start_char"] + offset, span["end_char"] + offset
    return {**span, "start_char": start, "end_char": end}


def _misfit(row: Row) -> str | None:
    """Says why a row of a state has no place in ConvLab's, if so."""
    if row["kind"] != "info" or "slot" not in row:
        return "states that are no slots with values"
    if row.get("active") is False:
        return "states of other frames"
    return "values ruled out" if row.get("negated") else None


def _nearest(turns: list[Row], event: int, side: str) -> Row | None:
    """Returns the turn around an action, else the next, else the nearest of its speaker."""
    mine = [turn for turn in turns if turn["speaker"] == side]
    before = [turn for turn in turns if turn["events"][0]["event"] < event]
    if before and before[-1]["speaker"] == side:
        return before[-1]
    after = turns[len(before) :]
    if after and after[0]["speaker"] == side:
        return after[0]
    earlier = [turn for turn in before if turn["speaker"] == side]
    # Behind the last turn before, else the first of all, which then comes after.
    return next(iter([*reversed(earlier), *mine]), None)
