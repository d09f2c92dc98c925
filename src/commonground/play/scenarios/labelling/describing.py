"""Events in words and pictures, for people who know neither the corpus nor its files.

A corpus may have a ``view/words.py`` whose ``say_action(dialogue, event)`` says in half a sentence
what was done; others' actions are said by their names and what they were given.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import cache

from commonground.corpora import get_corpus
from commonground.errors import UsageError
from commonground.findings import shorten
from commonground.model import Action, Dialogue, Utterance, Withheld
from commonground.view import write_leaves

_Say = Callable[[Dialogue, int], str | None]
_LONGEST = 300
"""Characters of an action that are shown."""

WITHHELD = "(The authors of the corpus do not publish what was said here.)"


def describe_event(corpus: str, dialogue: Dialogue, number: int) -> str:
    """Returns what is shown of an event: its words, or what was done.

    Args:
        corpus: that the dialogue is of.
        dialogue: that it is in.
        number: of the event.
    """
    event = dialogue.events[number]
    if isinstance(event, Utterance):
        return event.text
    if isinstance(event, Withheld):
        return WITHHELD
    say = _find_words(corpus)
    return shorten((say(dialogue, number) if say else None) or _say(event), _LONGEST)


def find_pictured(dialogue: Dialogue, number: int) -> list[str]:
    """Returns the ids of what is to be seen at an event: displayed with it, or acted on.

    What an utterance is grounded in is not among them, since that is what people are asked.

    Args:
        dialogue: that it is in.
        number: of the event.
    """
    shown = [each.object_id for each in dialogue.displays if each.event == number]
    if isinstance(dialogue.events[number], Action):
        shown += [each.object_id for each in dialogue.groundings if each.event == number]
    return shown


@cache
def _find_words(corpus: str) -> _Say | None:
    try:
        entry = get_corpus(corpus)
    except UsageError:
        return None
    if not (entry.folder / "view" / "words.py").is_file():
        return None
    say: _Say = entry.module("view/words").say_action
    return say


def _say(action: Action) -> str:
    """Returns an action by its name and what it was given: ``find flights: city Rome``."""
    given = action.arguments
    if isinstance(given, dict):
        values = [(_split(name), write_leaves(value)) for name, value in given.items()]
        said = ", ".join(f"{name} {value}" for name, value in values if value)
    else:
        said = write_leaves(given)
    return ": ".join(filter(None, [_split(action.name), said]))


def _split(name: str) -> str:
    """Returns the words that a name is made of: ``next page`` for ``NextPage``."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])|[_.]+", " ", name).strip().lower()
