"""Split rows and reward examples, made of invented dialogues of generations 3 and 4."""

from __future__ import annotations

import json
import re
import string
from collections.abc import Iterator, Sequence
from random import Random
from typing import Any

from commonground.corpora.taskmaster.native.dialogues import (
    CoffeeDialogue,
    RewardExample,
    TicketDialogue,
)
from commonground.corpora.taskmaster.native.rows import SplitRow
from commonground.corpora.taskmaster.native.tags import (
    Argument,
    Called,
    Marker,
    Responded,
    Said,
    TaggedTurn,
    render_turns,
)
from commonground.play.scenarios.taskmaster.taskmaster3.material import load_scenes
from commonground.play.scenarios.taskmaster.taskmaster4.material import load_bar

_NUMBER = re.compile(r"_\d+\Z")


def list_turns(dialogue: TicketDialogue) -> list[TaggedTurn]:
    """Gives the utterances, calls and responses of a dialogue in order."""
    turns: list[TaggedTurn] = []
    for each in dialogue.utterances:
        turns.append(Said(each.speaker, each.text))
        for call in each.apis or ():
            arguments = [Argument(name, [value]) for name, value in call.args.items()]
            turns.append(Called(call.name, arguments))
            values: dict[str, list[str]] = {}
            for key, value in call.response.items():
                # `name.movie_1` and `name.movie_2` are values of `name.movie`.
                values.setdefault(_NUMBER.sub("", key), []).append(value)
            answers = [Argument(name, each) for name, each in values.items()]
            turns.append(Responded(call.name, answers))
    return turns


def _is_asked(turns: Sequence[TaggedTurn], at: int) -> bool:
    """Says whether a turn but the first is to be predicted: the agent's, after user or API."""
    turn, before = turns[at], turns[at - 1]
    agents = isinstance(turn, Called) or (isinstance(turn, Said) and turn.speaker == "assistant")
    ready = isinstance(before, Responded) or (isinstance(before, Said) and before.speaker == "user")
    return agents and ready


def make_rows(dialogue: TicketDialogue) -> Iterator[SplitRow]:
    """Makes one row for everything that the agent says or calls."""
    turns = list_turns(dialogue)
    opened = isinstance(turns[0], Said) and turns[0].speaker == "assistant"
    for at in range(1, len(turns)):
        if not _is_asked(turns, at):
            continue
        # As released: the latest turn, then <C>, then the history from its beginning.
        context: list[TaggedTurn] = [turns[at - 1]]
        if at > 1:
            context.append(Marker("context"))
            # 36 of 1,517 released rows have <S>.
            context += [Marker("start")] if opened else []
            context += turns[: at - 1]
        cells = [render_turns(context), render_turns([turns[at]], "[]"), dialogue.conversation_id]
        yield SplitRow(
            context=cells[0],
            target=cells[1],
            conversation_id=cells[2],
            more=[],
            # As CSV writers do: only a cell that holds a quotation mark is put between two.
            quoted=['"' in cell for cell in cells],
            ending="\r\n",
        )


def make_reward(dialogue: TicketDialogue, rng: Random) -> RewardExample:
    """Makes an example of a right continuation, or of a wrong one."""
    turns = list_turns(dialogue)
    at = rng.choice([i for i in range(1, len(turns)) if _is_asked(turns, i)])
    context = [{"role": "agent", "text": load_scenes().welcome}]
    context += [_dump_turn(turn) for turn in turns[:at]]
    right = rng.random() < 0.4
    wrong = {"role": "agent", "text": load_scenes().wrong}
    return RewardExample(
        conversation_id=make_reward_id(rng),
        context=json.dumps(context),
        generation=json.dumps(_dump_turn(turns[at]) if right else wrong),
        reward=1.0 if right else 0.0,
    )


def _dump_turn(turn: TaggedTurn) -> dict[str, Any]:
    if isinstance(turn, Said):
        return {"role": "user" if turn.speaker == "user" else "agent", "text": turn.text}
    if isinstance(turn, Called):
        arguments = {each.name: each.values[0] for each in turn.arguments}
        return {"role": "agent", "api": {turn.name: arguments}}
    if isinstance(turn, Responded):
        values = {each.name: each.values for each in turn.values}
        return {"role": "api", "response": {turn.name: values}}
    raise TypeError(f"no turn of a dialogue: {turn}")


def make_coffee_reward(dialogue: CoffeeDialogue, rng: Random) -> RewardExample:
    """Makes an example of the first call after an order, or of one with another query."""
    at, query = next(
        (number, note.value)
        for number, each in enumerate(dialogue.utterances)
        for note in each.annotations
        if note.name == "request" and "query" in note.value
    )
    right = rng.random() < 0.8
    context = [
        {"role": "agent", "text": load_bar().welcome},
        {"role": "user", "text": dialogue.utterances[at].text},
    ]
    arguments = json.loads(query) if right else {"query": "Tap Water"}
    generation = {"role": "agent", "api": {"get_menu_items": arguments}}
    return RewardExample(
        conversation_id=make_reward_id(rng),
        context=json.dumps(context),
        generation=json.dumps(generation),
        reward=1.0 if right else 0.0,
    )


def make_reward_id(rng: Random) -> str:
    """Makes an id of the kind that reward examples have."""
    return "dlg-" + "".join(rng.choices(string.ascii_lowercase + string.digits, k=22))
