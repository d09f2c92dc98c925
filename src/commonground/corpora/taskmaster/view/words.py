"""The calls of Taskmaster's assistants in words, for people who do not know the APIs."""

from __future__ import annotations

from commonground.model import Action, Dialogue
from commonground.view import write_leaves


def say_action(dialogue: Dialogue, event: int) -> str | None:
    """Returns a call in words, without what came back.

    It is half a sentence that follows a name; None for what is no call.
    """
    action = dialogue.events[event]
    if not isinstance(action, Action):
        return None
    given = action.arguments if isinstance(action.arguments, dict) else {}
    # What is given by its id only says nothing to anybody.
    shown = {name: value for name, value in given.items() if not name.endswith("_id")}
    values = [f"{_say_name(name)} {write_leaves(value)}" for name, value in shown.items() if value]
    return ": ".join(filter(None, [action.name.replace("_", " "), ", ".join(values)]))


def _say_name(name: str) -> str:
    """Returns the name of an argument in words: ``showing time`` for ``time.showing``."""
    kind, dot, thing = name.partition(".")
    if not dot:
        return name.replace("_", " ")
    if kind == "name":
        return thing
    return f"number of {thing}" if kind == "num" else f"{thing} {kind}"
