"""How near simulated people come to people: statistics of what both wrote, set beside each other.

Every number of the simulated side stands beside that of people in as many dialogues, drawn again
and again: many of these statistics depend on how much text there is, and all on chance. What a
simulation would reach if it were people is the range of these draws.

``words``
    words of a text, on average.
``texts``
    texts of a dialogue, on average.
``acts``
    dialogue acts of a text, on average, where they are annotated.
``distinct_1``, ``distinct_2``
    different words, and pairs of neighbours in a text, as a share of all (Li et al. 2016).
``known``
    the share of words that people use, in dialogues other than those that are measured.
``length_distance``
    between how long texts are and how long people's are: the greatest difference of the two
    cumulative distributions (Kolmogorov and Smirnov), 0 to 1.
``word_distance``
    between which words are used and which people use: the Jensen-Shannon divergence in bits, 0 to
    1 (Lin 1991).
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from random import Random
from typing import Any

import msgspec

from commonground.errors import TaskError
from commonground.store.corpus import Corpus

DRAWS = 100
"""How often dialogues are drawn, of people and of the simulated side."""

# Letters and digits, with apostrophes only inside: "don't" is a word, quotation marks are none.
_WORD = re.compile(r"[^\W_]+(?:['’][^\W_]+)*")

_TEXTS = """
    WITH annotated AS (
        SELECT dialogue_id, event, count(DISTINCT (layer, act_index)) AS acts
        FROM acts WHERE corpus = ? GROUP BY ALL
    )
    SELECT u.dialogue_id, u.text, coalesce(a.acts, 0)
    FROM utterances u LEFT JOIN annotated a USING (dialogue_id, event)
    WHERE u.corpus = ? AND (u.role = ? OR u.speaker = ?) {which} ORDER BY u.dialogue_id, u.event
"""

_OF_DOMAIN = """AND u.dialogue_id IN (
        SELECT dialogue_id FROM dialogues WHERE corpus = ? AND domain IN ({marks})
    )"""


class Talk(msgspec.Struct):
    """What one side of a dialogue wrote.

    Attributes:
        texts: the words of each text, in lower case.
        acts: how many dialogue acts were annotated.
    """

    texts: list[list[str]] = []
    acts: int = 0


class Likeness(msgspec.Struct, frozen=True):
    """A statistic of the simulated side beside that of people.

    Attributes:
        name: of the statistic.
        value: the simulated side's; None where it is undefined.
        low: lower end of its 95 % interval, over dialogues that are drawn with replacement; None
            where texts that come twice would distort it.
        high: upper end.
        people: the mean of people, over draws of as many dialogues.
        people_low: lower end of the range that 95 % of these draws are in.
        people_high: upper end.
    """

    name: str
    value: float | None
    low: float | None
    high: float | None
    people: float | None
    people_low: float | None
    people_high: float | None


class Fidelity(msgspec.Struct, frozen=True):
    """How near one side of simulated dialogues is to people.

    Attributes:
        speaker: the role or label of whoever wrote.
        dialogues: how many were simulated.
        drawn: how many of people's are in a draw.
        people: how many there are of people.
        statistics: each beside people's.
    """

    speaker: str
    dialogues: int
    drawn: int
    people: int
    statistics: list[Likeness]


def list_talks(
    corpus: Corpus, speaker: str, *, domains: Collection[str] | None = None
) -> list[Talk]:
    """Returns what one side wrote in each dialogue of an imported corpus.

    Args:
        corpus: the imported corpus.
        speaker: its role, such as ``user``, or its label.
        domains: of the dialogues to be looked at; None for all.

    Raises:
        TaskError: nobody of that name wrote anything.
    """
    talks: dict[str, Talk] = {}
    which, values = "", list[Any]([corpus.name, corpus.name, speaker, speaker])
    if domains is not None:
        which = _OF_DOMAIN.format(marks=", ".join("?" * len(domains)))
        values += [corpus.name, *domains]
    rows: list[Any] = corpus.rows(_TEXTS.format(which=which), values)
    for dialogue, text, acts in rows:
        talk = talks.setdefault(dialogue, Talk())
        talk.texts.append(_WORD.findall(text.lower()))
        talk.acts += acts
    if not talks:
        raise TaskError(f"{corpus.name} has no text of {speaker!r}.", "Such as user, or A.")
    return list(talks.values())


def compare_talks(
    simulated: Sequence[Talk], people: Sequence[Talk], speaker: str, *, seed: int = 0
) -> Fidelity:
    """Compares what a simulated side wrote with what people wrote in its place.

    Args:
        simulated: dialogues of the simulated side.
        people: dialogues of people; two at least.
        speaker: whoever wrote, for the record.
        seed: of what is drawn.

    Raises:
        TaskError: there are too few dialogues of people to draw from.
    """
    if len(people) < 2:
        raise TaskError(f"{len(people)} dialogue of people is too little to compare with.")
    rng = Random(f"{seed}:fidelity")
    # At most half of the people: the other dialogues are what a draw is compared with.
    number = min(len(simulated), len(people) // 2)
    reference = _Reference(people)
    # Nothing is taken out: the simulated side is not among the people.
    own = reference.measure(simulated, ())
    # With replacement, as a bootstrap draws: how much the numbers depend on these very dialogues.
    again = [reference.measure(rng.choices(simulated, k=len(simulated)), ()) for _ in range(DRAWS)]
    theirs = [_measure_drawn(reference, people, number, rng) for _ in range(DRAWS)]
    return Fidelity(
        speaker=speaker,
        dialogues=len(simulated),
        drawn=number,
        people=len(people),
        statistics=[
            _set_beside(name, value, [] if name in _NOT_REPEATED else again, theirs)
            for name, value in own.items()
        ],
    )


_NOT_REPEATED = ("distinct_1", "distinct_2", "word_distance")
"""Statistics that a dialogue which is drawn twice distorts."""

Statistics = dict[str, float | None]


def _measure_drawn(
    reference: _Reference, people: Sequence[Talk], number: int, rng: Random
) -> Statistics:
    # Without replacement: a dialogue that is there twice would repeat all its words.
    drawn = rng.sample(people, number)
    return reference.measure(drawn, drawn)


def _set_beside(
    name: str, value: float | None, again: list[Statistics], theirs: list[Statistics]
) -> Likeness:
    low, high = _range(name, again) if len(again) > 1 else (None, None)
    found = [each for draw in theirs if (each := draw[name]) is not None]
    people = math.fsum(found) / len(found) if found else None
    return Likeness(name, value, low, high, people, *_range(name, theirs))


def _range(name: str, draws: Sequence[Statistics]) -> tuple[float | None, float | None]:
    """Returns the ends of the middle 95 % of draws."""
    found = sorted(each for draw in draws if (each := draw[name]) is not None)
    if not found:
        return None, None
    edge = int(0.025 * len(found))
    return found[edge], found[-1 - edge]


class _Reference:
    """People's words and lengths, from which those of a draw are taken out."""

    def __init__(self, people: Sequence[Talk]) -> None:
        self._words = Counter(_list_words(people))
        self._lengths = Counter(_list_lengths(people))
        self._has_acts = any(each.acts for each in people)

    def measure(self, talks: Sequence[Talk], without: Sequence[Talk]) -> Statistics:
        """Returns the statistics of talks, beside people's but for some.

        Args:
            talks: that are measured.
            without: talks of people that are left out of account, as they are being measured.
        """
        words, lengths = Counter(_list_words(talks)), Counter(_list_lengths(talks))
        known = self._words - Counter(_list_words(without)) if without else self._words
        usual = self._lengths - Counter(_list_lengths(without)) if without else self._lengths
        pairs = Counter(pair for each in talks for text in each.texts for pair in pairwise(text))
        total, texts = words.total(), lengths.total()
        heard = sum(number for word, number in words.items() if word in known)
        acts = sum(each.acts for each in talks)
        return {
            "words": _divide(total, texts),
            "texts": _divide(texts, len(talks)),
            "acts": _divide(acts, texts) if self._has_acts else None,
            "distinct_1": _divide(len(words), total),
            "distinct_2": _divide(len(pairs), pairs.total()),
            "known": _divide(heard, total),
            "length_distance": measure_length_distance(lengths, usual),
            "word_distance": measure_word_distance(words, known),
        }


def _list_words(talks: Sequence[Talk]) -> Iterator[str]:
    for each in talks:
        for text in each.texts:
            yield from text


def _list_lengths(talks: Sequence[Talk]) -> Iterator[int]:
    return (len(text) for each in talks for text in each.texts)


def _divide(part: float, whole: float) -> float | None:
    return part / whole if whole else None


def measure_length_distance(one: Counter[int], other: Counter[int]) -> float | None:
    """Returns the greatest difference of two cumulative distributions; None where one is empty."""
    if not one or not other:
        return None
    below = other_below = 0
    most = 0.0
    # Kolmogorov and Smirnov: the distributions only differ anew where one of them has a step.
    for length in sorted(one.keys() | other.keys()):
        below += one[length]
        other_below += other[length]
        most = max(most, abs(below / one.total() - other_below / other.total()))
    return most


def measure_word_distance(one: Counter[str], other: Counter[str]) -> float | None:
    """Returns the Jensen-Shannon divergence of two distributions in bits; None if one is empty."""
    total, other_total = one.total(), other.total()
    if not total or not other_total:
        return None
    # A word that only one of them has adds half its share, whatever it is; so only words of the
    # first need be looked at, and what is left of the second.
    distance, shared = 0.0, 0
    for word, number in one.items():
        p, q = number / total, other[word] / other_total
        # Each half of the divergence is measured to the mean of the two.
        middle = (p + q) / 2
        distance += p * math.log2(p / middle) / 2
        if q:
            distance += q * math.log2(q / middle) / 2
            shared += other[word]
    return distance + (1 - shared / other_total) / 2
