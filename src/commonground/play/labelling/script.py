"""Scripted people who label: each with an accuracy of their own, and with second thoughts.

Of invented units they know what everybody would see who reads with care, and miss some of it. Of
other units they know nothing: they compare the words of the response with those of the candidate.
Where that says nothing, chance decides what is right, once for all of them.
"""

from __future__ import annotations

import re
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from random import Random
from typing import Any

from commonground.play.labelling.units import YES_OR_NO
from commonground.play.player import Moment, Move, Wait

_SHORTEST = 4
"""Letters of a word that says something: shorter ones are mostly grammar."""


@lru_cache(maxsize=4096)
def _content(text: str) -> frozenset[str]:
    """Returns the words of a text that say something, without the ``s`` of plurals."""
    words = re.findall(r"[^\W\d_]+", text.lower())
    return frozenset(each.removesuffix("s") for each in words if len(each) >= _SHORTEST)


def follows(response: str, candidate: str) -> bool:
    """Guesses by the words that two texts share whether one follows from the other."""
    mine, theirs = _content(response), _content(candidate)
    shared = len(mine & theirs)
    # Two words in common are rarely chance; one is enough where there is hardly more to share.
    return shared >= 2 or (shared == 1 and len(theirs) <= 3)


class ScriptedLabeller:
    """Somebody who labels one unit; see :class:`~commonground.play.player.Player`.

    Args:
        scenario: name that the types of act begin with.
        known: the answer that everybody would give who reads with care, by candidate; of others
            the words decide, as the module says.
        notes: what is written about a skip, by its reason.
        seed: who it is.
    """

    def __init__(
        self,
        scenario: str,
        known: Mapping[str, str],
        notes: Mapping[str, Sequence[str]],
        seed: int,
    ) -> None:
        self._scenario = scenario
        self._known = known
        self._notes = notes
        # Invented habits, the same in all sessions. People differ in how well they read: how often
        # they overlook that a response follows, see that where it does not, skip, and go back.
        habits = Random(f"{seed}:habits")
        self._misses = habits.uniform(0.03, 0.25)
        self._imagines = habits.uniform(0.005, 0.05)
        self._skips = 0.03 * habits.random()
        self._doubts = 0.1 * habits.random()
        self._words_per_s = habits.uniform(2.5, 5.0)
        self._pace = habits.uniform(0.6, 1.6)
        self._rng = Random(0)
        self._began = False
        self._looked_back = False

    def next_move(self, moment: Moment, rng: Random) -> Move | Wait:
        """Reads, answers candidate after candidate, perhaps changes an answer, and submits."""
        self._rng = rng
        if isinstance(moment.pending, Move):
            return moment.pending
        if moment.view["phase"] == "over":
            return Wait()
        reading_s = 0.0
        if not self._began:
            self._began = True
            words = sum(len(line["text"].split()) for line in moment.view["context"])
            reading_s = words / self._words_per_s + self._after(1.0, 2.0)
            reason = self._reason_to_skip(moment.view)
            if reason is not None:
                note = rng.choice(self._notes[reason])
                return Move(
                    f"{self._scenario}.skip", {"reason": reason, "note": note}, reading_s + 4
                )
        candidates = moment.view["candidates"]
        left = [each for each in candidates if each["answer"] is None]
        if left:
            return self._answer(left[0], moment.view, reading_s)
        if not self._looked_back:
            self._looked_back = True
            if rng.random() < self._doubts:
                return self._answer(rng.choice(candidates), moment.view, 2.0)
        return Move(f"{self._scenario}.submit", {}, self._after(0.5, 1.5))

    def _answer(
        self, candidate: Mapping[str, Any], view: Mapping[str, Any], reading_s: float
    ) -> Move:
        answer = self._judge(candidate, view)
        words_s = len(candidate["text"].split()) / self._words_per_s
        delay_s = reading_s + words_s + self._after(0.8, 2.5)
        return Move(
            f"{self._scenario}.label", {"candidate": candidate["id"], "answer": answer}, delay_s
        )

    def _judge(self, candidate: Mapping[str, Any], view: Mapping[str, Any]) -> str:
        answers, right = view["answers"], self._known.get(candidate["id"])
        if right is None:
            response, text = view["context"][-1]["text"], candidate["text"]
            if text and tuple(answers) == YES_OR_NO:
                right = "yes" if follows(response, text) else "no"
            else:
                # Drawn anew by each of them, it would be no agreement to rehearse, and stop them.
                drawn = zlib.crc32(f"{response}\n{candidate['id']}\n{text}".encode())
                right = answers[drawn % len(answers)]
        # To overlook something is common, to see what is not there is rare.
        errs = self._imagines if right == "no" else self._misses
        if self._rng.random() >= errs:
            return right
        others = [each for each in answers if each != right]
        return str(others[0] if len(others) == 1 else self._rng.choice(others))

    def _reason_to_skip(self, view: Mapping[str, Any]) -> str | None:
        shown = [*view["context"], *view["candidates"]]
        if any(each["lacks_picture"] for each in shown) and self._rng.random() < 0.1:
            return "picture_missing"
        return "unclear" if self._rng.random() < self._skips else None

    def _after(self, least_s: float, more_s: float) -> float:
        """Draws seconds: a least time, and a time that varies, of this mean."""
        # Exponential times have long tails: nobody is invented who sits before one unit for an
        # hour.
        return self._pace * (least_s + min(self._rng.expovariate(1 / more_s), 60.0))
