"""The scripted user: says what its card wants, asks about offers, books one or gives up."""

from __future__ import annotations

import re
from random import Random
from typing import Any

from commonground.corpora.frames.vocabulary import DONT_CARE
from commonground.play.player import Moment, Move, Wait
from commonground.play.scenarios.frames.players.phrases import (
    FramesSpeaker,
    Sentence,
    load_phrases,
    say,
    understand,
)

_MENTIONED = {
    "or_city": 0.75,
    "dst_city": 0.85,
    "n_adults": 0.5,
    "str_date": 0.4,
    "end_date": 0.3,
    "n_children": 0.5,
    "budget": 0.35,
    "max_duration": 0.5,
    "flex": 0.5,
}
"""How often each wish of the card is in the opening turn."""

_ASKED: dict[str, tuple[str, ...]] = {
    "ask_dst_city": ("dst_city",),
    "ask_or_city": ("or_city",),
    "ask_n_adults": ("n_adults",),
    "ask_budget": ("budget",),
    "ask_dates": ("str_date", "end_date"),
}
"""Wishes that answer each question of the wizard."""

_TOPICS = (
    *("ask_gst_rating", "ask_seat", "ask_duration", "ask_wifi", "ask_park"),
    "confirm_n_adults",
)
"""What it asks about an offer."""

_WORDS = {
    "dst_city": r"\bwhere\b|\bdestination\b",
    "or_city": r"\bfrom\b|\bleaving\b",
    "n_adults": r"\bhow many\b|\bpeople\b|\badults\b",
    "str_date": r"\bwhen\b|\bdates?\b",
    "end_date": r"\bwhen\b|\bdates?\b|\breturn\b",
    "budget": r"\bbudget\b|\bspend\b|\bcost\b",
}
"""Words by which it knows what a person asks for."""

# Seconds without a word after which it asks, or leaves when it has asked so many times.
_PATIENCE_S = 180.0
_MOST_NUDGES = 2
_IN_VAIN = frozenset({"no_result", "no_result_dates", "no_result_any", "canthelp"})
_IDLE = frozenset({"moment", "hello_back", "found", "sorry"})
"""Sentences after which the wizard has more to say, if they are all that it said."""


class User(FramesSpeaker):
    """A user in one session; see :class:`~commonground.play.player.Player`.

    The seed decides how much it asks, and how soon it has enough.
    """

    def __init__(self, seed: int) -> None:
        super().__init__(Random(seed))
        self._rounds = self.rng.randrange(1, 4)  # searches that it waits for
        self._topics = 0
        self._said: set[str] = set()
        self._offers: list[str] = []  # names of hotels, in the order of being offered
        self._latest: list[str] = []
        self._compared: list[str] = []
        self._topic: str | None = None
        self._rest = ""
        self._hint = False
        self._places: list[str] | None = None
        self._tried_second = False
        self._leaving = False
        self._waiting = False
        self._nudges = 0
        self._disliked_seat = False

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Answers what the wizard wrote; else goes on with what it was about to do."""
        self.settle(moment, rng)
        view = moment.view
        heard = [each for text in self.listen(moment) for each in understand("wizard", text)]
        if moment.pending is not None and not heard:
            return moment.pending
        match view["phase"]:
            case "task":
                return self._open(view["card"])
            case "chat":
                return self._chat(view, heard)
            case "survey" if not view["answered"]:
                return self._rate(view)
        return Wait()

    def _chat(self, view: dict[str, Any], heard: list[Sentence]) -> Move | Wait:
        if self.failed:
            # No more can be said: the chat has as many turns as it may have.
            return self.do("frames.end", {}, None, 5.0)
        if self._rest:
            rest, self._rest = self._rest, ""
            return self.write(rest, None, 2.0)
        if self._leaving:
            return self.do("frames.end", {}, None, 3.0 if heard else 30.0)
        if not heard:
            return self._wait()
        self._nudges, self._waiting = 0, {each.phrase for each in heard} <= _IDLE
        if self._waiting:
            return Wait(_PATIENCE_S)
        return self._answer(view["card"], heard)

    def _wait(self) -> Move | Wait:
        """Waits for the wizard; asks what is the matter after long, and leaves in the end."""
        if not self._waiting:
            self._waiting = True
            return Wait(_PATIENCE_S)
        self._waiting = False
        self._nudges += 1
        if self._nudges > _MOST_NUDGES:
            return self._part("give_up")
        return self.write(say("user", "nudge", self.rng), None, 5.0)

    def _open(self, card: dict[str, Any]) -> Move:
        """Says what it wants, or part of it; at times in two messages."""
        rng, wishes = self.rng, card["wishes"]
        said = [s for s, chance in _MENTIONED.items() if s in wishes and rng.random() < chance]
        parts = [say("user", "hello", rng)] if rng.random() < 0.4 else []
        parts.append(say("user", "book", rng, intent="book"))
        parts += [self._wish(card, slot) for slot in said]
        if len(parts) > 3 and rng.random() < 0.2:
            self._rest = " ".join(parts[3:])
            parts = parts[:3]
        return self.write(" ".join(parts), None, 15.0)

    def _wish(self, card: dict[str, Any], slot: str) -> str:
        self._said.add(slot)
        value = card["wishes"][slot]
        if value == DONT_CARE:
            return say("user", f"any_{slot}", self.rng)
        return say("user", slot, self.rng, **{slot: str(value)})

    def _answer(self, card: dict[str, Any], heard: list[Sentence]) -> Move | Wait:
        rng = self.rng
        phrases = {each.phrase for each in heard}
        self._take_in(heard)
        if "done" in phrases:
            return self._part("thanks")
        if "check" in phrases:
            return self.write(say("user", "yes", rng), None, 6.0)
        asked = self._find_asked(card, heard)
        if asked:
            texts = [self._wish(card, slot) for slot in asked]
            return self.write(" ".join(texts), None, 8.0)
        city = next((s.values["dst_city"] for s in heard if s.phrase == "suggest_city"), None)
        if not phrases.isdisjoint(_IN_VAIN):
            return self._go_elsewhere(card, city)
        if "elsewhere" in phrases:
            return self._go_elsewhere(card, None)
        if self._latest and "offer" in phrases:
            self._topics = rng.randrange(3)
            self._rounds -= 1
        return self._discuss(card)

    def _take_in(self, heard: list[Sentence]) -> None:
        """Notes the offers that the wizard makes, and whether more is said of them when asked."""
        names = [each.values["name"] for each in heard if each.phrase == "offer"]
        if names:
            self._latest = names
            self._offers += [name for name in names if name not in self._offers]
            self._hint = any(each.phrase == "hearmore" for each in heard)

    def _find_asked(self, card: dict[str, Any], heard: list[Sentence]) -> list[str]:
        """Returns the wishes that the wizard asks for."""
        asked: list[str] = []
        for each in heard:
            if each.phrase in _ASKED:
                asked += _ASKED[each.phrase]
            elif each.phrase is None and each.text.rstrip().endswith("?"):
                asked += [
                    slot
                    for slot, words in _WORDS.items()
                    if re.search(words, each.text, re.IGNORECASE)
                ]
        return [slot for slot in dict.fromkeys(asked) if slot in card["wishes"]]

    def _discuss(self, card: dict[str, Any]) -> Move | Wait:
        """Asks about what was offered, then for more, and in the end decides."""
        rng = self.rng
        if self._hint and self._latest and rng.random() < 0.7:
            self._hint, self._topic = False, self._latest[-1]
            return self.write(say("user", "moreinfo", rng), None, 8.0)
        self._hint = False
        if self._topics > 0 and self._latest:
            self._topics -= 1
            return self._ask(card)
        if self._rounds > 0:
            return self._ask_on(card)
        return self._decide()

    def _ask(self, card: dict[str, Any]) -> Move:
        rng, chance = self.rng, self.rng.random()
        others = [name for name in self._offers if name not in (self._latest[0], *self._compared)]
        if chance > 0.7 and others:
            other = rng.choice(others)
            self._compared.append(other)
            text = say("user", "compare", rng, name=self._latest[0], other=other)
            return self.write(text, None, 10.0)
        texts = self._refer(rng.choice(self._latest))
        values = {"n_adults": str(card["wishes"]["n_adults"])}
        texts.append(say("user", rng.choice(_TOPICS), rng, **values))
        return self.write(" ".join(texts), None, 10.0)

    def _refer(self, name: str) -> list[str]:
        """Says which offer it talks about; nothing where it is the one that it talked about."""
        if self._topic == name:
            return []
        self._topic = name
        order = load_phrases().order["names"]
        place = self._latest.index(name) if name in self._latest else len(order)
        if place < len(order) and self.rng.random() < 0.3:
            return [say("user", "switch_order", self.rng, ref_anaphora=order[place])]
        return [say("user", "switch_name", self.rng, name=name)]

    def _ask_on(self, card: dict[str, Any]) -> Move | Wait:
        """Asks for something that calls for another search."""
        rng, chance = self.rng, self.rng.random()
        if self._latest and chance < 0.3:
            texts = [
                say("user", "reject", rng, name=rng.choice(self._latest)),
                say("user", "alternatives", rng),
            ]
            return self.write(" ".join(texts), None, 10.0)
        if self._latest and chance < 0.45 and not self._disliked_seat:
            self._disliked_seat = True
            seat = rng.choice(("economy", "business"))
            return self.write(say("user", "reject_seat", rng, seat=seat), None, 10.0)
        return self._go_elsewhere(card, None)

    def _go_elsewhere(self, card: dict[str, Any], suggested: str | None) -> Move | Wait:
        """Asks for another place: the second best, the one that was suggested, or its own idea."""
        rng = self.rng
        if self._places is None:
            self._places = rng.sample(card["places"], len(card["places"]))
        if not self._places or self._rounds <= -2:
            return self._decide()
        self._rounds -= not self._latest  # a round less, where nothing was offered
        self._topic = None
        second = card["second"]
        if not self._tried_second and not self._latest and second:
            self._tried_second = True
            (slot, value), *_ = second.items()
            phrase = "change_city" if slot == "dst_city" else slot
            return self.write(say("user", phrase, rng, **{slot: str(value)}), None, 10.0)
        city = suggested if suggested and rng.random() < 0.7 else self._places.pop()
        return self.write(say("user", "change_city", rng, dst_city=city), None, 10.0)

    def _decide(self) -> Move | Wait:
        """Books an offer, or gives up."""
        if not self._offers or self.rng.random() > 0.88:
            return self._part("give_up")
        texts = self._refer(self.rng.choice(self._offers))
        texts.append(say("user", "take", self.rng, intent="book"))
        return self.write(" ".join(texts), None, 12.0)

    def _part(self, phrase: str) -> Move:
        rng = self.rng
        texts = [say("user", phrase, rng)]
        if phrase == "give_up":
            texts.append(say("user", "thanks", rng))
        if rng.random() < 0.5:
            texts.append(say("user", "bye", rng))
        return self.write(" ".join(texts), self._leave, 8.0)

    def _leave(self) -> None:
        self._leaving = True

    def _rate(self, view: dict[str, Any]) -> Move:
        """Rates the chat by whether a trip was booked in it."""
        booked = any(
            each.phrase == "done"
            for message in view["chat"]
            if message["role"] == "wizard"
            for each in understand("wizard", message["text"])
        )
        rating = self.rng.choice((4, 5, 5, 5) if booked else (1, 2, 3, 4))
        return self.do("frames.survey", {"rating": rating}, None, 8.0)
