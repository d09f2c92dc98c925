"""A listener that sees: what was said of an image in this game, and how well words fit its picture.

What other games call an image is not asked, so that images may be new.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

import msgspec

from commonground.bench.learners.matching import Matcher, TermCounts, count_terms
from commonground.bench.learners.ngrams import split_words
from commonground.bench.learners.ranking import Judge, Ranker
from commonground.corpora.photobook.tasks.reference.evidence import (
    ENOUGH_GAMES,
    ScoredImages,
    SegmentHistory,
    choose,
    compare_values,
    describe_history,
    draw_games,
    follow_games,
    train_choice,
)
from commonground.corpora.photobook.tasks.reference.image_words import join_text
from commonground.corpora.photobook.tasks.sight import Example, Sight, SightTraining, measure_sight
from commonground.method import Encode, TrainingSet
from commonground.task import Instance

_SCALE = 0.15  # a lead of sight that counts as one


class SeeingModel(msgspec.Struct, frozen=True):
    """What was learned.

    Attributes:
        terms: in how many segments each word is.
        sight: what words say of pictures.
        ranker: weights of the features of a pair of segment and image.
        bar: score from which an image is chosen; the best one always is.
    """

    terms: TermCounts
    sight: Sight
    ranker: Ranker
    bar: float


def describe_seen(
    segment: SegmentHistory, sight: Sequence[float], matcher: Matcher
) -> list[dict[str, float]]:
    """Says how well the words fit each picture, and what this game called it before.

    Args:
        segment: the segment.
        sight: what speaks for each picture.
        matcher: compares texts.
    """
    shown = {f"{min(10, len(segment.images))} images": 1.0}
    found = []
    for place, history in enumerate(describe_history(segment, matcher)):
        fit = {"sight": sight[place] / _SCALE} | compare_values("sight", sight, place, _SCALE)
        when = "again" if segment.earlier[place] else "new"
        found.append(shown | history | fit | {f"{when} {name}": v for name, v in fit.items()})
    return found


def train_seeing(training: TrainingSet) -> SeeingModel:
    """Learns what words say of pictures, and to weigh it against what was said before.

    Raises:
        NothingToLearnError: there is no segment to learn from.
    """
    instances = training.instances
    learning = SightTraining([_make_example(each) for each in instances], training.encode)
    terms = count_terms(join_text(each.inputs["segment"]) for each in instances)
    matcher = Matcher(terms)
    followed = list(follow_games(draw_games(instances, ENOUGH_GAMES, training.seed)))
    seen = learning.measure_apart([(segment.said, segment.images) for _each, segment in followed])
    pairs = zip(followed, seen, strict=True)
    described = (describe_seen(segment, mine, matcher) for (_each, segment), mine in pairs)
    ranker, bar = train_choice(followed, described)
    return SeeingModel(terms, learning.learn(), ranker, bar)


def _make_example(instance: Instance) -> Example:
    words = set(split_words(join_text(instance.inputs["segment"])))
    return Example(words, instance.inputs["images"], instance.gold)


def predict_seeing(
    model: SeeingModel, instances: Iterable[Instance], encode: Encode
) -> Iterator[ScoredImages]:
    """Gives each image its probability.

    Args:
        model: what was learned.
        instances: segments, those of a game together and in order.
        encode: gives the vectors of pictures.
    """
    judge, matcher = Judge(model.ranker), Matcher(model.terms)
    followed = [segment for _each, segment in follow_games(instances)]
    seen = measure_sight(model.sight, ((each.said, each.images) for each in followed), encode)
    for segment, mine in zip(followed, seen, strict=True):
        scores = judge.score(describe_seen(segment, mine, matcher))
        yield choose(segment.images, scores, model.bar, segment.text)
