"""What the agent does next: an API call, words, or both."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import msgspec

from commonground.bench.metrics.argument_f1 import Call
from commonground.corpora.taskmaster.native.tags import (
    Argument,
    Called,
    Responded,
    Said,
    TagError,
    TaggedTurn,
    parse_turns,
    render_turns,
)
from commonground.model import Action, Event

WHOLE = "request"
"""Name of the argument that stands for a request that is no object."""


class Target(msgspec.Struct, frozen=True):
    """What is said or called; None for what is not."""

    text: str | None = None
    call: Call | None = None


def parse_target(text: str) -> Target:
    """Parses a target in the tag language of the split rows.

    A value that is a JSON list or object is taken as such, as requests of generation 4 hold some.

    Raises:
        TagError: it is not in the tag language, or not one call, one text, or one of each.
    """
    turns = parse_turns(text, "[]")
    said = [turn.text for turn in turns if isinstance(turn, Said) and turn.speaker == "assistant"]
    called = [turn for turn in turns if isinstance(turn, Called)]
    if not turns or len(said) + len(called) != len(turns) or max(len(said), len(called)) > 1:
        raise TagError(0, "one [A], one [PN], or one of each")
    return Target(said[0] if said else None, _read_call(called[0]) if called else None)


def _read_call(called: Called) -> Call:
    values: dict[str, list[Any]] = {}
    for argument in called.arguments:
        values.setdefault(argument.name, []).extend(map(_read_value, argument.values))
    # One value stands for itself, several make a list, as `args` of dialogues have them.
    return Call(called.name, {n: v[0] if len(v) == 1 else v for n, v in values.items()})


def _read_value(text: str) -> Any:
    if text[:1] not in ("[", "{"):
        return text
    try:
        return msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        return text


def make_call(name: str, arguments: Any) -> Call:
    """Makes a call of an action; a request that is no object becomes one argument."""
    if arguments is None:
        return Call(name, {})
    return Call(name, arguments if isinstance(arguments, dict) else {WHOLE: arguments})


def target_of(event: Event) -> Target:
    """Returns what an event of the agent would be as a target."""
    if isinstance(event, Action):
        return Target(call=make_call(event.name, event.arguments))
    return Target(text=event.text)


def turns_of(event: Event, role: str | None) -> list[TaggedTurn]:
    """Writes an event as turns: something said, or a call and what came back."""
    if not isinstance(event, Action):
        return [Said("user" if role == "user" else "assistant", event.text or "")]
    call = Called(event.name, _arguments(make_call(event.name, event.arguments)))
    back = make_call(event.name, event.result)
    return [call, Responded(event.name, _arguments(back))]


def _arguments(call: Call) -> list[Argument]:
    return [Argument(name, _texts(value)) for name, value in call.arguments.items()]


def _texts(value: Any) -> list[str]:
    return [value if isinstance(value, str) else msgspec.json.encode(value).decode()]


def render_target(target: Target) -> str:
    """Writes a target in the tag language."""
    turns: list[TaggedTurn] = []
    if target.text is not None:
        turns.append(Said("assistant", target.text))
    if target.call is not None:
        turns.append(Called(target.call.name, _arguments(target.call)))
    return render_turns(turns, "[]")


def list_history(turns: Iterable[TaggedTurn]) -> list[dict[str, Any]]:
    """Writes turns as plain values: ``user``, ``assistant``, ``call`` or ``response`` each."""
    return [found for turn in turns if (found := _dump_turn(turn))]


def _dump_turn(turn: TaggedTurn) -> dict[str, Any]:
    if isinstance(turn, Said):
        return {turn.speaker: turn.text}
    if isinstance(turn, Called):
        return {"call": turn.name, "arguments": {a.name: a.values for a in turn.arguments}}
    if isinstance(turn, Responded):
        return {"response": turn.name, "values": {a.name: a.values for a in turn.values}}
    return {}
