"""The searches of Frames' wizards in words."""

from __future__ import annotations

from commonground.corpora.frames.view.searches import read_conditions
from commonground.model import Action, Dialogue
from commonground.printing import count_of

_NAMES = {
    "origin city": "from",
    "destination city": "to",
    "start time": "leaving on",
    "end time": "back on",
    "num adults": "adults:",
    "num children": "children:",
    "price min": "price from",
    "price max": "price up to",
    "max duration": "at most",
    "are dates flexible": "flexible dates:",
}
"""What stands before a value; other fields, such as how many results are shown, say nothing."""


def say_action(dialogue: Dialogue, event: int) -> str | None:
    """Returns a search in words, and how many packages it found.

    It is half a sentence that follows a name; None for what is no search.
    """
    action = dialogue.events[event]
    if not isinstance(action, Action) or action.name != "search":
        return None
    asked = [
        f"{_NAMES[each.label]} {each.meaning}"
        for each in read_conditions(action.arguments)
        if each.label in _NAMES
    ]
    results = count_of(len(action.result) if isinstance(action.result, list) else 0, "package")
    return f"searches for a trip: {', '.join(asked) or 'any'}; finds {results}"
