"""Scripted players: they describe what they see, ask, answer, mark, slip at times, and chat.

A player knows its own page, what was said, and what one could call the images that it sees. It
answers by comparing what it hears with the names of its own images. It knows its partner's phrases
where that is a script as well; of other words it makes what it can: a yes, a no, a name, a
question. Anyone who never answers is asked again, and in the end guessed at.
"""

from __future__ import annotations

import math
from itertools import chain
from random import Random
from typing import Any

import msgspec

from commonground.play.player import Moment, Move, PlayerKind, Wait
from commonground.play.scenario import CHAT
from commonground.play.scenarios.photobook.material import PhotobookMaterial
from commonground.play.scenarios.photobook.players.phrases import (
    Meaning,
    load_phrases,
    name_image,
    understand,
)

LONGEST = 98
"""One less than the game takes, since a text of 99 looks like one that was cut."""

PATIENCE_S = 45.0
"""Seconds after which a player asks again."""

_MOST_REPEATS = 3


class Habits(msgspec.Struct, frozen=True):
    """How somebody plays, in one game or several.

    Attributes:
        casual: whether the player types without capital letters.
        curious: how often the player asks back.
        slip: how often the player clicks on the wrong label.
        fickle: how often the player clicks an image again.
        typing: characters a second.
        pace: factor of all other times.
        chatty: how often the player says what need not be said.
    """

    casual: bool
    curious: float
    slip: float
    fickle: float
    typing: float
    pace: float
    chatty: float


def invent_habits(seed: int) -> Habits:
    """Invents somebody's habits; the same seed is the same person."""
    rng = Random(f"{seed}:habits")
    return Habits(
        # Invented; wrong marks and marks made again come up, but seldom, as in released games.
        casual=rng.random() < 0.5,
        curious=0.36 * rng.random(),
        # Squared, so that most people seldom slip, and a few often.
        slip=0.25 * rng.random() ** 2,
        fickle=0.06 * rng.random(),
        typing=3.0 + 3.0 * rng.random(),
        pace=math.exp(rng.gauss(-0.06, 0.6)),
        chatty=rng.random(),
    )


class _Intent(msgspec.Struct, frozen=True):
    """What a move is for: what the player knows once it was made.

    Attributes:
        kind: ``offer``, ``repeat``, ``answer``, ``ask``, ``correct``, ``mark``, ``rest``, or the
            name of what need not be said.
        image: own image that it is about; None for none.
        rest: the second half of a text that was begun; empty for none.
    """

    kind: str
    image: str | None = None
    rest: str = ""


class _Owed(msgspec.Struct, frozen=True):
    """A text of the partner that wants an answer.

    Attributes:
        image: the own image that was named; None where it is none of them.
        clear: whether asking back is of no use any more.
    """

    meaning: Meaning
    image: str | None
    clear: bool = False


class ScriptedPlayer:
    """A player in one game; see :class:`~commonground.play.player.Player`.

    Args:
        material: of which it takes only what the images that it sees could be called.
        seed: who it is.
    """

    def __init__(self, material: PhotobookMaterial, seed: int) -> None:
        self._descriptions = material.descriptions
        self._habits = invent_habits(seed)
        # Until the first move, which brings the chance to be used.
        self._rng = Random(0)
        self._heard = 0
        self._mentions: dict[str, int] = {}
        self._intent: _Intent | None = None
        # Round 0 is none, so that the first view begins a page.
        self._begin_page({"round": 0, "images": []})

    def _begin_page(self, view: dict[str, Any]) -> None:
        self._round: int = view["round"]
        self._targets = [each["image"] for each in view["images"] if each["highlighted"]]
        images = [each["image"] for each in view["images"]]
        self._names = {each: self._descriptions.get(each) or name_image(each) for each in images}
        known = [
            (name.lower(), image)
            for image, levels in self._names.items()
            for name in chain.from_iterable(levels)
        ]
        # The longest first, since "red circle" is also in "red circle on the beach".
        self._known = sorted(known, key=lambda pair: -len(pair[0]))
        # Of a page that somebody else began, in whose seat it sits now.
        marks = {each["image"]: each["mark"] for each in view["images"]}
        self._settled: dict[str, str] = {image: mark for image, mark in marks.items() if mark}
        self._clicks: list[tuple[str, str]] = []
        self._intent = None
        self._topic: str | None = None  # what it asked about and was not told yet
        self._asked_us = 0
        self._repeats = 0
        self._owed: _Owed | None = None
        self._unclear: _Owed | None = None  # what it asked back about
        self._begun = ""
        self._rest = ""
        self._said: set[str] = set()
        self._partner_done = False
        self._leads = False

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Takes in what happened, then goes on with what it was about to do, or decides anew."""
        self._rng, view = rng, moment.view
        # Nothing is pending any more: what it was about to do was done, or was refused.
        if moment.pending is None and self._intent is not None:
            if moment.refusal is None:
                self._conclude(self._intent, moment.at_us)
            self._intent = None
        if view["round"] != self._round:
            self._begin_page(view)
        spoken = self._listen(view, moment.role)
        if isinstance(moment.pending, Move) and self._intent is not None:
            clicking = moment.pending.type not in (CHAT, "photobook.submit")
            # People who type do not always look up; so two texts may cross.
            if not spoken or clicking or rng.random() < 0.1:
                return moment.pending
        return self._decide(view, moment.at_us)

    def _conclude(self, intent: _Intent, at_us: int) -> None:
        self._said.add(intent.kind)
        self._rest = intent.rest
        match intent.kind:
            case "offer":
                self._topic, self._asked_us, self._repeats = intent.image, at_us, 0
                self._mention(intent.image)
            case "repeat":
                self._repeats += 1
            case "answer":
                if intent.image is not None:
                    self._settle(intent.image, "common")
                self._owed, self._leads = None, True
            case "ask":
                self._unclear, self._owed = self._owed, None
            case "correct":
                self._owed = None
            case "mark":
                self._clicks.pop(0)

    def _mention(self, image: str | None) -> None:
        if image is not None:
            self._mentions[image] = self._mentions.get(image, 0) + 1

    def _settle(self, image: str, label: str) -> None:
        """Knows now whether the partner has an image, and plans the clicks that mark it."""
        if image in self._settled or image not in self._targets:
            return
        rng, habits = self._rng, self._habits
        self._settled[image] = label
        if rng.random() < habits.slip * self._practice():
            self._clicks.append((image, _OTHER[label]))
            if rng.random() < 0.4:  # it sees its slip
                self._clicks.append((image, label))
        else:
            self._clicks += [(image, label)] * (2 if rng.random() < habits.fickle else 1)

    def _listen(self, view: dict[str, Any], role: str) -> bool:
        """Hears what the partner wrote since; says whether there was anything."""
        new = view["chat"][self._heard :]
        self._heard += len(new)
        # What was said on pages before is over, for one who comes in later, too.
        heard = [each for each in new if each["role"] not in (role, None)]
        for each in heard:
            if each["round"] == self._round:
                self._hear(each["text"])
        return bool(heard)

    def _hear(self, text: str) -> None:
        # Scripts break long texts so; what follows is heard as one with it.
        if text.endswith("..."):
            self._begun += text.removesuffix("...") + " "
            return
        whole, self._begun = self._begun + text, ""
        meaning, plain = understand(whole), whole.lower()
        # The longest name counts.
        image = next((image for name, image in self._known if name in plain), None)
        if meaning in ("yes", "no"):
            self._take_answer(meaning)
        elif meaning in ("ask", "correct"):
            self._owed, self._unclear = _Owed(meaning, image), None
        elif meaning == "offer" or image is not None:
            self._mention(image)
            self._owed = _Owed("offer", image)
        elif meaning == "done":
            self._partner_done = True

    def _take_answer(self, meaning: Meaning) -> None:
        """Takes a yes or no for the answer to what was asked last."""
        if self._unclear is not None:
            image = self._unclear.image if meaning == "yes" else None
            self._owed, self._unclear = _Owed("offer", image, clear=True), None
        elif self._topic is not None:
            self._settle(self._topic, "common" if meaning == "yes" else "different")
            self._topic, self._leads = None, False

    def _decide(self, view: dict[str, Any], now_us: int) -> Move | Wait:
        if self._rest:
            return self._tell(_Intent("rest"), self._rest, 0.5)
        if self._begun:
            return Wait(20.0)  # the partner is in the middle of a text
        if self._owed is not None:
            return self._reply(self._owed)
        match view["phase"]:
            case "play":
                return self._play(view, now_us)
            case "review":
                return self._review(view)
            case "questionnaire":
                return self._close(view)
        return Wait()

    def _reply(self, owed: _Owed) -> Move | Wait:
        rng, image = self._rng, owed.image
        if owed.meaning == "ask" and self._topic is not None:
            if image == self._topic:
                return self._say("confirm", "correct")
            return self._say("correct", "correct", name=self._call(self._topic))
        asks = owed.meaning == "offer" and not owed.clear and rng.random() < self._habits.curious
        if image is not None:
            times = self._mentions.get(image, 0)
            # Who has heard of an image twice need not ask which one is meant.
            if asks and times < 2:
                return self._say("ask_back", "ask", image, self._call(image, later=True))
            return self._say("yes_again" if times > 2 else "yes", "answer", image)
        if asks and self._names:
            similar = rng.choice(list(self._names))
            return self._say("ask_other", "ask", None, self._call(similar, later=True))
        return self._say("then_no" if owed.meaning == "correct" else "no", "answer")

    def _play(self, view: dict[str, Any], now_us: int) -> Move | Wait:
        if view["submitted"]:
            self._clicks.clear()
        if self._clicks:
            image, label = self._clicks[0]
            payload = {"image": image, "label": label}
            return self._do("mark", "photobook.mark", payload, self._after(1.0, 2.5))
        if self._topic is not None:
            return self._insist(self._topic, now_us)
        small_talk = self._open_page()
        if small_talk is not None:
            return small_talk
        unsettled = [image for image in self._targets if image not in self._settled]
        if unsettled:
            return self._offer(self._rng.choice(unsettled))
        return self._finish_page(view)

    def _open_page(self) -> Move | Wait | None:
        """Says hello, or something about the new page; None where that is not called for."""
        if self._round == 1 and "greet" not in self._said:
            greeted = self._heard > 0
            return self._say("greet_back" if greeted else "greet", "greet")
        if not self._said and self._rng.random() < 0.4 * self._habits.chatty:
            return self._say("next_page", "greet", after_s=self._after(3.0, 5.0))
        self._said.add("greet")
        return None

    def _offer(self, image: str) -> Move | Wait:
        times = self._mentions.get(image, 0)
        frames = "offer_later" if times else "offer_first"
        # Anyone who just answered goes on; the other leaves it some time to do so.
        # Nothing said on this page yet but a greeting: people look at the page first.
        first = self._said <= {"greet"}
        after_s = self._after(5.0, 6.0) if first else self._after(0.5, 3.0 if self._leads else 8.0)
        return self._say(frames, "offer", image, self._call(image), after_s=after_s)

    def _insist(self, topic: str, now_us: int) -> Move | Wait:
        """Waits for an answer; asks again when none comes, and guesses in the end."""
        waited_s = (now_us - self._asked_us) / 1_000_000
        left_s = PATIENCE_S * (self._repeats + 1) - waited_s
        if left_s > 0:
            return Wait(left_s)
        if self._repeats < _MOST_REPEATS:
            return self._say("repeat", "repeat", topic, self._call(topic))
        self._topic = None
        self._settle(topic, "different")
        return Wait(0.1)

    def _finish_page(self, view: dict[str, Any]) -> Move | Wait:
        if view["submitted"]:
            return Wait()
        if "done" not in self._said:
            self._said.add("done")
            if self._partner_done or self._rng.random() < 0.3 + 0.4 * self._habits.chatty:
                return self._say("done_too" if self._partner_done else "done", "done")
        for each in view["images"]:
            if each["highlighted"] and each["mark"] is None:
                self._clicks.append((each["image"], self._settled[each["image"]]))
                return Wait(0.1)
        # Hearing more from the partner puts it off: who is done waits a while for the other.
        after_s = self._after(1.0, 4.0) if self._partner_done else self._after(4.0, 14.0)
        return self._do("submit", "photobook.submit", {}, after_s)

    def _review(self, view: dict[str, Any]) -> Move | Wait:
        if not view["reviewed"]:
            return self._do("review", "photobook.review", {}, 0.5)
        if "result" not in self._said:
            self._said.add("result")
            if self._rng.random() < 0.6 * self._habits.chatty:
                return self._say("all_right" if view["score"] == 3 else "not_all_right", "result")
        if view["asked"]:
            return Wait()
        return self._do("next", "photobook.next", {}, self._after(2.0, 4.0))

    def _close(self, view: dict[str, Any]) -> Move | Wait:
        """Says goodbye and answers the questionnaire."""
        if not view["reviewed"]:
            return self._do("review", "photobook.review", {}, 0.5)
        if view["answered"]:
            return Wait()
        if "goodbye" not in self._said:
            self._said.add("goodbye")
            if self._rng.random() < 0.3 + 0.5 * self._habits.chatty:
                return self._say("goodbye", "goodbye")
        # Invented: most people are content, and readers of the log must meet every grade.
        grades = self._rng.choices((5, 4, 3, 2, 1), (70, 20, 6, 3, 1), k=3)
        answers = dict(zip(("col", "partner_u", "self_u"), grades, strict=True))
        comment = self._rng.choice(load_phrases().write["comment"])
        after_s = self._after(6.0, 8.0) + len(comment) / self._habits.typing
        payload = {**answers, "text": comment}
        return self._do("questionnaire", "photobook.questionnaire", payload, after_s)

    def _call(self, image: str, *, later: bool = False) -> str:
        """Chooses a name for an image: a shorter one each time that it was mentioned."""
        levels = self._names[image]
        level = min(self._mentions.get(image, 0) + later, len(levels) - 1)
        return self._rng.choice(levels[level])

    def _say(
        self,
        phrases: str,
        kind: str,
        image: str | None = None,
        name: str = "",
        *,
        after_s: float | None = None,
    ) -> Move:
        """Says one of some phrases, when it has read as long as that takes or as is said."""
        text = self._rng.choice(load_phrases().say[phrases]).format(name)
        text = (
            text.lower().removesuffix(".") if self._habits.casual else text[:1].upper() + text[1:]
        )
        # Divided between two words where it is too long, as some others are.
        head, rest = text, ""
        at_will = bool(name) and self._rng.random() < 0.05
        if len(text) > LONGEST or (at_will and len(text) > 40):
            # Neither half is to be a scrap; three characters are kept for the dots.
            at = text.rfind(" ", 20, min(LONGEST - 3, len(text) - 5))
            if at >= 0:
                head, rest = text[:at] + "...", text[at + 1 : at + 1 + LONGEST]
        wait_s = self._after(0.6, 2.0) if after_s is None else after_s
        return self._tell(_Intent(kind, image, rest), head, wait_s)

    def _tell(self, intent: _Intent, text: str, after_s: float) -> Move:
        delay_s = after_s + len(text) / self._habits.typing
        return self._do(intent, CHAT, {"text": text}, delay_s)

    def _do(self, intent: _Intent | str, act: str, payload: dict[str, Any], delay_s: float) -> Move:
        self._intent = _Intent(intent) if isinstance(intent, str) else intent
        return Move(act, payload, delay_s)

    def _after(self, least_s: float, more_s: float) -> float:
        """Draws seconds: a least time, and a time that varies, of this mean."""
        pace = self._habits.pace * self._practice()
        return pace * (least_s + min(self._rng.expovariate(1 / more_s), 60.0))

    def _practice(self) -> float:
        """Returns a factor of times and slips: people get faster and surer from page to page."""
        # From 1.12 on the first page to 0.8 on the fifth.
        return 1.2 - 0.08 * self._round


_OTHER = {"common": "different", "different": "common"}


PLAYER = PlayerKind(
    name="script",
    title="Describes, asks and answers with ready phrases, and marks what it finds out.",
    enter=lambda seat: ScriptedPlayer(seat.material, seat.seed),
)
