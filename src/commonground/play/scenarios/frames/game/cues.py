"""Which acts and slots the user's words have, by plain patterns for English."""

from __future__ import annotations

import re
from collections.abc import Iterator

from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.play.scenarios.frames.game.hearing import (
    Found,
    Heard,
    compile_patterns,
    find_mentions,
    names_value,
)

Pair = tuple[str, str]
"""An act and one of its slots, inside references or not; no slot is an empty text."""


_ACTS = compile_patterns(
    {
        "greeting": r"^(?:hi|hello|hey|good (?:morning|day|afternoon|evening))\b",
        "thankyou": r"\b(?:thanks|thank (?:you|u)|thx|ty)\b",
        "goodbye": r"\b(?:bye|goodbye|see you)\b",
        "request_alts": (
            r"\b(?:any(?:thing|where) else|what else|(?:other|another) "
            r"(?:options?|choices?|offers?|hotels?|packages?|places?|trips?|destinations?))\b"
        ),
        "moreinfo": (
            r"\b(?:tell me (?:\w+ ){0,3}(?:more|about)|more (?:info\w*|details?|on|about)"
            r"|what(?:['’]s| is) (?:the|that) \w+ like)\b"
        ),
    }
)
_ASKED = compile_patterns(
    {
        "price": r"\b(?:how much|(?:what|total).*(?:cost|price))",
        "gst_rating": r"\b(?:guest rating|rated|ratings?|reviews?|guests)\b",
        "duration": r"\bhow (?:long|many days)\b",
        "category": r"\bhow many stars|\bwhat (?:kind|type|sort) of hotel|\bstar rating",
        "amenities": r"\b(?:amenities|included?|perks)\b",
        "vicinity": r"\b(?:near(?:by)?|close to|around (?:it|there|the hotel)|attractions)\b",
        "str_date": (
            r"\b(?:what|which) (?:are the )?da(?:tes|ys?)\b|\bwhen (?:do|would|does|is|can)\b"
        ),
        "end_date": r"\b(?:what|which) (?:are the )?dates\b",
        "seat": r"\b(?:which|what) (?:class|kind of seats?)\b",
        "name": r"\b(?:which|what) hotels?\b(?! like)",
        "wifi": r"\b(?:wifi|wi-fi|internet)\b",
        "breakfast": r"\bbreakfast\b",
        "parking": r"\bparking\b",
        "park": r"\bparks?\b",
        "spa": r"\bspa\b",
        "beach": r"\bbeach\b",
    }
)
_COMPARING = re.compile(
    r"\bwhich (?:one|of|hotel|is|has|package)\b|\bcompar|\bdifference\b|\bbetween the\b|\bboth\b"
    r"|\beach (?:one|of)\b|\b(?:cheaper|better|nicer), the\b",
    re.IGNORECASE,
)
_YES = re.compile(
    r"^\W*(?:yes|yup|yep|yeah|yea|ya|sure|correct|exactly|indeed|right|absolutely|of course"
    r"|that(?:['’]s| is) (?:right|correct))\b",
    re.IGNORECASE,
)
_NO = re.compile(
    r"^\W*(?:no|nope|nah)\b(?! (?:preference|budget|limit|idea|problem|worries))|\bnot interested\b"
    r"|\btoo (?:expensive|long|short|far|pricey|late|early|much)\b|\bis not for\b"
    r"|\b(?:don['’]?t|do not) (?:like|want)\b|\bout of (?:my|our) budget",
    re.IGNORECASE,
)
_BOOKING = re.compile(
    r"\b(?:book|reserve)\b|\btake (?:it|this|that|the)\b|\blooking (?:for|to)\b"
    r"|\b(?:like|want|need|love|hoping|planning|wanna|trying) to "
    r"(?:go|travel|visit|fly|get|take|plan)"
    r"|\b(?:need|want|plan\w*) a (?:\w+ )?(?:trip|vacation|holiday|getaway)",
    re.IGNORECASE,
)
_LIKING = re.compile(
    r"\b(?:sounds?|looks?|is|that['’]?s) (?:\w+ )?(?:good|great|nice|perfect|amazing|awesome)\b"
    r"|\b(?:perfect|great|awesome|book|take|prefer|love|like|hotel|price|cost|interested)\b|\?",
    re.IGNORECASE,
)
_QUESTION = re.compile(r"[^.!?]+\?")
_WISHES = (
    *("or_city", "dst_city", "str_date", "end_date", "budget", "n_adults", "n_children"),
    *("max_duration", "category", "seat"),
)
_BUDGET = re.compile(r"\$|usd|dollar|bucks|\dk", re.IGNORECASE)


def read_pairs(heard: Heard, found: dict[str, list[Found]]) -> set[Pair]:
    """Returns the acts and slots that the user's words have, as far as patterns tell."""
    text = heard.text
    pairs: set[Pair] = {(name, "") for name, pattern in _ACTS.items() if pattern.search(text)}
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
    asked = {slot for slot, pattern in _ASKED.items() if pattern.search(questions)}
    comparing = len(heard.book.frames) > 2 and _COMPARING.search(text) is not None
    pairs |= {("request_compare" if comparing else "request", slot) for slot in asked}
    if comparing and not asked:
        pairs.add(("request_compare", ""))
    if _BOOKING.search(text):
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
    if mentions and not _COMPARING.search(heard.text):
        slots = {each.slot for mine in mentions.values() for each in mine}
        yield from (("switch_frame", slot) for slot in slots)
        return
    made = [number for number in heard.made if number != heard.book.active]
    if made and _LIKING.search(heard.text) and not _NO.search(heard.text):
        wishes = [each for slot in _ELSEWHERE for each in found.get(slot, ())]
        if any(_is_wish(each, heard.text) and not each.guessed for each in wishes):
            return
        yield "switch_frame", "ref_anaphora" if found.get("ref_anaphora") else ""


_CONFIRMED = frozenset({"action", "n_adults", "str_date", "end_date", "or_city", "dst_city"})


def _read_answer(heard: Heard) -> Iterator[Pair]:
    """Reads yes and no to what the wizard asked last."""
    assert heard.before is not None  # noqa: S101 - of whoever was asked something
    name = "affirm" if _YES.search(heard.text) else "negate" if _NO.search(heard.text) else None
    if name is None:
        return
    acts = [note.act for note in heard.before.notes if note.act is not None]
    asking = [act for act in acts if act.name in ("confirm", "suggest", "request")]
    keys = {arg.key for act in asking for arg in act.args if arg.key in _CONFIRMED}
    if name == "affirm" and keys:
        yield from ((name, key) for key in keys)
    elif asking:
        yield name, ""
