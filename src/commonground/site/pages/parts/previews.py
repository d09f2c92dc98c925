"""What a dialogue is about, in one line: the first thing said in it that says something.

Most dialogues begin with a greeting, and a list of greetings tells nobody which one to open.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from commonground.store.index import CorpusIndex
from commonground.store.index.full_text import fold_words
from commonground.store.index.summaries import Line

LOOKED_AT = 16
"""Events from the beginning of a dialogue among which its preview is chosen."""

ENOUGH = 4
"""Different words that say something, from which a text is taken at once."""

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


def choose_preview(lines: Iterable[Line]) -> str:
    """Returns the first text that says enough, else the one that says most; empty for none."""
    best, most = "", -1
    for each in lines:
        if not each.text:
            continue
        said = len({word for word in fold_words(each.text) if word not in _EMPTY})
        # Greetings and thanks are made of words that say little; the first text beyond them tells
        # what the dialogue is about, and later ones need not be read.
        if said >= ENOUGH:
            return each.text[:LONGEST]
        if said > most:
            best, most = each.text, said
    return best[:LONGEST]


def preview_dialogues(index: CorpusIndex, ordinals: Sequence[int]) -> list[str]:
    """Chooses the previews of some dialogues, with one reading of their events."""
    starts = index.postings.event_starts
    ranges = [
        range(int(starts[each]), min(int(starts[each + 1]), int(starts[each]) + LOOKED_AT))
        for each in ordinals
    ]
    lines = iter(index.digest.lines([number for each in ranges for number in each]))
    return [choose_preview([next(lines) for _ in each]) for each in ranges]
