"""What the rules read out of the user's words, for the wizard to confirm by a click.

Plain patterns find cities, dates, sums, numbers of people, hotels that were offered, thanks and
questions. They miss much and err at times: nothing is noted that the wizard has not confirmed.
For the wizard's own message they propose the cheapest package that a search found, and what the
list says of things that the user asked for.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from commonground.corpora.frames.native import Author, BinaryQuestion, Request
from commonground.corpora.frames.vocabulary import DONT_CARE, FLAGS, LABELS, REFERENCES
from commonground.play.scenarios.frames.game.cues import Pair, read_pairs
from commonground.play.scenarios.frames.game.frame_book import Book, bare_slots, noted_slots
from commonground.play.scenarios.frames.game.gestures import list_offers
from commonground.play.scenarios.frames.game.hearing import (
    Found,
    Heard,
    choose_frame,
    find_mentions,
    find_values,
    hear,
    names_value,
)
from commonground.play.scenarios.frames.game.learned import (
    PairModel,
    choose_pairs,
    describe,
    score_pairs,
)
from commonground.play.scenarios.frames.game.state import FramesState, Noted, WizardSearch
from commonground.play.scenarios.frames.travel.values import Value, hold_value, say_package

Gesture = dict[str, Any]
"""A type of act with its payload, as players send it."""


def suggest_gestures(state: FramesState, model: PairModel | None = None) -> list[Gesture]:
    """Returns what could still be noted about the user's last words.

    A model tells acts and slots; without one, plain patterns do.
    """
    if state.last_author != "user" or state.success is not None or state.draft:
        return []
    heard = hear(state)
    found = find_values(heard)
    if model is None:
        pairs = read_pairs(heard, found)
    else:
        pairs = choose_pairs(score_pairs(model, describe(heard)))
    gestures = _Builder(heard, found, pairs).build()
    noted = _Noted(state.runs[-1].notes, has_opened=state.has_opened)
    return [left for each in gestures if (left := noted.leave_out(each)) is not None]


class _Noted:
    """What is noted about a text already, so that it is not suggested again."""

    def __init__(self, notes: Iterable[Noted], *, has_opened: bool = False) -> None:
        acts = [note.act for note in notes if note.act is not None]
        self._names = {act.name for act in acts}
        self._has_opened = has_opened
        self._pairs = {(act.name, slot.key) for act in acts for slot in bare_slots(act)}
        self._pairs |= {(act.name, key) for act in acts for _, key, _ in noted_slots(act)}
        self.slots = {slot for _, slot in self._pairs}

    def leave_out(self, gesture: Gesture) -> Gesture | None:
        """Returns a gesture without the slots that are noted; None where nothing is left of it."""
        payload = gesture["payload"]
        if gesture["type"] == "frames.frame_switch":
            return None if self._has_opened or "switch_frame" in self._names else gesture
        name = payload.get("name", "inform")
        if gesture["type"] == "frames.frame_new" and self._has_opened:
            gesture = _act("user", name, *payload["args"])
            payload = gesture["payload"]
        args = [arg for arg in payload["args"] if (name, arg["key"]) not in self._pairs]
        refers = any(arg["key"] in REFERENCES for arg in args)
        if name in self._names and (refers or not payload["args"]):
            return None
        if len(args) == len(payload["args"]):
            return gesture
        return {**gesture, "payload": {**payload, "args": args}} if args else None


def propose_gestures(state: FramesState) -> list[Gesture]:
    """Returns what the wizard could say next: an offer, that there is none, or answers."""
    if state.phase != "chat":
        return []
    waiting = state.searches[len(state.searches) - state.waiting :]
    return [*_answer_questions(state), *_propose_offer(state, waiting), *_propose_booking(state)]


def _propose_offer(state: FramesState, waiting: tuple[WizardSearch, ...]) -> Iterator[Gesture]:
    """Yields the cheapest package of the last search as an offer, and that there is none."""
    if not waiting or state.draft:
        return
    if not waiting[-1].packages or not waiting[-1].fits:
        yield _act("wizard", "no_result", _refer(state.book.active))
    if waiting[-1].packages:
        tell = ["dst_city", "name", "category", "price"]
        offer: Gesture = {"search": len(state.searches), "row": 1, "tell": tell}
        if not waiting[-1].fits:
            offer["name"] = "suggest"
        yield {"type": "frames.offer", "payload": offer}


def _refer(frame: int, *notes: Gesture, relation: str = "ref") -> Gesture:
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
        known = {key: said.get(key, False if key in FLAGS else None) for key in keys}
        facts = [
            {"key": key, "val": value}
            for key, value in known.items()
            if value is not None and key not in answered
        ]
        if facts:
            yield _tell(number, facts, said, book)


def _tell(number: int, facts: list[Gesture], said: Mapping[str, Value], book: Book) -> Gesture:
    """Tells facts of a frame in one act: plainly of the active one, by its name of another one."""
    if number == book.active:
        return _act("wizard", "inform", *facts)
    name = {"key": "name", "val": said["name"]}
    return _act("wizard", "inform", _refer(number, name, *facts, relation="read"))


def _propose_booking(state: FramesState) -> Iterator[Gesture]:
    """Yields that it is booked, for a user who wants that, or the question whether to book it."""
    offers = list_offers(state)
    if not offers or _Noted(state.draft).slots & LABELS:
        return
    books_it = {"key": "action", "val": "book"}
    wishes = [slot for note in state.notes("user") if note.act for slot in bare_slots(note.act)]
    if any(slot.key == "intent" for slot in wishes):
        yield _act("wizard", "inform", books_it)
    elif any(note.made in offers for note in state.draft):
        yield _act("wizard", "suggest", books_it)


def _act(of: Author, name: str, *args: Gesture) -> Gesture:
    return {"type": "frames.act", "payload": {"of": of, "name": name, "args": list(args)}}


class _Builder:
    """The gestures that note acts and slots of one turn, of which values were found.

    A slot whose value is not found in the words is left out.
    """

    def __init__(self, heard: Heard, found: dict[str, list[Found]], pairs: Iterable[Pair]) -> None:
        self._heard = heard
        self._found = found
        self._slots: dict[str, list[str]] = {}
        for name, slot in sorted(pairs):
            self._slots.setdefault(name, []).append(slot)
        self._mentions = find_mentions(heard, found)
        self._target: int | None = None
        self._used: set[tuple[int, int]] = set()

    def build(self) -> Iterator[Gesture]:
        """Yields them: first where the words go, since what they say is said there."""
        if "greeting" in self._slots:
            yield _act("user", "greeting")
        switch = self._build_switch()
        if switch is not None:
            yield switch
        informed = self._build_inform(opens=switch is None)
        asked = [*self._build_others()]
        # A question that comes first is about the frame before the one that the wishes may open.
        if informed and informed[0]["type"] == "frames.frame_new" and self._asks_first(informed):
            yield from [*asked, *informed]
        else:
            yield from [*informed, *asked]

    def _build_switch(self) -> Gesture | None:
        slots = self._slots.get("switch_frame")
        known = self._find_known()
        if slots is None and known is None:
            return None
        number = known if slots is None else choose_frame(self._heard, self._mentions)
        if number is None:
            return None
        self._target = number
        said = {each.slot: each for each in reversed(self._mentions.get(number, ()))}
        wanted = slots if slots is not None else ["dst_city"]
        anaphora = {"ref_anaphora": self._take("ref_anaphora")}
        values = [said.get(slot) or anaphora.get(slot) for slot in wanted]
        named = [each for each in values if each is not None]
        if any(wanted) and not named:
            named = [*said.values()]
        self._used.update((each.start, each.end) for each in named)
        notes = [{"key": each.slot, "val": each.value} for each in named]
        payload = {"of": "user", "frame": number, "slots": notes}
        return {"type": "frames.frame_switch", "payload": payload}

    def _find_known(self) -> int | None:
        """Returns the frame that has the place which the words say, where another is active."""
        if "dst_city" not in self._slots.get("inform", ()) or self._heard.before is None:
            return None
        place = self._take("dst_city")
        book = self._heard.book
        if place is None or names_value(place, book.held(book.active)):
            return None
        having = [
            frame.frame_id
            for frame in book.frames
            if frame.frame_id != book.active and names_value(place, book.held(frame.frame_id))
        ]
        if having:
            self._slots["inform"].remove("dst_city")
        return max(having, default=None)

    def _take(self, slot: str) -> Found | None:
        """Returns the first value of a slot whose words are not another's."""
        for each in self._found.get(slot, ()):
            if each.end == each.start or (each.start, each.end) not in self._used:
                return each
        return None

    def _build_inform(self, *, opens: bool) -> list[Gesture]:
        args = []
        for slot in sorted(self._slots.get("inform", ()), key=_place):
            value = self._take(slot)
            if value is None or value.end == value.start:
                value = self._borrow(slot) or value
            if slot and value is not None and slot != "ref_anaphora":
                self._used.add((value.start, value.end))
                args.append({"key": slot, "val": value.value})
        if not args:
            return []
        news = [arg for arg in args if arg["key"] not in LABELS]
        if opens and self._opens(news):
            new = {"type": "frames.frame_new", "payload": {"of": "user", "args": news}}
            labels = [arg for arg in args if arg["key"] in LABELS]
            return [new, *([_act("user", "inform", *labels)] if labels else [])]
        return [_act("user", "inform", *args)]

    def _borrow(self, slot: str) -> Found | None:
        """Returns the value of a slot that is written alike: the other city, the other day."""
        other = _ALIKE.get(slot, "")
        free = [
            each
            for each in self._found.get(other, ())
            if each.end > each.start and (each.start, each.end) not in self._used
        ]
        needed = other in self._slots.get("inform", ())
        return free[0] if len(free) > needed else None

    def _opens(self, news: list[Gesture]) -> bool:
        """Says whether wishes differ from the active frame, and no other frame has all of them."""
        book = self._heard.book
        if self._heard.before is None or not news:
            return False
        wishes = {arg["key"]: hold_value(arg["key"], arg["val"]) for arg in news}
        if not _differs(book.held(book.active), wishes):
            return False
        return all(
            wishes.keys() - book.held(frame.frame_id).keys()
            or _differs(book.held(frame.frame_id), wishes)
            for frame in book.frames
        )

    def _asks_first(self, informed: list[Gesture]) -> bool:
        """Says whether a text asks for something before it says any wish."""
        text = self._heard.text
        end = text.find("?")
        said = [a["val"] for each in informed for a in each["payload"]["args"]]
        starts = [text.find(value) for value in said if isinstance(value, str)]
        asks = {"request", "confirm"}.intersection(self._slots)
        return bool(asks) and 0 <= end < min((n for n in starts if n >= 0), default=0)

    def _build_others(self) -> Iterator[Gesture]:
        for name in _LATER:
            slots = self._slots.get(name)
            if slots is None:
                continue
            if name in ("affirm", "negate"):
                yield self._build_answer(name, [slot for slot in slots if slot])
            elif name == "request_compare":
                compare = self._build_comparison([slot for slot in slots if slot])
                if compare is not None:
                    yield compare
            elif name == "confirm":
                values = ((slot, self._take(slot)) for slot in slots)
                args = [
                    {"key": slot, "val": value.value}
                    for slot, value in values
                    if slot and value is not None and slot != "ref_anaphora"
                ]
                if args:
                    yield _act("user", name, *args)
            else:
                keys = [slot for slot in slots if slot and slot != "ref_anaphora"]
                if keys or name != "request":
                    yield _act("user", name, *({"key": slot} for slot in keys))

    def _build_answer(self, name: str, slots: list[str]) -> Gesture:
        frame = self._target or self._heard.book.active
        notes = []
        for slot in slots:
            value = self._take(slot)
            said = value.value if value is not None and slot not in FLAGS else None
            notes.append({"key": slot, "val": None if said == DONT_CARE else said})
        return _act("user", name, _refer(frame, *notes))

    def _build_comparison(self, slots: list[str]) -> Gesture | None:
        """Builds a comparison of the frames that are named, or of those that were just offered."""
        frames = [*self._mentions]
        if len(frames) < 2:
            frames = [*dict.fromkeys([*self._mentions, *self._heard.made, self._heard.book.active])]
        if len(self._heard.made) > 1 and len(self._mentions) < 2:
            frames = self._heard.made
        if len(frames) < 2:
            return None
        named: dict[int, list[Found]] = {
            n: [each for each in self._mentions.get(n, ()) if each.slot == "name"] for n in frames
        }
        references = [
            reference
            for n in frames[:_MOST_COMPARED]
            for reference in _refer(
                n, *({"key": "name", "val": each.value} for each in named[n][:1])
            )["val"]
        ]
        asked = ({"key": slot} for slot in slots if slot not in ("name", "ref_anaphora"))
        return _act("user", "request_compare", *asked, {"key": "ref", "val": references})


_MOST_COMPARED = 6
_ALIKE = {
    "dst_city": "or_city",
    "or_city": "dst_city",
    "str_date": "end_date",
    "end_date": "str_date",
}
_LATER = (
    *("affirm", "negate", "request", "confirm", "request_compare", "moreinfo", "request_alts"),
    *("thankyou", "goodbye"),
)
"""Acts in the order in which they are suggested, behind what is informed."""

_ORDER = ("n_adults", "n_children", "budget", "str_date", "end_date", "or_city", "dst_city")


def _place(slot: str) -> tuple[bool, int, str]:
    return (slot not in _ORDER, _ORDER.index(slot) if slot in _ORDER else 0, slot)


def _differs(held: Mapping[str, Value], wishes: Mapping[str, Value]) -> bool:
    return any(_fold(held.get(slot, value)) != _fold(value) for slot, value in wishes.items())


def _fold(value: Value) -> Value:
    return value.casefold().strip() if isinstance(value, str) else value
