"""The rankings of a thread: responses, persona elements, or the personas of authors."""

from __future__ import annotations

from typing import Any

import msgspec

from commonground.model import Candidate, Dialogue, Object


class Element(msgspec.Struct, frozen=True, gc=False):
    """A persona element as an option, or in one."""

    object_id: str
    title: str


class Option(msgspec.Struct, kw_only=True, gc=False):
    """An option of a ranking.

    Attributes:
        gold: whether it is the right one; null where the release does not say.
        text: the response; null where the option is no text.
        author: whose persona it is; null where not said.
        elements: the persona elements.
    """

    gold: bool | None
    text: str | None = None
    author: str | None = None
    elements: list[Element] = []


class Ranking(msgspec.Struct, kw_only=True):
    """The options for a message.

    Attributes:
        words: what is ranked.
        gold: place of the right option, from 0; null where the release does not say.
        options: in released order.
    """

    words: str
    gold: int | None
    options: list[Option]


_WORDS = {
    "mpchat/nrp": "responses",
    "mpchat/gpp": "persona elements",
    "mpchat/si": "authors",
}


def make_rankings(dialogue: Dialogue, objects: dict[str, Object]) -> dict[int, Ranking]:
    """Returns the ranking of each message that has one, by event."""
    rankings: dict[int, Ranking] = {}
    for each in dialogue.candidates:
        if each.event is None:
            continue
        ranking = rankings.get(each.event)
        if ranking is None:
            words = _WORDS.get(each.task, each.task)
            ranking = rankings[each.event] = Ranking(words=words, gold=None, options=[])
        if each.gold and ranking.gold is None:
            ranking.gold = len(ranking.options)
        ranking.options.append(_option(each, objects))
    return rankings


def _option(candidate: Candidate, objects: dict[str, Object]) -> Option:
    object_id = candidate.object_id
    if object_id is None:
        return Option(gold=candidate.gold, text=candidate.text or "")
    known = objects.get(object_id)
    facts: dict[str, Any] = {}
    if known is not None and isinstance(known.attributes, dict):
        facts = known.attributes
    members = facts.get("personas")
    ids = [str(each) for each in members] if isinstance(members, list) else [object_id]
    if not all(each in objects for each in ids):
        # Elements of other authors are described nowhere but in the title of their set.
        ids = [object_id]
    author = facts.get("author")
    return Option(
        gold=candidate.gold,
        author=author if isinstance(author, str) else None,
        elements=[_element(each, objects) for each in ids],
    )


def _element(object_id: str, objects: dict[str, Object]) -> Element:
    known = objects.get(object_id)
    return Element(object_id, (known.title if known else None) or object_id)
