"""Rules on the reward examples of generations 3 and 4."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import lru_cache
from itertools import pairwise
from typing import Any

from commonground.corpora.taskmaster.calls import parse_body
from commonground.corpora.taskmaster.looks import context_of
from commonground.corpora.taskmaster.native import RewardExample
from commonground.corpora.taskmaster.rules_calls import COFFEE_APIS
from commonground.findings import Examined, Place, Rule, Severity, rule

Turn = dict[str, Any]


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


def _generation(record: RewardExample) -> Turn:
    turn = _parse(record.generation)
    return turn if isinstance(turn, dict) else {}


def _parts(turn: Turn, key: str) -> dict[str, Any]:
    value = turn.get(key)
    return value if isinstance(value, dict) else {}


def _places(record: RewardExample) -> Iterator[tuple[str, Turn]]:
    """Yields the turns of both, and the field that each is in."""
    for turn in _context(record):
        yield ".context", turn
    yield ".generation", _generation(record)


def check_json(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Yields the fields that are not a list, or an object, written as JSON."""
    if not isinstance(_parse(record.context), list):
        yield Place(".context", expected="a JSON list", found=record.context)
    if not isinstance(_parse(record.generation), dict):
        yield Place(".generation", expected="a JSON object", found=record.generation)


def check_answered(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Yields the calls that no response follows."""
    for before, each in pairwise(_context(record)):
        if "api" in before and "response" not in each:
            found = ", ".join(_parts(before, "api"))
            yield Place(".context", expected="a response", found=f"{found} without response")


def check_answering(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Yields the responses that name another API than the call before them."""
    for before, each in pairwise(_context(record)):
        called, answered = _parts(before, "api"), _parts(each, "response")
        if called and answered and called.keys() != answered.keys():
            yield Place(".context", expected=", ".join(called), found=", ".join(answered))


def check_reward(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Yields rewards other than 0 and 1."""
    if record.reward not in (0.0, 1.0):
        yield Place(".reward", expected="0.0 or 1.0", found=repr(record.reward))


_Check = Callable[[RewardExample, Examined], Iterable[Place]]


def _both(
    number: int, severity: Severity, title: str, known: tuple[int, int], check: _Check, why: str
) -> tuple[Rule, Rule]:
    """Builds one rule for each of the two generations."""
    rules = [
        rule(
            f"CG-TASKMASTER-{generation}{number}",
            severity,
            title,
            why=why,
            advice="Leave the example out where this matters.",
            format=f"reward{generation}",
            known=count,
        )(check)
        for generation, count in zip((3, 4), known, strict=True)
    ]
    return rules[0], rules[1]


json_3, json_4 = _both(
    51,
    "error",
    "A context is not a JSON list, or a generation not a JSON object.",
    (0, 0),
    check_json,
    "The example cannot be used.",
)
answered_3, answered_4 = _both(
    52,
    "warning",
    "A call in the context has no response.",
    (13, 0),
    check_answered,
    "The model does not know what came of the call.",
)
answering_3, answering_4 = _both(
    53,
    "note",
    "A response names another API than the call before it.",
    (0, 31),
    check_answering,
    "A call without a name was answered by `invalid_intent`.",
)
reward_3, reward_4 = _both(
    54,
    "error",
    "A reward is neither 0 nor 1.",
    (0, 0),
    check_reward,
    "All released rewards are one of the two.",
)


@rule(
    "CG-TASKMASTER-355",
    "note",
    "The user speaks twice in a row.",
    why="A call of the assistant without response is all that stands between.",
    advice="Leave the example out, or join the two.",
    format="reward3",
    known=13,
)
def user_twice(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Looks at neighbours among what was said."""
    said = [turn for turn in _context(record) if "text" in turn]
    for before, each in pairwise(said):
        if before.get("role") == each.get("role") == "user":
            yield Place(".context", expected="the agent", found=str(each["text"]))


@rule(
    "CG-TASKMASTER-356",
    "note",
    "An attribute is asked for that is not declared.",
    why="Models learn to ask for it; no dialogue has it.",
    advice="Leave the example out.",
    format="reward3",
    known=4,
)
def attribute(record: RewardExample, examined: Examined) -> Iterator[Place]:
    """Compares the attributes with the declared responses of the API that gives them."""
    declared = context_of(examined).apis.get("get_movie_attribute")
    for path, turn in _places(record) if declared else ():
        arguments = _parts(_parts(turn, "api"), "get_movie_attribute")
        name = arguments.get("attribute")
        if declared and isinstance(name, str) and name not in declared.response.keys:
            yield Place(path, expected="a declared attribute", found=name)


@rule(
    "CG-TASKMASTER-456",
    "note",
    "A call names no API.",
    why="The model meant to call something and left out what.",
    advice="Take it for a call that does not exist.",
    format="reward4",
    known=56,
)
def nameless(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Looks for an empty name."""
    for path, turn in _places(record):
        if "" in _parts(turn, "api"):
            yield Place(path, expected="a name", found='""')


@rule(
    "CG-TASKMASTER-457",
    "note",
    "An API is called that no released dialogue calls.",
    why="The model made it up.",
    advice="Take it for a call that does not exist.",
    format="reward4",
    known=27,
)
def unknown_apis(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Compares the names with those of the dialogues."""
    for path, turn in _places(record):
        for name in _parts(turn, "api"):
            if name and name not in COFFEE_APIS:
                yield Place(path, found=name)


@rule(
    "CG-TASKMASTER-458",
    "note",
    "A response is text where others are objects.",
    why="It says that nothing was found, or what went wrong.",
    advice="Expect text and objects.",
    format="reward4",
    known=66,
)
def text_response(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Looks at the type of what came back."""
    for turn in _context(record):
        for value in _parts(turn, "response").values():
            if isinstance(value, str):
                yield Place(".context", expected="an object", found=value)


@rule(
    "CG-TASKMASTER-459",
    "note",
    "The context does not begin with the agent.",
    why="It is empty, or the greeting is missing that all others have.",
    advice="Add the greeting.",
    format="reward4",
    known=10,
)
def opening(record: RewardExample, _examined: Examined) -> Iterator[Place]:
    """Looks at the first turn."""
    turns = _context(record)
    if not turns or turns[0].get("role") != "agent":
        yield Place(".context", expected="agent", found=str(turns[0] if turns else "nothing"))
