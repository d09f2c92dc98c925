"""The calls of Taskmaster's reward examples, which generations 3 and 4 share."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from commonground.corpora.taskmaster.native.calls import read_body
from commonground.corpora.taskmaster.native.dialogues import RewardExample
from commonground.model import Json
from commonground.play.world import Course, SeenCall

Unify = Callable[[str, Json], Json]
"""Brings a result of a function into the form in which the world answers."""


def read_reward(record: RewardExample, unify: Unify, group: str) -> Iterator[Course]:
    """Yields the calls of a reward example; what a model called at its end has no answer."""
    context, generation = read_body(record.context), read_body(record.generation)
    turns = list(context) if isinstance(context, list) else []
    places = [f".context[{number}]" for number in range(len(turns))]
    calls = []
    for number, (turn, path) in enumerate(
        [*zip(turns, places, strict=True), (generation, ".generation")]
    ):
        api = turn.get("api") if isinstance(turn, dict) else None
        if not isinstance(api, dict):
            continue
        if len(api) != 1:
            calls.append(SeenCall(path, "", api, fault="one function is called at a time"))
            continue
        ((name, arguments),) = api.items()
        calls.append(
            SeenCall(path, name, arguments, unify(name, _find_answer(turns, number, name)))
        )
    yield Course(record.conversation_id, calls, group)


def _find_answer(turns: list[Json], number: int, name: str) -> Json:
    after = turns[number + 1] if number + 1 < len(turns) else None
    response = after.get("response") if isinstance(after, dict) else None
    return response.get(name) if isinstance(response, dict) else None
