"""How language models are asked what the agent does next."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import msgspec

from commonground.corpora.taskmaster.tasks.actions.targets import Target, parse_target
from commonground.method import Prompt, Reply, write_signatures
from commonground.replies import read_object, unify_numbers
from commonground.task import Instance


class AskedCall(msgspec.Struct):
    """A call as a model is asked for it."""

    name: str
    arguments: dict[str, Any]


class AskedStep(msgspec.Struct, omit_defaults=True):
    """What the agent does next as a model is asked for it: words, or a call."""

    text: str | None = None
    call: AskedCall | None = None


def read_step(reply: Reply) -> dict[str, Any]:
    """Returns words and call of a reply, each None where there is none.

    A call may stand alone, and its arguments may be a text of JSON. Values of the corpus are texts,
    in which a whole number has no point.

    Raises:
        ValueError: there is neither, or the call has no name.
    """
    step = reply.value
    call = step if "name" in step else step.get("call")
    text = None if step is call else step.get("text")
    if call is None and not isinstance(text, str):
        raise ValueError("expected `text` or `call`")
    if call is None:
        return {"text": text, "call": None}
    arguments = read_object(call.get("arguments"))
    if isinstance(arguments, Mapping):
        arguments = {name: _write_value(value) for name, value in arguments.items()}
    return {"text": text, "call": {"name": str(call["name"]), "arguments": arguments}}


def _write_value(value: Any) -> Any:
    if isinstance(value, list):
        return [_write_value(each) for each in value]
    if isinstance(value, str | Mapping) or value is None:
        return value
    return msgspec.json.encode(unify_numbers(value)).decode()


def write_call(said: str, calls: Sequence[tuple[str, dict[str, Any]]]) -> str:
    """Writes what the agent calls, or says where it calls nothing, as the answer asked for.

    Models say what they are about to call; agents of the corpus did not.

    Raises:
        ValueError: there are several calls.
    """
    if len(calls) > 1:
        raise ValueError(f"expected one call, found {len(calls)}")
    called = [AskedStep(call=AskedCall(*call)) for call in calls]
    words = [AskedStep(text=said.strip())] if said.strip() else []
    return "".join(msgspec.json.encode(each).decode() for each in called or words)


def say_step(answered: Reply) -> AskedStep:
    """Returns the words or the call of a baseline in the form that is asked for."""
    found = answered.value
    if "target" in found:
        return make_step(parse_target(found["target"]))
    call = found.get("call")
    made = None if call is None else AskedCall(call["name"], call.get("arguments") or {})
    return AskedStep(found.get("text"), made)


def make_step(target: Target) -> AskedStep:
    """Returns a target in the form that is asked for."""
    call = target.call
    return AskedStep(
        target.text, None if call is None else AskedCall(call.name, {**call.arguments})
    )


def list_names(said: Any) -> Iterator[str]:
    """Yields the API that a reply names, and its arguments."""
    call = said if "name" in said else said.get("call")
    if call is not None:
        yield str(call["name"])
        yield from map(str, read_object(call.get("arguments")) or {})


def list_labels(instances: Iterable[Instance]) -> dict[str, list[str]]:
    """Lists the APIs that agents called, with their arguments."""
    calls = [each.right.call for each in instances if each.right.call is not None]
    return {"APIs": write_signatures((call.name, call.arguments) for call in calls)}


PROMPT = Prompt(
    task="taskmaster3/actions",
    answer=read_step,
    say=say_step,
    target=lambda instance: make_step(instance.right),
    called=write_call,
    names=list_names,
    form=AskedStep,
    labels=list_labels,
)
