"""What players call each image: words of the games that one learned from."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence, Set

import msgspec

from commonground.bench.learners.ngrams import split_words
from commonground.task import Instance

_PRIOR = 2.0
"""How many games the words of all images of a group count, beside those of an image itself."""

Words = Set[str]
_NONE: Mapping[str, int] = {}


class ImageWords(msgspec.Struct, frozen=True):
    """In how many games each word was used for an image.

    Attributes:
        words: by image and word.
        games: games in which an image was spoken of, by image.
        group_words: by folder of images and word: the sums over its images.
        group_games: by folder: the sums over its images.
    """

    words: dict[str, dict[str, int]]
    games: dict[str, int]
    group_words: dict[str, dict[str, int]]
    group_games: dict[str, int]


GameWords = Mapping[str, Words]
"""The words that one game used, by image."""


def join_text(segment: Iterable[Sequence[str]]) -> str:
    """Joins the messages of a segment."""
    return "\n".join(message for _speaker, message in segment)


def collect_words(instances: Iterable[Instance]) -> dict[str, dict[str, set[str]]]:
    """Collects the words of each game, by image."""
    found: dict[str, dict[str, set[str]]] = {}
    for each in instances:
        words = split_words(join_text(each.inputs["segment"]))
        game = found.setdefault(each.dialogue_id, {})
        for image in each.gold:
            game.setdefault(image, set()).update(words)
    return found


def count_words(games: Mapping[str, GameWords]) -> ImageWords:
    """Counts the words of games."""
    words: dict[str, Counter[str]] = {}
    group_words: dict[str, Counter[str]] = {}
    times: Counter[str] = Counter()
    group_times: Counter[str] = Counter()
    for game in games.values():
        for image, used in game.items():
            words.setdefault(image, Counter()).update(used)
            group_words.setdefault(_group(image), Counter()).update(used)
            times[image] += 1
            group_times[_group(image)] += 1
    return ImageWords(
        {image: _sort(counts) for image, counts in sorted(words.items())},
        _sort(times),
        {group: _sort(counts) for group, counts in sorted(group_words.items())},
        _sort(group_times),
    )


def _sort(counts: Counter[str]) -> dict[str, int]:
    """Returns counts by name: words come from sets, whose order is another in each process."""
    return dict(sorted(counts.items()))


def _group(image: str) -> str:
    return image.rpartition("/")[0]


def weigh_words(
    known: ImageWords, image: str, said: Words, without: GameWords | None = None
) -> list[float]:
    """Returns how much each word speaks for an image: log of its rate there to that in its group.

    Args:
        known: what was counted.
        image: the image.
        said: the words; those that no game used for the group are passed over.
        without: a game among those counted that is to be left out.
    """
    mine = known.words.get(image, _NONE)
    group = known.group_words.get(_group(image), _NONE)
    # While learning, a game must not vouch for the very words that are to be understood in it.
    own = (without or {}).get(image, frozenset())
    games = known.games.get(image, 0) - (1 if own else 0)
    # Groups count a game once for each of its images, all of which are of one folder.
    total = known.group_games.get(_group(image), 0) - len(without or ())
    weights = []
    # Sums of them depend on their order, and that of a set on the process.
    for word in sorted(said):
        in_group = group.get(word, 0) - _count_uses(without, word)
        if in_group > 0:
            rate = in_group / max(1, total)
            count = mine.get(word, 0) - (word in own)
            # The prior pulls the rate of an image that few games had towards that of its group.
            weights.append(math.log((count + _PRIOR * rate) / (games + _PRIOR) / rate))
    return weights


def _count_uses(game: GameWords | None, word: str) -> int:
    """Returns for how many images a game used a word."""
    return sum(word in used for used in game.values()) if game else 0


def list_usual_words(known: ImageWords, image: str, share: float) -> Words:
    """Returns the words that at least a share of the games used for an image.

    Args:
        known: what was counted.
        image: its path.
        share: of the games that spoke of it, from 0 to 1.
    """
    least = share * known.games.get(image, 0)
    return {word for word, count in known.words.get(image, _NONE).items() if count >= least}


def measure_overlap(used: Words, said: Words, rarity: Callable[[str], float]) -> float:
    """Returns which share of what is said was used before, rare words weighing more.

    Args:
        used: words used before.
        said: words said now.
        rarity: weight of a word.
    """
    total = math.fsum(rarity(word) for word in said)
    return math.fsum(rarity(word) for word in said & used) / total if total else 0.0
