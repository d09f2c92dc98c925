"""The scripted wizard: notes what the user says, searches, offers, tells and books."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Callable, Mapping, Sequence
from random import Random
from typing import Any

import msgspec

from commonground.corpora.frames.native import Package
from commonground.corpora.frames.vocabulary import DONT_CARE, FLAGS
from commonground.play.player import Moment, Move, Wait
from commonground.play.scenarios.frames.players.notes import Notes, held_in, refer
from commonground.play.scenarios.frames.players.phrases import (
    FramesSpeaker,
    Sentence,
    load_phrases,
    say,
    understand,
)
from commonground.play.scenarios.frames.travel.database import fill_form
from commonground.play.scenarios.frames.travel.values import Value, hold_value, say_package

Step = Callable[[], Move | None]
"""Something to do on the way to a message; None where it turns out that there is nothing to do."""

_QUESTIONS: tuple[tuple[str, tuple[str, ...], float], ...] = (
    ("ask_or_city", ("or_city",), 1),
    ("ask_dst_city", ("dst_city",), 1),
    ("ask_n_adults", ("n_adults",), 0.5),
    ("ask_dates", ("str_date", "end_date"), 0.4),
    ("ask_budget", ("budget",), 0.3),
)
"""What it may ask before it searches: the phrase, the slots, how often."""

# How often a question is answered by yes or no and nothing else.
_SAYS_YES = 0.3
# What every offer says, and what some add.
_TOLD = ("dst_city", "name", "category", "price")
# How often an answer adds what else there is, for each kind of thing.
_ADDED = 0.35
_SAYS_DATES = 0.15
_MOST_LISTED = 3
_FLIGHT = ("str_date", "end_date", "seat")


class Wizard(FramesSpeaker):
    """A wizard in one session; see :class:`~commonground.play.player.Player`.

    The seed decides how much it asks before it searches.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(Random(seed))
        self._view: dict[str, Any] = {}
        self._notes = Notes()
        self._heard_now: list[Sentence] = []  # since its own last message
        self._unnoted: deque[Sentence] = deque()
        self._is_decided = False
        self._steps: deque[Step] = deque()
        self._parts: list[str] = []
        self._asked: set[str] = set()
        self._checks = self.rng.random() < 0.25
        self._greeted = False
        self._places: list[str] | None = None
        self._booked = False
        # Slots of each offer, by its frame, that were told.
        self._told: defaultdict[int, set[str]] = defaultdict(set)

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Notes what is new; else goes on with what it was about to do, or makes up its mind."""
        self._view = view = moment.view
        self.settle(moment, rng)
        self._notes.take_back(len(view["frames"]))
        new = [each for text in self.listen(moment) for each in understand("user", text)]
        new = [each for each in new if each.phrase != "nudge"]
        if moment.pending is not None and not new and view["phase"] == "chat":
            return moment.pending
        if new:
            # What it has begun to say is an answer to what was said before.
            self._is_decided = False
            self._unnoted.extend(new)
            self._heard_now += new
        if isinstance(moment.pending, Move) and moment.pending.payload.get("of") == "user":
            return moment.pending  # what is being noted was said, whatever comes after it
        match view["phase"]:
            case "chat":
                return self._go_on()
            case "survey" if not view["answered"]:
                if isinstance(moment.pending, Move) and moment.pending.type == "frames.survey":
                    return moment.pending
                return self._close()
        return Wait()

    def _close(self) -> Move:
        """Notes the last words of the user, then says whether a trip was booked."""
        while self._unnoted:
            noted = self._note(self._unnoted.popleft())
            if noted is not None:
                return noted
        return self.do("frames.survey", {"success": self._booked}, None, 6.0)

    def _go_on(self) -> Move | Wait:
        if self._unnoted or self._notes.waiting:
            # The rules let nobody note what was said while an answer is begun: it is taken back
            # first.
            if self._view["draft"]:
                return self.do("frames.undo", {"of": "wizard"}, None, 1.0)
            while self._unnoted or self._notes.waiting:
                noted = self._note(self._unnoted.popleft() if self._unnoted else None)
                if noted is not None:
                    return noted
        if not self._heard_now:
            return Wait()
        if not self._is_decided:
            self._make_up_mind()
        while self._steps:
            move = self._steps.popleft()()
            if move is not None:
                return move
        return self._send()

    def _note(self, sentence: Sentence | None) -> Move | None:
        """Confirms what a sentence means; None where there is nothing to note."""
        gesture = self._notes.find(sentence, self._view)
        if gesture is None:
            return None
        return self.do(gesture["type"], gesture["payload"], None, 1.8)

    def _make_up_mind(self) -> None:
        """Decides what to do about what the user said, and begins a message."""
        self._parts, self._steps, self._is_decided = [], deque(), True
        kinds = self._notes.kinds(self._heard_now)
        if not self._greeted and "hello" in kinds and self.rng.random() < 0.7:
            self._add_act("hello_back", "greeting")
        self._greeted = True
        if "take" in kinds:
            self._booked = True
            self._confirm_booking()
        elif "thanks" in kinds or "bye" in kinds or "give_up" in kinds:
            self._part(kinds)
        elif asked := [kind for kind in kinds if kind.startswith(("ask_", "confirm_"))]:
            self._answer({kind: kinds[kind] for kind in asked})
        elif "compare" in kinds:
            self._compare(kinds["compare"])
        elif "moreinfo" in kinds:
            self._tell_more()
        elif not self._ask():
            self._look()

    def _add_act(
        self,
        phrase: str,
        name: str,
        args: Sequence[dict[str, Any]] = (),
        values: Mapping[str, Value] | None = None,
    ) -> None:
        """Adds a sentence to the message, with the act that it makes."""
        texts = {slot: str(value) for slot, value in (values or {}).items()}
        self._add_said(say("wizard", phrase, self.rng, **texts), name, args)

    def _add_said(self, text: str, name: str, args: Sequence[dict[str, Any]]) -> None:
        """Adds words to the message, with the act that they make."""
        payload: dict[str, Any] = {"of": "wizard", "name": name, "args": list(args)}

        # A step is made when its turn comes, as a step before it may change what the wizard sees.
        def step() -> Move:
            return self.do("frames.act", payload, lambda: self._parts.append(text), 1.5)

        self._steps.append(step)

    def _send(self) -> Move | Wait:
        """Sends the message; one without words has nothing to say."""
        self._is_decided = False
        if not self._parts:
            self._heard_now = []
            return Wait()
        return self.write(" ".join(self._parts), self._sent, 6.0)

    def _sent(self) -> None:
        self._heard_now = []
        self._notes.commit()

    def _active(self) -> int:
        active: int = self._view["active"]
        return active

    def _held(self) -> dict[str, Value]:
        return held_in(self._view, self._active())

    def _part(self, kinds: dict[str, Sentence]) -> None:
        """Answers thanks, a goodbye or giving up; four times in ten it says nothing."""
        if self.rng.random() < 0.4:
            return
        if "give_up" in kinds:
            self._add_act("thanks_back", "thankyou")
        else:
            self._add_act("welcome", "you_are_welcome")
        if self.rng.random() < 0.5:
            self._add_act("bye", "goodbye")

    def _answer(self, asked: Mapping[str, Sentence]) -> None:
        """Says whether it is so, and tells facts of the offer that is talked about, in one act."""
        package = self._notes.offers.get(self._active())
        known: dict[str, Value] = {**self._held(), **(say_package(package) if package else {})}
        texts: list[str] = []
        args: list[dict[str, Any]] = []
        for kind, sentence in asked.items():
            slot = kind.partition("_")[2]
            if kind.startswith("confirm_") and slot in known:
                self._confirm(slot, sentence.values.get(slot, ""), known[slot])
                continue
            value = known.get(slot, False if slot in FLAGS else None)
            if package is None or value is None:
                self._add_act("unknown", "sorry")
                continue
            if isinstance(value, bool) and self.rng.random() < _SAYS_YES:
                note = {"key": slot, "val": True}  # which a no rules out
                here = [{"key": "ref", "val": [refer(self._active(), note)]}]
                self._add_act("yes" if value else "no", "affirm" if value else "negate", here)
                continue
            texts.append(self._say_fact(slot, value))
            args.append({"key": slot, "val": value})
            self._told[self._active()].add(slot)
        if args and package is not None:
            more, slots = self._say_more(self._active(), package, _ADDED)
            args += [{"key": slot, "val": known[slot]} for slot in slots]
            self._add_said(" ".join([*texts, *more]), "inform", args)

    def _confirm(self, slot: str, asked: str, value: Value) -> None:
        """Says yes where what the user believes is so, and no where it is not."""
        right = hold_value(slot, asked) == hold_value(slot, value)
        here = [{"key": "ref", "val": [refer(self._active(), {"key": slot, "val": None})]}]
        self._add_act("right" if right else "wrong", "affirm" if right else "negate", here)

    def _say_fact(self, slot: str, value: Value) -> str:
        """Says a fact of an offer, in plain words where there is no phrase for it."""
        phrase = f"tell_no_{slot}" if value is False else f"tell_{slot}"
        text = str(value) if isinstance(value, str) else "yes" if value else "no"
        if phrase in load_phrases().wizard and slot != "price":
            return say("wizard", phrase, self.rng, **{slot: text})
        return say("wizard", "tell_other", self.rng, slot=slot.replace("_", " "), value=text)

    def _compare(self, asked: Sentence) -> None:
        """Reads out the prices of offers that the user compares."""
        frames = [self._notes.frame_of(asked.values.get(gap, "")) for gap in ("name", "other")]
        texts, references = [], []
        for frame in frames:
            package = self._notes.offers.get(frame or 0)
            if package is None:
                continue
            said = say_package(package)
            notes = [{"key": key, "val": said[key]} for key in ("name", "price")]
            references.append(refer(frame or 0, *notes))
            values = {slot: str(value) for slot, value in said.items()}
            texts.append(say("wizard", "tell_price", self.rng, **values))
        if references:
            self._add_said(" ".join(texts), "inform", [{"key": "read", "val": references}])
        else:
            self._add_act("unknown", "sorry")

    def _tell_more(self) -> None:
        """Tells more of an offer and writes it into its frame."""
        frame = self._notes.hinted or self._active()
        package = self._notes.offers.get(frame)
        if package is None:
            self._add_act("unknown", "sorry")
            return
        said = say_package(package)
        told = ["duration", "seat"]
        texts = [self._say_fact(slot, said[slot]) for slot in told]
        self._told[frame].update(told)
        more, slots = self._say_more(frame, package, 1)
        notes = [{"key": slot, "val": said[slot]} for slot in (*told, *slots)]
        args = [{"key": "write", "val": [refer(frame, *notes)]}]
        self._add_said(" ".join([*texts, *more]), "inform", args)

    def _say_more(self, frame: int, package: Package, chance: float) -> tuple[list[str], list[str]]:
        """Says what an offer has that was not told yet, a sentence for each kind of thing.

        Gives the sentences, each of which comes by a chance, and the slots that they fill.
        """
        phrases, said, texts = load_phrases(), say_package(package), list[str]()
        slots: list[str] = []
        kinds = (("tell_has", "amenities", phrases.has), ("tell_near", "places", phrases.near))
        for phrase, gap, names in kinds:
            left = [each for each in names if each in said and each not in self._told[frame]]
            left = left[: self.rng.randint(1, _MOST_LISTED)]
            if left and self.rng.random() < chance:
                slots += left
                *others, last = (names[each] for each in left)
                listed = f"{', '.join(others)} and {last}" if others else last
                text = say("wizard", phrase, self.rng, **{gap: listed})
                texts.append(text[:1].upper() + text[1:])
        new = "gst_rating" in said and "gst_rating" not in self._told[frame]
        if new and self.rng.random() < chance:
            slots.append("gst_rating")
            texts.append(self._say_fact("gst_rating", said["gst_rating"]))
        self._told[frame].update(slots)
        return texts, slots

    def _confirm_booking(self) -> None:
        """Says that the trip is booked, and at times when it is."""
        package = self._notes.offers.get(self._active())
        texts = [say("wizard", "done", self.rng)]
        args: list[dict[str, Any]] = [{"key": "action", "val": "book"}]
        if package is not None and self.rng.random() < _SAYS_DATES:
            said = {slot: str(value) for slot, value in say_package(package).items()}
            texts.append(say("wizard", "tell_trip", self.rng, **said))
            args += [{"key": slot, "val": said[slot]} for slot in ("str_date", "end_date")]
        self._add_said(" ".join(texts), "inform", args)

    def _ask(self) -> bool:
        """Asks for what a search needs, each thing once; says whether it asks."""
        held = self._held()
        for phrase, slots, chance in _QUESTIONS:
            if phrase in self._asked or any(slot in held for slot in slots):
                continue
            self._asked.add(phrase)
            if self.rng.random() < chance:
                self._add_act(phrase, "request", [{"key": slot} for slot in slots])
                return True
        if self._checks and {"n_adults", "or_city"} <= held.keys():
            self._checks = False
            values = {slot: str(held[slot]) for slot in ("n_adults", "or_city")}
            asked = [{"key": slot, "val": value} for slot, value in values.items()]
            self._add_act("check", "confirm", asked, values)
            return True
        return False

    def _look(self) -> None:
        """Searches, and offers what is new; searches again with less where nothing is."""
        if self.rng.random() < 0.08:
            self._steps.append(lambda: self.write(say("wizard", "moment", self.rng), None, 3.0))
        self._steps.extend([self._search, self._search_wider, self._report])

    def _search(self) -> Move:
        form = fill_form(self._held())
        if "DESTINATION_CITY" in form and self.rng.random() < 0.5:
            form["DESTINATION_CITY"] = form["DESTINATION_CITY"].lower()
        if self.rng.random() < 0.1:
            form["PRICE_MIN"] = "100"
        return self.do("frames.search", form, None, 15.0)

    def _search_wider(self) -> Move | None:
        """Searches once more without dates and price, where nothing new was found."""
        if self._find_new():
            return None
        form = fill_form(self._held())
        kept = ("ORIGIN_CITY", "DESTINATION_CITY", "NUM_ADULTS", "NUM_CHILDREN")
        wider = {field: value for field, value in form.items() if field in kept}
        return self.do("frames.search", wider, None, 9.0)

    def _find_new(self) -> dict[int, Package]:
        """Returns what the last search found and was not offered yet, by row: one of each hotel."""
        found: dict[int, Package] = {}
        if not self._view["searches"][-1]["fits"]:
            return found
        names = self._notes.named()
        unwanted = self._notes.unwanted_seat(self._view)
        packages = msgspec.convert(self._view["searches"][-1]["packages"], list[Package])
        for row, package in enumerate(packages, 1):
            if package.hotel.name not in names and package.trip.seat.lower() != unwanted:
                names.add(package.hotel.name)
                found[row] = package
        return found

    def _report(self) -> None:
        """Begins a message about what the searches found."""
        new = self._find_new()
        if not new:
            self._regret()
            return
        if self.rng.random() < 0.5:
            self._parts.append(say("wizard", "found", self.rng))
        for row, package in list(new.items())[: self.rng.randrange(1, 4)]:
            self._steps.append(self._make_offer(row, package))
        self._steps.append(self._hint)

    def _make_offer(self, row: int, package: Package, name: str = "offer") -> Step:
        """Prepares the offer of a row: the sentences and what they tell."""
        rng, said = self.rng, say_package(package)
        texts = {slot: str(value) for slot, value in said.items()}
        tell, sentences = [*_TOLD], [say("wizard", "offer", rng, **texts)]
        if rng.random() < 0.6:
            tell += _FLIGHT
            sentences.append(say("wizard", "offer_flight", rng, **texts))
        if "breakfast" in said and rng.random() < 0.5:
            tell.append("breakfast")
            sentences.append(say("wizard", "perks", rng))

        def made() -> None:
            self._parts += sentences
            self._notes.begin_offer(len(self._view["frames"]), package)
            self._told[len(self._view["frames"])] = set(tell)

        def step() -> Move:
            search = len(self._view["searches"])
            payload = {"search": search, "row": row, "tell": tell, "name": name}
            return self.do("frames.offer", payload, made, 4.0)

        return step

    def _hint(self) -> None:
        """Ends a message of offers with a question, at times."""
        chance, last = self.rng.random(), len(self._view["frames"])
        self._notes.hinted = None
        if chance < 0.3:
            args = [{"key": "action", "val": "book"}]
            self._add_act("suggest_booking", "suggest", args, {"action": "book"})
        elif chance < 0.5:
            self._notes.hinted = last
            self._add_act("hearmore", "hearmore", [{"key": "ref", "val": [refer(last)]}])

    def _regret(self) -> None:
        """Says that there is nothing, or nothing new, and suggests or asks for another place."""
        rng, active = self.rng, self._active()
        city = str(self._held().get("dst_city", DONT_CARE))
        last = self._view["searches"][-1]
        if last["packages"] and last["fits"]:
            self._add_act("canthelp", "canthelp", [{"key": "ref", "val": [refer(active)]}])
        else:
            known = city != DONT_CARE
            notes: list[dict[str, Any]] = [{"key": "dst_city", "val": city}] if known else []
            phrase = "no_result" if known else "no_result_any"
            if known and {"str_date", "end_date"} <= self._held().keys() and rng.random() < 0.5:
                notes += [{"key": "str_date"}, {"key": "end_date"}]
                phrase = "no_result_dates"
            args = [{"key": "ref", "val": [refer(active, *notes)]}]
            self._add_act(phrase, "no_result", args, {"dst_city": city})
            if rng.random() < 0.5:
                self._add_act("sorry", "sorry")
        if last["packages"] and not last["fits"] and rng.random() < 0.7:
            package = msgspec.convert(last["packages"][0], Package)
            self._steps.append(self._make_offer(1, package, "suggest"))
        else:
            self._suggest_place(city)

    def _suggest_place(self, but: str) -> None:
        rng = self.rng
        if self._places is None:
            self._places = rng.sample(self._view["cities"], len(self._view["cities"]))
        left = [each for each in self._places if each not in (but, self._held().get("or_city"))]
        if not left or rng.random() < 0.5:
            self._add_act("elsewhere", "request", [{"key": "dst_city"}])
            return
        city = left[0]
        self._places.remove(city)
        text = say("wizard", "suggest_city", rng, dst_city=city)
        payload: dict[str, Any] = {"of": "wizard", "args": [{"key": "dst_city", "val": city}]}

        def made() -> None:
            self._parts.append(text)
            self._notes.begin_suggestion(len(self._view["frames"]), city)

        self._steps.append(lambda: self.do("frames.frame_new", payload, made, 2.0))
