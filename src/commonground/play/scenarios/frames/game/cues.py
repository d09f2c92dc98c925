"""Which acts and slots the user's words have, by plain patterns for English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.play.scenarios.frames.game.hearing import (
    WORDS,
    Found,
    Heard,
    find_mentions,
    names_value,
)

Pair = tuple[str, str]
"""An act and one of its slots, inside references or not; no slot is an empty text."""


_SAYS = WORDS["words"]
_QUESTION = re.compile(r"[^.!?]+\?")
_WISHES = (
    *("or_city", "dst_city", "str_date", "end_date", "budget", "n_adults", "n_children"),
    *("max_duration", "category", "seat"),
)
_BUDGET = re.compile(r"\$|usd|dollar|bucks|\dk", re.IGNORECASE)


def read_pairs(heard: Heard, found: dict[str, list[Found]]) -> set[Pair]:
    """Returns the acts and slots that the user's words have, as far as patterns tell."""
    text = heard.text
    pairs: set[Pair] = {
        (name, "") for name, pattern in WORDS["acts"].items() if pattern.search(text)
    }
    switch = set(_read_switch(heard, found))
    pairs |= switch
    taken = {slot for _, slot in switch}
    held, is_one = heard.book.held(heard.book.active), len(heard.book.frames) < 2
    for slot in _WISHES:
        values = [each for each in found.get(slot, ()) if _is_wish(each, text)]
        # The active frame, one of several, may hold all of these values.
        is_new = is_one or not all(names_value(each, held) for each in values)
        if values and slot not in taken and is_new:
            pairs.add(("inform", slot))
    questions = " ".join(_QUESTION.findall(text))
    asked = {slot for slot, pattern in WORDS["asked"].items() if pattern.search(questions)}
    comparing = len(heard.book.frames) > 2 and _SAYS["comparing"].search(text) is not None
    pairs |= {("request_compare" if comparing else "request", slot) for slot in asked}
    if comparing and not asked:
        pairs.add(("request_compare", ""))
    if _SAYS["booking"].search(text):
        pairs.add(("inform", "intent"))
    if heard.before is not None:
        pairs |= set(_read_answer(heard))
    return pairs


def _is_wish(found: Found, text: str) -> bool:
    """Says whether words are plainly a wish: what is found for a slot may be other things, too."""
    if found.value == DONT_CARE or isinstance(found.value, bool):
        return False
    before, value, after = text[: found.start], found.value, text[found.end :]
    match found.slot:
        case "budget":
            return _BUDGET.search(value) is not None
        case "n_adults":
            return _PEOPLE.match(after) is not None or value.lower().endswith(("me", "myself"))
        case "max_duration":
            return _AT_MOST.search(before) is not None
        case "category":
            return _STARS.match(after) is not None
        case "str_date" | "end_date":
            return not value.isdigit()
    return True


_PEOPLE = re.compile(r" (?:\w+ )?(?:adults?|grown-?ups?|people|persons?|of us)\b", re.IGNORECASE)
_AT_MOST = re.compile(r"\b(?:at most|under|up to|no more than|maximum) $", re.IGNORECASE)
_STARS = re.compile(r"[- ]?stars?\b", re.IGNORECASE)


_ELSEWHERE = ("dst_city", "budget", "or_city")
"""Slots that a new frame mostly begins with."""


def _read_switch(heard: Heard, found: dict[str, list[Found]]) -> Iterator[Pair]:
    mentions = find_mentions(heard, found)
    if mentions and not _SAYS["comparing"].search(heard.text):
        slots = {each.slot for mine in mentions.values() for each in mine}
        yield from (("switch_frame", slot) for slot in slots)
        return
    made = [number for number in heard.made if number != heard.book.active]
    if made and _SAYS["liking"].search(heard.text) and not _SAYS["no"].search(heard.text):
        wishes = [each for slot in _ELSEWHERE for each in found.get(slot, ())]
        if any(_is_wish(each, heard.text) and not each.guessed for each in wishes):
            return
        yield "switch_frame", "ref_anaphora" if found.get("ref_anaphora") else ""


_CONFIRMED = frozenset({"action", "n_adults", "str_date", "end_date", "or_city", "dst_city"})


def _read_answer(heard: Heard) -> Iterator[Pair]:
    """Reads yes and no to what the wizard asked last."""
    assert heard.before is not None  # noqa: S101 - of whoever was asked something
    name = (
        "affirm"
        if _SAYS["yes"].search(heard.text)
        else "negate"
        if _SAYS["no"].search(heard.text)
        else None
    )
    if name is None:
        return
    acts = [note.act for note in heard.before.notes if note.act is not None]
    asking = [act for act in acts if act.name in ("confirm", "suggest", "request")]
    keys = {arg.key for act in asking for arg in act.args if arg.key in _CONFIRMED}
    if name == "affirm" and keys:
        yield from ((name, key) for key in keys)
    elif asking:
        yield name, ""
