"""Rules on the reward examples of generations 3 and 4."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from commonground.corpora.taskmaster.native.calls import parse_body
from commonground.corpora.taskmaster.native.dialogues import RewardExample
from commonground.corpora.taskmaster.rules._shared import context_of
from commonground.corpora.taskmaster.rules.coffee import COFFEE_APIS
from commonground.findings import Examined, Place, Ruleset

reward3 = Ruleset("CG-TASKMASTER-", "reward3")
reward4 = Ruleset("CG-TASKMASTER-", "reward4")

Turn = dict[str, Any]


# Rules run one after another on the same record: its context and its generation, and no more.
@lru_cache(maxsize=4)
def _parse(text: str) -> Any:
    """Parses a context or generation once for all rules; null where it is not JSON."""
    try:
        return parse_body(text)
    except ValueError:
        return None


def _context(record: RewardExample) -> list[Turn]:
    turns = _parse(record.context)
    return [t for t in turns if isinstance(t, dict)] if isinstance(turns, list) else []


def _parts(turn: Turn, key: str) -> dict[str, Any]:
    value = turn.get(key)
    return value if isinstance(value, dict) else {}


def _places(record: RewardExample) -> Iterator[tuple[str, Turn]]:
    """Yields the turns of both, and the field that each is in."""
    for turn in _context(record):
        yield ".context", turn
    turn = _parse(record.generation)
    yield ".generation", turn if isinstance(turn, dict) else {}


def check_json(record: RewardExample) -> Iterator[Place]:
    """A context is not a JSON list, or a generation not a JSON object.

    The example cannot be used.

    Leave the example out where this matters.
    """
    if not isinstance(_parse(record.context), list):
        yield Place(".context", expected="a JSON list", found=record.context)
    if not isinstance(_parse(record.generation), dict):
        yield Place(".generation", expected="a JSON object", found=record.generation)


def check_answered(record: RewardExample) -> Iterator[Place]:
    """A call in the context has no response.

    The model does not know the result of the call.

    Leave the example out where this matters.
    """
    for before, each in pairwise(_context(record)):
        if "api" in before and "response" not in each:
            found = ", ".join(_parts(before, "api"))
            yield Place(".context", expected="a response", found=f"{found} without response")


def check_answering(record: RewardExample) -> Iterator[Place]:
    """A response names another API than the call before it.

    A call without a name was answered by `invalid_intent`.

    Leave the example out where this matters.
    """
    for before, each in pairwise(_context(record)):
        called, answered = _parts(before, "api"), _parts(each, "response")
        if called and answered and called.keys() != answered.keys():
            yield Place(".context", expected=", ".join(called), found=", ".join(answered))


def check_reward(record: RewardExample) -> Iterator[Place]:
    """A reward is neither 0 nor 1.

    All released rewards are one of the two.

    Leave the example out where this matters.
    """
    if record.reward not in (0.0, 1.0):
        yield Place(".reward", expected="0.0 or 1.0", found=repr(record.reward))


# The same checks for both generations, each with its own code and number of known places.
BOTH = (
    reward3.error(351, known=0)(check_json),
    reward4.error(451, known=0)(check_json),
    reward3.warning(352, known=13)(check_answered),
    reward4.warning(452, known=0)(check_answered),
    reward3.note(353, known=0)(check_answering),
    reward4.note(453, known=31)(check_answering),
    reward3.error(354, known=0)(check_reward),
    reward4.error(454, known=0)(check_reward),
)


@reward3.note(355, known=13)
def user_twice(record: RewardExample) -> Iterator[Place]:
    """The user speaks twice in a row.

    Only a call of the assistant without response is between the two.

    Leave the example out, or join the two.
    """
    said = [turn for turn in _context(record) if "text" in turn]
    for before, each in pairwise(said):
        if before.get("role") == each.get("role") == "user":
            yield Place(".context", expected="the agent", found=str(each["text"]))


@reward3.note(356, known=4)
def attribute(record: RewardExample, examined: Examined) -> Iterator[Place]:
    """An undeclared attribute is asked for.

    Models learn to ask for it; no dialogue has it.

    Leave the example out.
    """
    declared = context_of(examined).apis.get("get_movie_attribute")
    for path, turn in _places(record) if declared else ():
        arguments = _parts(_parts(turn, "api"), "get_movie_attribute")
        name = arguments.get("attribute")
        if declared and isinstance(name, str) and name not in declared.response.keys:
            yield Place(path, expected="a declared attribute", found=name)


@reward4.note(456, known=56)
def nameless(record: RewardExample) -> Iterator[Place]:
    """A call names no API.

    The model meant to call something but left out its name.

    Treat it as a call that does not exist.
    """
    for path, turn in _places(record):
        if "" in _parts(turn, "api"):
            yield Place(path, expected="a name", found='""')


@reward4.note(457, known=27)
def unknown_apis(record: RewardExample) -> Iterator[Place]:
    """An API is called that no released dialogue calls.

    The model made it up.

    Treat it as a call that does not exist.
    """
    for path, turn in _places(record):
        for name in _parts(turn, "api"):
            if name and name not in COFFEE_APIS:
                yield Place(path, found=name)


@reward4.note(458, known=66)
def text_response(record: RewardExample) -> Iterator[Place]:
    """A response is text where others are objects.

    It says that nothing was found, or what went wrong.

    Expect text and objects.
    """
    for turn in _context(record):
        for value in _parts(turn, "response").values():
            if isinstance(value, str):
                yield Place(".context", expected="an object", found=value)


@reward4.note(459, known=10)
def opening(record: RewardExample) -> Iterator[Place]:
    """The context does not begin with the agent.

    It is empty, or the greeting is missing that all others have.

    Add the greeting.
    """
    turns = _context(record)
    if not turns or turns[0].get("role") != "agent":
        yield Place(".context", expected="agent", found=str(turns[0] if turns else "nothing"))
