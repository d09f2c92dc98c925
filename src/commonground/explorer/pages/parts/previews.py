"""What a dialogue is about, in one line: a thing said early in it that is said in few others.

Most dialogues begin with a greeting, and a list of greetings tells nobody which one to open. Nor
does a list of what is said in every dialogue of a corpus: that the order on the screen is correct.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence

import msgspec

from commonground.explorer.corpora import OpenCorpus
from commonground.store.index import CorpusIndex
from commonground.store.index.full_text import fold_words
from commonground.store.index.summaries import EventLine

LOOKED_AT = 16
"""Events from the beginning of a dialogue among which its preview is chosen."""

COUNTED = 4
"""Words of a text that count, the rarest; so long texts are not better for their length."""

LATER = 0.8
"""How much a text counts beside the one before it: what a talk is about is said early."""

OF_ASSISTANT = 0.6
"""How much the text of an assistant counts: users say what they want, assistants mostly phrases."""

SAMPLE = 96
"""Dialogues that tell how rare words are in a corpus."""

_ROLES_OF = 8
"""Dialogues that tell which speakers are assistants."""

LONGEST = 240
"""Characters of a preview."""

_SAY_LITTLE = """
a about after again all also am an and any are aren as at awesome be because been before but by
bye can cool could did do does doing don done else fine first for from get getting go going good
got great had has have hello hey hi him his how i id if im in into is isn it its just kind know
last let lets like ll m makes may maybe me mine more my nah need next nice no nope not now of off
oh ok okay on one only or other our out page perfect please ready right s see she should so some
something sounds start still sure t thank thanks that thats the their them then there these they
thing think this those to too try two um up us ve very want was we welcome well were what when
where which who why will with would yeah yep yes yet you your yours
"""
_EMPTY = frozenset(_SAY_LITTLE.split())


class Wording(msgspec.Struct, frozen=True):
    """What is usual in the talk of a corpus.

    Attributes:
        rarities: of each word that is said in more than one of some dialogues, from 0 for a word
            that all have to nearly 1.
        assistants: labels of speakers who are assistants.
    """

    rarities: Mapping[str, float] = {}
    assistants: Collection[str] = ()


def choose_preview(lines: Iterable[EventLine], wording: Wording) -> str:
    """Returns the text that tells most of what a dialogue is about; empty for none."""
    best, most, place = "", -1.0, 1.0
    for each in lines:
        if not each.text:
            continue
        if most >= COUNTED * place:
            break  # no later text can count as much
        said = {word for word in fold_words(each.text) if word not in _EMPTY}
        rarities = sorted((wording.rarities.get(word, 1.0) for word in said), reverse=True)
        worth = sum(rarities[:COUNTED]) * place
        if each.speaker in wording.assistants:
            worth *= OF_ASSISTANT
        if worth > most:
            best, most = each.text, worth
        place *= LATER
    return best[:LONGEST]


def learn_wording(index: CorpusIndex) -> Wording:
    """Finds what is usual in the talk of a corpus, from some of its dialogues."""
    total = len(index.postings.event_starts) - 1
    sample = range(0, total, max(1, total // SAMPLE))
    counts: Counter[str] = Counter()
    for lines in _read_beginnings(index, sample):
        counts.update({word for each in lines for word in fold_words(each.text or "")})
    most = math.log(len(sample) + 1)
    # A word that only one has is as rare as one that none has: a sample cannot tell them apart.
    rarities = {word: 1 - math.log(count + 1) / most for word, count in counts.items() if count > 1}
    speakers = [index.blocks.rows("speakers", ordinal) for ordinal in sample[:_ROLES_OF]]
    assistants = {
        label
        for rows in speakers
        for label, role in zip(rows["speaker"], rows["role"], strict=True)
        if role == "assistant"
    }
    return Wording(rarities, frozenset(assistants))


def _read_beginnings(index: CorpusIndex, ordinals: Sequence[int]) -> list[list[EventLine]]:
    """Reads the first events of some dialogues at once."""
    starts = index.postings.event_starts
    ranges = [
        range(int(starts[each]), min(int(starts[each + 1]), int(starts[each]) + LOOKED_AT))
        for each in ordinals
    ]
    lines = iter(index.digest.lines([number for each in ranges for number in each]))
    return [[next(lines) for _ in each] for each in ranges]


def preview_dialogues(opened: OpenCorpus, ordinals: Sequence[int]) -> list[str]:
    """Chooses the previews of some dialogues, with one reading of their events."""
    index = opened.index
    wording = opened.remember("wording", lambda: learn_wording(index))
    return [choose_preview(each, wording) for each in _read_beginnings(index, ordinals)]
