"""What a message of the wizard says: the values of its acts, in the words in which it has them.

A price that the list gives as ``788.50USD`` is said by ``$788.50`` and ``788.50 dollars`` as well,
and five stars by ``5-star`` and ``five stars``. The acts then have the words that were written, as
the released ones do.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Any

import msgspec

from commonground.corpora.frames import native
from commonground.corpora.frames.vocabulary import DONT_CARE, LABELS
from commonground.play.scenarios.frames.game.state import Noted
from commonground.play.scenarios.frames.travel.values import (
    AMOUNT,
    DAYS,
    NUMBER_WORDS,
    Value,
    hold_value,
)

_MONEY = rf"\$ ?{AMOUNT}(?: ?(?:USD|dollars))?|{AMOUNT}(?: ?(?:USD|(?:US )?dollars|\$))?"
_COUNT = rf"\b(?:\d+|{'|'.join(NUMBER_WORDS)})\b"
_STAY = rf"{_COUNT}[ -](?:days?|weeks?)\b"
_FORMS = {
    **dict.fromkeys(("price", "budget"), _MONEY),
    "category": rf"(?:\b\d(?:\.\d)?|{_COUNT})(?=[ -]?stars?\b)",
    "gst_rating": rf"{AMOUNT}(?:/10)?",
    **dict.fromkeys(("duration", "max_duration", "min_duration"), _STAY),
    **dict.fromkeys(("n_adults", "n_children"), _COUNT),
    **dict.fromkeys(("str_date", "end_date"), DAYS),
}
_PATTERNS = {slot: re.compile(form, re.IGNORECASE) for slot, form in _FORMS.items()}
"""The forms in which people write values of slots that have more than one."""


def find_words(slot: str, value: str, text: str) -> str | None:
    """Returns the words by which a text says a value: the value, or another form of it.

    Returns:
        The value where the text has it, capitals aside; else the words that mean the same; None
        where there are none.
    """
    if value.casefold() in text.casefold():
        return value
    pattern = _PATTERNS.get(slot)
    held = _hold(slot, value)
    words = (found[0] for found in pattern.finditer(text)) if pattern is not None else ()
    return next((each for each in words if _hold(slot, each) == held), None)


def _hold(slot: str, words: str) -> Value | float:
    """Returns words as frames hold them; of a month the letters that all ways to write it have."""
    held = hold_value(slot, words)
    if slot in ("str_date", "end_date") and isinstance(held, str):
        month, _, day = held.partition(" ")
        return f"{month[:3]} {day}"
    if slot == "gst_rating" and isinstance(held, str) and re.fullmatch(AMOUNT, held):
        return float(held)
    return held


def find_missing(acts: Iterable[native.DialogueAct], text: str) -> str | None:
    """Returns the first value of acts that a text does not say in any form; None for none.

    Labels are not said, and "any" is said in many ways.
    """
    for act in acts:
        for slot in _iterate_slots(act):
            if _must_be_said(slot) and find_words(slot.key, str(slot.val), text) is None:
                return str(slot.val)
    return None


def reword(notes: Iterable[Noted], text: str) -> tuple[Noted, ...]:
    """Returns gestures whose acts have the words in which a message says all their values."""
    return tuple(
        note if note.act is None else msgspec.structs.replace(note, act=_reword_act(note.act, text))
        for note in notes
    )


def _reword_act(act: native.DialogueAct, text: str) -> native.DialogueAct:
    args = [
        msgspec.structs.replace(arg, val=[_reword_reference(each, text) for each in arg.val])
        if isinstance(arg.val, list)
        else _reword_slot(arg, text)
        for arg in act.args
    ]
    return msgspec.structs.replace(act, args=args)


def _reword_reference(reference: native.Reference, text: str) -> native.Reference:
    notes = [_reword_slot(each, text) for each in reference.annotations]
    return msgspec.structs.replace(reference, annotations=notes)


def _reword_slot(slot: Any, text: str) -> Any:
    words = find_words(slot.key, str(slot.val), text) if _must_be_said(slot) else None
    return slot if words is None else msgspec.structs.replace(slot, val=words)


def _iterate_slots(act: native.DialogueAct) -> Iterable[Any]:
    for arg in act.args:
        if isinstance(arg.val, list):
            for reference in arg.val:
                yield from reference.annotations
        else:
            yield arg


def _must_be_said(slot: Any) -> bool:
    return isinstance(slot.val, str) and slot.key not in LABELS and slot.val != DONT_CARE


def word_offer(stated: Mapping[str, Value]) -> str:
    """Writes what an offer tells, by slot, as sentences for the wizard to send or to change."""
    said = {slot: str(value) for slot, value in stated.items()}
    texts = [_word_stay(said), _word_flight(said)]
    if "gst_rating" in said:
        texts.append(f"Guests give it {said['gst_rating']} out of 10.")
    has = [_THINGS.get(slot, slot) for slot, value in stated.items() if value is True]
    if has:
        texts.append(f"There is {_join(has)}.")
    return " ".join(text for text in texts if text)


_THINGS = {
    **{each: f"a {each}" for each in ("spa", "gym", "park", "beach", "museum", "market", "mall")},
    **{each: f"a {each} nearby" for each in ("cathedral", "palace", "theatre", "university")},
    "airport": "an airport nearby",
    "breakfast": "free breakfast",
    "parking": "free parking",
    "wifi": "free wifi",
    "shopping": "shopping nearby",
    "downtown": "downtown on the doorstep",
}


def _word_stay(said: Mapping[str, str]) -> str:
    hotel = said.get("name", "a hotel")
    stars = f" ({said['category']} star hotel)" if "category" in said else ""
    days = f"{said['duration']} at " if "duration" in said else ""
    place = f" in {said['dst_city']}" if "dst_city" in said else ""
    cost = f" for {said['price']}" if "price" in said else ""
    return f"I have {days}{hotel}{stars}{place}{cost}."


def _word_flight(said: Mapping[str, str]) -> str:
    parts = [
        f"leave {said['or_city']}" if "or_city" in said else "",
        f"on {said['str_date']}" if "str_date" in said else "",
    ]
    leaves = " ".join(part for part in parts if part)
    if leaves.startswith("on"):
        leaves = f"leave {leaves}"
    returns = f"return on {said['end_date']}" if "end_date" in said else ""
    flies = f"fly {said['seat']}" if "seat" in said else ""
    does = [part for part in (leaves, returns, flies) if part]
    return f"You would {_join(does)}." if does else ""


def _join(parts: list[str]) -> str:
    return " and ".join(part for part in (", ".join(parts[:-1]), parts[-1]) if part)
