"""What the rules read out of the user's words, for the wizard to confirm by a click.

Plain patterns find cities, dates, sums, numbers of people, hotels that were offered, thanks and
questions. They miss much and err at times: nothing is noted that the wizard has not confirmed.
For the wizard's own message they propose the cheapest package that a search found, and what the
list says of things that the user asked for.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from commonground.corpora.frames.native import Author, BinaryQuestion, Request
from commonground.corpora.frames.vocabulary import FLAGS
from commonground.play.scenarios.frames.game.frame_book import Book, bare_slots, noted_slots
from commonground.play.scenarios.frames.game.gestures import list_offers
from commonground.play.scenarios.frames.game.state import FramesState, Noted, WizardSearch
from commonground.play.scenarios.frames.travel.database import open_database
from commonground.play.scenarios.frames.travel.values import Value, hold_value, say_package

Gesture = dict[str, Any]
"""A type of act with its payload, as players send it."""

_COUNT = r"(?:\d+|one|two|three|four|five|six|seven|eight|nine|ten)"
_MONTH = (
    r"(?:january|february|march|april|may|june"
    r"|july|august|september|october|november|december)"
)
_DAY = rf"{_MONTH} \d+(?:st|nd|rd|th)?|\d+(?:st|nd|rd|th)? (?:of )?{_MONTH}"

_PATTERNS: dict[str, re.Pattern[str]] = {
    slot: re.compile(pattern, re.IGNORECASE)
    for slot, pattern in {
        "budget": r"(\$ ?\d[\d,]*|\d[\d,]* ?(?:USD|dollars)\b)",
        # "four adults", "2 people"; "myself" has no group, and stands for itself.
        "n_adults": rf"\b({_COUNT}) (?:adults|grown-ups|people|persons)\b|\bmyself\b",
        "n_children": rf"\b({_COUNT}) (?:child|children|kids?)\b",
        "max_duration": rf"(?:at most|under|up to|no more than) ({_COUNT} (?:days?|weeks?))",
        "end_date": (
            # "back on September 3rd"; "not before September 3rd" is when the trip may begin.
            r"(?:by|until|till|(?<!not )before|back on|return on|no later than) (?:the )?"
            rf"({_DAY})"
        ),
        "str_date": rf"({_DAY})",
        "category": r"\b(\d(?:\.5)?)[- ]stars?\b",
        "seat": r"\b(economy|business)\b",
    }.items()
}
_ACTS: dict[str, re.Pattern[str]] = {
    name: re.compile(pattern, re.IGNORECASE)
    for name, pattern in {
        "greeting": r"^(?:hi|hello|hey|good (?:morning|day|afternoon|evening))\b",
        "thankyou": r"\b(?:thanks|thank you)\b",
        "goodbye": r"\b(?:bye|goodbye|see you)\b",
        "request_alts": r"\b(?:anything else|what else|other (?:options|choices|offers))\b",
        "moreinfo": r"\b(?:tell me more|more (?:on|about))\b",
    }.items()
}
_ASKED: dict[str, re.Pattern[str]] = {
    slot: re.compile(pattern, re.IGNORECASE)
    for slot, pattern in {
        "price": r"\b(?:how much|what.*(?:cost|price))",
        "gst_rating": r"\b(?:rat(?:ed|ing)|guests)\b",
        "duration": r"\bhow (?:long|many days)\b",
        "wifi": r"\b(?:wifi|wi-fi|internet)\b",
        "breakfast": r"\bbreakfast\b",
        "parking": r"\bparking\b",
        "park": r"\bpark\b",
        "spa": r"\bspa\b",
        "beach": r"\bbeach\b",
    }.items()
}
_BOOKING = re.compile(r"\b(?:book|take) (?:it|this|that|the)\b", re.IGNORECASE)
_FLAGS = frozenset({"wifi", "breakfast", "parking", "park", "spa", "beach"})
# A sentence that ends in a question mark.
_QUESTION = re.compile(r"[^.!?]+\?")


def suggest_gestures(state: FramesState) -> list[Gesture]:
    """Returns what could still be noted about the user's last words."""
    if state.last_author != "user" or state.success is not None or state.draft:
        return []
    run, noted = state.runs[-1], _Noted(state.runs[-1].notes)
    cities = open_database(state.setting.material.packages).cities
    found = _read_text(run.text, state.book, cities, state.has_opened)
    return [left for each in found if (left := noted.leave_out(each)) is not None]


class _Noted:
    """What is noted about a text already, so that it is not suggested again."""

    def __init__(self, notes: Iterable[Noted]) -> None:
        acts = [note.act for note in notes if note.act is not None]
        self._names = {act.name for act in acts}
        self.slots = {slot.key for act in acts for slot in bare_slots(act)}
        self.slots |= {key for act in acts for _, key, _ in noted_slots(act)}

    def leave_out(self, gesture: Gesture) -> Gesture | None:
        """Returns a gesture without the slots that are noted; None where nothing is left of it."""
        payload = gesture["payload"]
        if gesture["type"] == "frames.frame_switch":
            return None if "switch_frame" in self._names else gesture
        args = [arg for arg in payload["args"] if arg["key"] not in self.slots]
        if len(args) == len(payload["args"]):
            known = not args and payload["name"] in self._names
            return None if known else gesture
        return {**gesture, "payload": {**payload, "args": args}} if args else None


def propose_gestures(state: FramesState) -> list[Gesture]:
    """Returns what the wizard could say next: an offer, that there is none, or answers."""
    if state.phase != "chat":
        return []
    waiting = state.searches[len(state.searches) - state.waiting :]
    return [*_answer_questions(state), *_propose_offer(state, waiting)]


def _propose_offer(state: FramesState, waiting: tuple[WizardSearch, ...]) -> Iterator[Gesture]:
    """Yields the cheapest package of the last search as an offer, or that there is none."""
    if not waiting or state.draft:
        return
    if waiting[-1].packages:
        tell = ["dst_city", "name", "category", "price"]
        offer = {"search": len(state.searches), "row": 1, "tell": tell}
        yield {"type": "frames.offer", "payload": offer}
    else:
        yield _act("wizard", "no_result", _refer(state.book.active))


def _refer(frame: int, *notes: Gesture, relation: str = "ref") -> Gesture:
    """Builds an argument that refers to one frame."""
    return {
        "key": relation,
        "val": [{"frame": frame, "annotations": list(notes), "fromrange": False}],
    }


def _answer_questions(state: FramesState) -> Iterator[Gesture]:
    """Yields what the list says of slots that the user asked for, of packages that were offered."""
    if state.last_author != "user":
        return
    # What has been begun to be said counts as an answer to all that was asked.
    book, answered = state.runs[-1].book, _Noted(state.draft).slots
    for number, offer in list_offers(state).items():
        if not book.has(number):
            continue
        frame = book.frame(number)
        said = say_package(state.searches[offer.search - 1].packages[offer.row - 1])
        asked: list[Request | BinaryQuestion] = [*frame.requests, *frame.binary_questions]
        keys = [each.key for each in asked if each.author == "user"]
        keys += [key for each in frame.compare_requests for key in each.keys]
        for key in dict.fromkeys(keys):
            value = said.get(key, False if key in FLAGS else None)
            if value is not None and key not in answered:
                yield _tell(number, {"key": key, "val": value}, said, book)


def _tell(number: int, fact: Gesture, said: Mapping[str, Value], book: Book) -> Gesture:
    """Tells a fact of a frame: plainly of the active one, by its name of another one."""
    if number == book.active:
        return _act("wizard", "inform", fact)
    name = {"key": "name", "val": said["name"]}
    return _act("wizard", "inform", _refer(number, name, fact, relation="read"))


def _act(of: Author, name: str, *args: Gesture) -> Gesture:
    return {"type": "frames.act", "payload": {"of": of, "name": name, "args": list(args)}}


def _read_text(text: str, book: Book, cities: list[str], has_opened: bool) -> Iterator[Gesture]:
    """Yields the gestures that a text of the user calls for, in the order in which to make them."""
    if _ACTS["greeting"].search(text):
        yield _act("user", "greeting")
    switch = _find_switch(text, book)
    if switch is not None:
        yield switch
    wishes = _find_wishes(text, cities)
    wanted = [_inform(wishes, book, has_opened)] if wishes else []
    asked = [*_find_questions(" ".join(_QUESTION.findall(text)))]
    # A question that comes first is about the frame before the one that the wishes may open.
    yield from [*asked, *wanted] if _asks_first(text, wishes) else [*wanted, *asked]
    if _BOOKING.search(text):
        yield _act("user", "inform", {"key": "action", "val": "book"})
    for name, pattern in _ACTS.items():
        if name != "greeting" and pattern.search(text):
            yield _act("user", name)


def _asks_first(text: str, wishes: Mapping[str, Value]) -> bool:
    """Says whether a text asks for something before it says any wish."""
    found = [pattern.search(text) for pattern in _ASKED.values()]
    questions = [match.start() for match in found if match is not None]
    said = [text.index(each) for each in wishes.values() if isinstance(each, str)]
    return bool(questions and said) and min(questions) < min(said)


def _find_switch(text: str, book: Book) -> Gesture | None:
    """Finds the hotel of another frame in a text."""
    plain = text.casefold()
    for frame in book.frames:
        name = book.held(frame.frame_id).get("name")
        if frame.frame_id != book.active and isinstance(name, str) and name.casefold() in plain:
            at = plain.index(name.casefold())
            said = [{"key": "name", "val": text[at : at + len(name)]}]
            payload = {"of": "user", "frame": frame.frame_id, "slots": said}
            return {"type": "frames.frame_switch", "payload": payload}
    return None


def _find_wishes(text: str, cities: list[str]) -> dict[str, Value]:
    wishes: dict[str, Value] = {}
    for slot, pattern in _PATTERNS.items():
        found = pattern.search(text)
        if found is not None:
            # The last group that matched; without groups the whole match, as for "myself".
            wishes[slot] = found[found.lastindex or 0]
    # Both patterns found the same date, which words such as "back on" make the last day.
    if wishes.get("str_date") == wishes.get("end_date"):
        wishes.pop("str_date", None)
    return {**wishes, **_find_cities(text, cities)}


def _find_cities(text: str, cities: list[str]) -> dict[str, Value]:
    """Finds where a trip is to start (after "from" and the like) and where it is to go."""
    found: dict[str, Value] = {}
    plain = text.casefold()
    for city in cities:
        # There may be thousands of them, for each of which a pattern would have to be made.
        if city.casefold() not in plain:
            continue
        match = re.search(rf"(\w+)? ?\b({re.escape(city)})\b", text, re.IGNORECASE)
        if match is not None:
            leaving = (match[1] or "").lower() in ("from", "in", "leave", "leaving", "departing")
            found.setdefault("or_city" if leaving else "dst_city", match[2])
    return found


def _inform(wishes: Mapping[str, Value], book: Book, has_opened: bool) -> Gesture:
    """Makes a new frame of wishes that differ from what the active frame holds, else an act."""
    args = [{"key": slot, "val": value} for slot, value in wishes.items()]
    held = book.held(book.active)
    new = {slot: hold_value(slot, value) for slot, value in wishes.items()}
    differs = any(held.get(slot, value) != value for slot, value in new.items())
    if differs and not has_opened:
        return {"type": "frames.frame_new", "payload": {"of": "user", "args": args}}
    return _act("user", "inform", *args)


def _find_questions(text: str) -> Iterator[Gesture]:
    for slot, pattern in _ASKED.items():
        if pattern.search(text):
            if slot in _FLAGS:
                yield _act("user", "confirm", {"key": slot, "val": True})
            else:
                yield _act("user", "request", {"key": slot})
