"""What games come to, as clembench counts it: played or aborted, and of those played, lost or won.

A game is aborted where it does not come to its end: a player's answers cannot be read or break the
rules again and again, or something else stops it; ``cause`` says what. A game is played that is not
aborted, and lost where it is played and not won.

Source: clemcore, ``clemgame/metrics.py``: ``Aborted``, ``Lose``, ``Played``.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Literal

import msgspec

Fate = Literal["done", "won", "lost", "aborted"]
"""``done`` is for games that were played and in which nothing can be won."""

REFUSED_ACTS = "refused acts"
TALKATIVE = "endless calls"
SILENT = "silence"
ENDLESS = "endless acts"
EARLY = "ended early"
LIMIT = "limit"
CALLS_LIMIT = "limit of calls"
TOKENS_LIMIT = "limit of tokens"
COST_LIMIT = "limit of cost"
FAULT = "fault"
"""Why games are aborted, besides :data:`commonground.reply_outcomes.OUTCOMES`. ``LIMIT`` is one of
inspect_ai, the next three are those of ``commonground play``; ``TALKATIVE`` models were asked a
thousand times in one game; by a ``FAULT`` the rules refused an act of their own."""

_Z = 1.959963984540054
"""Of 95 %."""


class GameResult(msgspec.Struct, frozen=True, kw_only=True):
    """What a game came to.

    Attributes:
        number: of the game.
        fate: how it ended.
        score: its points when it ended, or broke off; None where there are none.
        best: the most that it could have.
        acts: how many acts were accepted.
        cause: why it was aborted, in a few words: one of those above, or of
            :data:`~commonground.reply_outcomes.OUTCOMES` where a model's answers were no acts;
            empty where it was played.
        reason: the same in a sentence; empty where a game was ended by its rules.
    """

    number: int
    fate: Fate
    score: float | None = None
    best: float | None = None
    acts: int = 0
    cause: str = ""
    reason: str = ""

    @property
    def is_played(self) -> bool:
        """Says whether the game came to its end."""
        return self.fate != "aborted"


class Rate(msgspec.Struct, frozen=True):
    """A share or a mean, with its 95 % interval.

    Attributes:
        value: None where there is nothing to divide by.
        low: lower end; None where one game or none tells it.
        high: upper end.
        count: how many games there are of the kind; of a mean, how many it is of.
        of: among how many.
    """

    value: float | None
    low: float | None
    high: float | None
    count: int
    of: int


def rate_share(count: int, of: int) -> Rate:
    """Returns a share with its interval, which is within 0 and 1 and right for few games, too.

    Args:
        count: how many.
        of: among how many.

    Source: Wilson 1927, the score interval.
    """
    if not of:
        return Rate(None, None, None, count, of)
    share, spread = count / of, _Z * _Z / of
    middle = (share + spread / 2) / (1 + spread)
    reach = math.sqrt(share * (1 - share) * spread + spread * spread / 4) / (1 + spread)
    return Rate(share, max(0.0, middle - reach), min(1.0, middle + reach), count, of)


def rate_mean(values: Sequence[float], of: int, best: float = math.inf) -> Rate:
    """Returns a mean with the normal interval of its standard error.

    Args:
        values: to be averaged.
        of: how many there could be.
        best: the most that one can be; of few values near it the interval would reach beyond.
    """
    number = len(values)
    if not number:
        return Rate(None, None, None, 0, of)
    mean = math.fsum(values) / number
    if number == 1:
        return Rate(mean, None, None, 1, of)
    # Around the mean, in a second pass: a difference of two sums would lose digits.
    variance = math.fsum((each - mean) ** 2 for each in values) / (number - 1)
    reach = _Z * math.sqrt(variance / number)
    return Rate(mean, mean - reach, min(best, mean + reach), number, of)


def summarise_games(results: Iterable[GameResult]) -> dict[str, Rate]:
    """Returns the share of games that were played, aborted and lost, and the mean score.

    All shares are of all games. A game that was aborted is not lost, and its points are not in the
    mean; where nothing can be won there are neither.
    """
    listed = list(results)
    fates = [each.fate for each in listed]
    aborted = fates.count("aborted")
    rates = {
        "played": rate_share(len(fates) - aborted, len(fates)),
        "aborted": rate_share(aborted, len(fates)),
    }
    if any(each.best is not None for each in listed):
        ended = [each.score for each in listed if each.fate in ("won", "lost")]
        scores = [each for each in ended if each is not None]
        rates["lost"] = rate_share(fates.count("lost"), len(fates))
        best = max(each.best for each in listed if each.best is not None)
        rates["score"] = rate_mean(scores, len(listed), best)
    return rates


def count_causes(results: Iterable[GameResult]) -> dict[str, int]:
    """Counts the games that were aborted by what they were aborted for, the most frequent first."""
    causes = Counter(each.cause for each in results if each.cause)
    return dict(sorted(causes.items(), key=lambda each: (-each[1], each[0])))
