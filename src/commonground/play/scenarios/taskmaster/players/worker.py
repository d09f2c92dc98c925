"""Scripted workers: they fill in the forms, write what hints ask for, and confirm.

A worker knows what it sees. It finds what to write by the words of the hint, in ``phrases.toml``;
a hint that is in none of the phrases gets its quoted values in a sentence, or an empty phrase. So
it plays any script, those of the released corpora too, though not always to the point.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any, Literal

import msgspec

from commonground.play.phrase_files import load_beside
from commonground.play.player import Moment, Move, Seat, Wait

_LEAVES_OUT = 0.02
"""How often a worker strikes one of the stretches that are proposed."""


class FormField(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How to answer a question of the forms.

    Attributes:
        question: regular expression that finds it.
        how: ``item``: one of the list before it; ``slug``: the value before, as an id; None for
            one of the words.
    """

    question: str
    how: Literal["item", "slug"] | None = None
    words: tuple[str, ...] = ()


class Say(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What to write for a hint: a regular expression that finds it, and the words."""

    hint: str
    words: tuple[str, ...]


class Sides(msgspec.Struct, frozen=True):
    """Words that may be said by each side of a dialogue."""

    user: tuple[str, ...] = ()
    assistant: tuple[str, ...] = ()


class Phrases(msgspec.Struct, frozen=True):
    """What a ``phrases.toml`` holds.

    Attributes:
        field: what is entered into which form.
        say: what is said to which hint; the first that fits counts.
        values: sentences for quoted values of a hint that nothing fits, by speaker.
        plain: sentences for all other hints, by speaker.
    """

    field: tuple[FormField, ...] = ()
    say: tuple[Say, ...] = ()
    values: Sides = Sides()
    plain: Sides = Sides()


@cache
def load_phrases(scenario: str = "") -> Phrases:
    """Returns the phrases of all scripts, after those of one scenario where it has its own."""
    shared, own = load_beside(__file__, "phrases.toml", Phrases), Phrases()
    if scenario:
        own = load_beside(__file__, f"../{scenario}/phrases.toml", Phrases)
    return msgspec.structs.replace(shared, field=own.field + shared.field, say=own.say + shared.say)


class Worker:
    """A worker in one session; see :class:`~commonground.play.player.Player`.

    Args:
        seed: who it is: how fast it is, and how it types.
    """

    def __init__(self, phrases: Phrases, seed: int) -> None:
        rng = Random(f"{seed}:habits")
        self._phrases = phrases
        self._typing = 3.0 + 3.0 * rng.random()  # characters a second
        # Whatever else takes time, in multiples of the usual: most from half to nearly twice of it.
        self._pace = math.exp(rng.gauss(-0.1, 0.4))
        self._is_casual = rng.random() < 0.3

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Does the next thing that is missing."""
        view = moment.view
        if view["phase"] == "forms":
            return self._enter(view, rng)
        bubble = next((b for b in view["bubbles"] if b["open"] and b["text"] is None), None)
        if bubble is not None and self.wants_turn(view):
            text = self.write(view, bubble, rng, is_refused=moment.refusal is not None)
            payload = {"turn": bubble["number"], "text": text}
            return Move("taskmaster.turn", payload, self._after(1.5, 4.0, rng) + self._type(text))
        return self._close(view, rng)

    def wants_turn(self, view: dict[str, Any]) -> bool:
        """Says whether to write another turn; in free form only while some are missing."""
        return not view["is_free"] or view["missing"] > 0

    def write(
        self, view: dict[str, Any], bubble: dict[str, Any], rng: Random, *, is_refused: bool
    ) -> str:
        """Returns the words of a turn: plain ones where the words before were not accepted."""
        del view  # others look there
        hint = bubble["hint"]
        if not is_refused:
            for each in self._phrases.say:
                if match := re.search(each.hint, hint, re.IGNORECASE):
                    text = rng.choice(each.words).format(**match.groupdict())
                    casual = text[:1].lower() + text[1:].removesuffix(".")
                    return casual if self._is_casual else text
        # What stands in quotation marks of any kind in the hint, such as ‘Iced Latte’.
        values = " and ".join(re.findall(r"[‘“'\"]([^‘’“”\"]+)[’”'\"]", hint))
        sides = self._phrases.values if values else self._phrases.plain
        words = sides.user if bubble["speaker"] == "user" else sides.assistant
        return rng.choice(words).format(values)

    def _enter(self, view: dict[str, Any], rng: Random) -> Move:
        values: dict[str, str] = {}
        choices: list[str] = []
        for part in view["page"]:
            if part["kind"] == "list":
                choices = [_name_item(each) for each in part["items"]]
            elif part["kind"] == "field":
                last = next(reversed(values.values()), "")
                value = self._answer(part["prompt"], choices, last, rng)
                # Two questions may choose from one list, and should not get the same answer.
                choices = [each for each in choices if each != value]
                values[part["name"]] = value
        # 25 characters a second, as people read who want to begin.
        read_s = sum(len(str(part.get("text", ""))) for part in view["page"]) / 25
        typed_s = sum(self._type(value) + self._after(1.0, 2.0, rng) for value in values.values())
        return Move("taskmaster.enter", {"values": values}, read_s * self._pace + typed_s)

    def _answer(self, question: str, choices: Sequence[str], last: str, rng: Random) -> str:
        for each in self._phrases.field:
            if not re.search(each.question, question, re.IGNORECASE):
                continue
            if each.how == "slug":
                return make_slug(last, rng)
            if each.how == "item" and choices:
                return rng.choice(choices)
            if each.words:
                return rng.choice(each.words)
        return rng.choice(self._phrases.plain.user)

    def _close(self, view: dict[str, Any], rng: Random) -> Move | Wait:
        """Confirms, and submits when nothing is left to confirm."""
        if view["phase"] != "review":
            return Wait()
        for check in view["checks"]:
            if not check["checked"]:
                payload = {"name": check["name"], "checked": True}
                return Move("taskmaster.check", payload, self._after(1.0, 1.5, rng))
        if not view["marked"] and view["spans"]:
            spans = self.mark(view, rng)
            delay_s = self._after(1.0, 1.0, rng) + 1.2 * len(spans)
            return Move("taskmaster.mark", {"spans": spans}, delay_s)
        return Move("taskmaster.submit", {}, self._after(1.0, 2.0, rng))

    def mark(self, view: dict[str, Any], rng: Random) -> list[dict[str, Any]]:
        """Returns the stretches to confirm: those proposed, now and then without one of them."""
        names = ("turn", "start", "end", "label")
        spans = [{name: each[name] for name in names} for each in view["spans"]]
        if len(spans) > 1 and rng.random() < _LEAVES_OUT * len(spans):
            del spans[rng.randrange(len(spans))]
        return spans

    def _type(self, text: str) -> float:
        return len(text) / self._typing

    def _after(self, least_s: float, more_s: float, rng: Random) -> float:
        """Draws seconds: a least time, and a time that varies, of this mean."""
        # Half a minute at most: an exponential has a long tail, and nobody is to look gone.
        return self._pace * (least_s + min(rng.expovariate(1 / more_s), 30.0))


def _name_item(item: str) -> str:
    """Returns what an item of a menu is called, without what is said of it."""
    bare = item.replace("*", "")
    # "Latte (hot or iced)" and "Latte – with milk" are both "Latte"; "Half-caf" stays whole.
    return re.split(r"\s+[-–(]", bare)[0].strip() or bare.strip()


def make_slug(name: str, rng: Random) -> str:
    """Makes an id of a name: lower case, hyphens, four digits."""
    words = re.sub(r"[^\w%]+", "-", name.lower()).strip("-")
    return f"{words}-{rng.randint(0, 9999):04}"


def enter_worker(scenario: str) -> Callable[[Seat], Worker]:
    """Returns what makes a worker with the phrases of a scenario."""

    def enter(seat: Seat) -> Worker:
        return Worker(load_phrases(scenario), seat.seed)

    return enter
