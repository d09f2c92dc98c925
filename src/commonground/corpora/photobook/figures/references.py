"""Segments and reference chains of PhotoBook: how people refer to one image again and again."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from functools import partial

from commonground.corpora.photobook.figures.segmented import SegmentedGame, segment_games
from commonground.corpora.photobook.segments import Chain, build_chains
from commonground.figure import Data, Row
from commonground.statistics.means import bound_ratio

# Longer chains are too few for a mean of their own.
_LONGEST = 8


def _list_targets(data: Data) -> list[Row]:
    """Lists for each segment the number of its images, and the game."""
    return [
        (len(each.targets), game.dialogue_id)
        for game in data.share(segment_games)
        for each in game.segmentation.segments
    ]


List = Callable[[Data], list[Row]]
"""Lists numbers, each with the game that it is of."""


def _count(numbers: List, data: Data) -> list[Row]:
    """Returns for each number that is listed how often it is, and which share of all in %."""
    listed = data.share(numbers)
    counts = Counter(number for number, _ in listed)
    return [[n, counts[n], 100 * counts[n] / len(listed)] for n in sorted(counts)]


def _find(numbers: List, data: Data) -> Iterable[Row]:
    """Gives each number with its games, each once, in order: a game may have a number often."""
    return dict.fromkeys(data.share(numbers))


compute_targets, find_targets = partial(_count, _list_targets), partial(_find, _list_targets)


def compute_splits(data: Data) -> list[Row]:
    """Counts games, chains, segments and targets by split."""
    splits: dict[str, list[int]] = {}
    for game in data.share(segment_games):
        counts = splits.setdefault(game.split or "none", [0, 0, 0, 0])
        segments = game.segmentation.segments
        found = 1, len(build_chains(segments)), len(segments), sum(len(s.targets) for s in segments)
        splits[game.split or "none"] = [a + b for a, b in zip(counts, found, strict=True)]
    return [[split, *counts] for split, counts in sorted(splits.items())]


def find_splits(data: Data) -> list[Row]:
    """Gives each split with its games."""
    return [(game.split or "none", game.dialogue_id) for game in data.share(segment_games)]


def _list_lengths(data: Data) -> list[Row]:
    """Lists for each chain the number of its segments, and the game."""
    return [
        (len(chain.segments), game.dialogue_id)
        for game in data.share(segment_games)
        for chain in build_chains(game.segmentation.segments)
    ]


compute_lengths, find_lengths = partial(_count, _list_lengths), partial(_find, _list_lengths)


def compute_groups(data: Data) -> list[Row]:
    """Counts short, middling and long chains."""
    groups = {"1 or 2": 0, "3 to 6": 0, "7 or more": 0}
    for length, chains, _ in compute_lengths(data):
        groups["1 or 2" if length < 3 else "3 to 6" if length < 7 else "7 or more"] += chains
    total = sum(groups.values()) or 1
    return [[name, chains, 100 * chains / total] for name, chains in groups.items()]


def _chain_words(game: SegmentedGame, chain: Chain) -> list[int]:
    """Returns the number of words of each segment of a chain."""
    segments = game.segmentation.segments
    return [sum(game.words[n] for n in segments[number].messages) for number in chain.segments]


def _list_places(data: Data) -> list[Row]:
    """Lists the places of segments in their chains, with the number of words, and the game."""
    listed: list[Row] = []
    for game in data.share(segment_games):
        for chain in build_chains(game.segmentation.segments):
            words = _chain_words(game, chain)
            # The first segment of such a chain would be its last, too.
            if len(words) < 2:
                continue
            for place, count in enumerate(words[:_LONGEST], start=1):
                listed.append((str(place), count, game.dialogue_id))
            listed.append(("last", words[-1], game.dialogue_id))
    return listed


def compute_shortening(data: Data) -> list[Row]:
    """Averages the words of the first, second, ... and last segment of chains."""
    places: dict[str, dict[str, list[int]]] = {}
    for place, words, game in data.share(_list_places):
        places.setdefault(place, {}).setdefault(game, []).append(words)
    rows: list[Row] = []
    for place, games in sorted(places.items()):  # digits stand before letters
        segments = [len(each) for each in games.values()]
        words = bound_ratio([sum(each) for each in games.values()], segments)
        rows.append([place, len(games), sum(segments), *words])
    return rows


def find_places(data: Data) -> Iterable[Row]:
    """Gives each place in a chain with its games."""
    return dict.fromkeys((place, game) for place, _, game in data.share(_list_places))
