"""What the assistant of SIMMC did, in words, for people who do not know its interface."""

from __future__ import annotations

from typing import Any

from commonground.corpora.simmc.convert.objects import catalogue_id
from commonground.corpora.simmc.view.actions import LEFT_OPEN
from commonground.model import Action, Dialogue

_DONE = {
    "None": "does nothing in the shop",
    "AddToCart": "puts the item into the cart",
    "FocusOnFurniture": "shows one item larger",
    "NavigateCarousel": "shows other items",
    "Rotate": "turns the item",
    "SearchDatabase": "searches the shop",
    "SearchFurniture": "searches the shop",
    "SearchMemory": "looks among items seen before",
    "SpecifyInfo": "looks up the item",
}
_NAMES = {
    "attributes": "",
    "direction": "",
    "furnitureType": "",
    "navigate_direction": "",
    "position": "the one at the",
}
"""What stands before the value of an argument; other names stand as they are."""


def say_action(dialogue: Dialogue, event: int) -> str | None:
    """Returns an action as half a sentence that follows a name; None for one that is not known."""
    action = dialogue.events[event]
    if not isinstance(action, Action) or action.name not in _DONE:
        return None
    given = action.arguments if isinstance(action.arguments, dict) else {}
    about = [_say(name, value, dialogue) for name, value in given.items() if value not in LEFT_OPEN]
    return ": ".join(filter(None, [_DONE[action.name], ", ".join(filter(None, about))]))


def _say(name: str, value: Any, dialogue: Dialogue) -> str:
    if name == "focus":
        return _find_title(value, dialogue)
    values = [str(each) for each in value] if isinstance(value, list) else [str(value)]
    return f"{_NAMES.get(name, name)} {', '.join(values)}".strip()


def _find_title(number: Any, dialogue: Dialogue) -> str:
    name = catalogue_id(dialogue.domain, number)
    return next((each.title or "" for each in dialogue.objects if each.object_id == name), "")
