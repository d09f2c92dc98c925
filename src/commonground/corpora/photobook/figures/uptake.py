"""What players say of an image, and how much of it they take up from before.

What a text is about is what the authors' heuristic says (``segments.py``). A text about several
images counts for each.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from collections.abc import Set as AbstractSet
from functools import lru_cache
from itertools import pairwise

from commonground.corpora.photobook.figures.round_words import FUNCTION_WORDS
from commonground.corpora.photobook.games import look_up_messages
from commonground.corpora.photobook.native import Game
from commonground.corpora.photobook.segments import Segment, segment_game

_SIDES = ("A", "B")
# A letter or digit is what ``\w`` takes, but for the low line. One star stays in a masked word
# (gla*ses); two in a row divide it (m**fin).
_WORD = re.compile(r"[^\W_]+(?:['’*][^\W_]+)*")

Mentions = Mapping[tuple[str, str], Mapping[int, AbstractSet[str]]]
"""The content words for an image: by player and image, then by page, from 1."""


# A game's texts are asked for twice in a row: for their number, and for what they refer to.
@lru_cache(maxsize=1 << 12)
def list_words(text: str) -> tuple[str, ...]:
    """Returns the words of a text, in lower case."""
    return tuple(_WORD.findall(text.lower()))


@lru_cache(maxsize=1 << 12)
def list_content_words(text: str) -> tuple[str, ...]:
    """Returns the words of a text that say something, in their order."""
    return tuple([word for word in list_words(text) if word not in FUNCTION_WORDS])


def collect_mentions(game: Game, segments: Sequence[Segment] | None = None) -> Mentions:
    """Returns the content words that each player used for each image, by page.

    Args:
        game: the game.
        segments: its segments, where they are known.
    """
    found: dict[tuple[str, str], dict[int, set[str]]] = {}
    segments = segment_game(game).segments if segments is None else segments
    for segment, each, messages in look_up_messages(game, segments):
        for text in messages:
            words = list_content_words(text.message)
            for image in segment.targets if words else ():
                pages = found.setdefault((text.speaker, image), {})
                pages.setdefault(each.round_nr, set()).update(words)
    return found


def list_uptakes(
    speakers: Mentions, partners: Mentions, *, by_page: bool
) -> list[tuple[int, float]]:
    """Lists how much of each mention a partner has said before: the page, and the share of words.

    Args:
        speakers: mentions of the game whose players speak.
        partners: mentions of the game from which their partners are; the same, or another.
        by_page: whether earlier means on an earlier page, which compares pages of one game;
            otherwise, fewer mentions of the image ago.
    """
    uptakes = []
    ranks = {
        image: _rank(speakers, image, by_page=by_page)
        for image in dict.fromkeys(image for _, image in speakers)
    }
    for (speaker, image), pages in speakers.items():
        # True is 1: the partner of the first side is the second, and of any other the first.
        partner = _SIDES[speaker == _SIDES[0]]
        theirs = partners.get((partner, image))
        if not theirs:
            continue
        own = ranks[image]
        # Another game shows its pages in an order of its own, and has its own ranks.
        place = own if speakers is partners else _rank(partners, image, by_page=by_page)
        for page, words in pages.items():
            heard: set[str] = set()
            for other, said in theirs.items():
                if place[other] < own[page]:
                    heard |= said
            # Where the partner had no word for the image yet, there was nothing to take up.
            if heard:
                uptakes.append((page, len(words & heard) / len(words)))
    return uptakes


def _rank(mentions: Mentions, image: str, *, by_page: bool) -> dict[int, int]:
    """Ranks the pages with words for an image: by their numbers, or by how many come before."""
    pages = {page for side in _SIDES for page in mentions.get((side, image), ())}
    if by_page:
        return {page: page for page in pages}
    return {page: place for place, page in enumerate(sorted(pages))}


def list_novelties(game: Game, segments: Sequence[Segment]) -> list[tuple[int, int, int]]:
    """Lists how new what is said of an image is: a page, its new words, and the words before."""
    found = []
    for pages in _list_words(game, segments).values():
        numbers = sorted(pages)
        found += [
            (now, count_new_words(pages[before], pages[now]), len(pages[before]))
            for before, now in pairwise(numbers)
        ]
    return found


def _list_words(game: Game, segments: Sequence[Segment]) -> dict[str, dict[int, list[str]]]:
    """Returns the content words about each image in their order, by page; pages have some."""
    found: dict[str, dict[int, list[str]]] = {}
    for segment, each, messages in look_up_messages(game, segments):
        words = [word for text in messages for word in list_content_words(text.message)]
        for image in segment.targets if words else ():
            found.setdefault(image, {}).setdefault(each.round_nr, []).extend(words)
    return found


def count_new_words(before: Sequence[str], now: Sequence[str]) -> int:
    """Counts words that are added or replaced where two texts are aligned.

    Of the alignments with the fewest edits, the one with the fewest new words counts.
    """
    return len(now) - _count_kept(before, now)


def _count_kept(before: Sequence[str], now: Sequence[str]) -> int:
    """Counts the words that are kept: most of those that the fewest edits can keep.

    Between two kept words stand words of both texts that are not kept. It takes as many edits as
    there are in the longer of the two stretches to make one of the other, and all words of now in
    it are new. So only the places of equal words need be looked at, which are few, and not the
    whole table of edit distances.
    """
    places: dict[str, list[int]] = {}
    for place, word in enumerate(before):
        places.setdefault(word, []).append(place)
    # The best way to keep an equal word and end with it: the two places, the edits, the words kept.
    ends = [(-1, -1, 0, 0)]
    for here, word in enumerate(now):
        for there in places.get(word, ()):
            fewest, most = len(before) + len(now), 0
            for x, y, edits, kept in ends:
                if x < there and y < here:
                    apart = there - x if there - x > here - y else here - y
                    if edits + apart < fewest or (edits + apart == fewest and kept > most):
                        fewest, most = edits + apart, kept
            ends.append((there, here, fewest - 1, most + 1))
    rest = [
        (edits + max(len(before) - 1 - x, len(now) - 1 - y), -kept) for x, y, edits, kept in ends
    ]
    return -min(rest)[1]
