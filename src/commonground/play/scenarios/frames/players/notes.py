"""What the scripted wizard knows of a dialogue, and how it notes what the user says."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from typing import Any

from commonground.corpora.frames.native import Package
from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.play.scenarios.frames.players.phrases import Sentence, load_phrases
from commonground.play.scenarios.frames.travel.values import Value, hold_value

Gesture = dict[str, Any]

_WISHES = (
    *("dst_city", "or_city", "str_date", "end_date"),
    *("n_adults", "n_children", "budget", "max_duration"),
)
_ACTS = {
    "hello": "greeting",
    "thanks": "thankyou",
    "bye": "goodbye",
    "alternatives": "request_alts",
}


def refer(frame: int, *notes: dict[str, Any]) -> dict[str, Any]:
    """Builds a reference to a frame by some slots; by none where the frame alone is meant."""
    return {"frame": frame, "annotations": list(notes), "fromrange": False}


def held_in(view: dict[str, Any], number: int) -> dict[str, Value]:
    """Returns the first value of each slot of a frame that is not ruled out."""
    held: dict[str, Value] = {}
    for slot, values in view["frames"][number - 1]["info"].items():
        for each in values:
            if isinstance(each["val"], str | bool) and not each["negated"]:
                held.setdefault(slot, each["val"])
    return held


def _act(name: str, *args: dict[str, Any]) -> Gesture:
    return {"type": "frames.act", "payload": {"of": "user", "name": name, "args": list(args)}}


class Notes:
    """What the wizard has in mind beside what it sees.

    Attributes:
        offers: packages by the frames that offer them.
        hinted: the frame that it offered to tell more about; None for none.
        waiting: suggestions of the rules that it is going to confirm.
    """

    def __init__(self) -> None:
        self.offers: dict[int, Package] = {}
        self.hinted: int | None = None
        self.waiting: deque[Gesture] = deque()
        # Frames of the message that is being written, and of the last one that had offers.
        self._begun: list[int] = []
        self._latest: list[int] = []
        self._suggested: dict[str, int] = {}
        self._confirmed: list[Gesture] = []

    def begin_offer(self, frame: int, package: Package) -> None:
        """Takes an offer into the message that is being written."""
        self.offers[frame] = package
        self._begun.append(frame)

    def begin_suggestion(self, frame: int, city: str) -> None:
        """Takes the suggestion of a city into the message that is being written."""
        self._suggested[city] = frame

    def take_back(self, frames: int) -> None:
        """Forgets frames that were taken back; so many are left."""
        self.offers = {n: each for n, each in self.offers.items() if n <= frames}
        self._suggested = {city: n for city, n in self._suggested.items() if n <= frames}
        self._begun = [number for number in self._begun if number <= frames]

    def commit(self) -> None:
        """The message was sent, and so were its offers."""
        self._latest = self._begun or self._latest
        self._begun, self._confirmed = [], []

    def named(self) -> set[str]:
        """Returns the names of the hotels that were offered."""
        return {package.hotel.name for package in self.offers.values()}

    def unwanted_seat(self, view: dict[str, Any]) -> str | None:
        """Returns the class of seats that the user has ruled out; None for none."""
        seats = (each for frame in view["frames"] for each in frame["info"].get("seat", ()))
        return next((str(each["val"]) for each in seats if each["negated"]), None)

    def frame_of(self, name: str) -> int | None:
        """Returns the last frame of a hotel; None for one that was not offered."""
        found = [number for number, each in self.offers.items() if each.hotel.name == name]
        return max(found, default=None)

    def kinds(self, heard: Iterable[Sentence]) -> dict[str, Sentence]:
        """Returns what was said, by phrase; what was no phrase by the suggestions for it."""
        found = {each.phrase: each for each in heard if each.phrase is not None}
        for gesture in self._confirmed:
            payload = gesture["payload"]
            name, args = payload.get("name", ""), payload.get("args", [])
            if name in _ASKING:
                for arg in args:
                    values = {arg["key"]: str(arg.get("val"))}
                    found.setdefault(f"{_ASKING[name]}_{arg['key']}", Sentence("", None, values))
                continue
            # Without an offer there is only the wish to book something.
            if self.offers and any(arg["key"] == "intent" for arg in args):
                name = "take"
            found.setdefault(_PHRASES.get(name, name), Sentence("", None))
        return found

    def find(self, sentence: Sentence | None, view: dict[str, Any]) -> Gesture | None:
        """Returns how to note a sentence, as type and payload of an act; None for nothing.

        Without a sentence it goes on with the suggestions.
        """
        if sentence is None or sentence.phrase is None:
            if not view["notes"] and not self.waiting and not self._confirmed:
                self.waiting.extend(view["suggestions"])
            if not self.waiting:
                return None
            gesture = self.waiting.popleft()
            self._confirmed.append(gesture)
            return gesture
        phrase, values = sentence.phrase, sentence.values
        if phrase in _ACTS:
            return _act(_ACTS[phrase])
        if phrase in ("book", "take"):
            return _act("inform", *({"key": slot, "val": said} for slot, said in values.items()))
        slot = phrase.removeprefix("any_")
        if slot in _WISHES:
            return self._wish(slot, values.get(slot, DONT_CARE), view)
        if phrase.startswith("ask_"):
            return _act("request", {"key": phrase.removeprefix("ask_")})
        if phrase.startswith("confirm_"):
            return _act("confirm", *({"key": slot, "val": said} for slot, said in values.items()))
        return self._find_about_frames(phrase, values, view)

    def _find_about_frames(
        self, phrase: str, values: dict[str, str], view: dict[str, Any]
    ) -> Gesture | None:
        active = view["active"]
        match phrase:
            case "flex":
                return _act("inform", {"key": "flex", "val": True})
            case "change_city":
                return self._change_city(values["dst_city"], view)
            case "yes":
                note = {"key": "n_adults", "val": None}  # what is affirmed was said before
                return _act("affirm", {"key": "ref", "val": [refer(active, note)]})
            case "reject_seat":
                note = {"key": "seat", "val": values["seat"]}
                return _act("negate", {"key": "ref", "val": [refer(active, note)]})
            case "moreinfo":
                return _act("moreinfo", {"key": "ref", "val": [refer(self.hinted or active)]})
            case "switch_name" | "switch_order":
                return self._switch(values, view)
            case "reject":
                frame = self.frame_of(values["name"])
                note = {"key": "name", "val": values["name"]}
                if frame is not None:
                    return _act("negate", {"key": "ref", "val": [refer(frame, note)]})
            case "compare":
                return self._compare(values)
        return None

    def _wish(self, slot: str, said: str, view: dict[str, Any]) -> Gesture:
        """Notes a wish: in a new frame where the active one holds another."""
        arg = {"key": slot, "val": said}
        held = held_in(view, view["active"])
        value = hold_value(slot, said)
        # Whatever else is new in a turn belongs into its new frame.
        opened = view["turns"] == 1 or any(each["made"] is not None for each in view["notes"])
        if opened or held.get(slot, value) == value:
            return _act("inform", arg)
        return {"type": "frames.frame_new", "payload": {"of": "user", "args": [arg]}}

    def _change_city(self, city: str, view: dict[str, Any]) -> Gesture:
        """Goes to the frame in which the city was suggested, if it was."""
        frame = self._suggested.pop(city, None)
        if frame is None or frame == view["active"]:
            return self._wish("dst_city", city, view)
        payload = {"of": "user", "frame": frame, "slots": [{"key": "dst_city", "val": city}]}
        return {"type": "frames.frame_switch", "payload": payload}

    def _switch(self, values: dict[str, str], view: dict[str, Any]) -> Gesture | None:
        """Goes to an offer, by name or by its place among those of the last message."""
        order = values.get("ref_anaphora")
        if order is None:
            frame = self.frame_of(values["name"])
        else:
            place = load_phrases().order["names"].index(order)
            frame = self._latest[place] if place < len(self._latest) else None
        if frame is None or frame == view["active"]:
            return None
        slots = [{"key": slot, "val": said} for slot, said in values.items()]
        payload = {"of": "user", "frame": frame, "slots": slots}
        payload["fromrange"] = order is not None
        return {"type": "frames.frame_switch", "payload": payload}

    def _compare(self, values: dict[str, str]) -> Gesture | None:
        frames = [self.frame_of(values[gap]) for gap in ("name", "other")]
        if None in frames:
            return None
        references = [
            refer(frame, {"key": "name", "val": values[gap]})
            for frame, gap in zip(frames, ("name", "other"), strict=True)
            if frame
        ]
        return _act("request_compare", {"key": "price"}, {"key": "ref", "val": references})


_ASKING = {"request": "ask", "confirm": "confirm"}
"""How phrases are called by which somebody asks for slots, by dialogue act."""

_PHRASES = {name: phrase for phrase, name in _ACTS.items()}
