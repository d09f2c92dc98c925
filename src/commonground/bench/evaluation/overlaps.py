"""What the dialogues that predictions are of share with those of the training split."""

from __future__ import annotations

from collections.abc import Collection, Iterable

import msgspec

from commonground.corpora import find_corpus
from commonground.store.corpus import Corpus
from commonground.store.shared import Overlap, count_overlaps
from commonground.task import Gold, Scored

TRAIN = "train"
"""The usual name of the split to learn from."""

_FOLD = "fold-"


class Sides(msgspec.Struct, frozen=True):
    """What is tested and what is learned from: names of both, and ids of their dialogues."""

    test: str
    train: str
    tested: Collection[str]
    learned: Collection[str]


def find_overlap(gold: Gold, scored: Iterable[Scored]) -> list[Overlap]:
    """Counts what scored dialogues share with those that systems are expected to learn from.

    These are the dialogues of the split ``train`` or, of folds, all in other folds. What is itself
    learned from is left out.

    Args:
        gold: where the right answers are from; released files say nothing of dialogues.
    """
    if gold.files or not isinstance(gold.corpus, Corpus):
        return []
    mine = {each.dialogue_id for each in scored if not each.is_missing}
    return find_dialogue_overlap(gold.corpus.whole, mine)


def find_dialogue_overlap(corpus: Corpus, dialogues: Iterable[str]) -> list[Overlap]:
    """Counts what dialogues share with those that systems are expected to learn from.

    Args:
        dialogues: ids of the dialogues; those of the training split are left out.
    """
    mine, found = set(dialogues), list[Overlap]()
    for sides in list_sides(corpus):
        tested = mine.intersection(sides.tested)
        found += _count(corpus, sides, tested) if tested else []
    return found


def list_overlaps(corpus: Corpus) -> list[Overlap]:
    """Counts what the splits of a corpus share with what is learned from; empty without splits."""
    return [each for sides in list_sides(corpus) for each in _count(corpus, sides, sides.tested)]


def list_sides(corpus: Corpus) -> list[Sides]:
    """Lists each split that may be tested with what is learned from then."""
    names = [name for name in corpus.splits() if name]
    ids = {name: frozenset(corpus.ids(name)) for name in names}
    if TRAIN in ids:
        tested = [name for name in names if name != TRAIN]
        return [Sides(name, TRAIN, ids[name], ids[TRAIN]) for name in tested]
    if are_folds(names):
        together = frozenset(each for group in ids.values() for each in group)
        return [Sides(name, "the other folds", ids[name], together - ids[name]) for name in names]
    return []


def are_folds(splits: Collection[str]) -> bool:
    """Says whether splits are folds, each of which is tested on what the others teach.

    Args:
        splits: names of all splits of a corpus, without "".
    """
    return len(splits) > 1 and all(name.startswith(_FOLD) for name in splits)


def _count(corpus: Corpus, sides: Sides, tested: Collection[str]) -> list[Overlap]:
    about = find_corpus(corpus.name).manifest
    rounds = [(sides.learned, tested)]
    return count_overlaps(corpus.database, about, rounds, train=sides.train, test=sides.test)
